"""What a run's log says of it once its process is gone."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from corpus.workspace import init_workspace
from scoring.run_log import MISSING, SCORED, RunLog, find_process_start
from scoring.run_states import is_gone, read_runs
from tests.command_line import run_here


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return init_workspace(tmp_path / "study").results


def begin(results: Path, name: str = "river-1") -> RunLog:
    about = {"model": "river", "revision": "r", "release": "1.0.0", "runner": "inline"}
    shards = {code: {"file": "f", "items": 3, "state": MISSING} for code in ("en", "sk")}
    log = RunLog(results / name, about, shards)
    log.start()
    log.note("en", SCORED)
    return log


def change(results: Path, name: str = "river-1", **parts: Any) -> None:
    file = results / name / "run.json"
    file.write_text(json.dumps(json.loads(file.read_bytes()) | parts), encoding="utf-8")


def state_of(results: Path) -> str:
    [[run], problems] = read_runs(results)
    assert problems == ()
    return run.state


def test_a_run_whose_process_is_gone_is_interrupted(results: Path) -> None:
    begin(results)
    assert state_of(results) == "running"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    change(results, pid=ended.pid)
    assert state_of(results) == "interrupted"


@pytest.mark.skipif(find_process_start(os.getpid()) is None, reason="no /proc here")
def test_another_process_of_the_same_number_is_not_the_run(results: Path) -> None:
    begin(results)
    change(results, process_start="1")
    assert state_of(results) == "interrupted"


def test_nothing_is_known_of_a_process_of_another_machine(results: Path) -> None:
    begin(results)
    change(results, host=f"not-{socket.gethostname()}", pid=2**22 + 1)
    assert state_of(results) == "running"


def test_a_run_that_ended_is_as_it_says(results: Path) -> None:
    begin(results).finish("failed")
    assert state_of(results) == "failed"


def test_a_process_of_another_user_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(_pid: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbid)
    pid = os.getpid()
    log = {"host": socket.gethostname(), "pid": pid, "process_start": find_process_start(pid)}
    assert not is_gone(log)


def test_the_command_says_of_each_run_how_far_it_is(results: Path) -> None:
    log = begin(results)
    log.note("sk", "failed", "The model gives NaN.")
    log.finish("incomplete")
    begin(results, "river-2")
    change(results, "river-2", process_start="1", host=socket.gethostname())
    (results / "bad-1").mkdir()
    (results / "bad-1" / "run.json").write_text("[]", encoding="utf-8")
    told = run_here("scores", "runs", "-w", results.parent)
    assert told.code == 0, told.text
    assert "river-1, sk: The model gives NaN." in told.err
    assert "An interrupted run goes on where it stopped" in told.err
    assert "bad-1/run.json cannot be read (TypeError)" in told.err
    found = json.loads(run_here("scores", "runs", "--json", "-w", results.parent).out)["runs"]
    assert {each["result"]: (each["state"], each["shards_done"]) for each in found} == {
        "river-1": ("incomplete", 1),
        "river-2": ("interrupted", 1),
    }

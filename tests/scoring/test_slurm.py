"""The SLURM runner: its script, and jobs on a real cluster of one node where one can be started."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from scored_releases import ask_for, build_small_release, model_at

from corpus.errors import EngineError
from corpus.release import Release
from scoring.scores import ModelScores, ModelToScore, score_models
from scoring.shards import read_shard
from scoring.slurm import SlurmOptions, SlurmRunner, check_slurm, list_queued
from scoring.tasks import Advance, ShardOutcome, ShardTask
from tests.slurm_fixtures import slurm_cluster

GOLDEN = """\
#!/bin/bash

# Parameters
#SBATCH --account=study
#SBATCH --array=0-2%2
#SBATCH --cpus-per-task=4
#SBATCH --error=FOLDER/%A_%a_0_log.err
#SBATCH --gpus-per-task=1
#SBATCH --job-name=stereoscope
#SBATCH --mem=24GB
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --open-mode=append
#SBATCH --output=FOLDER/%A_%a_0_log.out
#SBATCH --partition=gpu
#SBATCH --signal=USR2@90
#SBATCH --time=90
#SBATCH --wckey=submitit

# command
export SUBMITIT_EXECUTOR=slurm
srun --unbuffered --output FOLDER/%A_%a_%t_log.out --error FOLDER/%A_%a_%t_log.err COMMAND
"""


def test_the_script_of_a_job_array(tmp_path: Path) -> None:
    from submitit.slurm.slurm import _make_sbatch_string

    options = SlurmOptions("gpu", "study", 1, 4, 24, minutes=90, jobs_at_once=2)
    script = _make_sbatch_string("COMMAND", tmp_path, map_count=3, **options.parameters)
    assert script.replace(str(tmp_path), "FOLDER") == GOLDEN


def test_a_machine_without_slurm_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="There is no SLURM on this machine") as caught:
        check_slurm()
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return build_small_release(tmp_path_factory.mktemp("slurm-release"))


@pytest.fixture(scope="module")
def model(gpt2_folder: Path) -> ModelToScore:
    return model_at(gpt2_folder)


@pytest.fixture(scope="module")
def cluster(slurm_programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    assert slurm_programs
    folder = tmp_path_factory.mktemp("slurm")
    with slurm_cluster(folder) as environment, pytest.MonkeyPatch.context() as patched:
        for name in ("PATH", "SLURM_CONF"):
            patched.setenv(name, environment[name])
        yield


class Recording(SlurmRunner):
    """Keeps the tasks it was given."""

    tasks: Sequence[ShardTask] = ()

    def run(self, tasks: Sequence[ShardTask], advance: Advance) -> Iterator[ShardOutcome]:
        self.tasks = tasks
        return super().run(tasks, advance)


def shards_of(results: Path) -> dict[str, Any]:
    return {path.name: read_shard(path) for path in results.glob("shards/*/*.parquet")}


def set_node(state: str) -> None:
    [host] = subprocess.check_output(["sinfo", "-h", "-o", "%n"], text=True).split()
    reason = ["reason=test"] if state == "drain" else []
    subprocess.check_call(["scontrol", "update", f"nodename={host}", f"state={state}", *reason])


def wait_for_jobs(number: int, without: frozenset[str] = frozenset()) -> frozenset[str]:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found = list_queued() - without
        if len(found) == number:
            return found
        time.sleep(0.2)
    raise AssertionError(f"never {number} jobs, now {list_queued()}")


@pytest.mark.slow
@pytest.mark.slurm
@pytest.mark.usefixtures("cluster")
def test_jobs_of_a_real_cluster(release: Release, model: ModelToScore, tmp_path: Path) -> None:
    """One is cancelled while it waits, and submitted again; a second command adopts both."""
    request, results, folder = ask_for(release), tmp_path / "there", tmp_path / "there" / "slurm"
    score_models([model], request, tmp_path / "here")
    scored: list[ModelScores] = []
    first = Recording(folder, SlurmOptions(minutes=5), poll_s=0.2)
    second = SlurmRunner(folder, SlurmOptions(minutes=5), poll_s=0.2)
    collected: list[ShardOutcome] = []

    set_node("drain")
    command = Thread(target=lambda: scored.extend(score_models([model], request, results, first)))
    command.start()
    waiting = wait_for_jobs(2)
    cancelled = min(waiting)
    subprocess.check_call(["scancel", cancelled])
    again = wait_for_jobs(1, without=waiting)
    other = Thread(target=lambda: collected.extend(second.run(first.tasks, lambda _done: None)))
    other.start()
    time.sleep(3)
    assert list_queued() == (waiting - {cancelled}) | again
    set_node("resume")
    for thread in (command, other):
        thread.join(timeout=300)
    assert scored[0].gaps == {}
    assert [outcome.problem for outcome in collected] == [None, None]
    assert shards_of(results) == shards_of(tmp_path / "here")
    assert len(list(folder.glob("*_submitted.pkl"))) == 3


@pytest.mark.slow
@pytest.mark.slurm
@pytest.mark.usefixtures("cluster")
def test_a_job_that_is_cancelled_twice_is_a_gap_until_the_next_run(
    release: Release, model: ModelToScore, tmp_path: Path
) -> None:
    request, folder = ask_for(release), tmp_path / "slurm"
    scored: list[ModelScores] = []

    def command() -> None:
        runner = SlurmRunner(folder, SlurmOptions(minutes=5), poll_s=0.2)
        scored.extend(score_models([model], request, tmp_path, runner))

    set_node("drain")
    running = Thread(target=command)
    running.start()
    waiting = wait_for_jobs(2)
    subprocess.check_call(["scancel", *waiting])
    again = wait_for_jobs(2, without=waiting)
    subprocess.check_call(["scancel", *again])
    running.join(timeout=120)
    set_node("resume")
    assert scored[0].result is None
    assert "ended twice without a result" in scored[0].gaps["sk"]
    command()
    assert scored[1].gaps == {}

"""`prompts run` from the command line: all faults first, keys nowhere, gone on with when killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpus.prompts import PromptTemplate, Requirement
from scoring.prompt_results import find_prompt_runs, open_prompt_run
from tests.command_line import command_of, environment_of, run_here
from tests.engines.tested_chat_servers import ModelScript, serving
from tests.scoring.prompt_runs_made import write_inputs
from tests.scoring.prompt_tests import make_template

KEY = "sk-secret-of-the-test"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run_here("init", folder).code == 0
    return folder


def write_models(folder: Path, url: str, *, more: str = "") -> Path:
    path = folder / "models.toml"
    path.write_text(
        f"""
[[models]]
name = "stork-chat"
family = "Stork"
engine = "endpoint"
url = "{url}"
provider = "Example"
key_variable = "STORK_KEY"
attempts = 1

[[helpers]]
name = "stork-large"
family = "Stork"
{more}""",
        encoding="utf-8",
    )
    return path


def inputs(
    folder: Path,
    templates: Sequence[PromptTemplate] | None = None,
    requirements: Sequence[Requirement] | None = None,
) -> list[Path]:
    return write_inputs(folder / "inputs", templates, requirements)


def test_run_asks_stores_and_says_what_came_back(study: Path, tmp_path: Path) -> None:
    script = ModelScript(lambda *_: "No.")
    files = inputs(tmp_path)
    asked = files[-1].read_text("utf-8").replace("{", '{ "tokens": 60, "temperature": 1.0,', 1)
    files[-1].write_text(asked, encoding="utf-8")
    with serving(script) as url:
        models = write_models(tmp_path, url)
        given: tuple[str | Path, ...] = ("prompts", "run", *files, "--models", models, "-w", study)
        dry = run_here(*given, "--dry-run", "--json", env={"STORK_KEY": KEY})
        assert [each["value"] for each in json.loads(dry.out)["figures"]] == [4]
        assert script.messages == []
        done = run_here(*given, "--augmented-by", "stork-large", env={"STORK_KEY": KEY})
        again = run_here(*given, "--json", env={"STORK_KEY": KEY})
    assert done.code == 0, done.text
    assert "stork-large" in done.out
    assert "Not used, because the models file says" in done.message
    assert "temperature, tokens of the requirements" in done.message
    assert len(script.messages) == 4
    assert script.keys == [f"Bearer {KEY}"] * 4
    assert json.loads(again.out)["figures"][0]["value"] == 4
    (first, second) = find_prompt_runs(study / "results")
    marked = [open_prompt_run(each).marked_models for each in (first, second)]
    assert {"stork-chat": ("stork-large",)} in marked
    assert {} in marked
    written = b"".join(each.read_bytes() for each in study.rglob("*") if each.is_file())
    assert KEY.encode() not in written
    assert url.encode() not in written
    assert KEY not in done.text + again.text


def test_everything_that_is_wrong_is_told_before_a_prompt_is_sent(
    study: Path, tmp_path: Path
) -> None:
    script = ModelScript(lambda *_: "No.")
    templates = [
        make_template("Are {GENDER1} calmer than {GENDER3}?", number="1"),
        make_template("Are {GENDER1} calmer than {GENDER2} and {GENDER3}?", number="2"),
        make_template("Is {gender} kind?", number="3"),
    ]
    files = inputs(tmp_path, templates)
    with serving(script) as url:
        more = '\n[[models]]\nname = "gone"\nfamily = "G"\nengine = "local"\npath = "no/such"\n'
        models = write_models(tmp_path, url, more=more)
        given: tuple[str | Path, ...] = (
            "prompts",
            "run",
            *files,
            "--models",
            models,
            "-w",
            study,
            "--languages",
            "xx",
        )
        refused = run_here(*given, "--limit", "0", "--repeats", "0", "--concurrency", "0")
    assert refused.code == 1
    assert script.messages == []
    for said in (
        "models[1].key_variable]: an endpoint without a key: STORK_KEY is not set",
        "models[2].path]",
        "--languages: no file of templates in xx",
        "--limit: 0 is below 1",
        "--repeats: 0 is below 1",
        "--concurrency: 0 cannot be used",
    ):
        assert said in refused.message
    assert not (study / "results" / "prompts").exists()


def test_templates_that_cannot_be_sent_refuse_the_run_unless_left_out(
    study: Path, tmp_path: Path
) -> None:
    script = ModelScript(lambda *_: "No.")
    wrong = make_template("Are {GENDER1}, {GENDER2} and {GENDER3} calm?", number="2")
    files = inputs(tmp_path, [make_template(), wrong])
    with serving(script) as url:
        models = write_models(tmp_path, url)
        given: tuple[str | Path, ...] = ("prompts", "run", *files, "--models", models, "-w", study)
        refused = run_here(*given, env={"STORK_KEY": KEY})
        assert script.messages == []
        done = run_here(*given, "--leave-out-blocked", env={"STORK_KEY": KEY})
    assert refused.code == 1
    assert "prompts_en_us.csv:3 [prompt]" in refused.message
    assert done.code == 0, done.text
    assert "Left out, cannot be sent as it is meant: 2 (en_us)." in done.message
    assert len(script.messages) == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("models = 3", "models"),
        ("[[models]]\nname = 'a'\nfamily = 'A'\nengine = 'magic'", "'magic' is not known"),
        ("[[models]]\nname = 'a'\nengine = 'endpoint'\nurl = 'ftp://x'", "no http://"),
        (
            "[[models]]\nname = 'a'\nfamily = 'A'\nengine = 'endpoint'\n"
            "url = 'https://example.org/v1'",
            "an endpoint without a key",
        ),
        (
            "[[models]]\nname = 'a'\nfamily = 'A'\nengine = 'local'\npath = 'x'\n"
            "temperature = nan\nmax_tokens = 0\nmax_token = 3\nurl = 'http://x'",
            "max_token]: unknown key",
        ),
    ],
)
def test_models_file_is_read_strictly(study: Path, tmp_path: Path, content: str, says: str) -> None:
    models = tmp_path / "models.toml"
    models.write_text(content, encoding="utf-8")
    refused = run_here("prompts", "run", *inputs(tmp_path), "--models", models, "-w", study)
    assert refused.code == 1
    assert says in refused.message


def test_killed_run_asks_nothing_twice_but_what_was_on_its_way(study: Path, tmp_path: Path) -> None:
    templates = [make_template(f"{n}: is {{GENDER}} kind?", number=str(n)) for n in range(1, 41)]
    files = inputs(tmp_path, templates)
    script = ModelScript(lambda *_: "No.", delay_s=0.05)
    with serving(script) as url:
        models = write_models(tmp_path, url)
        given: tuple[str | Path, ...] = (
            "prompts",
            "run",
            *files,
            "-m",
            models,
            "-w",
            study,
            "--concurrency",
            "2",
        )
        process = subprocess.Popen(
            command_of(*given),
            env=environment_of({"STORK_KEY": KEY}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while len(script.messages) < 12 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert 12 <= len(script.messages) < 80
        assert find_prompt_runs(study / "results") == ()
        script.delay_s = 0.0
        done = run_here(*given, env={"STORK_KEY": KEY})
    assert done.code == 0, done.text
    assert len(set(script.messages)) == 80
    assert len(script.messages) <= 82
    (folder,) = find_prompt_runs(study / "results")
    assert sum(len(each) for each in open_prompt_run(folder).answers.values()) == 80


def test_interrupted_run_ends_at_once_and_goes_on(study: Path, tmp_path: Path) -> None:
    templates = [make_template(f"{n}: is {{GENDER}} kind?", number=str(n)) for n in range(1, 41)]
    files = inputs(tmp_path, templates)
    script = ModelScript(lambda *_: "No.", delay_s=0.1)
    with serving(script) as url:
        models = write_models(tmp_path, url)
        given: list[str | Path] = ["prompts", "run", *files, "-m", models, "-w", study]
        process = subprocess.Popen(
            command_of(*given, "--concurrency", "2"),
            env=environment_of({"STORK_KEY": KEY}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while len(script.messages) < 6 and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        asked = len(script.messages)
        script.delay_s = 0.0
        done = run_here(*given, env={"STORK_KEY": KEY})
    assert process.returncode == 130, told
    assert "run the same command again" in " ".join(told.split())
    assert 6 <= asked < 80
    assert done.code == 0, done.text
    # Ctrl-C waits for what is on its way, so nothing at all is asked twice.
    assert len(script.messages) == len(set(script.messages)) == 80


def test_files_and_a_release_are_not_mixed(study: Path, tmp_path: Path) -> None:
    files = inputs(tmp_path)
    models = write_models(tmp_path, "http://127.0.0.1:9/v1")
    given: list[str | Path] = ["prompts", "run", "-m", models, "-w", study]
    mixed: list[list[str | Path]] = [[], [*files, "--release", "mla-bite/1.0.0"]]
    for more in mixed:
        refused = run_here(*given, *more, env={"STORK_KEY": KEY})
        assert refused.code == 1
        assert "--release alone" in refused.message
    refused = run_here(*given, *files, "--texts", "p2t,t3p", env={"STORK_KEY": KEY})
    assert "t3p is not known" in refused.message
    nothing = run_here(*given, *files, "--texts", "p2t", env={"STORK_KEY": KEY})
    assert "no file of templates" in nothing.message

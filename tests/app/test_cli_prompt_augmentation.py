"""`prompts import` and `augment`: dry run, refusals before a request, killed and run again."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.command_line import ROOT, environment_of, rows_of, run_here
from tests.corpus.prompt_files import requirement, write_prompts, write_requirements
from tests.engines.chat_servers import PATH
from tests.engines.prompt_servers import RewritingScript, say_text

PROMPTS = [{}, {"prompt_id": "2", "prompt": "Is it so?"}, {"prompt_id": "3", "prompt": "Why?"}]
KILLED = ROOT / "tests" / "e2e" / "killed_command.py"


@pytest.fixture
def script(httpserver: HTTPServer) -> RewritingScript:
    script = RewritingScript()
    httpserver.expect_request(PATH, method="POST").respond_with_handler(script.answer)
    return script


def make_workspace(folder: Path, url: str) -> Path:
    folder.mkdir(exist_ok=True)
    workspace = folder / "study"
    assert run_here("init", workspace).code == 0
    with (workspace / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'\nchat_url = "{url}"\ntranslation_model = "first"\n')
    files = write_prompts(folder, PROMPTS), write_requirements(folder, requirement())
    told = run_here("prompts", "import", *files, "--workspace", workspace)
    assert told.code == 0, told.text
    return workspace


def test_files_are_imported_once(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, "http://127.0.0.1:1/v1")
    files = [tmp_path / "prompts_en_us.csv", tmp_path / "requirements.json"]
    told = run_here("prompts", "import", *files, "--workspace", workspace)
    assert "nothing was added" in told.message
    broken = write_prompts(tmp_path, [{"prompt_id": "4", "prompt": "Are {gender} so?"}])
    told = run_here("prompts", "import", broken, "--workspace", workspace)
    assert "1 templates cannot be sent as they are meant and carry a flag" in told.message


def test_a_dry_run_counts_and_a_run_reports(
    tmp_path: Path, httpserver: HTTPServer, script: RewritingScript
) -> None:
    workspace = make_workspace(tmp_path, httpserver.url_for("/v1"))
    augment: list[str | Path] = ["prompts", "augment", "-l", "es,fr", "--workspace", workspace]
    told = run_here(*augment, "--paraphrase-model", "second", "--dry-run")
    assert told.code == 0, told.text
    assert script.received == []
    # French: a frame, two communities in one request, three templates; Spanish has its names.
    counts = [line.split("│")[1:4] for line in told.out.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row[:2]] for row in counts] == [
        ["first", "9"],
        ["second", "6"],
    ]
    script.always['"prompt": "Why?"'] = say_text("I will not.")
    told = run_here(*augment, "--paraphrase-model", "second", "--json")
    assert told.code == 0, told.text
    document = json.loads(told.out)
    counted = {
        (each["scope"]["language"], each["name"]): each["value"] for each in document["figures"]
    }
    assert counted[("fr", "complete")] == 2
    assert counted[("fr", "communities")] == 2
    assert counted[("es", "communities")] == 0
    assert [(each["about"], each["reason"]) for each in document["failures"]] == [
        ("3", "not_json"),
        ("3", "not_json"),
    ]
    assert {body["model"] for body in script.received} == {"first", "second"}
    assert {body["temperature"] for body in script.received} == {1.0}
    sent = len(script.received)
    told = run_here(*augment, "--paraphrase-model", "second")
    assert len(script.received) == sent
    assert "translating failed for 1 (3): not_json, no answer was the JSON object" in told.message


def test_keys_go_to_their_own_server_only(
    tmp_path: Path, httpserver: HTTPServer, script: RewritingScript
) -> None:
    workspace = make_workspace(tmp_path, httpserver.url_for("/v1"))
    other = httpserver.url_for("/v1").replace("localhost", "127.0.0.1")
    env = {"STEREOSCOPE_CHAT_API_KEY": "first-key", "STEREOSCOPE_PARAPHRASE_URL": other}
    augment: list[str | Path] = ["prompts", "augment", "-l", "es", "--workspace", workspace]
    assert run_here(*augment, env=env).code == 0
    assert set(script.keys) == {"Bearer first-key", None}
    told = run_here(
        "prompts", "augment", "-l", "de", "-w", workspace, env={"STEREOSCOPE_CHAT_API_KEY": "k"}
    )
    assert told.code == 0
    assert script.keys[-1] == "Bearer k"
    assert "first-key" not in told.text


def test_all_that_is_missing_is_told_before_a_request(
    tmp_path: Path, script: RewritingScript
) -> None:
    workspace = make_workspace(tmp_path, "https://chat.example/v1")
    before = rows_of(workspace)
    env = {"STEREOSCOPE_TRANSLATION_MODEL": "", "STEREOSCOPE_PARAPHRASE_URL": "no address"}
    told = run_here("prompts", "augment", "-l", "fr", "--workspace", workspace, env=env)
    assert told.code == 1
    assert "nothing was sent" in told.message
    assert "translating: no model; set translation_model" in told.message
    assert "set STEREOSCOPE_CHAT_API_KEY" in told.message
    assert "paraphrasing: no address; set paraphrase_url" in told.message
    assert "chat.example" not in told.text
    assert rows_of(workspace) == before
    told = run_here("prompts", "augment", "-l", "fr,xx,yy", "--workspace", workspace)
    assert told.code == 1
    assert "xx" in told.message
    assert "yy" in told.message
    told = run_here("prompts", "augment", "-l", "fr", "--dataset", "x", "--workspace", workspace)
    assert told.code == 1
    assert script.received == []


def test_an_engine_translates_what_it_has(
    tmp_path: Path, httpserver: HTTPServer, script: RewritingScript
) -> None:
    workspace = make_workspace(tmp_path, httpserver.url_for("/v1"))
    english = ["Are {GENDER1} calmer than {GENDER2}?", "Is it so?", "Why?"]
    french = ["Sont {GENDER1} plus calmes que {GENDER1} ?", "Est-ce ainsi ?", "Pourquoi ?"]
    texts = dict(zip(english, french, strict=True)) | {
        'Begin your answer with "Yes" or "No".': 'Commence par "Oui" ou "Non".',
        "No": "Non",
        "I think not": "Je ne crois pas",
        "men": "les hommes",
        "women": "les femmes",
    }
    recorded = tmp_path / "recorded_fr.csv"
    with recorded.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["source", "language", "translation"])
        writer.writerows([text, "fr", there] for text, there in texts.items())
    told = run_here(
        "prompts",
        "augment",
        "-l",
        "fr",
        "--engine",
        "recorded",
        "-t",
        recorded,
        "--paraphrase-model",
        "second",
        "--json",
        "--workspace",
        workspace,
    )
    assert told.code == 0, told.text
    document = json.loads(told.out)
    assert [(each["about"], each["reason"]) for each in document["failures"]] == [
        ("1", "placeholders")
    ]
    assert sorted(script.asked(number)["prompt"] for number in range(2)) == french[1:]


@pytest.mark.slow
def test_killed_and_run_again_asks_nothing_twice(
    tmp_path: Path, httpserver: HTTPServer, script: RewritingScript
) -> None:
    workspace = make_workspace(tmp_path, httpserver.url_for("/v1"))
    arguments: list[str | Path] = [
        "prompts",
        "augment",
        "-l",
        "es,fr",
        "--parallel",
        "1",
        "--workspace",
        workspace,
    ]
    for moment, number in (("before commit", 1), ("after commit", 3), ("after commit", 4)):
        command = [sys.executable, str(KILLED), moment, str(number), *map(str, arguments)]
        ended = subprocess.run(command, env=environment_of(), cwd=ROOT, check=False, timeout=300)
        assert ended.returncode == -signal.SIGKILL
    told = run_here(*arguments)
    assert told.code == 0, told.text
    asked = Counter(json.dumps(body["messages"]) for body in script.received)
    # What was killed between an answer and its commit is the one request that is sent again.
    assert sum(asked.values()) - len(asked) == 1
    undisturbed = make_workspace(tmp_path / "other", httpserver.url_for("/v1"))
    assert run_here(*arguments[:-1], undisturbed).code == 0
    left_out = {"audit"}
    mine, theirs = (
        {name: rows for name, rows in rows_of(each).items() if name not in left_out}
        for each in (workspace, undisturbed)
    )
    assert mine == theirs

"""The command line: help everywhere, JSON of one form, repetition without effect, literal text."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from app.cli import cli
from corpus.hashing import sha256_file
from corpus.records import Instrument
from corpus.samples import sentences_path
from corpus.settings import Settings
from corpus.store import open_store
from corpus.version import VERSION
from tests.command_line import database_of, run_here, run_process, snapshot_of
from tests.sample_workspaces import LANGUAGES, make_sample_workspace, translation_options

HOSTILE = "[red]not red[/red] \x1b[31mescape\x1b[0m \x07bell *stars* =1+1"
SHOWN = "[red]not red[/red] \\u001b[31mescape\\u001b[0m \\u0007bell *stars* =1+1"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample_workspace(tmp_path_factory.mktemp("prepared") / "study")


@pytest.fixture
def workspace(prepared: Path, tmp_path: Path) -> Path:
    """A copy of the sample's workspace."""
    return shutil.copytree(prepared, tmp_path / "study")


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its words; a group has commands of its own."""
    yield " ".join(path), command
    for name, each in getattr(command, "commands", {}).items():
        yield from walk(each, (*path, name))


COMMANDS = dict(walk(typer.main.get_command(cli)))
LISTED_IN_THE_ISSUE = """
init, source add, generate, candidates export, batch create, batch push, batch pull, batch status,
agreement, decide, approve, release build, release verify, score, app, demo, doctor, config show,
runs
"""


def test_all_commands_of_the_issue_are_there() -> None:
    wanted = {" ".join(each.split()) for each in LISTED_IN_THE_ISSUE.split(",")}
    assert wanted <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help(name: str) -> None:
    command = COMMANDS[name]
    assert (command.help or "").strip()
    silent = [
        each.name
        for each in command.params
        if not (getattr(each, "help", None) or "").strip() and each.name != "help"
    ]
    assert silent == []
    ended = run_here(*name.split(), "--help")
    assert ended.code == 0
    assert ended.err == ""
    assert "Usage: stereoscope" in ended.out


def test_version_and_no_command() -> None:
    assert run_process("--version").out == f"stereoscope {VERSION}\n"
    assert "Usage: stereoscope" in run_here().text


JSON_COMMANDS = {
    "generate": ["generate", "-l", LANGUAGES, *translation_options()],
    "batch status": ["batch", "status"],
    "agreement": ["agreement", "-l", "sk"],
}


@pytest.mark.parametrize("name", JSON_COMMANDS)
def test_json_is_one_object_of_figures(workspace: Path, name: str) -> None:
    batch = ["batch", "create", "-l", "sk", "--raters", "rater-1,rater-2", "--size", "4"]
    assert run_here(*batch, "-w", workspace).code == 0
    ended = run_here(*JSON_COMMANDS[name], "--json", "-w", workspace)
    assert ended.code == 0
    document = json.loads(ended.out)
    # Of a language there is also how it stands for its approval.
    more = {"approval"} if name == "agreement" else set()
    assert set(document) == {"command", "version", "inputs_sha256", "definitions", "figures"} | more
    assert (document["command"], document["version"]) == (name, f"stereoscope {VERSION}")
    assert len(document["inputs_sha256"]) == 64
    assert document["figures"]
    for figure in document["figures"]:
        assert {"name", "scope", "value", "reason", "n", "interval", "method"} <= set(figure)
        assert document["definitions"][figure["name"]]
        assert (figure["value"] is None) != (figure["reason"] is None)
    assert "NaN" not in ended.out


def test_json_of_what_is_no_figure(workspace: Path) -> None:
    settings = json.loads(run_here("config", "show", "--json", "-w", workspace).out)
    assert set(settings) == {"command", "version", "settings"}
    assert set(settings["settings"]) == set(Settings.model_fields)
    runs = json.loads(run_here("runs", "--json", "-w", workspace).out)
    assert [each["command"] for each in runs["runs"]] == ["release build", "generate"]
    assert {each["state"] for each in runs["runs"]} == {"done"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["source", "add", sentences_path(), "--dataset", "sample"],
        ["generate", "-l", LANGUAGES, *translation_options()],
        ["generate", "-l", LANGUAGES, "--dry-run", *translation_options()],
        ["raters", "add", "rater-1", "--address", "first.rater@example.org"],
        ["batch", "create", "-l", "sk", "--raters", "rater-1", "--dry-run"],
        ["release", "build", "0.1.0", "--languages", "en"],
        ["source", "list"],
        ["release", "list"],
        ["raters", "list"],
        ["batch", "status"],
        ["config", "show"],
        ["doctor"],
        ["runs"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:2])),
)
def test_repeating_or_looking_changes_nothing(workspace: Path, arguments: list[str | Path]) -> None:
    before = snapshot_of(workspace)
    ended = run_here(*arguments, "-w", workspace)
    assert ended.code == 0
    assert snapshot_of(workspace) == before


def test_init_again_keeps_everything(workspace: Path) -> None:
    before = snapshot_of(workspace)
    assert run_here("init", workspace, "--name", "Another").code == 0
    assert snapshot_of(workspace) == before


def test_the_same_batch_is_created_once(workspace: Path) -> None:
    create = ["batch", "create", "-l", "sk", "--raters", "rater-1,rater-2", "--size", "4"]
    first = run_here(*create, "-w", workspace)
    before = snapshot_of(workspace)
    second = run_here(*create, "-w", workspace)
    assert first.out == second.out != ""
    assert "created" in first.err
    assert "is there already" in second.err
    assert snapshot_of(workspace) == before


@pytest.mark.parametrize(
    ("options", "env", "actor"),
    [
        (["--as", "ana"], {"STEREOSCOPE_ACTOR": "bea"}, "ana"),
        ([], {"STEREOSCOPE_ACTOR": "bea"}, "bea"),
        ([], {"STEREOSCOPE_ACTOR": "", "LOGNAME": "eva"}, "eva"),
    ],
    ids=["option", "variable", "log-in"],
)
def test_who_acts(workspace: Path, options: list[str], env: dict[str, str], actor: str) -> None:
    decide = ["decide", "eurogest/sk/sample/2", "accept", "--reason", "Good.", *options]
    assert run_here(*decide, "-w", workspace, env=env).code == 0
    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        [decision] = state.decisions(Instrument.EUROGEST, "sk")
        entry = state.audit_entries()[-1]
    store.close()
    assert (decision.by, entry.actor, entry.action) == (actor, actor, "decide accept")


def test_secrets_and_addresses_are_never_shown(workspace: Path) -> None:
    env = {
        "STEREOSCOPE_LABEL_STUDIO_TOKEN": "5ecre7" * 6,
        "STEREOSCOPE_LABEL_STUDIO_URL": "http://user:5ecre7@127.0.0.1:1",
    }
    for options in ([], ["--json"]):
        shown = run_here("config", "show", *options, "-w", workspace, env=env)
        assert shown.code == 0
        assert "5ecre7" not in shown.text
        assert "(set)" in shown.out
        assert "***@127.0.0.1:1" in shown.out
    for arguments in (["raters", "list"], ["runs"], ["batch", "status"]):
        assert "example.org" not in run_here(*arguments, "-w", workspace).text
    added = run_here("raters", "add", "rater-3", "--address", "third@example.org", "-w", workspace)
    assert "example.org" not in added.text


def test_doctor_says_what_to_do(workspace: Path, tmp_path: Path) -> None:
    good = run_here("doctor", "-w", workspace)
    assert good.code == 0
    assert [line.split()[0] for line in good.out.splitlines()] == ["ok"] * 5
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bad = run_here("doctor", "-w", elsewhere)
    assert bad.code == 1
    assert "is no workspace" in bad.message
    [line] = [each for each in bad.out.splitlines() if each.startswith("WRONG")]
    assert "database: no workspace; make one with `stereoscope init FOLDER`" in line


def test_dry_run_says_what_google_would_cost(workspace: Path) -> None:
    options = ["generate", "-l", "sk,sv", "--engine", "google", "--dry-run"]
    ended = run_here(*options, "-w", workspace, env={"STEREOSCOPE_GOOGLE_PROJECT": "made-up"})
    assert ended.code == 0
    assert "2 requests with " in ended.message
    assert "USD" in ended.message
    assert "Nothing was sent." in ended.message


def add_hostile(workspace: Path, folder: Path) -> None:
    """Sentences that a spreadsheet would run and a terminal would obey, translated as they are."""
    texts = [HOSTILE, "=1+1", "+1", "-1", "@SUM(A1)", "\tI tab.", 'Comma, "quote"\nand line.']
    source, recorded = folder / "hostile.csv", folder / "hostile_sv.csv"
    for path, header, rows in (
        (source, ["sentence", "stereotype"], [[text, "1"] for text in texts]),
        (recorded, ["source", "translation"], [[text, text] for text in texts]),
    ):
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    assert run_here("source", "add", source, "-w", workspace).code == 0
    options = ["-t", recorded, *translation_options("sv"), "--dataset", "hostile"]
    assert run_here("generate", "-l", "sv", *options, "-w", workspace).code == 0


def read_csv(path: Path, encoding: str) -> list[dict[str, str]]:
    with path.open(encoding=encoding, newline="") as stream:
        return list(csv.DictReader(stream))


def test_export_is_exact(workspace: Path, tmp_path: Path) -> None:
    add_hostile(workspace, tmp_path)
    out = tmp_path / "sv.csv"
    ended = run_here("candidates", "export", "-l", "sv", "-o", out, "-w", workspace)
    assert ended.message.startswith("71 candidates written to ")
    rows = read_csv(out, "utf-8")
    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        sources = {each.key: each for each in state.sources()}
        found = state.candidates(Instrument.EUROGEST, "sv")
    store.close()
    assert len(rows) == len(found) == 71
    for row, candidate in zip(rows, found, strict=True):
        source = sources[candidate.source_key]
        assert row["item_id"] == candidate.id
        assert row["source"] == source.text
        assert row["stereotype_id"] == str(source.stereotype_id)
        assert row["neutral"] == candidate.variants.get("neutral", "")
        assert (row["label"], row["reason"]) == (candidate.label, candidate.reason)
        assert json.loads(row["evidence"]) == candidate.evidence
    again = tmp_path / "again.csv"
    run_here("candidates", "export", "-l", "sv", "-o", again, "-w", workspace)
    assert sha256_file(again) == sha256_file(out)


def test_export_for_a_spreadsheet_runs_nothing(workspace: Path, tmp_path: Path) -> None:
    add_hostile(workspace, tmp_path)
    exact, safe = tmp_path / "exact.csv", tmp_path / "safe.csv"
    for out, options in ((exact, []), (safe, ["--spreadsheet"])):
        export = ["candidates", "export", "-l", "sv", "-o", out, *options, "-w", workspace]
        assert run_here(*export).code == 0
    assert safe.read_bytes().startswith(b"\xef\xbb\xbf")
    changed = set()
    for row, original in zip(read_csv(safe, "utf-8-sig"), read_csv(exact, "utf-8"), strict=True):
        for name, cell in row.items():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            if cell != original[name]:
                assert cell == f"'{original[name]}"
                changed.add(original[name])
    assert {"=1+1", "+1", "-1", "@SUM(A1)"} <= changed


def test_export_of_one_label_follows_the_decisions(workspace: Path, tmp_path: Path) -> None:
    subject = "eurogest/sk/sample/2"
    reject = ["decide", subject, "reject", "--reason", "No."]
    relabel = ["decide", "eurogest/sk/sample/5", "edit", "--neutral", "Iné.", "--reason", "Yes."]
    for command in (reject, relabel):
        assert run_here(*command, "-w", workspace).code == 0
    out = tmp_path / "sk.csv"
    export = ["candidates", "export", "-l", "sk", "--label", "neutral", "-o", out]
    assert run_here(*export, "-w", workspace).code == 0
    rows = {row["item_id"]: row for row in read_csv(out, "utf-8")}
    assert {row["label"] for row in rows.values()} == {"neutral"}
    assert rows[subject]["decision"] == "reject"
    assert rows["eurogest/sk/sample/5"]["neutral"] == "Iné."


def test_hostile_text_is_shown_literally(workspace: Path, tmp_path: Path) -> None:
    rater = HOSTILE.replace("/", "").split(" *")[0]
    assert run_here("raters", "add", rater, "-w", workspace).code == 0
    listed = run_here("raters", "list", "-w", workspace)
    refused = run_here("batch", "status", HOSTILE, "-w", workspace)
    file = tmp_path / "made.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["sentence", "stereotype"], [HOSTILE, 1], [HOSTILE, 1]])
    warned = run_here("source", "add", file, "--dataset", "[bold]made", "-w", workspace)
    examined = run_here("doctor", "--model", HOSTILE, "-w", workspace)
    for ended in (listed, refused, warned, examined):
        assert not {"\x1b", "\x07"} & set(ended.text)
        assert "[red]not red[" in ended.text
    assert SHOWN.replace("/", "").split(" *")[0] in listed.out
    assert SHOWN in refused.message
    assert "[bold]made" in warned.message


def test_text_keeps_marks_of_direction_and_joiners(workspace: Path) -> None:
    name = "rater-\u200d\u200f\u00a0é"
    assert name in run_here("raters", "add", name, "-w", workspace).err

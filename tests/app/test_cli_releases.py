"""`release`: unvalidated languages, differences, tables for spreadsheets; faults are sentences."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from corpus.records import DecisionAction
from corpus.workspace import DATABASE_NAME, init_workspace
from tests.command_line import run_here
from tests.exports.release_builders import NEUTRAL, PAIR, decide, make_approved_store
from tests.store_builders import approve

EDITED = {"masculine": "Som citlivý.", "feminine": "Som citlivá."}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    study = init_workspace(tmp_path / "study", "A study")
    make_approved_store(tmp_path / "made").close()
    shutil.copy(tmp_path / "made" / "store.sqlite", study.path / DATABASE_NAME)
    return study.path


def change_pair(workspace: Path, *, approved: bool = True) -> None:
    store = init_workspace(workspace).open_store()
    decide(store, PAIR, DecisionAction.EDIT, variants=EDITED)
    if approved:
        approve(store, "sk")
    store.close()


def build(workspace: Path, version: str, *options: str) -> tuple[int, str]:
    done = run_here("release", "build", version, "--languages", "en,sk", *options, "-w", workspace)
    return done.code, done.text


def test_two_releases_are_compared_row_by_row(workspace: Path) -> None:
    assert build(workspace, "1.0.0")[0] == 0
    change_pair(workspace)
    code, said = build(workspace, "1.1.0")
    assert code == 1
    assert "it must be 2.0.0 or higher" in said
    assert build(workspace, "2.0.0")[0] == 0
    shown = run_here("release", "diff", "1.0.0", "2.0.0", "-w", workspace).text
    # Raters called the pair neutral: it was left out while nobody had decided that.
    assert f"A MAJOR step: sk: 1 items added: {PAIR.id}" in shown
    assert f'added {PAIR.id} {{"feminine": "Som citlivá.", "masculine": "Som citlivý."}}' in shown
    assert "rows 2 -> 3, neutral 2 -> 2, pair 0 -> 1" in shown
    old, new = (str(workspace / "releases" / each) for each in ("1.0.0", "2.0.0"))
    document = json.loads(run_here("release", "diff", old, new, "--json").out)
    english, slovak = document["languages"]
    assert (english["added"], english["changed"], english["removed"]) == ([], [], [])
    assert [row["Feminine"] for row in slovak["added"]] == ["Som citlivá."]
    assert slovak["counts"]["after"] == {"rows": 3, "neutral": 2, "pair": 1}


def test_the_same_again_is_already_built_and_a_lower_or_malformed_version_is_refused(
    workspace: Path,
) -> None:
    assert build(workspace, "1.0.0")[0] == 0
    code, said = build(workspace, "1.0.0")
    assert (code, "Release 1.0.0: already built" in said) == (0, True)
    for version, words in (
        ("0.9.0", "Version 0.9.0 is lower than the latest release 1.0.0"),
        ("1.0", "'1.0' is no release version"),
    ):
        code, said = build(workspace, version)
        assert (code, words in " ".join(said.split())) == (1, True), said
    change_pair(workspace)
    code, said = build(workspace, "1.0.0")
    assert (code, "already used with other content" in " ".join(said.split())) == (1, True)


def test_a_stale_language_is_released_on_request_only(workspace: Path) -> None:
    change_pair(workspace, approved=False)
    code, said = build(workspace, "1.0.0")
    assert (code, "approve it again" in said) == (1, True)
    code, said = build(workspace, "1.0.0", "--include-unvalidated")
    assert (code, "NOT VALIDATED, and marked so in every file: sk." in said) == (0, True)


@pytest.mark.parametrize(
    ("options", "cell", "has_mark"),
    [
        ((), "=1+1", False),
        (("--formula-safe",), "'=1+1", False),
        (("--byte-order-mark",), "=1+1", True),
        (("--formula-safe", "--byte-order-mark"), "'=1+1", True),
        (("--for-spreadsheet",), "'=1+1", True),
    ],
)
def test_a_table_is_as_released_unless_it_is_asked_for_a_spreadsheet(
    workspace: Path, options: tuple[str, ...], cell: str, has_mark: bool
) -> None:
    build(workspace, "1.0.0")
    file = workspace / "table.csv"
    named = ("release", "table", "1.0.0", "-l", "sk", "-o", file)
    done = run_here(*named, *options, "-w", workspace)
    assert done.code == 0, done.text
    content = file.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf") == has_mark
    lines = io.StringIO(content.decode("utf-8-sig"), newline="")
    rows = {row["item_id"]: row for row in csv.DictReader(lines)}
    assert rows[NEUTRAL[3].id]["Neutral"] == cell
    assert rows[NEUTRAL[0].id]["Source"] == "NA"
    released = (workspace / "releases" / "1.0.0" / "csv" / "sk.csv").read_bytes()
    assert (content == released) == (not options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["diff", "1.0.0", "9.9.9"], "There is no release 9.9.9"),
        (["diff", "1.0.0", "latest"], "'latest' is neither a folder nor a release version"),
        (["verify", "9.9.9"], "There is no release 9.9.9"),
        (["verify", "no/where"], "'no/where' is neither a folder nor a release version"),
        (["table", "1.0.0", "-l", "pl", "-o", "t.csv"], "has no language pl; it has en, sk"),
        (["table", "1.0.0", "-l", "sk", "-o", "no/such/t.csv"], "cannot be written"),
    ],
)
def test_what_is_not_there_is_a_sentence(
    workspace: Path, arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(workspace, "1.0.0")
    (workspace / "no").write_text("a file")
    monkeypatch.chdir(workspace)
    done = run_here("release", *arguments, "-w", workspace)
    assert done.code == 1
    assert words in " ".join(done.text.split())


def test_a_tampered_release_is_refused_with_the_files_name(workspace: Path) -> None:
    build(workspace, "1.0.0")
    file = workspace / "releases" / "1.0.0" / "csv" / "sk.csv"
    file.write_bytes(file.read_bytes().replace(b"=1+1", b"=1+2"))
    for arguments in (
        ["diff", "1.0.0", "1.0.0"],
        ["table", "1.0.0", "-l", "sk", "-o", workspace / "t.csv"],
        ["verify", "1.0.0"],
        ["verify", workspace / "releases" / "1.0.0"],
        ["score", "--model", "no-such-model", "--release", "1.0.0"],
    ):
        group = [] if arguments[0] == "score" else ["release"]
        done = run_here(*group, *arguments, "-w", workspace)
        assert done.code == 1
        assert "csv/sk.csv: changed since the release was built" in " ".join(done.text.split())


def test_comments_are_read_before_they_are_published(workspace: Path) -> None:
    file = workspace / "comments.csv"
    asked = ("release", "comments", "-l", "sk", "-o", file, "-w", workspace)
    assert "4 comments to read" in run_here(*asked).text
    again = run_here(*asked)
    assert (again.code, "may hold a review" in again.text) == (1, True)
    file.write_text(file.read_text("utf-8").replace("Eva", "[name]"), "utf-8")
    assert build(workspace, "1.0.0", "--comments", str(file))[0] == 0
    published = workspace / "releases" / "1.0.0" / "ratings" / "sk.csv"
    assert published.read_text("utf-8").count("Ask [name] about it") == 4

"""`stereoscope pair`: without a workspace, written whole, one JSON object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import run_here

CONTENT = """masculine,feminine,note
Som unavený.,Som unavená.,=1+1
Som tu.,Som tu.,[red]not red[/red]
Robím tu.,Pracujem.,
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without a workspace above it, with a file to pair."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STEREOSCOPE_WORKSPACE", raising=False)
    (tmp_path / "in.csv").write_text(CONTENT, encoding="utf-8")
    return tmp_path


def test_no_workspace_is_needed_and_a_repetition_writes_the_same(here: Path) -> None:
    arguments = ("pair", "in.csv", "--language", "sk", "--strategy", "strict", "--out", "out.csv")
    ended = run_here(*arguments)
    assert ended.code == 0, ended.text
    assert "3 rows written to out.csv (strategy strict/" in ended.err
    written = (here / "out.csv").read_bytes()
    assert b"[red]not red[/red],neutral,identical" in written
    assert run_here(*arguments).code == 0
    assert (here / "out.csv").read_bytes() == written
    assert sorted(each.name for each in here.iterdir()) == ["in.csv", "out.csv"]


def test_json_counts_labels_and_reasons(here: Path) -> None:
    ended = run_here(
        "pair", "in.csv", "-l", "sk", "--strategy", "strict", "-o", "out.csv", "--json"
    )
    document = json.loads(ended.out)
    assert document["command"] == "pair"
    counts = {each["name"]: each["value"] for each in document["figures"]}
    assert counts == {"neutral": 1, "pair": 1, "discarded": 1, "discarded:word_count": 1}
    assert {each["scope"]["language"] for each in document["figures"]} == {"sk"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("in.csv", "-o", "out.csv"), "in.csv:1 [language]: no language is named"),
        (("in.csv", "-o", "in.csv", "-l", "sk"), "is the input itself"),
        (("in.csv", "-o", "no/out.csv", "-l", "sk"), "there is no folder no"),
        (("in.csv", "-o", "out.csv", "-l", "xx"), "unknown language code"),
        (("in.csv", "-o", "out.csv", "-l", "sk", "--strategy", "best"), "extended"),
        (("absent.csv", "-o", "out.csv", "-l", "sk"), "the file does not exist"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    here: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = run_here("pair", *arguments)
    assert ended.code == 1
    assert message in ended.err
    assert [each.name for each in here.iterdir()] == ["in.csv"]
    assert (here / "in.csv").read_text(encoding="utf-8") == CONTENT

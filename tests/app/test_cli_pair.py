"""`stereoscope pair`: without a workspace, written whole, one JSON object."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pipeline.pair_files import WRAPPED
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


def test_cells_are_exact_by_default_and_no_formulas_on_request(here: Path) -> None:
    odd = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "<b>Som tu.</b>"]
    with (here / "odd.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = [[cell, f'Muž: "{cell}"', f'Žena: "{cell}"'] for cell in odd]
        csv.writer(stream).writerows([["sentence", *WRAPPED], *rows])
    arguments = ("pair", "odd.csv", "-l", "sk", "-o")
    assert run_here(*arguments, "exact.csv").code == 0
    assert run_here(*arguments, "shown.csv", "--spreadsheet").code == 0
    exact, shown = (
        list(csv.DictReader((here / name).read_text(encoding=encoding).splitlines()))
        for name, encoding in (("exact.csv", "utf-8"), ("shown.csv", "utf-8-sig"))
    )
    assert [row["sentence"] for row in exact] == odd
    assert [row["masculine"] for row in exact] == [cell.strip() for cell in odd]
    assert (here / "shown.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    starts = {cell[0] for row in shown for cell in row.values() if cell}
    assert not starts & set("=+-@\t\r")
    assert [row["sentence"] for row in shown] == [*(f"'{cell}" for cell in odd[:-1]), odd[-1]]
    assert [row["label"] for row in shown] == [row["label"] for row in exact]


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

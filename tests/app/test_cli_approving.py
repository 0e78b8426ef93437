"""`approve` shows gates and what changed before it approves; `batch explain` settles a gate."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import workspaces
from store_builders import add_ratings

from corpus.records import Instrument
from corpus.settings import load_settings
from corpus.workspace import Workspace
from tests.command_line import Outcome, run_here


@pytest.fixture
def study(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "small"))


def run(study: Path, *arguments: str) -> Outcome:
    return run_here(*arguments, "-w", study, "--as", "curator-9")


def row_of(shown: str, start: str) -> list[str]:
    """The cells of a table's row whose first cell starts so."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.splitlines()]
    return next(row for row in rows if row and row[0].startswith(start))


def test_agreement_shows_each_gate_with_value_interval_and_reason(study: Path) -> None:
    ended = run(study, "agreement", "-l", "es")
    assert ended.code == 0, ended.text
    mean = row_of(ended.out, "mean DA")
    # 80 … 84 and 85 … 89; five items are too few for an interval of a mean.
    assert mean[1:5] == ["✓ passed", "84.500", "", "at least 70"]
    accuracy = row_of(ended.out, "accuracy of the system's label")
    assert accuracy[3].endswith(" to 1.000")
    scores = row_of(ended.out, "correlation of two raters' DA")
    assert scores[1] == "? not assessable"
    assert scores[4:] == [
        "an interval above 0",
        "rater-es-1 and rater-es-2; too few items for this figure",
    ]
    assert "no longer holds" not in ended.message


def test_approve_says_what_changed_and_what_blocks(study: Path) -> None:
    workspace = Workspace(study, load_settings(study))
    store = workspace.open_store()
    with store.reading() as state:
        [batch] = state.batches(Instrument.EUROGEST, "es")
        item = state.items([batch.id])[0]
    add_ratings(store, [item], "rater-es-1", workspaces.QUALITY | {"quality": 71}, revision="2")
    store.close()
    for command in (["agreement", "-l", "es"], ["approve", "es"]):
        ended = run(study, *command)
        assert "The approval by curator-1 no longer holds." in ended.message
        assert row_of(ended.out, "ratings changed")[1:] == ["1", f"{item.id}, rater-es-1"]
    assert ended.code == 1
    # Pearson's r of 71, 81, 82, 83, 84 and 85, 86, 87, 88, 89.
    assert "pearson not_assessable (rater-es-1,rater-es-2 0.841 too_few" in ended.message
    ended = run(study, "approve", "es", "--override", workspaces.OVERRIDE)
    assert (ended.code, "Spanish is approved." in ended.message) == (0, True), ended.text


def test_a_failed_agreement_proposes_a_third_rater(study: Path) -> None:
    assert "stereoscope batch add-rater sk-1 RATER" in run(study, "agreement", "-l", "sk").message


def test_invalid_ratings_are_listed_and_explained(study: Path) -> None:
    shown = run(study, "batch", "explain", "sk-2")
    assert shown.code == 0, shown.text
    assert "answered by another account than the rater's" in shown.out.replace("\n", " ")
    assert row_of(run(study, "agreement", "-l", "sk").out, "invalid ratings")[1:3] == [
        "✗ failed",
        "1",
    ]
    reason = "She sat at a colleague's computer."
    assert "no invalid rating" in run(study, "batch", "explain", "sk-1", "--reason", reason).message
    unknown = run(study, "batch", "explain", "sk-2", "--item", "sk-2/0009", "--reason", reason)
    assert (unknown.code, "there is no invalid rating of sk-2/0009" in unknown.message) == (1, True)
    done = run(study, "batch", "explain", "sk-2", "--rater", "rater-x", "--reason", reason)
    assert done.message.strip() == "Invalid ratings explained: 1."
    assert reason in run(study, "batch", "explain", "sk-2").out
    assert row_of(run(study, "agreement", "-l", "sk").out, "invalid ratings")[1] == "✓ passed"
    again = run(study, "batch", "explain", "sk-2", "--reason", reason)
    assert (again.code, "no invalid rating to explain" in again.message) == (1, True)

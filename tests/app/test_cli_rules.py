"""`decide --rule`: many open disagreements decided by a rule, previewed, applied and undone."""

from __future__ import annotations

import shutil
from pathlib import Path

import disagreement_workspaces
import pytest

from corpus.records import Decision, DecisionAction, Instrument
from corpus.store import open_store
from tests.command_line import Outcome, database_of, run_here, snapshot_of

FIRST = "eurogest/sk/made/13"


@pytest.fixture(scope="module")
def disagreeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disagreeing") / "study"
    return disagreement_workspaces.build_disagreement_workspace(folder).path


@pytest.fixture
def study(disagreeing: Path, tmp_path: Path) -> Path:
    return shutil.copytree(disagreeing, tmp_path / "study")


def decide(study: Path, *arguments: str) -> Outcome:
    return run_here("decide", *arguments, "-w", study, "--as", "curator-1")


def stored(study: Path) -> list[Decision]:
    store = open_store(f"sqlite:///{database_of(study)}")
    with store.reading() as state:
        found = state.decisions(Instrument.EUROGEST, "sk")
    store.close()
    return found


def test_a_rule_is_previewed_then_applied_then_undone(study: Path) -> None:
    before = snapshot_of(study)
    preview = decide(study, "--rule", "against-system", "-l", "sk")
    assert preview.code == 0, preview.text
    assert "It would decide" not in preview.out
    assert "nothing to do" in preview.err
    preview = decide(study, "--rule", "low-da", "--low-da", "50", "-l", "sk")
    assert preview.code == 0, preview.text
    assert "It would decide 4: reject 4. Nothing is stored before you apply it." in preview.err
    assert "Rule: the median DA is 30, below 50." in preview.out
    assert snapshot_of(study) == before

    applied = decide(study, "--rule", "low-da", "-l", "sk", "--yes")
    assert applied.code == 0, applied.text
    assert "4 decided. To take it back: --undo 'median DA below (1)' -l sk" in applied.err
    found = stored(study)
    assert [each.action for each in found] == [DecisionAction.REJECT] * 4
    assert {(each.rule, each.by) for each in found} == {("median DA below (1)", "curator-1")}

    refused = decide(study, "--undo", "median DA below (1)", "-l", "sk")
    assert refused.code == 1
    assert "Undoing a rule needs a written reason." in refused.message
    undone = decide(study, "--undo", "median DA below (1)", "-l", "sk", "--reason", "Too coarse.")
    assert undone.code == 0, undone.text
    assert "Undone: median DA below (1); 4 open again." in undone.err
    assert [each.action for each in stored(study)[4:]] == [DecisionAction.REOPEN] * 4


def test_a_text_that_is_written_is_told_to_be_rated(study: Path) -> None:
    texts = ("--masculine", "Včera som bol smutný.", "--feminine", "Včera som bola smutná.")
    edited = decide(study, FIRST, "edit", *texts, "--reason", "Better.")
    assert edited.code == 0, edited.text
    assert "Human-written: feminine, masculine." in edited.err
    send = ["batch", "create", "-l", "sk", "--raters", "rater-4", "--purpose", "targeted"]
    sent = run_here(*send, "--flag", "human_written", "-w", study, "--as", "curator-1")
    assert sent.code == 0, sent.text
    assert "Batch created: 1 items." in sent.err
    again = run_here(*send, "--flag", "human_written", "-w", study, "--as", "curator-1")
    assert again.code == 1
    assert "a rater has it before her" in again.message


def test_an_undecided_candidate_cannot_be_reopened(study: Path) -> None:
    ended = decide(study, FIRST, "reopen", "--reason", "x")
    assert ended.code == 1
    assert "is undecided; there is nothing to take back" in ended.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rule", "low-da"], "A rule needs --language."),
        (["--rule", "low-da", "--undo", "x", "-l", "sk"], "Either --rule or --undo."),
        ([FIRST, "--rule", "low-da", "-l", "sk"], "A rule takes no candidate"),
        ([FIRST, "accept", "--reason", "x", "-l", "sk"], "need --rule or --undo"),
        ([FIRST, "accept", "--reason", "x", "--yes"], "need --rule or --undo"),
        ([FIRST, "accept"], "and --reason"),
        ([], "Name a candidate"),
    ],
)
def test_uses_that_do_not_go_together_are_refused(
    study: Path, arguments: list[str], message: str
) -> None:
    before = snapshot_of(study)
    ended = decide(study, *arguments)
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
    assert snapshot_of(study) == before

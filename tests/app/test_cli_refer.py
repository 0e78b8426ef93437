"""`refer`: a candidate is sent back to its raters, or shown to another one, by command."""

from __future__ import annotations

from pathlib import Path

import disagreement_workspaces
import pytest

from corpus.records import Instrument
from corpus.standing import Standing, language_standing
from corpus.store import open_store
from tests.command_line import Outcome, database_of, run_here

FIRST = "eurogest/sk/made/13"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disagreeing") / "study"
    return disagreement_workspaces.build_disagreement_workspace(folder).path


def refer(study: Path, *arguments: str) -> Outcome:
    return run_here("refer", *arguments, "-w", study, "--as", "curator-1")


def stored(study: Path) -> Standing:
    store = open_store(f"sqlite:///{database_of(study)}")
    with store.reading() as state:
        found = language_standing(state, Instrument.EUROGEST, "sk")
        audit = state.audit_entries()
    store.close()
    assert ("refer candidate" in {each.action for each in audit}) == (len(found.batches) > 1)
    return found


def test_faults_are_told_at_once_then_raters_are_asked(study: Path) -> None:
    refused = refer(study, "eurogest/sk/made/99", "--rater", "rater-9", "-q", "x" * 501)
    assert refused.code == 1
    for message in (
        "There is no candidate eurogest/sk/made/99.",
        "A question has at most 500 characters, not 501.",
        "Unknown raters: rater-9.",
    ):
        assert message in refused.message
    for arguments, message in (
        ([], "Raters who are asked again need a question."),
        (["--rater", "rater-1"], "rater-1 was given a text of"),
        (["-q", "Why?", "--seen", "0"], "was changed meanwhile"),
    ):
        refused = refer(study, FIRST, *arguments)
        assert (refused.code, refused.out) == (1, "")
        assert message in refused.message
    assert len(stored(study).batches) == 1

    asked = refer(study, FIRST, "--question", "Can a man say this, too?")
    assert asked.code == 0, asked.text
    again = refer(study, FIRST, "--rater", disagreement_workspaces.FREE_RATER)
    assert again.code == 0, again.text
    batches = {each.id: each.design for each in stored(study).batches}
    sent_back, another = batches[asked.out.strip()], batches[again.out.strip()]
    assert (sent_back["referral"], sent_back["question"], sent_back["by"]) == (
        "sent back",
        "Can a man say this, too?",
        "curator-1",
    )
    assert (another["referral"], another["subject"]) == ("another rater", FIRST)
    assert f"stereoscope batch push {again.out.strip()}" in again.message
    refused = refer(study, FIRST, "--question", "And now?")
    assert "rater-1, rater-2, rater-3 was asked" in refused.message

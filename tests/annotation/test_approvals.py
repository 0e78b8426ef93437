from __future__ import annotations

import pytest
from studies import NEUTRAL, add_language, add_passing_language

from annotation.approvals import approve_language, revoke_approval
from annotation.assessment import AssessmentSettings
from annotation.decisions import Verdict, decide
from corpus.errors import StateError
from corpus.records import (
    Approval,
    ApprovalAction,
    Batch,
    DecisionAction,
    Instrument,
    Item,
    Origin,
)
from corpus.review import LanguageState
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import add_batch, add_ratings, exclude, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))


@pytest.fixture
def batch(store: Store) -> tuple[Batch, list[Item]]:
    """A batch of two raters whose answers are all in and pass."""
    return add_passing_language(store)


def approve(store: Store, override: str | None = None) -> Approval:
    return approve_language(
        store, Instrument.EUROGEST, "sk", "curator-1", SETTINGS, override, Origin.HUMAN
    )


def state_of(store: Store) -> LanguageState:
    return standing_of(store, "sk").review.state


def test_a_language_that_passes_is_approved_on_its_figures(
    store: Store, batch: tuple[Batch, list[Item]]
) -> None:
    before = standing_of(store, "sk")
    assert before.review.state is LanguageState.IN_REVIEW
    approval = approve(store)
    assert approval.data_hash == before.data_hash
    assert approval.override is None
    assert {gate["name"]: gate["passed"] for gate in approval.gates} == dict.fromkeys(
        (
            *("items", "raters", "mean_da", "label_accuracy", "pearson", "label_agreement"),
            *("open_disagreements", "invalid_ratings", "templates"),
        ),
        True,
    )
    assert {"mean_da", "kappa", "raw_agreement"} <= {each["name"] for each in approval.figures}
    review = standing_of(store, "sk").review
    assert (review.state, review.stale) == (LanguageState.APPROVED, False)
    with store.reading() as state:
        assert state.approvals(Instrument.EUROGEST, "sk") == [approval]
        entry = state.audit_entries()[-1]
    assert (entry.actor, entry.action, entry.subject) == ("curator-1", "approve", "eurogest/sk")
    assert entry.after["blocking"] == ""


def test_a_gate_blocks_until_it_is_overridden_in_writing(
    store: Store, batch: tuple[Batch, list[Item]]
) -> None:
    add_ratings(store, batch[1], "r2", NEUTRAL | {"quality": 10}, revision="2")
    with store.reading() as state:
        position = state.position
    for override in (None, "", "  "):
        with pytest.raises(StateError, match=r"mean_da failed .*--override"):
            approve(store, override)
    with store.reading() as state:
        assert state.position == position
    approval = approve(store, "the scale was misread; see the minutes")
    assert approval.override == "the scale was misread; see the minutes"
    assert state_of(store) is LanguageState.APPROVED
    with store.reading() as state:
        assert "mean_da failed" in state.audit_entries()[-1].after["blocking"]


def test_nothing_to_override_is_refused(store: Store, batch: tuple[Batch, list[Item]]) -> None:
    with pytest.raises(StateError, match="nothing to override"):
        approve(store, "to be sure")


def test_a_language_with_answers_missing_is_refused(store: Store) -> None:
    add_language(store, "sk", neutral=2, pairs=0)
    with pytest.raises(StateError, match="Language sk is generated: one cannot approve"):
        approve(store)
    with store.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    add_batch(store, candidates, ("r1",))
    with pytest.raises(StateError, match="Language sk is in annotation"):
        approve(store, "in a hurry")


def test_an_approved_language_is_not_approved_twice(
    store: Store, batch: tuple[Batch, list[Item]]
) -> None:
    approve(store)
    with pytest.raises(StateError, match="is approved: one cannot approve"):
        approve(store)


@pytest.mark.parametrize("change", ["decision", "rating", "exclusion"])
def test_a_change_makes_an_approval_stale(
    store: Store, batch: tuple[Batch, list[Item]], change: str
) -> None:
    approval = approve(store)
    item = batch[1][0]
    if change == "decision":
        verdict = Verdict(item.subject_id, item.content_hash, DecisionAction.REJECT, "unusable")
        decide(store, verdict, "curator-2")
    elif change == "rating":
        add_ratings(store, [item], "r1", NEUTRAL | {"quality": 91}, revision="2")
    else:
        exclude(store, batch[0], "r1")
    review = standing_of(store, "sk").review
    assert (review.state, review.stale) == (LanguageState.IN_REVIEW, True)
    assert review.approval == approval
    again = approve(store, "one rater left" if change == "exclusion" else None)
    assert again.data_hash != approval.data_hash
    assert state_of(store) is LanguageState.APPROVED


def test_an_approval_is_revoked_with_a_reason_and_can_be_given_again(
    store: Store, batch: tuple[Batch, list[Item]]
) -> None:
    given = approve(store)
    with pytest.raises(StateError, match="written reason"):
        revoke_approval(store, Instrument.EUROGEST, "sk", "curator-2", " ")
    revoked = revoke_approval(store, Instrument.EUROGEST, "sk", "curator-2", "a new guideline")
    assert (revoked.action, revoked.by) == (ApprovalAction.REVOKE, "curator-2")
    assert revoked.data_hash == given.data_hash
    assert state_of(store) is LanguageState.IN_REVIEW
    with store.reading() as state:
        assert state.audit_entries()[-1].after == {"reason": "a new guideline"}
    with pytest.raises(StateError, match="not approved"):
        revoke_approval(store, Instrument.EUROGEST, "sk", "curator-2", "again")
    approve(store)
    assert state_of(store) is LanguageState.APPROVED

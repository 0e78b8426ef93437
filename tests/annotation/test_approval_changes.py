"""What changed since an approval: each kind alone, and nothing said if nothing changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from studies import NEUTRAL, add_passing_language

from annotation.approval_changes import Change, ChangeKind, find_changes_since
from annotation.approvals import approve_language
from annotation.assessment import AssessmentSettings
from annotation.decisions import Verdict, decide
from corpus.languages import TemplateKind
from corpus.records import (
    Approval,
    Batch,
    DecisionAction,
    Instrument,
    Item,
    Label,
    RatingState,
    TemplateChoice,
)
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import (
    add_candidates,
    add_ratings,
    exclude,
    make_candidate,
    standing_of,
)

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))


@pytest.fixture
def batch(store: Store) -> tuple[Batch, list[Item]]:
    """Neutral candidates and pairs, rated by two raters who agree."""
    return add_passing_language(store)


@pytest.fixture
def approval(store: Store, batch: tuple[Batch, list[Item]]) -> Approval:
    return approve_language(store, Instrument.EUROGEST, "sk", "curator-1", SETTINGS)


def changes(store: Store, approval: Approval) -> tuple[Change, ...]:
    now = standing_of(store, "sk")
    found = find_changes_since(store, now, approval)
    assert bool(found) == now.review.stale
    return found


def test_nothing_changed_right_after(store: Store, approval: Approval) -> None:
    assert changes(store, approval) == ()


def test_a_rejection_and_an_edit_name_their_candidates(
    store: Store, approval: Approval, batch: tuple[Batch, list[Item]]
) -> None:
    first, second = batch[1][:2]
    reject = Verdict(first.subject_id, first.content_hash, DecisionAction.REJECT, "not ours")
    decide(store, reject, "curator-1")
    edit = Verdict(
        second.subject_id,
        second.content_hash,
        DecisionAction.EDIT,
        "better",
        variants={"neutral": "Mám radosť."},
    )
    decide(store, edit, "curator-1")
    assert changes(store, approval) == (
        Change(ChangeKind.CANDIDATE_CHANGED, (second.subject_id,)),
        Change(ChangeKind.CANDIDATE_REJECTED, (first.subject_id,)),
    )


def test_an_acceptance_changes_nothing(
    store: Store, approval: Approval, batch: tuple[Batch, list[Item]]
) -> None:
    item = batch[1][0]
    decide(
        store,
        Verdict(item.subject_id, item.content_hash, DecisionAction.ACCEPT, "fine"),
        "curator-1",
    )
    assert changes(store, approval) == ()


def test_a_candidate_generated_anew_has_another_text(store: Store, approval: Approval) -> None:
    with store.reading() as state:
        source = state.sources()[0]
    anew = make_candidate(source, "sk", Label.NEUTRAL, variants={"neutral": "Mám radosť."})
    add_candidates(store, [anew])
    assert changes(store, approval) == (Change(ChangeKind.CANDIDATE_CHANGED, (anew.id,)),)


def test_a_changed_rating_and_one_no_longer_valid(
    store: Store, approval: Approval, batch: tuple[Batch, list[Item]]
) -> None:
    first, second = batch[1][:2]
    add_ratings(store, [first], "r1", NEUTRAL | {"quality": 71}, revision="2")
    add_ratings(store, [second], "r2", {}, revision="2", state=RatingState.SKIPPED)
    assert changes(store, approval) == (
        Change(ChangeKind.RATING_REMOVED, (f"{second.id}, r2",)),
        Change(ChangeKind.RATING_CHANGED, (f"{first.id}, r1",)),
    )


def test_a_further_rater_adds_ratings(
    store: Store, approval: Approval, batch: tuple[Batch, list[Item]]
) -> None:
    item = batch[1][0]
    add_ratings(store, [item], "r3", NEUTRAL)
    assert changes(store, approval) == (Change(ChangeKind.RATING_ADDED, (f"{item.id}, r3",)),)


def test_an_exclusion_is_a_change_until_it_is_taken_back(
    store: Store, approval: Approval, batch: tuple[Batch, list[Item]]
) -> None:
    exclude(store, batch[0], "r2")
    assert changes(store, approval) == (Change(ChangeKind.RATER_EXCLUDED, (f"{batch[0].id}, r2",)),)
    exclude(store, batch[0], "r2", excluded=False)
    assert changes(store, approval) == ()


def test_another_template_is_named(store: Store, approval: Approval) -> None:
    choice = TemplateChoice(
        "sk", TemplateKind.NOUN, ("Povedal: ", ""), ("Povedala: ", ""), "raters", "curator-1"
    )
    with store.writing() as writer:
        writer.append([choice])
    [change] = changes(store, approval)
    assert change.kind is ChangeKind.TEMPLATE_CHANGED


def test_an_approval_that_was_never_stored_has_no_moment(store: Store, approval: Approval) -> None:
    with pytest.raises(ValueError, match="never stored"):
        find_changes_since(store, standing_of(store, "sk"), replace(approval, stamp=None))

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from corpus.errors import StateError
from corpus.records import (
    Approval,
    ApprovalAction,
    Candidate,
    Decision,
    DecisionAction,
    Exclusion,
    Instrument,
    Label,
    Origin,
    RatingRevision,
    RatingState,
    Stamp,
)
from corpus.review import (
    LanguageEvent,
    LanguageState,
    apply_decisions,
    compute_data_hash,
    next_state,
    review_language,
)

S, E = LanguageState, LanguageEvent
# Rows: states; columns: events in the order of the enumeration. Written from DESIGN.md's
# generated -> in annotation -> in review -> approved -> released; None is refused.
EVENTS = (E.GENERATE, E.SEND_BATCH, E.COMPLETE_BATCHES, E.APPROVE, E.CHANGE, E.REVOKE, E.RELEASE)
TABLE: dict[LanguageState, tuple[LanguageState | None, ...]] = {
    S.EMPTY: (S.GENERATED, None, None, None, None, None, None),
    S.GENERATED: (S.GENERATED, S.IN_ANNOTATION, None, None, None, None, None),
    S.IN_ANNOTATION: (None, S.IN_ANNOTATION, S.IN_REVIEW, None, None, None, None),
    S.IN_REVIEW: (None, S.IN_ANNOTATION, None, S.APPROVED, S.IN_REVIEW, None, None),
    S.APPROVED: (None, S.IN_ANNOTATION, None, None, S.IN_REVIEW, S.IN_REVIEW, S.RELEASED),
    S.RELEASED: (None, S.IN_ANNOTATION, None, None, S.IN_REVIEW, S.IN_REVIEW, S.RELEASED),
    S.SOURCE: (S.SOURCE, None, None, None, None, None, S.SOURCE),
}


@pytest.mark.parametrize(("state", "event"), list(product(LanguageState, LanguageEvent)))
def test_the_table_of_states_is_exhaustive(state: LanguageState, event: LanguageEvent) -> None:
    assert tuple(LanguageEvent) == EVENTS
    expected = TABLE[state][EVENTS.index(event)]
    if expected is not None:
        assert next_state(state, event, "sk") is expected
        return
    with pytest.raises(StateError) as refused:
        next_state(state, event, "sk")
    message = str(refused.value)
    assert message.startswith(f"Language sk is {state}: one cannot {event}. Possible now: ")
    possible = [each for each, after in zip(EVENTS, TABLE[state], strict=True) if after]
    assert sorted(message.split("now: ")[1].rstrip(".").split(", ")) == sorted(possible)


def make_candidate(number: int = 1, text: str = "Teším sa.") -> Candidate:
    return Candidate(
        Instrument.EUROGEST,
        "sk",
        f"made/{number}",
        Label.NEUTRAL,
        "identical",
        {"neutral": text},
        "strict/1",
    )


def make_decision(candidate: Candidate, action: str, **others: Any) -> Decision:
    return Decision(
        candidate.id, candidate.content_hash, DecisionAction(action), "why", "curator-1", **others
    )


def test_decisions_apply_in_order_and_each_to_what_it_saw() -> None:
    first = make_candidate()
    edited = replace(first, variants={"neutral": "Mám radosť."})
    decisions = [
        make_decision(first, "edit", variants={"neutral": "Mám radosť."}),
        make_decision(first, "reject"),
        make_decision(edited, "accept"),
    ]
    [reviewed, untouched] = apply_decisions([first, make_candidate(2)], decisions)
    assert reviewed.candidate.variants == {"neutral": "Mám radosť."}
    assert reviewed.generated == first
    assert reviewed.decision == decisions[2]
    assert reviewed.void == (decisions[1],)
    assert not reviewed.rejected
    assert (untouched.decision, untouched.void) == (None, ())


def test_a_relabelled_candidate_says_so() -> None:
    candidate = make_candidate()
    both = {"masculine": "Som rád.", "feminine": "Som rada."}
    [reviewed] = apply_decisions(
        [candidate], [make_decision(candidate, "relabel", label=Label.PAIR, variants=both)]
    )
    assert (reviewed.candidate.label, reviewed.candidate.reason) == (
        Label.PAIR,
        "decided:relabel",
    )


def test_a_rejected_candidate_is_rejected_until_accepted() -> None:
    candidate = make_candidate()
    reject, accept = make_decision(candidate, "reject"), make_decision(candidate, "accept")
    assert apply_decisions([candidate], [reject])[0].rejected
    assert not apply_decisions([candidate], [reject, accept])[0].rejected


def hash_of(
    candidates: list[Candidate],
    decisions: list[Decision] | None = None,
    ratings: list[RatingRevision] | None = None,
    exclusions: list[Exclusion] | None = None,
    templates: dict[str, object] | None = None,
) -> str:
    return compute_data_hash(
        apply_decisions(candidates, decisions or []),
        ratings or [],
        exclusions or [],
        templates or {},
    )


def test_the_data_hash_changes_with_all_that_an_approval_stands_on() -> None:
    one, two = make_candidate(1), make_candidate(2)
    rating = RatingRevision("b/1", "r1", RatingState.VALID, {"quality": 1})
    excluded = Exclusion("r1", "b", True, "why", "curator-1")
    hashes = [
        hash_of([one, two]),
        hash_of([one]),
        hash_of([one, make_candidate(2, "iné")]),
        hash_of([one, two], decisions=[make_decision(one, "reject")]),
        hash_of([one, two], ratings=[rating]),
        hash_of([one, two], ratings=[replace(rating, answers={"quality": 2})]),
        hash_of([one, two], exclusions=[excluded]),
        hash_of([one, two], templates={"noun": "the man said"}),
    ]
    assert len(set(hashes)) == len(hashes)


def test_the_data_hash_ignores_order_and_what_does_not_count() -> None:
    one, two = make_candidate(1), make_candidate(2)
    invalid = RatingRevision("b/1", "r1", RatingState.INVALID, {"quality": 500})
    reinstated = Exclusion("r1", "b", False, "why", "curator-1")
    accepted = make_decision(one, "accept")
    assert hash_of([two, one], [accepted], [invalid], [reinstated]) == hash_of([one, two])


def make_approval(action: ApprovalAction, data_hash: str, position: int) -> Approval:
    stamp = Stamp(position, datetime(2026, 1, 1, tzinfo=UTC), Origin.HUMAN, "test")
    return Approval(Instrument.EUROGEST, "sk", action, data_hash, (), (), "curator-1", stamp=stamp)


APPROVED = make_approval(ApprovalAction.APPROVE, "now", 10)
OLD = make_approval(ApprovalAction.APPROVE, "before", 9)
REVOKED = make_approval(ApprovalAction.REVOKE, "now", 11)


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"candidates": 0}, (S.EMPTY, None, False)),
        ({"is_source": True}, (S.SOURCE, None, False)),
        ({}, (S.GENERATED, None, False)),
        ({"answers_missing": 3}, (S.IN_ANNOTATION, None, False)),
        ({"answers_missing": 0}, (S.IN_REVIEW, None, False)),
        ({"answers_missing": 0, "approvals": [OLD, APPROVED]}, (S.APPROVED, APPROVED, False)),
        ({"answers_missing": 0, "approvals": [APPROVED, REVOKED]}, (S.IN_REVIEW, None, False)),
        ({"answers_missing": 0, "approvals": [OLD]}, (S.IN_REVIEW, OLD, True)),
        ({"answers_missing": 2, "approvals": [OLD]}, (S.IN_ANNOTATION, OLD, True)),
        ({"approvals": [APPROVED], "released_position": 9}, (S.APPROVED, APPROVED, False)),
        ({"approvals": [APPROVED], "released_position": 10}, (S.RELEASED, APPROVED, False)),
        ({"approvals": [OLD], "released_position": 12}, (S.GENERATED, OLD, True)),
    ],
)  # fmt: skip
def test_where_a_language_stands(
    others: dict[str, Any], expected: tuple[LanguageState, Approval | None, bool]
) -> None:
    values: dict[str, Any] = {
        "is_source": False,
        "candidates": 5,
        "answers_missing": None,
        "approvals": [],
        "data_hash": "now",
        "released_position": None,
    }
    review = review_language(**(values | others))
    assert (review.state, review.approval, review.stale) == expected

"""Bulk rules: what they say, and that they are applied and undone whole, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from studies import ANSWERS_OF_VARIANT, add_language

from annotation.assessment import AssessmentSettings, assess_language
from annotation.bulk_rules import (
    BulkRule,
    ItemLabels,
    RuleCase,
    apply_rule,
    find_applied,
    judge,
    preview_rule,
    undo_rule,
)
from annotation.decisions import UNDECIDED, Verdict, decide
from corpus.errors import StaleError, StateError
from corpus.records import DecisionAction, GenderLabel, Instrument, Label
from corpus.review import ReviewedCandidate
from corpus.settings import Settings
from corpus.standing import Standing
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from tests.store_builders import (
    add_batch,
    add_ratings,
    make_candidate,
    make_source,
    standing_of,
)

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))
TIMEOUT_S = 60
ACCEPT, REJECT = DecisionAction.ACCEPT, DecisionAction.REJECT
M, F, N, U = GenderLabel.MASCULINE, GenderLabel.FEMININE, GenderLabel.NEUTRAL, GenderLabel.UNSURE
MAN, WOMAN = ANSWERS_OF_VARIANT["masculine"], ANSWERS_OF_VARIANT["feminine"]


@pytest.fixture
def stores(url: str) -> Iterator[tuple[Store, Store]]:
    """Two connections to Slovak with four neutral candidates, two raters.

    Of the first both raters say masculine; of the second one says so; the third both rate 10;
    the fourth is agreed on by all.
    """
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    first, second = open_store(url), open_store(url)
    add_language(first, "sk", neutral=4, pairs=0)
    with first.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    _, items = add_batch(first, candidates, ("r1", "r2"))
    neutral = ANSWERS_OF_VARIANT["neutral"]
    given = {"r1": [MAN, MAN, neutral | {"quality": 10}], "r2": [MAN, neutral]}
    given["r2"].append(neutral | {"quality": 10})
    for rater, answers in given.items():
        for item, answer in zip(items, [*answers, neutral], strict=True):
            add_ratings(first, [item], rater, answer)
    yield first, second
    first.close()
    second.close()


def preview(standing: Standing, rule: BulkRule) -> list[Verdict]:
    return preview_rule(standing, assess_language(standing, SETTINGS), rule)


def open_ids(store: Store) -> list[str]:
    found = assess_language(standing_of(store, "sk"), SETTINGS).open_disagreements
    return sorted(each.subject_id for each in found)


def make_case(
    *items: ItemLabels, label: Label = Label.NEUTRAL, da: tuple[float, ...] = ()
) -> RuleCase:
    candidate = make_candidate(make_source(2, "I am glad.", 1), "sk", label)
    return RuleCase(ReviewedCandidate(candidate, candidate, None), items, da)


@pytest.mark.parametrize(
    ("system", "given", "majority", "against"),
    [
        (N, (N, N, M), ACCEPT, None),
        (N, (M, M, N), REJECT, None),
        (N, (M, N), None, None),
        (N, (M, M), REJECT, REJECT),
        (N, (M,), REJECT, None),
        (N, (M, F), None, None),
        (N, (U, U), None, None),
        (N, (N, U), None, None),
        (M, (M, M), ACCEPT, None),
        (None, (M, M), None, None),
        (N, (), None, None),
    ],
)
def test_labels_are_counted_for_each_item(
    system: GenderLabel | None,
    given: tuple[GenderLabel, ...],
    majority: DecisionAction | None,
    against: DecisionAction | None,
) -> None:
    case = make_case(ItemLabels(system, given))
    for rule, expected in ((BulkRule.MAJORITY, majority), (BulkRule.AGAINST_SYSTEM, against)):
        judged = judge(case, rule)
        assert (judged and judged[0]) == expected


def test_both_items_of_a_pair_must_have_their_majority() -> None:
    both = make_case(ItemLabels(M, (M, M)), ItemLabels(F, (F, F, M)), label=Label.PAIR)
    one = make_case(ItemLabels(M, (M, M)), ItemLabels(F, (F, M)), label=Label.PAIR)
    wrong = make_case(ItemLabels(M, (M, M)), ItemLabels(F, (M, M)), label=Label.PAIR)
    said = [judge(case, BulkRule.MAJORITY) for case in (both, one, wrong)]
    assert [each and each[0] for each in said] == [ACCEPT, None, REJECT]


def test_a_discarded_candidate_is_never_accepted_by_a_rule() -> None:
    case = make_case(ItemLabels(M, (M, M)), label=Label.DISCARDED)
    assert judge(case, BulkRule.MAJORITY) is None


@pytest.mark.parametrize(
    ("da", "rejected"), [((), False), ((40.0, 60.0), False), ((90.0, 10.0, 49.0), True)]
)
def test_the_median_must_be_below_the_limit(da: tuple[float, ...], rejected: bool) -> None:
    assert (judge(make_case(da=da), BulkRule.LOW_DA, 50.0) is not None) == rejected


def test_a_rule_is_previewed_applied_and_undone_whole(stores: tuple[Store, Store]) -> None:
    store = stores[0]
    before = open_ids(store)
    assert len(before) == 3
    standing = standing_of(store, "sk")
    low = preview(standing, BulkRule.LOW_DA)
    verdicts = preview(standing, BulkRule.AGAINST_SYSTEM)
    assert [each.subject_id for each in verdicts] == [before[0]]
    assert [each.subject_id for each in low] == [before[2]]
    name = apply_rule(store, BulkRule.AGAINST_SYSTEM, verdicts, "curator-1")
    second_name = apply_rule(store, BulkRule.LOW_DA, low, "curator-1")
    assert (name, second_name) == ("all raters against the system (1)", "median DA below (2)")
    assert open_ids(store) == [before[1]]
    assert set(find_applied(standing_of(store, "sk"))) == {name, second_name}
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "decide reject"]
    assert [(each.subject, (each.after or {})["rule"]) for each in entries] == [
        (before[0], name),
        (before[2], second_name),
    ]

    undone = undo_rule(store, Instrument.EUROGEST, "sk", name, "curator-2", "too coarse")
    assert [(each.subject_id, each.action) for each in undone] == [
        (before[0], DecisionAction.REOPEN)
    ]
    assert open_ids(store) == before[:2]
    with pytest.raises(StateError, match="nothing to undo"):
        undo_rule(store, Instrument.EUROGEST, "sk", name, "curator-2", "again")


def test_undoing_needs_a_reason_and_leaves_what_was_decided_anew(
    stores: tuple[Store, Store],
) -> None:
    store = stores[0]
    verdicts = preview(standing_of(store, "sk"), BulkRule.AGAINST_SYSTEM)
    name = apply_rule(store, BulkRule.AGAINST_SYSTEM, verdicts, "curator-1")
    with pytest.raises(StateError, match="reason"):
        undo_rule(store, Instrument.EUROGEST, "sk", name, "curator-1", " ")
    [one] = verdicts
    decide(store, Verdict(one.subject_id, one.seen_hash, ACCEPT, "It is fine."), "curator-2")
    with pytest.raises(StateError, match="nothing to undo"):
        undo_rule(store, Instrument.EUROGEST, "sk", name, "curator-1", "too coarse")


def test_reopening_brings_the_generated_content_back(stores: tuple[Store, Store]) -> None:
    store = stores[0]
    seen = standing_of(store, "sk").candidates[0].candidate
    edit = Verdict(
        seen.id, seen.content_hash, DecisionAction.EDIT, "better", variants={"neutral": "Iné."}
    )
    decide(store, edit, "curator-1")
    edited = standing_of(store, "sk").candidates[0].candidate
    reopen = Verdict(seen.id, edited.content_hash, DecisionAction.REOPEN, "no better")
    decide(store, reopen, "curator-1")
    reviewed = standing_of(store, "sk").candidates[0]
    assert (reviewed.candidate, reviewed.decision) == (seen, None)


def test_nothing_is_applied_when_one_was_decided_since_the_preview(
    stores: tuple[Store, Store],
) -> None:
    store, other = stores
    verdicts = preview(standing_of(store, "sk"), BulkRule.MAJORITY)
    assert len(verdicts) == 2
    one = verdicts[1]
    decide(other, Verdict(one.subject_id, one.seen_hash, ACCEPT, "It is fine."), "curator-2")
    with pytest.raises(StaleError, match=one.subject_id):
        apply_rule(store, BulkRule.MAJORITY, verdicts, "curator-1")
    with store.reading() as state:
        assert len(state.decisions(Instrument.EUROGEST, "sk")) == 1


def test_a_rule_that_settles_nothing_cannot_be_applied(stores: tuple[Store, Store]) -> None:
    with pytest.raises(StateError, match="settles nothing"):
        apply_rule(stores[0], BulkRule.MAJORITY, [], "curator-1")


def test_of_two_curators_on_one_candidate_the_second_is_told(stores: tuple[Store, Store]) -> None:
    seen = standing_of(stores[0], "sk").candidates[0].candidate
    together = Barrier(2, timeout=TIMEOUT_S)

    def accept(store: Store, by: str) -> str:
        verdict = Verdict(
            seen.id, seen.content_hash, ACCEPT, "It is fine.", seen_decision=UNDECIDED
        )
        together.wait()
        try:
            decide(store, verdict, by)
        except StaleError as refusal:
            return str(refusal)
        return "stored"

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(accept, stores, ("curator-1", "curator-2")))
    assert said == [
        f"{seen.id} was decided meanwhile; look at it again and decide anew.",
        "stored",
    ]
    with stores[0].reading() as state:
        assert len(state.decisions(Instrument.EUROGEST, "sk")) == 1


def test_a_rule_and_a_curator_at_once_leave_one_decision_on_her_candidate(
    stores: tuple[Store, Store],
) -> None:
    verdicts = preview(standing_of(stores[0], "sk"), BulkRule.MAJORITY)
    together = Barrier(2, timeout=TIMEOUT_S)
    hers = Verdict(
        verdicts[0].subject_id,
        verdicts[0].seen_hash,
        ACCEPT,
        "It is fine.",
        seen_decision=UNDECIDED,
    )

    def apply() -> bool:
        together.wait()
        try:
            apply_rule(stores[0], BulkRule.MAJORITY, verdicts, "curator-1")
        except StaleError:
            return False
        return True

    def accept() -> bool:
        together.wait()
        try:
            decide(stores[1], hers, "curator-2")
        except StaleError:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        tried = [pool.submit(apply), pool.submit(accept)]
        applied, accepted = (each.result() for each in tried)
    assert applied != accepted
    with stores[0].reading() as state:
        stored = state.decisions(Instrument.EUROGEST, "sk")
    assert len(stored) == (len(verdicts) if applied else 1)

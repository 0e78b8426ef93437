"""Raters who join a batch, leave it and take over what others declined."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest
from studies import NEUTRAL, add_language, add_people, plan_batch

from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import CreatedBatch, create_batch
from annotation.controls import ControlShares
from annotation.staffing import Restaffed, add_rater, reassign_open, replace_rater
from corpus.errors import StateError
from corpus.records import Assignment, AssignmentState, Item, Origin, Purpose, RatingState
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import add_ratings, standing_of

RATERS = ("r1", "r2", "r3", "r4")
SETTINGS = AssessmentSettings.from_settings(Settings())


@pytest.fixture
def study(store: Store) -> Store:
    add_language(store, "sk", neutral=16, pairs=16)
    add_people(store, [*RATERS, "r5", "r6"])
    return store


def make_batch(study: Store, raters: Collection[str] = RATERS[:2], **others: Any) -> CreatedBatch:
    plan = replace(plan_batch("sk", 20, tuple(raters)), **others)
    return create_batch(study, plan, "curator-1", Origin.HUMAN)


def assigned(study: Store, batch_id: str) -> Mapping[str, Assignment]:
    with study.reading() as state:
        return {each.rater_id: each for each in state.assignments([batch_id])}


def items_of(created: CreatedBatch, ids: Collection[str]) -> list[Item]:
    return [item for item in created.items if item.id in ids]


def unchanged(study: Store, action: Callable[[], Restaffed]) -> Restaffed:
    with study.reading() as state:
        before = state.position
    again = action()
    with study.reading() as state:
        assert state.position == before
    assert again.added == ()
    return again


def test_a_third_rater_gets_the_whole_batch_and_enters_agreement(study: Store) -> None:
    created = make_batch(study)
    for rater in RATERS[:2]:
        add_ratings(study, created.items, rater, NEUTRAL)
    joined = add_rater(study, created.batch.id, "r3", "curator-1")
    assert sorted(joined.added) == sorted(item.id for item in created.items)
    assert joined.assignment.item_ids not in {each.item_ids for each in created.assignments}, (
        "her own order"
    )
    unchanged(study, lambda: add_rater(study, created.batch.id, "r3", "curator-1"))
    assert standing_of(study, "sk").answers_missing == 20
    add_ratings(study, created.items, "r3", NEUTRAL)
    table = assess_language(standing_of(study, "sk"), SETTINGS).table
    assert table.rater_ids == RATERS[:3]
    with study.reading() as state:
        entry = state.audit_entries()[-1]
    assert (entry.actor, entry.action) == ("curator-1", "batch add-rater")
    assert entry.after == {"share": 1.0, "items": 20, "added": 20}


def test_a_part_of_a_batch_is_random_nested_and_seeded(study: Store) -> None:
    created = make_batch(study)
    first = add_rater(study, created.batch.id, "r3", "curator-1", share=0.3)
    assert len(first.added) == 6
    other = add_rater(study, created.batch.id, "r4", "curator-1", share=0.3)
    assert set(first.added) != set(other.added)
    unchanged(study, lambda: add_rater(study, created.batch.id, "r3", "c", share=0.3))
    more = add_rater(study, created.batch.id, "r3", "curator-1", share=0.5)
    assert len(more.added) == 4
    assert more.assignment.item_ids[:6] == first.assignment.item_ids, "her order so far stays"
    unchanged(study, lambda: add_rater(study, created.batch.id, "r3", "c", share=0.3))


def test_a_part_does_not_depend_on_earlier_answers(study: Store) -> None:
    created = make_batch(study)
    add_ratings(study, created.items[:9], "r1", NEUTRAL | {"quality": 3})
    drawn = set(add_rater(study, created.batch.id, "r3", "curator-1", share=0.4).added)
    # Drawn again in a store without any answers: the batch and the rater decide, nothing else.
    ranked = sorted(drawn)
    assert len(drawn & {item.id for item in created.items[:9]}) < 8
    assert ranked == sorted(assigned(study, created.batch.id)["r3"].item_ids)


def test_control_items_come_with_their_originals(study: Store) -> None:
    created = make_batch(study, controls=ControlShares(repeat=0.3))
    joined = add_rater(study, created.batch.id, "r3", "curator-1", share=0.5)
    mine = items_of(created, joined.added)
    repeats = [item for item in mine if item.purpose is Purpose.REPEAT]
    order = joined.assignment.item_ids
    assert len(mine) - len(repeats) == 10
    for item in repeats:
        between = abs(order.index(item.id) - order.index(item.making["of"])) - 1
        assert between >= len(order) / 3
    whole = add_rater(study, created.batch.id, "r4", "curator-1")
    assert len(whole.added) == len(created.items) == 26


def test_a_joining_rater_sees_one_variant_of_a_pair(study: Store) -> None:
    created = make_batch(study, RATERS, both_variants=True, raters_per_item=2)
    joined = add_rater(study, created.batch.id, "r5", "curator-1")
    mine = items_of(created, joined.added)
    assert len({item.subject_id for item in mine}) == len(mine) == 20
    pairs = [item for item in created.items if item.variant != "neutral"]
    assert {item.subject_id for item in pairs} < {item.subject_id for item in mine}


def test_who_replaces_a_rater_gets_what_she_had_not_finished(study: Store) -> None:
    created = make_batch(study)
    old = next(each for each in created.assignments if each.rater_id == "r2")
    finished, skipped = old.item_ids[:7], old.item_ids[7]
    add_ratings(study, items_of(created, finished), "r2", NEUTRAL)
    add_ratings(study, items_of(created, [skipped]), "r2", {}, state=RatingState.SKIPPED)
    add_ratings(study, items_of(created, [old.item_ids[8]]), "r2", {}, state=RatingState.INVALID)
    done = replace_rater(study, created.batch.id, "r2", "r3", "curator-1")
    assert sorted(done.added) == sorted(old.item_ids[7:])
    now = assigned(study, created.batch.id)
    assert (now["r2"].state, now["r2"].item_ids) == (AssignmentState.LEFT, finished)
    assert now["r3"].state is AssignmentState.ACTIVE
    standing = standing_of(study, "sk")
    assert standing.answers_missing == 20 + 13
    assert len([each for each in standing.counted if each.rater_id == "r2"]) == 7
    unchanged(study, lambda: replace_rater(study, created.batch.id, "r2", "r3", "curator-1"))
    with pytest.raises(StateError, match=r"batch reassign .* r4"):
        replace_rater(study, created.batch.id, "r2", "r4", "curator-1")
    for rater in ("r1", "r3"):
        add_ratings(study, items_of(created, now[rater].item_ids), rater, NEUTRAL)
    standing = standing_of(study, "sk")
    assert standing.answers_missing == 0
    assessed = assess_language(standing, SETTINGS)
    assert assessed.table.count_labels().sum(axis=1).tolist() == [2.0] * 20
    gates = {gate.name: gate for gate in assessed.gates}
    # r1 shares 7 items with r2 and 13 with r3; all 20 have two raters.
    assert (gates["raters"].value, gates["raters"].passed) == (2, True)


def test_control_items_of_finished_originals_go_to_nobody(study: Store) -> None:
    created = make_batch(study, controls=ControlShares(repeat=0.5))
    repeats = [item for item in created.items if item.purpose is Purpose.REPEAT]
    finished = {item.making["of"] for item in repeats[:4]}
    add_ratings(study, items_of(created, finished), "r1", NEUTRAL)
    done = replace_rater(study, created.batch.id, "r1", "r3", "curator-1")
    assert not {item.id for item in repeats[:4]} & set(done.added)
    assert {item.id for item in repeats[4:]} <= set(done.added)
    assert done.left_open == ()


def test_a_rater_of_the_batch_takes_over_only_what_she_may_see(study: Store) -> None:
    created = make_batch(study, RATERS, both_variants=True, raters_per_item=2)
    before = assigned(study, created.batch.id)
    done = replace_rater(study, created.batch.id, "r1", "r2", "curator-1")
    after = assigned(study, created.batch.id)
    mine = items_of(created, after["r2"].item_ids)
    assert len({item.subject_id for item in mine}) == len(mine)
    assert after["r2"].item_ids[: len(before["r2"].item_ids)] == before["r2"].item_ids
    assert set(done.added) | set(done.left_open) == set(before["r1"].item_ids)
    assert done.left_open
    assert not set(done.added) & set(done.left_open)
    # What she may not see is open for another rater.
    rest = reassign_open(study, created.batch.id, "r5", "curator-1")
    given = items_of(created, rest.added)
    assert len({item.subject_id for item in given}) == len(given)
    assert set(rest.added) | set(rest.left_open) == set(done.left_open)
    last = reassign_open(study, created.batch.id, "r6", "curator-1")
    assert set(last.added) == set(rest.left_open)
    unchanged(study, lambda: reassign_open(study, created.batch.id, "r6", "curator-1"))


def test_what_a_third_rater_has_already_is_not_open(study: Store) -> None:
    created = make_batch(study)
    joined = add_rater(study, created.batch.id, "r3", "curator-1", share=0.5)
    done = replace_rater(study, created.batch.id, "r2", "r3", "curator-1")
    assert len(done.added) == 10
    # Two raters were planned, and r1 and r3 have them.
    assert (done.left_open, set(joined.added) & set(done.added)) == ((), set())


def test_declined_items_are_given_to_another_rater_once(study: Store) -> None:
    created = make_batch(study)
    declined, other = created.items[:3], created.items[3:5]
    add_ratings(study, declined, "r1", {}, state=RatingState.SKIPPED)
    add_ratings(study, other, "r2", {}, state=RatingState.SKIPPED)
    given = reassign_open(study, created.batch.id, "r3", "curator-1", declined_by="r1")
    assert sorted(given.added) == [item.id for item in declined]
    unchanged(study, lambda: reassign_open(study, created.batch.id, "r4", "c", declined_by="r1"))
    rest = reassign_open(study, created.batch.id, "r4", "curator-1")
    assert sorted(rest.added) == [item.id for item in other]
    for rater in ("r1", "r2"):
        others = [item for item in created.items if item not in (*declined, *other)]
        add_ratings(study, others, rater, NEUTRAL)
    # She who declined still may answer: nothing of hers was taken away.
    assert len(assigned(study, created.batch.id)["r1"].item_ids) == 20


def test_a_declined_item_given_on_plans_no_second_rater(study: Store) -> None:
    created = make_batch(study, ["r1"])
    add_ratings(study, created.items[:1], "r1", {}, state=RatingState.SKIPPED)
    add_ratings(study, created.items[1:], "r1", NEUTRAL)
    reassign_open(study, created.batch.id, "r2", "curator-1")
    add_ratings(study, created.items[:1], "r2", NEUTRAL)
    gates = {gate.name: gate for gate in assess_language(standing_of(study, "sk"), SETTINGS).gates}
    for name in ("raters", "pearson", "label_agreement"):
        assert gates[name].reason == "one_rater"


def test_single_items_of_a_double_rated_design_are_open_only_when_declined(study: Store) -> None:
    created = make_batch(study, RATERS[:3], double_share=0.25)
    nothing = reassign_open(study, created.batch.id, "r4", "curator-1")
    assert nothing.added == ()
    doubles = created.batch.design["double_rated"]
    single = next(item for item in created.items if item.id.rpartition("/")[2] not in doubles)
    [holder] = [each.rater_id for each in created.assignments if single.id in each.item_ids]
    add_ratings(study, [single], holder, {}, state=RatingState.SKIPPED)
    assert reassign_open(study, created.batch.id, "r4", "curator-1").added == (single.id,)


def test_the_doubles_of_a_design_alone_are_asked_for_two_raters(study: Store) -> None:
    created = make_batch(study, RATERS[:3], double_share=0.25)
    for each in created.assignments:
        add_ratings(study, items_of(created, each.item_ids), each.rater_id, NEUTRAL)
    gates = {gate.name: gate for gate in assess_language(standing_of(study, "sk"), SETTINGS).gates}
    assert (gates["raters"].value, gates["raters"].threshold) == (2, 2)
    doubles = created.batch.design["double_rated"]
    declined = next(item for item in created.items if item.id.rpartition("/")[2] in doubles)
    holder = next(each.rater_id for each in created.assignments if declined.id in each.item_ids)
    add_ratings(study, [declined], holder, {}, state=RatingState.SKIPPED, revision="2")
    # One of five doubles lacks its second rater now, which is more than one in ten.
    gates = {gate.name: gate for gate in assess_language(standing_of(study, "sk"), SETTINGS).gates}
    assert (gates["raters"].value, gates["raters"].passed) == (1, False)


def test_a_rater_who_left_may_come_back(study: Store) -> None:
    created = make_batch(study)
    replace_rater(study, created.batch.id, "r1", "r3", "curator-1")
    back = add_rater(study, created.batch.id, "r1", "curator-1")
    assert (back.assignment.state, len(back.added)) == (AssignmentState.ACTIVE, 20)


def test_what_does_not_fit_is_refused_and_writes_nothing(study: Store) -> None:
    batch_id = make_batch(study).batch.id
    with study.reading() as state:
        position = state.position
    for action, message in (
        (lambda: add_rater(study, batch_id, "nobody", "c"), "Unknown raters: nobody"),
        (lambda: add_rater(study, batch_id, "r3", "c", share=0), "above 0"),
        (lambda: add_rater(study, "none", "r3", "c"), "no batch none"),
        (lambda: replace_rater(study, batch_id, "r4", "r3", "c"), "has no rater r4"),
        (lambda: replace_rater(study, batch_id, "r1", "nobody", "c"), "Unknown raters"),
        (lambda: replace_rater(study, batch_id, "r1", "r1", "c"), "replace herself"),
        (lambda: reassign_open(study, batch_id, "nobody", "c"), "Unknown raters"),
    ):
        with pytest.raises(StateError, match=message):
            action()
    with study.reading() as state:
        assert state.position == position

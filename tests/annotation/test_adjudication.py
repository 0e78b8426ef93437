"""A third opinion on conflicts: a batch of its own that never enters agreement."""

from __future__ import annotations

from dataclasses import replace

import pytest
from studies import NEUTRAL, add_language, add_people, plan_batch

from annotation.adjudication import create_adjudication
from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import CreatedBatch, create_batch
from corpus.errors import StateError
from corpus.records import Origin, Purpose
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import add_ratings, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings())
MAN = {"quality": 85, "gender_marked": "yes", "speaker_gender": "man"}


@pytest.fixture
def rated(store: Store) -> tuple[Store, CreatedBatch]:
    """Ten neutral items: raters differ on two labels, one DA is far off, one is only commented."""
    add_language(store, "sk", neutral=10, pairs=0)
    add_people(store, ["r1", "r2", "r3"])
    created = create_batch(store, plan_batch("sk", 10, ("r1", "r2")), "curator-1", Origin.HUMAN)
    items = created.items
    add_ratings(store, items, "r1", NEUTRAL)
    add_ratings(store, items[:2], "r2", MAN)
    add_ratings(store, items[2:3], "r2", NEUTRAL | {"quality": 20})
    add_ratings(store, items[3:4], "r2", NEUTRAL | {"comment": "A comment is no conflict."})
    add_ratings(store, items[4:], "r2", NEUTRAL)
    return store, created


def adjudicate(store: Store, created: CreatedBatch, rater: str = "r3") -> CreatedBatch | None:
    return create_adjudication(store, created.batch.id, rater, "curator-1", SETTINGS)[0]


def test_conflicts_become_a_batch_that_never_enters_agreement(
    rated: tuple[Store, CreatedBatch],
) -> None:
    store, created = rated
    before = assess_language(standing_of(store, "sk"), SETTINGS)
    made = adjudicate(store, created)
    assert made is not None
    assert [item.making["of"] for item in made.items] == [item.id for item in created.items[:3]]
    assert {item.purpose for item in made.items} == {Purpose.ADJUDICATION}
    assert [item.shown for item in made.items] == [item.shown for item in created.items[:3]]
    assert made.batch.design["of"] == created.batch.id
    assert [each.rater_id for each in made.assignments] == ["r3"]
    assert standing_of(store, "sk").answers_missing == 3
    add_ratings(store, made.items, "r3", NEUTRAL)
    after = assess_language(standing_of(store, "sk"), SETTINGS)
    assert after.figures == before.figures
    assert after.table.rater_ids == ("r1", "r2")
    with store.reading() as state:
        entry = state.audit_entries()[-1]
    assert (entry.action, entry.after["of"]) == ("batch adjudicate", created.batch.id)


def test_asked_again_only_new_conflicts_make_a_batch(rated: tuple[Store, CreatedBatch]) -> None:
    store, created = rated
    adjudicate(store, created)
    with store.reading() as state:
        position = state.position
    nothing, conflicts = create_adjudication(store, created.batch.id, "r3", "c", SETTINGS)
    assert (nothing, conflicts.asked, conflicts.items) == (None, 3, ())
    with store.reading() as state:
        assert state.position == position
    add_ratings(store, created.items[9:], "r2", MAN, revision="2")
    made = adjudicate(store, created)
    assert made is not None
    assert [item.making["of"] for item in made.items] == [created.items[9].id]


def test_nobody_judges_a_conflict_of_her_own(rated: tuple[Store, CreatedBatch]) -> None:
    store, created = rated
    nothing, conflicts = create_adjudication(store, created.batch.id, "r1", "c", SETTINGS)
    assert (nothing, conflicts.hers) == (None, 3)
    with pytest.raises(StateError, match="Unknown raters"):
        adjudicate(store, created, "nobody")


def test_two_variants_of_a_pair_never_go_to_one_judge(store: Store) -> None:
    add_language(store, "sk", neutral=0, pairs=8)
    raters = ("r1", "r2", "r3", "r4")
    add_people(store, [*raters, "judge"])
    plan = replace(plan_batch("sk", 8, raters), both_variants=True, raters_per_item=2)
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    for item in created.items:
        holders = [each.rater_id for each in created.assignments if item.id in each.item_ids]
        for rater in holders:
            add_ratings(store, [item], rater, NEUTRAL)
    made = adjudicate(store, created, "judge")
    assert made is not None
    assert len({item.subject_id for item in made.items}) == len(made.items) == 8
    assert adjudicate(store, created, "judge") is None

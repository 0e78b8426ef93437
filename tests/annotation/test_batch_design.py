"""Designs of batches other than all raters on every item of one sample."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from studies import add_language, add_people, plan_batch

from annotation.batches import BatchPlan, create_batch
from annotation.controls import ControlShares
from annotation.costs import CostRates
from annotation.design import raters_planned_for
from annotation.overlap import count_shared
from annotation.sampling import Allocation
from corpus.errors import StateError
from corpus.records import Label, Origin, Purpose
from corpus.store import Store

RATERS = ("r1", "r2", "r3", "r4")


@pytest.fixture
def study(store: Store) -> Store:
    add_language(store, "sk", neutral=24, pairs=24)
    add_people(store, RATERS)
    return store


def plan_design(**others: Any) -> BatchPlan:
    return replace(plan_batch("sk", 24, RATERS), **others)


def test_each_item_has_its_raters_and_pairs_share_equally(study: Store) -> None:
    created = create_batch(study, plan_design(raters_per_item=2), "c", Origin.HUMAN)
    raters_of = {
        item.id: [each.rater_id for each in created.assignments if item.id in each.item_ids]
        for item in created.items
    }
    assert {len(raters) for raters in raters_of.values()} == {2}
    assert sorted(count_shared(raters_of).values()) == [4] * 6
    assert [len(each.item_ids) for each in created.assignments] == [12] * 4
    assert created.batch.raters_planned == 2
    assert created.batch.design == {
        "size": 24,
        "allocation": "proportional",
        "raters_per_item": 2,
    }


def test_a_share_of_the_items_is_double_rated(study: Store) -> None:
    created = create_batch(study, plan_design(double_share=0.25), "c", Origin.HUMAN)
    counts = Counter(item_id for each in created.assignments for item_id in each.item_ids)
    assert Counter(counts.values()) == {1: 18, 2: 6}
    doubles = {item_id.rpartition("/")[2] for item_id, count in counts.items() if count == 2}
    assert created.batch.design["double_rated"] == sorted(doubles)
    for item in created.items:
        assert raters_planned_for(created.batch, item) == counts[item.id]
    assert created.batch.raters_planned == 2


def test_a_double_rated_original_keeps_its_raters_on_the_control(study: Store) -> None:
    plan = plan_design(double_share=0.25, controls=ControlShares(repeat=0.25))
    created = create_batch(study, plan, "c", Origin.HUMAN)
    counts = Counter(item_id for each in created.assignments for item_id in each.item_ids)
    for item in created.items:
        assert raters_planned_for(created.batch, item) == counts[item.id]


def test_both_variants_go_to_different_raters(study: Store) -> None:
    plan = plan_design(both_variants=True, raters_per_item=2)
    created = create_batch(study, plan, "c", Origin.HUMAN)
    items = {item.id: item for item in created.items}
    variants = Counter(item.variant for item in created.items)
    assert variants == {"neutral": 12, "masculine": 12, "feminine": 12}
    assert {(item.variant == "neutral", item.weight) for item in created.items} == {
        (True, 1.0),
        (False, 0.5),
    }
    for each in created.assignments:
        subjects = Counter(items[item_id].subject_id for item_id in each.item_ids)
        assert max(subjects.values()) == 1


def test_what_is_chosen_is_in_the_id_and_the_cost_is_not() -> None:
    plans = [
        plan_design(),
        plan_design(allocation=Allocation.EQUAL),
        plan_design(raters_per_item=2),
        plan_design(double_share=0.2),
        plan_design(both_variants=True, raters_per_item=2),
        plan_design(controls=ControlShares(repeat=0.1)),
        plan_design(controls=ControlShares(degraded=0.1)),
    ]
    assert len({plan.id for plan in plans}) == len(plans)
    paid = plan_design(cost=CostRates("GBP", per_item=0.51))
    assert paid.id == plan_design().id
    assert paid.design["cost"] == {"currency": "GBP", "per_item": 0.51}


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"raters_per_item": 5}, "cannot have 5 raters of 4"),
        ({"raters_per_item": 0}, "cannot have 0 raters"),
        ({"raters_per_item": 2, "double_share": 0.2}, "Either a number"),
        ({"double_share": 1.5}, "from 0 to 1"),
        ({"double_share": 0.5, "raters": ("r1",)}, "cannot have 2 raters of 1"),
        ({"both_variants": True}, "need 8 raters, not 4"),
        ({"both_variants": True, "raters_per_item": 3}, "need 6 raters"),
        ({"allocation": Allocation.EQUAL, "size": 3}, "leaves|needs a candidate of every stratum"),
        (
            {"purpose": Purpose.TARGETED, "label": Label.PAIR, "controls": ControlShares(0.1)},
            "a targeted batch has none",
        ),
    ],
)
def test_designs_that_contradict_themselves_are_refused(
    study: Store, choices: dict[str, Any], message: str
) -> None:
    with pytest.raises(StateError, match=message):
        create_batch(study, plan_design(**choices), "c", Origin.HUMAN)
    with study.reading() as state:
        assert state.batches() == []

"""Inclusion weights of a sample: every estimate and its interval takes them into account."""

from __future__ import annotations

from dataclasses import replace

import pytest
from studies import NEUTRAL, add_language, add_people, plan_batch

from annotation.agreement import compute_batch_agreement, find_figure
from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import CreatedBatch, create_batch
from annotation.item_bootstrap import compute_effective_n
from annotation.ratings_table import RatedItem, build_ratings_table
from annotation.sampling import Allocation
from corpus.figures import Figure
from corpus.intervals import wilson_interval
from corpus.records import GenderLabel, Origin
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import add_ratings, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings())
WRONG = {"quality": 60, "gender_marked": "no"}


def rate(store: Store, allocation: Allocation) -> tuple[CreatedBatch, list[Figure]]:
    """160 neutral texts, all 90 and labelled right; 32 pairs, all 60 and labelled neutral."""
    add_language(store, "sk", neutral=160, pairs=32)
    add_people(store, ["r1", "r2"])
    plan = replace(plan_batch("sk", 64, ("r1", "r2")), allocation=allocation)
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    for item in created.items:
        for rater in ("r1", "r2"):
            add_ratings(store, [item], rater, NEUTRAL if item.variant == "neutral" else WRONG)
    return created, list(assess_language(standing_of(store, "sk"), SETTINGS).figures)


def test_an_equal_allocation_estimates_what_all_candidates_are(store: Store) -> None:
    created, figures = rate(store, Allocation.EQUAL)
    assert sum(item.variant == "neutral" for item in created.items) == 32
    weights = {item.weight for item in created.items}
    # 10 or 2 candidates a stratum, 2 items each, over a mean of 192 / 64 = 3 (by hand).
    assert sorted(weights) == pytest.approx([1 / 3, 5 / 3])
    mean, accuracy = find_figure(figures, "mean_da"), find_figure(figures, "label_accuracy")
    assert mean is not None
    assert accuracy is not None
    # Strata are alike within: the weighted mean is the population's, not the sample's 75.
    assert mean.value == pytest.approx((160 * 90 + 32 * 60) / 192)
    assert accuracy.value == pytest.approx(160 / 192)
    effective = 64**2 / (32 * (5 / 3) ** 2 + 32 * (1 / 3) ** 2)
    expected = wilson_interval(160 / 192 * effective, effective)
    assert accuracy.interval is not None
    assert accuracy.interval.low == pytest.approx(expected.low)
    assert accuracy.interval.high == pytest.approx(expected.high)
    assert effective < 64
    assert mean.interval is not None
    assert mean.interval.low is not None
    assert mean.interval.high is not None
    assert mean.interval.low < mean.value < mean.interval.high
    kappa = find_figure(figures, "raw_agreement")
    assert kappa is not None
    assert kappa.value == 1.0


def test_a_proportional_sample_weighs_every_item_the_same(store: Store) -> None:
    created, figures = rate(store, Allocation.PROPORTIONAL)
    assert {item.weight for item in created.items} == {1.0}
    assert "allocation" in created.batch.design
    mean = find_figure(figures, "mean_da")
    assert mean is not None
    neutral = sum(item.variant == "neutral" for item in created.items)
    assert mean.value == pytest.approx((neutral * 90 + (64 - neutral) * 60) / 64)


def test_every_figure_moves_with_the_weights_but_counts() -> None:
    """A weight of two is the item twice: for values; a count stays what was counted."""
    labels = list(GenderLabel)[:3]
    cells = [
        ("i1", 10, 30, 0, 1),
        ("i2", 80, 70, 1, 1),
        ("i3", 55, 60, 2, 0),
        ("i4", 20, 10, 2, 2),
    ]
    system = {f"{item}{copy}": labels[code] for item, *_, code in cells for copy in ("", "b")}

    def rated(copies: tuple[str, ...]) -> list[RatedItem]:
        return [
            RatedItem(f"{item}{copy}", rater, score, labels[code])
            for item, one, two, first, second in cells
            for copy in (copies if item == "i1" else ("",))
            for rater, score, code in (("a", one, first), ("b", two, second))
        ]

    weighted = build_ratings_table(rated(("",)), item_weights={"i1": 2.0})
    repeated = build_ratings_table(rated(("", "b")))
    plain = build_ratings_table(rated(("",)))
    figures = compute_batch_agreement(weighted, system, 1)
    twice = compute_batch_agreement(repeated, system, 1)
    once = compute_batch_agreement(plain, system, 1)
    moved = set()
    for one, other, unweighted in zip(figures, twice, once, strict=True):
        # Alpha's correction for small samples and the p-value's freedom count items, not weights.
        if one.name in ("differing_labels", "pearson_p") or one.name.startswith("alpha"):
            continue
        assert one.value == pytest.approx(other.value), one.name
        if one.value != pytest.approx(unweighted.value):
            moved.add(one.name)
    assert {"mean_da", "label_accuracy", "pearson", "spearman", "kappa", "ac1"} <= moved
    assert "raw_agreement" in moved
    assert compute_effective_n(weighted.item_weights) == pytest.approx(5**2 / 7)

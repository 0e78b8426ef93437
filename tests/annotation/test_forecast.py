"""What a batch will tell, take and cost: formulas by hand, the study's bills, what came true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from studies import NEUTRAL, add_language, add_people, plan_batch

from annotation.batches import create_batch
from annotation.controls import ControlShares
from annotation.costs import CostRates, Work, compute_cost, count_words
from annotation.forecast import Expectations, compute_width, forecast_batch
from annotation.item_bootstrap import build_item_bootstrap
from annotation.label_agreement import compute_ac1, compute_kappa
from annotation.ratings_table import LABELS, RatedItem, build_ratings_table
from annotation.rounds import compute_pace, compute_round, total_cost
from annotation.sampling import Allocation
from annotation.score_agreement import compute_pearson
from corpus.errors import SettingsError
from corpus.figures import Figure
from corpus.intervals import wilson_interval
from corpus.records import (
    Assignment,
    Instrument,
    Item,
    Origin,
    Purpose,
    RatingRevision,
    RatingState,
)
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import standing_of


def make_items(counts: Mapping[str, int], purpose: Purpose = Purpose.SAMPLE) -> list[Item]:
    variants = [variant for variant, count in counts.items() for _ in range(count)]
    return [
        Item(
            f"b/{number:04}",
            "b",
            Instrument.EUROGEST,
            "sentence",
            f"eurogest/sk/{number}",
            variant,
            purpose,
            {"src_text": "I am very glad.", "mt_text": "Som veľmi rád — naozaj."},
            "hash",
        )
        for number, variant in enumerate(variants, start=1)
    ]


def both(items: list[Item]) -> list[Assignment]:
    ids = tuple(item.id for item in items)
    return [Assignment("b", "r1", ids), Assignment("b", "r2", ids)]


def by_name(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    """Figures about each or two raters, and what is not about raters."""
    return {figure.name: figure for figure in figures if dict(figure.scope).get("raters") != "all"}


def limits(figure: Figure) -> tuple[float | None, float | None]:
    assert figure.interval is not None
    return figure.interval.low, figure.interval.high


def test_expected_intervals_by_hand() -> None:
    items = make_items({"neutral": 50, "masculine": 25, "feminine": 25})
    hopes = Expectations(label_accuracy=0.96, raw_agreement=0.95, pearson=0.37)
    figures = by_name(forecast_batch(items, both(items), CostRates(), None, hopes).figures)
    wilson = wilson_interval(96, 100)
    assert limits(figures["expected_label_accuracy"]) == (wilson.low, wilson.high)
    # p_e = .5² + .25² + .25² = .375; κ = .575 / .625 = .92; half = 1.96 √(.95·.05/100) / .625.
    kappa = figures["expected_kappa"]
    assert kappa.value == pytest.approx(0.92)
    assert limits(kappa) == pytest.approx((0.85165, 0.98835), abs=5e-5)
    # p_e = (.25 + .1875 + .1875) / 4 = .15625 for five labels; half = 1.96 √(.000475) / .84375.
    ac1 = figures["expected_ac1"]
    assert ac1.value == pytest.approx(0.79375 / 0.84375)
    assert compute_width(ac1) == pytest.approx(2 * 0.050627, abs=5e-5)
    # tanh(atanh .37 ± 1.96/√97), by hand.
    assert limits(figures["expected_pearson"]) == pytest.approx((0.18719, 0.52804), abs=5e-5)
    assert {each.n for name, each in figures.items() if name.startswith("expected")} == {100}


def test_expected_widths_are_those_that_come(store: Store) -> None:
    """Answers drawn as expected: the bootstrap's intervals are about as wide as was forecast."""
    items = make_items({"neutral": 200, "masculine": 100, "feminine": 100})
    hopes = Expectations(raw_agreement=0.9, pearson=0.5)
    figures = by_name(forecast_batch(items, both(items), CostRates(), None, hopes).figures)
    rng = np.random.default_rng(5)
    codes = {"neutral": 0, "masculine": 1, "feminine": 2}
    widths: dict[str, list[float]] = {"kappa": [], "ac1": [], "pearson": []}
    for draw in range(8):
        rated = []
        for item in items:
            code = codes[item.variant]
            other = code if rng.random() < hopes.raw_agreement else (code + rng.integers(1, 3)) % 3
            first, own = rng.normal(size=2)
            second = hopes.pearson * first + np.sqrt(1 - hopes.pearson**2) * own
            for rater, label, score in (("r1", code, first), ("r2", int(other), second)):
                da = float(np.clip(50 + 10 * score, 0, 100))
                rated.append(RatedItem(item.id, rater, da, LABELS[label]))
        table = build_ratings_table(rated)
        bootstrap = build_item_bootstrap(table, seed=draw)
        for name, figure in (
            ("kappa", compute_kappa(table, "r1", "r2", bootstrap)),
            ("ac1", compute_ac1(table, ("r1", "r2"), bootstrap)),
            ("pearson", compute_pearson(table, "r1", "r2", bootstrap)),
        ):
            width = compute_width(figure)
            assert width is not None
            widths[name].append(width)
    for name, found in widths.items():
        expected = compute_width(figures[f"expected_{name}"])
        assert np.mean(found) == pytest.approx(expected, rel=0.15), name


def test_what_will_be_undefined_says_why() -> None:
    items = make_items({"neutral": 30})
    figures = by_name(forecast_batch(items, both(items), CostRates(), None).figures)
    assert figures["expected_kappa"].reason == "no_variation"
    assert figures["expected_ac1"].value is not None
    alone = by_name(forecast_batch(items, both(items)[:1], CostRates(), None).figures)
    assert {alone[f"expected_{name}"].reason for name in ("kappa", "ac1", "pearson")} == {
        "one_rater"
    }
    assert alone["expected_label_accuracy"].value is not None
    apart = [Assignment("b", "r1", ("b/0001",)), Assignment("b", "r2", ("b/0002",))]
    assert (
        by_name(forecast_batch(items, apart, CostRates(), None).figures)["expected_kappa"].reason
        == "no_overlap"
    )
    few = make_items({"neutral": 2, "feminine": 1})
    short = by_name(forecast_batch(few, both(few), CostRates(), None).figures)
    assert short["expected_pearson"].reason == "too_few"
    target = make_items({"neutral": 9}, Purpose.TARGETED)
    none = by_name(forecast_batch(target, both(target), CostRates(), None).figures)
    assert none["expected_label_accuracy"].reason == "no_data"
    assert none["answers"].value == 18
    assert (none["cost"].reason, none["hours"].reason) == ("not_set", "not_set")


def test_weights_and_overlap_decide_the_items_behind_an_interval(store: Store) -> None:
    add_language(store, "sk", neutral=80, pairs=16)
    raters = ("r1", "r2", "r3", "r4")
    add_people(store, raters)
    plan = replace(plan_batch("sk", 64, raters), raters_per_item=2, allocation=Allocation.EQUAL)
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    figures = by_name(forecast_batch(created.items, created.assignments, CostRates(), None).figures)
    weights = np.array([item.weight for item in created.items])
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert effective < 63
    # 128 answers over four raters: about half of the items tell of each one's accuracy.
    held = [set(each.item_ids) for each in created.assignments]
    fewest = [item.weight for item in created.items if item.id in min(held, key=len)]
    assert (len(fewest), len(weights)) == (32, 64)
    of_one = np.sum(fewest) ** 2 / np.sum(np.square(fewest))
    assert figures["expected_label_accuracy"].n == round(of_one) < effective
    # 64 items over six pairs of raters: ten or eleven each.
    assert figures["expected_kappa"].n <= 10
    assert figures["answers"].value == 128
    drafted = forecast_batch(created.items, created.assignments, CostRates(), None)
    of_all = [each for each in drafted.figures if dict(each.scope).get("raters") == "all"]
    # Every item has two raters, whichever: all of them carry accuracy and AC1 of all raters.
    assert [(each.name, each.n) for each in of_all] == [
        ("expected_label_accuracy", round(effective)),
        ("expected_ac1", round(effective)),
    ]


@pytest.mark.parametrize(
    "hopes",
    [Expectations(label_accuracy=1.1), Expectations(raw_agreement=-1), Expectations(pearson=1)],
)
def test_expectations_out_of_range_are_refused(hopes: Expectations) -> None:
    items = make_items({"neutral": 9})
    with pytest.raises(SettingsError, match="xpected"):
        forecast_batch(items, both(items), CostRates(), None, hopes)


@pytest.mark.parametrize(
    ("languages", "rate", "bill"),
    # The EuroGEST study's fees for 100 sentences in 29, 15 and 3 languages; the rates are what
    # those bills divide to.
    [(29, 0.51, "1479.00"), (15, 0.5457, "818.55"), (3, 0.5457, "163.71")],
)
def test_the_bills_of_the_study(languages: int, rate: float, bill: str) -> None:
    work = Work(answers=100, source_words=0, translation_words=0, seconds=None)
    cost = compute_cost(work, CostRates("GBP", per_item=rate))
    assert total_cost([cost] * languages) == Decimal(bill)


def test_a_cost_is_items_words_hours_and_fees() -> None:
    work = Work(answers=200, source_words=1000, translation_words=900, seconds=7200)
    rates = CostRates("EUR", 0.5, 0.1, 20, fee=30, fee_share=0.2)
    # (100 + 100 + 40 + 30) · 1.2, by hand.
    assert compute_cost(work, rates) == Decimal("324.00")
    assert compute_cost(replace(work, seconds=None), rates) is None
    assert compute_cost(replace(work, seconds=None), replace(rates, per_hour=None)) == Decimal(
        "276"
    )
    # Nothing an hour: what a workbook's answers cost is known, though their time never is.
    by_item = CostRates("EUR", per_item=0.5, per_hour=0.0)
    assert compute_cost(replace(work, seconds=None), by_item) == Decimal(100)
    assert compute_cost(work, CostRates("EUR", fee=30)) is None, "a fee alone is no price"
    assert total_cost([Decimal(1), None]) is None
    assert CostRates.from_design({"cost": rates.as_json()}) == rates
    assert CostRates.from_design({}) is None
    assert CostRates.from_settings(Settings()) == CostRates()


def test_words_are_what_holds_letters() -> None:
    assert count_words("Som — veľmi rád, naozaj!") == 4
    assert count_words("… — !") == 0


def answer(item: Item, rater: str, state: RatingState, lead: float | None) -> RatingRevision:
    return RatingRevision(
        item.id, rater, state, NEUTRAL, source_id=f"{item.id}/{rater}", lead_time_s=lead
    )


def test_a_round_shows_what_was_planned_and_what_was_done(store: Store) -> None:
    add_language(store, "sk", neutral=12, pairs=4)
    add_people(store, ["r1", "r2"])
    rates = CostRates("GBP", per_item=0.5, per_hour=36, fee=2)
    plan = replace(
        plan_batch("sk", 8, ("r1", "r2")), cost=rates, controls=ControlShares(repeat=0.25)
    )
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    standing = standing_of(store, "sk")
    untouched = compute_round(standing, created.batch, CostRates(), 30)
    assert (untouched.planned.answers, untouched.done.answers, untouched.raters) == (20, 0, 2)
    # 20 answers at .5, 600 s at 36 an hour, the fee: 10 + 6 + 2 (by hand); nothing is due yet.
    assert (untouched.planned_cost, untouched.done_cost) == (Decimal("18"), Decimal(0))
    given = [
        answer(created.items[0], "r1", RatingState.VALID, 20),
        # Somebody left the page open: five minutes count.
        answer(created.items[1], "r1", RatingState.VALID, 9000),
        answer(created.items[2], "r1", RatingState.VALID, None),
        answer(created.items[3], "r1", RatingState.SKIPPED, 5),
        answer(created.items[4], "r2", RatingState.INVALID, 5),
    ]
    with store.writing() as writer:
        writer.append(given)
    done = compute_round(standing_of(store, "sk"), created.batch, CostRates("USD", 9), None)
    assert (done.done.answers, done.timed, done.done.seconds) == (3, 2, 320)
    assert done.rates == rates, "those the batch was created with"
    # 3 at .5, 320 s at 36 an hour, the fee (by hand).
    assert done.done_cost == Decimal("1.5") + Decimal("3.2") + 2
    assert done.planned_cost is None, "nobody knows how long an answer takes"
    assert done.done.source_words == sum(
        count_words(item.shown["src_text"]) for item in created.items[:3]
    )


def test_the_pace_is_the_median_of_enough_answers() -> None:
    [item] = make_items({"neutral": 1})
    ratings = [answer(item, "r1", RatingState.VALID, time) for time in (*range(1, 10), 9999)]
    assert compute_pace(ratings) == 5.5
    assert compute_pace(ratings[:9]) is None
    assert compute_pace(ratings, set_s=12) == 12

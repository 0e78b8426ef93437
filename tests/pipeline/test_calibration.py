"""The threshold that ratings support: golden cases, a search by hand, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.figures import Figure
from corpus.intervals import wilson_interval
from pipeline.calibration import (
    Calibration,
    CalibrationItem,
    CalibrationRule,
    ScoredCandidate,
    calibrate_threshold,
    wilson_lower_limits,
)

RULE = CalibrationRule(draws=200, seed=1)


def rated(n: int, quality: float, da: float) -> list[CalibrationItem]:
    return [CalibrationItem(da, quality)] * n


def figure_of(calibration: Calibration, name: str, stereotype: str | None = None) -> Figure:
    [found] = [
        each
        for each in calibration.figures
        if each.name == name and dict(each.scope).get("stereotype") == stereotype
    ]
    return found


def test_keeps_the_lowest_score_that_is_certainly_good_enough() -> None:
    # Wilson's lower limit of n of n is n / (n + z²): 40 / 43.84 = 0.912. With one bad item of 41
    # it is 0.874 (Newcombe 1998, method 3, by hand).
    items = [*rated(40, 0.9, 90), *rated(10, 0.8, 10), *rated(10, 0.5, 66)]
    found = calibrate_threshold(items, [], RULE)
    assert found.threshold == 0.9
    kept, everything = figure_of(found, "share_good_kept"), figure_of(found, "share_good")
    assert (kept.value, kept.n) == (1.0, 40)
    assert kept.interval is not None
    assert kept.interval.low == pytest.approx(40 / (40 + 1.959964**2), abs=1e-6)
    assert (everything.value, everything.n) == (50 / 60, 60)
    assert "chosen_after_seeing_data" in kept.notes


def test_a_da_equal_to_the_limit_is_good_and_a_score_equal_to_the_threshold_is_kept() -> None:
    found = calibrate_threshold(rated(40, 0.7, 66), [ScoredCandidate(0.7)], RULE)
    assert found.threshold == 0.7
    assert figure_of(found, "coverage").value == 1.0


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([], "no_data"),
        (rated(19, 0.9, 100), "too_few"),
        (rated(30, 0.9, 100), "target_not_reached"),
        (rated(200, 0.9, 20), "target_not_reached"),
    ],
)
def test_says_why_there_is_none(items: list[CalibrationItem], reason: str) -> None:
    found = calibrate_threshold(items, [ScoredCandidate(0.9, 1)], RULE)
    assert found.threshold is None
    for name in ("quality_threshold", "coverage", "share_good_kept"):
        figure = figure_of(found, name)
        assert (figure.value, figure.reason) == (None, reason)


def test_shows_the_coverage_lost_by_stereotype() -> None:
    items = [*rated(40, 0.9, 90), *rated(40, 0.1, 0)]
    candidates = [
        *[ScoredCandidate(0.95, 1)] * 3,
        ScoredCandidate(0.2, 1),
        ScoredCandidate(0.2, 2),
        ScoredCandidate(0.9, None),
    ]
    found = calibrate_threshold(items, candidates, RULE, (("language", "sk"),))
    values = [figure_of(found, "coverage", each).value for each in (None, "1", "2")]
    assert values == [4 / 6, 3 / 4, 0.0]
    assert [figure_of(found, "coverage", each).n for each in (None, "1", "2")] == [6, 4, 1]
    assert dict(figure_of(found, "coverage", "1").scope)["language"] == "sk"


def test_the_interval_is_seeded_and_shows_how_firm_the_choice_is() -> None:
    generator = np.random.default_rng(5)
    quality = generator.random(300)
    items = [
        CalibrationItem(float(100 * (q > 0.3 + 0.1 * noise)), float(q))
        for q, noise in zip(quality, generator.standard_normal(300), strict=True)
    ]
    first, again = (calibrate_threshold(items, [], RULE) for _ in range(2))
    assert first == again
    interval = figure_of(first, "quality_threshold").interval
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    assert first.threshold is not None
    assert 0 < interval.low <= first.threshold <= interval.high < 0.6
    assert (interval.draws, interval.seed) == (200, 1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.1, 0.4, 0.5, 0.9]), st.integers(0, 100), st.sampled_from([0.5, 1, 2])
        ),
        min_size=1,
        max_size=60,
    )
)
def test_agrees_with_a_search_through_all_thresholds(
    drawn: list[tuple[float, int, float]],
) -> None:
    rule = CalibrationRule(target=0.5, min_items_kept=5, draws=100, seed=1)
    items = [CalibrationItem(da, quality, weight) for quality, da, weight in drawn]
    reached = []
    for threshold in sorted({each.quality for each in items}):
        kept = [each for each in items if each.quality >= threshold]
        weights = np.array([each.weight for each in kept])
        share = float(weights @ [each.da_0_100 >= 66 for each in kept] / weights.sum())
        effective = float(weights.sum() ** 2 / (weights**2).sum())
        low = wilson_interval(min(share * effective, effective), effective).low
        # Too close to the target to tell in floating point is no case.
        if len(kept) >= 5 and low is not None and abs(low - 0.5) > 1e-9 and low >= 0.5:
            reached.append(threshold)
    assert calibrate_threshold(items, [], rule).threshold == min(reached, default=None)


@given(st.integers(0, 200), st.integers(1, 200), st.sampled_from([0.9, 0.95, 0.99]))
def test_many_limits_at_once_are_those_of_single_intervals(
    successes: int, n: int, level: float
) -> None:
    successes = min(successes, n)
    [limit] = wilson_lower_limits(np.array([successes / n]), np.array([float(n)]), level)
    assert limit == pytest.approx(wilson_interval(successes, n, level).low, abs=1e-12)

"""Intervals and multiple testing against published values and scipy/statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t
from statsmodels.stats.multitest import multipletests

from corpus.intervals import (
    benjamini_hochberg,
    bootstrap_weights,
    expand_level,
    percentile_interval,
    percentile_intervals,
    wilson_interval,
)


def test_expanded_level_gives_a_mean_students_width() -> None:
    """Normal draws of a mean, cut at the expanded level, end where the t interval does."""
    for n in (5, 20, 200):
        level = expand_level(0.95, n)
        # Draws of a mean deviate by s * sqrt((n - 1) / n) / sqrt(n).
        half = norm.ppf((1 + level) / 2) * np.sqrt((n - 1) / n)
        assert half == pytest.approx(t.ppf(0.975, n - 1))
    assert expand_level(0.95, 10**6) == pytest.approx(0.95, abs=1e-5)
    with pytest.raises(ValueError, match="three items or more"):
        expand_level(0.95, 2)


@given(n=st.integers(1, 30), draws=st.integers(1, 20), seed=st.integers(0, 2**31))
def test_every_draw_takes_n_items(n: int, draws: int, seed: int) -> None:
    weights = bootstrap_weights(n, draws, seed)
    assert weights.shape == (draws, n)
    assert weights.dtype == np.float64
    assert np.all(weights.sum(axis=1) == n)
    assert np.array_equal(weights, bootstrap_weights(n, draws, seed))


def test_weights_have_the_moments_of_a_multinomial() -> None:
    weights = bootstrap_weights(10, 20_000, seed=1)
    # Mean 1, variance 1 - 1/n, covariance -1/n; the tolerance is six standard errors or more.
    covariance = np.cov(weights.T)
    assert weights.mean(axis=0) == pytest.approx(np.ones(10), abs=0.05)
    assert np.diag(covariance) == pytest.approx(np.full(10, 0.9), abs=0.08)
    assert covariance[0, 1] == pytest.approx(-0.1, abs=0.05)


def test_no_items_give_empty_draws_and_bad_sizes_are_refused() -> None:
    assert bootstrap_weights(0, 3, seed=1).shape == (3, 0)
    with pytest.raises(ValueError, match="draws >= 1"):
        bootstrap_weights(5, 0, seed=1)


def test_percentile_interval_takes_the_quantiles_and_remembers_its_draws() -> None:
    interval = percentile_interval(np.arange(1001.0), 0.9, n_items=20, seed=7)
    assert (interval.low, interval.high) == pytest.approx((50.0, 950.0))
    assert (interval.level, interval.draws, interval.seed) == (0.9, 1001, 7)
    assert interval.reason is None


@pytest.mark.parametrize(
    ("values", "n_items", "reason"),
    [
        (np.arange(1000.0), 19, "too_few"),
        (np.full(1000, 0.7), 100, "degenerate"),
        (0.7 + 1e-15 * np.arange(1000), 100, "degenerate"),
        (np.r_[np.full(51, np.nan), np.arange(949.0)], 100, "undefined_draws"),
        (np.full(1000, np.nan), 100, "undefined_draws"),
    ],
)
def test_an_interval_that_cannot_be_given_has_a_reason(
    values: np.ndarray, n_items: int, reason: str
) -> None:
    interval = percentile_interval(values, n_items=n_items)
    assert (interval.low, interval.high, interval.reason) == (None, None, reason)


def test_five_percent_undefined_draws_are_allowed() -> None:
    values = np.r_[np.full(50, np.nan), np.arange(950.0)]
    assert percentile_interval(values, n_items=100).reason is None


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        percentile_interval(np.arange(10.0), level)
    with pytest.raises(ValueError, match="level"):
        wilson_interval(1, 2, level)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_equals_newcombes_table(
    successes: int, n: int, low: float, high: float
) -> None:
    interval = wilson_interval(successes, n)
    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_wilson_interval_at_the_ends() -> None:
    full = wilson_interval(100, 100)
    assert full.high == 1.0
    assert full.low == pytest.approx(0.963, abs=5e-4)
    assert wilson_interval(0, 100).low == 0.0
    assert wilson_interval(0, 0).reason == "no_data"
    with pytest.raises(ValueError, match="successes"):
        wilson_interval(3, 2)


# Benjamini and Hochberg (1995), section 3.2: 15 hypotheses of a study of myocardial infarction.
BH_EXAMPLE = (
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
    0.5719, 0.6528, 0.7590, 1.0000,
)  # fmt: skip


def test_benjamini_hochberg_rejects_four_in_the_papers_example() -> None:
    adjusted = benjamini_hochberg(BH_EXAMPLE)
    assert sum(p is not None and p <= 0.05 for p in adjusted) == 4
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_equals_statsmodels(p_values: list[float]) -> None:
    expected = multipletests(p_values, method="fdr_bh")[1]
    assert benjamini_hochberg(p_values) == pytest.approx(tuple(expected), abs=1e-12)


def test_undefined_p_values_stay_out_of_the_count() -> None:
    assert benjamini_hochberg([None, 0.01, None, 0.02]) == (None, 0.02, None, 0.02)
    assert benjamini_hochberg([]) == ()
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        benjamini_hochberg([1.5])


@settings(deadline=None)
@given(st.integers(20, 60), st.floats(0.5, 0.99), st.integers(0, 9))
def test_all_rows_at_once_have_the_quantiles_of_numpy(draws: int, level: float, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(5, draws))
    values[2, 3] = np.nan
    values[3, :5] = np.inf
    values[4] = 2.5
    found = percentile_intervals(values, level, n_items=[20, 19, 30, 30, 30], seed=1)
    tails = [(1 - level) / 2, 1 - (1 - level) / 2]
    assert (found[0].low, found[0].high) == tuple(np.quantile(values[0], tails))
    assert [each.reason for each in found[1:]] == [
        "too_few",
        None,
        "undefined_draws",
        "degenerate",
    ]
    assert found[2].undefined == 1
    defined = values[2][np.isfinite(values[2])]
    assert (found[2].low, found[2].high) == tuple(np.quantile(defined, tails))

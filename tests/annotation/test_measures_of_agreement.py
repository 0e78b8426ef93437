"""The formulas against libraries, published tables, and tables that were really resampled."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import cohen_kappa_score

from annotation.measures_of_agreement import (
    compute_ac1_draws,
    compute_interval_alpha_draws,
    compute_kappa_draws,
    compute_mean_draws,
    compute_nominal_alpha_draws,
    compute_pearson_draws,
    compute_spearman_draws,
)
from corpus.intervals import bootstrap_weights

SEEDS = st.integers(0, 2**31)
# Krippendorff (2011), "Computing Krippendorff's alpha-reliability": three coders, 15 units, also
# in the documentation of the krippendorff package: nominal 0.691358, interval 0.810845.
THREE_CODERS = [
    "*    *    *    *    *    3    4    1    2    1    1    3    3    *    3",
    "1    *    2    1    3    3    4    3    *    *    *    *    *    *    *",
    "*    *    2    1    3    4    4    *    2    1    1    3    3    *    4",
]


def count(codes: np.ndarray, categories: int) -> np.ndarray:
    return (codes[:, :, None] == np.arange(categories)).sum(axis=1).astype(float)


def expand_table(table: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Two raters' codes from their contingency table."""
    cells = [
        (row, column)
        for row, counts in enumerate(table)
        for column, number in enumerate(counts)
        for _ in range(number)
    ]
    first, second = np.array(cells).T
    return first, second


def take_sample(n: int) -> np.ndarray:
    return np.ones((1, n))


def resample(weights: np.ndarray) -> np.ndarray:
    """Row numbers of the table in which each item is repeated by its weight."""
    return np.repeat(np.arange(weights.size), weights.astype(int))


def read_coders() -> np.ndarray:
    rows = [
        [np.nan if cell == "*" else float(cell) for cell in line.split()] for line in THREE_CODERS
    ]
    return np.array(rows).T


def test_kappa_of_cohens_table() -> None:
    # Cohen (1960), table 1, as counts of 200: observed 0.70, chance 0.41, kappa 0.492.
    first, second = expand_table([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    kappa = compute_kappa_draws(take_sample(200), first, second, 3)[0]
    assert kappa == pytest.approx(0.29 / 0.59, abs=1e-12)


def test_kappa_and_ac1_of_gwets_table() -> None:
    # Gwet (2014), Handbook of Inter-Rater Reliability, 100 pregnancies by two abstractors; the
    # vignette of R's irrCAC 1.0 (cont3x3abstractors) prints kappa 0.7964094, AC1 0.8493305.
    first, second = expand_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    counts = count(np.column_stack([first, second]), 3)
    assert compute_kappa_draws(take_sample(100), first, second, 3)[0] == pytest.approx(
        0.7964094, abs=5e-8
    )
    assert compute_ac1_draws(take_sample(100), counts)[0] == pytest.approx(0.8493305, abs=5e-8)


def test_ac1_of_three_raters_by_hand() -> None:
    # Two items, two categories. Item 1: labels 0, 0, 1; item 2: 1, 1.
    # Agreeing pairs: 1 of 3 and 1 of 1, mean 2/3. Shares of label 0: mean(2/3, 0) = 1/3.
    # Chance: (1/3 * 2/3 + 2/3 * 1/3) / (2 - 1) = 4/9. AC1 = (6/9 - 4/9) / (5/9) = 2/5.
    counts = np.array([[2.0, 1.0], [0.0, 2.0]])
    assert compute_ac1_draws(take_sample(2), counts)[0] == pytest.approx(0.4, abs=1e-12)


def test_alpha_of_krippendorffs_three_coders() -> None:
    scores = read_coders()
    overlapping = scores[np.isfinite(scores).sum(axis=1) >= 2]
    ones = take_sample(len(overlapping))
    counts = count(np.where(np.isfinite(overlapping), overlapping - 1, -1), 4)
    assert compute_nominal_alpha_draws(ones, counts)[0] == pytest.approx(0.691358, abs=5e-7)
    assert compute_interval_alpha_draws(ones, overlapping)[0] == pytest.approx(0.810845, abs=5e-7)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(3, 25), seed=SEEDS)
def test_correlations_equal_scipy_on_resampled_tables(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 101, (2, n)).astype(float)
    weights = bootstrap_weights(n, 5, seed)
    pearson = compute_pearson_draws(weights, first, second)
    spearman = compute_spearman_draws(weights, first, second)
    for draw, row in enumerate(weights):
        rows = resample(row)
        if np.ptp(first[rows]) == 0 or np.ptp(second[rows]) == 0:
            assert np.isnan(pearson[draw])
            assert np.isnan(spearman[draw])
        else:
            expected = pearsonr(first[rows], second[rows]).statistic
            assert pearson[draw] == pytest.approx(expected, abs=1e-12)
            expected = spearmanr(first[rows], second[rows]).statistic
            assert spearman[draw] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 25), seed=SEEDS)
def test_kappa_equals_sklearn_on_resampled_tables(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 5, (2, n))
    weights = bootstrap_weights(n, 5, seed)
    kappa = compute_kappa_draws(weights, first, second, 5)
    for draw, row in enumerate(weights):
        rows = resample(row)
        if np.unique(np.r_[first[rows], second[rows]]).size == 1:
            assert np.isnan(kappa[draw])
        else:
            expected = cohen_kappa_score(first[rows], second[rows], labels=range(5))
            assert kappa[draw] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(3, 15), raters=st.integers(2, 4), seed=SEEDS)
def test_alpha_equals_the_library_on_resampled_tables(n: int, raters: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, raters)).astype(float)
    codes[rng.random((n, raters)) < 0.2] = np.nan
    codes = codes[np.isfinite(codes).sum(axis=1) >= 2]
    assume(len(codes) >= 2)
    weights = bootstrap_weights(len(codes), 5, seed)
    interval = compute_interval_alpha_draws(weights, codes)
    nominal = compute_nominal_alpha_draws(weights, count(np.nan_to_num(codes, nan=-1), 3))
    for draw, row in enumerate(weights):
        table = codes[resample(row)].T
        if np.unique(table[np.isfinite(table)]).size == 1:
            assert np.isnan(interval[draw])
            assert np.isnan(nominal[draw])
            continue
        for values, level in ((interval, "interval"), (nominal, "nominal")):
            expected = krippendorff.alpha(table, level_of_measurement=level)
            assert values[draw] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 15), raters=st.integers(2, 4), seed=SEEDS)
def test_ac1_and_mean_equal_those_of_resampled_tables(n: int, raters: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = count(rng.integers(0, 5, (n, raters)), 5)
    scores = rng.integers(0, 101, (n, raters)).astype(float)
    weights = bootstrap_weights(n, 5, seed)
    ac1 = compute_ac1_draws(weights, counts)
    mean = compute_mean_draws(weights, scores.sum(axis=1), np.full(n, float(raters)))
    for draw, row in enumerate(weights):
        rows = resample(row)
        expected = compute_ac1_draws(take_sample(n), counts[rows])[0]
        assert ac1[draw] == pytest.approx(expected, abs=1e-12)
        assert mean[draw] == pytest.approx(scores[rows].mean(), abs=1e-10)


def test_a_draw_of_equal_scores_is_undefined_whatever_the_rest() -> None:
    # One-pass moments would call this draw varying: 30² - 30² about the mean is 1e-13, not 0.
    scores = np.array([0.1, 33.3, 66.6, 99.9])
    weights = np.array([[0.0, 0.0, 0.0, 4.0], [1.0, 1.0, 1.0, 1.0]])
    r = compute_pearson_draws(weights, scores, scores)
    assert np.isnan(r[0])
    assert r[1] == pytest.approx(1.0)

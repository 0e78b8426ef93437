"""Formulas of agreement as functions of item weights, for all bootstrap draws at once.

Every function takes `weights` [draws, items] and returns one value per draw [draws], NaN where
the measure is undefined in that draw. With whole-number weights the value is that of the table
in which each item is repeated as often as its weight says; a single row of ones is the sample
itself. The caller passes only items on which the measure rests: one set for observed and expected
agreement.
"""

from __future__ import annotations

import numpy as np

from annotation.ratings_table import FloatArray, IntArray

CONSTANT_STD = 1e-9
"""A series whose standard deviation is below this does not vary."""
NARROW_SHARE = 0.05
"""A draw whose variance is below this share of the sample's is computed about its own means."""
DRAWS_AT_ONCE = 500
"""Ranks of more draws of 100 items than this do not stay in a processor's cache."""
ZERO_CHANCE_GAP = 1e-12
"""Below this distance from 1, chance agreement is 1 up to rounding."""


def is_constant(first: FloatArray, second: FloatArray) -> bool:
    """Whether either of two series [items], one item or more each, does not vary."""
    return bool(min(first.std(), second.std()) < CONSTANT_STD)


def compute_mean_draws(weights: FloatArray, sums: FloatArray, counts: FloatArray) -> FloatArray:
    """Weighted mean of answers: per item their sum and their number, each [items]."""
    return _divide(weights @ sums, weights @ counts)


def compute_pearson_draws(weights: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Pearson's r in [-1, 1] of two series [items]; NaN where either does not vary."""
    gaps = np.column_stack([first - first.mean(), second - second.mean()])
    products = np.column_stack([gaps, gaps**2, gaps[:, 0] * gaps[:, 1]])
    moments = _divide(weights @ products, weights.sum(axis=1, keepdims=True))
    variances = moments[:, 2:4] - moments[:, :2] ** 2
    covariance = moments[:, 4] - moments[:, 0] * moments[:, 1]
    # Where a draw varies far less than the sample, the differences above lose its digits.
    narrow = np.flatnonzero((variances < NARROW_SHARE * (gaps**2).mean(axis=0)).any(axis=1))
    for draw in narrow:
        variances[draw], covariance[draw] = _compute_moments(weights[draw], gaps)
    return _correlate(covariance, variances[:, 0], variances[:, 1])


def compute_spearman_draws(
    weights: FloatArray, first: FloatArray, second: FloatArray
) -> FloatArray:
    """Spearman's rho in [-1, 1]: Pearson's r of the midranks each draw gives to the items."""
    values = np.empty(len(weights))
    for start in range(0, len(weights), DRAWS_AT_ONCE):
        some = slice(start, start + DRAWS_AT_ONCE)
        values[some] = _compute_some_spearman_draws(weights[some], first, second)
    return values


def compute_kappa_draws(
    weights: FloatArray, first: IntArray, second: IntArray, categories: int
) -> FloatArray:
    """Cohen's kappa, at most 1, of two raters' label codes [items]; NaN if chance agreement is 1.

    Source:
        Cohen (1960), Educational and Psychological Measurement 20, unweighted.
    """
    total = weights.sum(axis=1)
    codes = np.arange(categories)
    first_share = _divide(weights @ (first[:, None] == codes), total[:, None])
    second_share = _divide(weights @ (second[:, None] == codes), total[:, None])
    observed = _divide(weights @ (first == second), total)
    return _correct_for_chance(observed, (first_share * second_share).sum(axis=1))


def compute_ac1_draws(weights: FloatArray, counts: FloatArray) -> FloatArray:
    """Gwet's AC1, at most 1, from the label counts per item [items, categories], 2 or more each.

    Chance agreement is at most one over the number of categories, so it is defined for all
    labels equal, where it is 1.

    Source:
        Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, section 4; with
        missing answers the label shares come from the items with two answers or more, as the
        observed agreement does (Gwet's handbook takes them from all items).
    """
    answers = counts.sum(axis=1)
    total = weights.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (answers * (answers - 1))
    share = _divide(weights @ (counts / answers[:, None]), total[:, None])
    chance = (share * (1 - share)).sum(axis=1) / (counts.shape[1] - 1)
    return _correct_for_chance(_divide(weights @ agreeing, total), chance)


def compute_nominal_alpha_draws(weights: FloatArray, counts: FloatArray) -> FloatArray:
    """Krippendorff's alpha, at most 1, at nominal level, from counts [items, categories].

    Source:
        Krippendorff, Content Analysis (4th ed. 2018), chapter 12, from values-by-units counts.
    """
    answers = counts.sum(axis=1)
    disagreeing = (answers**2 - (counts**2).sum(axis=1)) / (answers - 1)
    total = weights @ answers
    of_label = weights @ counts
    expected = _divide(total**2 - (of_label**2).sum(axis=1), total * (total - 1))
    expected = np.where(expected > ZERO_CHANCE_GAP, expected, 0.0)
    return 1 - _divide(_divide(weights @ disagreeing, total), expected)


def compute_interval_alpha_draws(weights: FloatArray, scores: FloatArray) -> FloatArray:
    """Krippendorff's alpha, at most 1, at interval level, from scores [items, raters] with NaN.

    Sums of squares within and between items stand in for the squared differences of all pairs.

    Source:
        Krippendorff, Content Analysis (4th ed. 2018), chapter 12, squared-difference metric.
    """
    answers = np.isfinite(scores).sum(axis=1).astype(np.float64)
    item_mean = np.nansum(scores, axis=1) / answers
    within = np.nansum((scores - item_mean[:, None]) ** 2, axis=1)
    total = weights @ answers
    mean = _divide(weights @ (answers * item_mean), total)
    # Squares about the sample's mean are one product of matrices; where a draw varies far less
    # than the sample its digits are lost, and the squares are summed about the draw's own mean.
    centre = item_mean.mean()
    squares = (
        weights @ (within + answers * (item_mean - centre) ** 2) - total * (mean - centre) ** 2
    )
    typical = (within + answers * (item_mean - centre) ** 2).sum() / answers.sum()
    narrow = squares < NARROW_SHARE * typical * total
    gaps = (item_mean - mean[narrow, None]) ** 2
    squares[narrow] = np.einsum("di,di->d", weights[narrow], within + answers * gaps)
    expected = _divide(squares, total - 1)
    expected = np.where(_divide(squares, total) >= CONSTANT_STD**2, expected, 0.0)
    observed = _divide(weights @ (answers * within / (answers - 1)), total)
    return 1 - _divide(observed, expected)


def _compute_some_spearman_draws(
    weights: FloatArray, first: FloatArray, second: FloatArray
) -> FloatArray:
    # Items by draws: gathering and adding whole rows is several times as fast as columns.
    of_item = np.ascontiguousarray(weights.T)
    first_rank, first_squares = _compute_centred_midranks(of_item, first)
    second_rank, second_squares = _compute_centred_midranks(of_item, second)
    products = np.einsum("id,id,id->d", of_item, first_rank, second_rank)
    total = weights.sum(axis=1)
    return _correlate(
        _divide(products, total), _divide(first_squares, total), _divide(second_squares, total)
    )


def _compute_centred_midranks(
    weights: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Midrank less the mean rank, of each item among a draw's repeated items, and its squares.

    Args:
        weights: [items, draws].
        values: [items].

    Returns:
        The ranks [items, draws] and the weighted sum of their squares [draws].
    """
    order = np.argsort(values, kind="stable")
    up_to = weights[order]
    # Row by row, as numpy adds up along the first axis several times as slowly.
    for row in range(1, values.size):
        up_to[row] += up_to[row - 1]
    ends = np.flatnonzero(np.diff(values[order], append=np.inf))
    group = np.empty(values.size, dtype=np.int64)
    group[order] = np.repeat(np.arange(ends.size), np.diff(ends, prepend=-1))
    up_to = up_to[ends]
    below = np.zeros_like(up_to)
    below[1:] = up_to[:-1]
    rank = (up_to + below - up_to[-1]) / 2
    return rank[group], np.einsum("gd,gd,gd->d", up_to - below, rank, rank)


def _compute_moments(weights: FloatArray, gaps: FloatArray) -> tuple[FloatArray, float]:
    """Variances and covariance of two series [items, 2] in one draw, about the draw's means."""
    share = weights / weights.sum()
    centred = gaps - share @ gaps
    covariances = (centred * share[:, None]).T @ centred
    return np.diag(covariances), float(covariances[0, 1])


def _correlate(
    covariance: FloatArray, first_variance: FloatArray, second_variance: FloatArray
) -> FloatArray:
    varies = (first_variance >= CONSTANT_STD**2) & (second_variance >= CONSTANT_STD**2)
    scale = np.sqrt(np.where(varies, first_variance * second_variance, 0.0))
    return np.clip(_divide(covariance, scale), -1.0, 1.0)


def _correct_for_chance(observed: FloatArray, chance: FloatArray) -> FloatArray:
    gap = 1 - chance
    return _divide(observed - chance, np.where(gap > ZERO_CHANCE_GAP, gap, 0.0))


def _divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The quotient, NaN where the denominator is not positive."""
    quotient: FloatArray = numerator / np.where(denominator > 0, denominator, np.nan)
    return quotient

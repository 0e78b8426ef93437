"""A rater against the mean of the others, and the others among themselves.

Correlation with the mean of several raters is higher than with one of them, because a mean is less
noisy. So the others are measured in the same way, without the rater in question: each against the
mean of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from annotation.item_bootstrap import (
    ItemBootstrap,
    Measure,
    Scope,
    build_figure,
    compute_figure,
)
from annotation.measures_of_agreement import compute_pearson_draws
from annotation.ratings_table import BoolArray, FloatArray, RatingsTable
from annotation.score_agreement import (
    MIN_ITEMS_FOR_CORRELATION,
    find_overlap_fault,
    find_series_fault,
)
from corpus.figures import Figure

LEAST_RATERS = 3

LEAVE_ONE_OUT = Measure(
    "leave_one_out_correlation",
    "Pearson's correlation of a rater's DA scores with the mean of the others' on the items that "
    "she and another scored, in [-1, 1].",
    "product-moment correlation",
)
OTHERS_CORRELATION = Measure(
    "others_correlation",
    "The others among themselves, without this rater: mean over them of Pearson's correlation of "
    "one's DA scores with the mean of the rest's, in [-1, 1].",
    "mean of product-moment correlations, of each on the items she shares with the rest",
)
MEAN_PEARSON = Measure(
    "mean_pearson",
    "Mean over pairs of raters of Pearson's correlation of their DA scores, in [-1, 1]; pairs that "
    "share fewer than three items are left out.",
    "mean of product-moment correlations, of each pair on the items both scored",
)


def compute_leave_one_out(
    table: RatingsTable, rater: str, bootstrap: ItemBootstrap | None = None, scope: Scope = ()
) -> Figure:
    """One rater against the others' mean; null with `needs_three_raters` for fewer raters.

    Null also with `no_overlap`, `too_few` or `constant_input`, as Pearson's r.
    """
    own, others = split_scores(table, rater)
    rest = _compute_means(others)
    items: BoolArray = np.isfinite(own) & np.isfinite(rest)
    first, second = own[items], rest[items]
    reason = find_series_fault(first, second)
    if count_raters_with_scores(table) < LEAST_RATERS:
        reason = "needs_three_raters"
    return compute_figure(
        LEAVE_ONE_OUT,
        lambda weights: compute_pearson_draws(weights, first, second),
        table,
        items,
        scope=scope,
        raters=(rater,),
        bootstrap=bootstrap,
        reason=reason,
        undefined_reason="constant_input",
    )


def compute_others_correlation(
    table: RatingsTable, rater: str, bootstrap: ItemBootstrap | None = None, scope: Scope = ()
) -> Figure:
    """How the others agree without a rater, on the scale of `compute_leave_one_out`."""
    _, others = split_scores(table, rater)
    others = others[:, np.isfinite(others).any(axis=0)]
    columns = range(others.shape[1])
    # Of two, each against the other is one correlation.
    series = [
        (others[:, column], _compute_means(np.delete(others, column, axis=1)))
        for column in (columns[:1] if len(columns) == 2 else columns)
    ]
    enough = count_raters_with_scores(table) >= LEAST_RATERS
    return _compute_mean_correlation(
        OTHERS_CORRELATION,
        series,
        table,
        (rater,),
        bootstrap,
        scope,
        None if enough else "needs_three_raters",
    )


def compute_mean_pearson(
    table: RatingsTable, bootstrap: ItemBootstrap | None = None, scope: Scope = ()
) -> Figure:
    """Pearson's r averaged over all pairs of raters; null as Pearson's r if no pair has one."""
    series = [(first, second) for first, second in combinations(table.scores.T, 2)]
    return _compute_mean_correlation(MEAN_PEARSON, series, table, None, bootstrap, scope)


def split_scores(table: RatingsTable, rater: str) -> tuple[FloatArray, FloatArray]:
    """A rater's scores [items] and the others' [items, others].

    Raises:
        ValueError: if the rater is not in the table.
    """
    [column] = table.find_columns((rater,))
    return table.scores[:, column], np.delete(table.scores, column, axis=1)


def count_raters_with_scores(table: RatingsTable) -> int:
    """Raters who gave a DA score at all."""
    return int(np.isfinite(table.scores).any(axis=0).sum())


def _compute_mean_correlation(
    measure: Measure,
    series: Sequence[tuple[FloatArray, FloatArray]],
    table: RatingsTable,
    raters: Sequence[str] | None,
    bootstrap: ItemBootstrap | None,
    scope: Scope,
    reason: str | None = None,
) -> Figure:
    """The mean of the correlations of pairs of series that share enough items and vary."""
    shared = [np.isfinite(first) & np.isfinite(second) for first, second in series]
    most = max((int(each.sum()) for each in shared), default=0)
    reason = reason or find_overlap_fault(most, MIN_ITEMS_FOR_CORRELATION)
    if reason is not None:
        return build_figure(measure, None, most, scope, raters, reason)
    usable = [
        (first, second, items)
        for (first, second), items in zip(series, shared, strict=True)
        if items.sum() >= MIN_ITEMS_FOR_CORRELATION
    ]
    union: BoolArray = np.any([items for _, _, items in usable], axis=0)

    def correlate(weights: FloatArray) -> FloatArray:
        every = [
            compute_pearson_draws(weights[:, items[union]], first[items], second[items])
            for first, second, items in usable
        ]
        means: FloatArray = np.mean(every, axis=0)
        return means

    return compute_figure(
        measure,
        correlate,
        table,
        union,
        scope=scope,
        raters=raters,
        bootstrap=bootstrap,
        undefined_reason="constant_input",
    )


def _compute_means(scores: FloatArray) -> FloatArray:
    """Mean over the raters of each item [items], NaN where nobody scored it."""
    counts = np.isfinite(scores).sum(axis=1)
    sums = np.nansum(scores, axis=1)
    means: FloatArray = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means

"""Agreement of raters on direct assessment (DA): correlations, alpha and means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.item_bootstrap import (
    ItemBootstrap,
    Measure,
    Scope,
    build_figure,
    compute_effective_n,
    compute_figure,
)
from annotation.measures_of_agreement import (
    compute_interval_alpha_draws,
    compute_mean_draws,
    compute_pearson_draws,
    compute_spearman_draws,
    is_constant,
)
from annotation.ratings_table import BoolArray, FloatArray, RatingsTable
from corpus.figures import Figure

MIN_ITEMS_FOR_CORRELATION = 3

PEARSON = Measure(
    "pearson",
    "Pearson's correlation of two raters' DA scores on the items both scored, in [-1, 1]; "
    "1 if one is a rising linear function of the other.",
    "product-moment correlation",
)
PEARSON_P = Measure(
    "pearson_p",
    "Two-sided p-value in [0, 1] of Pearson's correlation of two raters' DA scores, for the "
    "hypothesis of no correlation; not adjusted for other tests.",
    "t distribution with n - 2 degrees of freedom",
)
SPEARMAN = Measure(
    "spearman",
    "Spearman's rank correlation of two raters' DA scores on the items both scored, in [-1, 1].",
    "product-moment correlation of midranks",
)
INTERVAL_ALPHA = Measure(
    "alpha_interval",
    "Krippendorff's alpha of DA scores at interval level over items with two scores or more, at "
    "most 1; 0 is agreement by chance.",
    "Krippendorff 2018, interval level",
)
MEAN_DA = Measure("mean_da", "Mean DA score over all answers, 0 to 100.", "mean over answers")


def compute_pearson(
    table: RatingsTable,
    first: str,
    second: str,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
) -> Figure:
    """Pearson's r of two raters' DA; null with `no_overlap`, `too_few` or `constant_input`."""
    return _compute_correlation(PEARSON, table, first, second, bootstrap, scope)


def compute_spearman(
    table: RatingsTable,
    first: str,
    second: str,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
) -> Figure:
    """Spearman's rho of two raters' DA; undefined as Pearson's r is."""
    return _compute_correlation(SPEARMAN, table, first, second, bootstrap, scope)


def compute_pearson_p(table: RatingsTable, first: str, second: str, scope: Scope = ()) -> Figure:
    """The p-value of Pearson's r, undefined as r is; item weights enter by the effective n."""
    # Here, because it takes longer to import than most commands take to run.
    from scipy.special import stdtr

    r = compute_pearson(table, first, second)
    if r.value is None:
        return build_figure(PEARSON_P, None, r.n, scope, (first, second), r.reason)
    items, _, _ = _select_scored_pair(table, first, second)
    freedom = compute_effective_n(table.item_weights[items]) - 2
    unexplained = (1 - r.value) * (1 + r.value)
    p = 0.0
    if unexplained > 0 and freedom > 0:
        p = float(2 * stdtr(freedom, -abs(r.value) * np.sqrt(freedom / unexplained)))
    reason = None if freedom > 0 else "too_few"
    return build_figure(
        PEARSON_P, p if reason is None else None, r.n, scope, (first, second), reason
    )


def compute_interval_alpha(
    table: RatingsTable,
    raters: Sequence[str] | None = None,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
) -> Figure:
    """Krippendorff's alpha of DA; null with `no_overlap`, `too_few` or `no_variation`."""
    scores = table.scores[:, table.find_columns(raters)]
    items: BoolArray = np.isfinite(scores).sum(axis=1) >= 2
    overlapping = scores[items]
    return compute_figure(
        INTERVAL_ALPHA,
        lambda weights: compute_interval_alpha_draws(weights, overlapping),
        table,
        items,
        scope=scope,
        raters=raters,
        bootstrap=bootstrap,
        reason=find_overlap_fault(int(items.sum()), 2),
    )


def compute_mean_score(
    table: RatingsTable,
    raters: Sequence[str] | None = None,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
) -> Figure:
    """Mean DA of one rater, some or all (None); null with `no_data` if they gave no score."""
    scores = table.scores[:, table.find_columns(raters)]
    counts = np.isfinite(scores).sum(axis=1).astype(np.float64)
    items: BoolArray = counts > 0
    sums, numbers = np.nansum(scores, axis=1)[items], counts[items]
    return compute_figure(
        MEAN_DA,
        lambda weights: compute_mean_draws(weights, sums, numbers),
        table,
        items,
        scope=scope,
        raters=raters,
        bootstrap=bootstrap,
        reason=None if items.any() else "no_data",
    )


def find_overlap_fault(n: int, least: int) -> str | None:
    """The reason why n shared items do not carry a figure that needs `least`, None if they do."""
    if n == 0:
        return "no_overlap"
    return "too_few" if n < least else None


def find_series_fault(first: FloatArray, second: FloatArray) -> str | None:
    """Why two series of scores of the same items [items] have no correlation; None if they do."""
    fault = find_overlap_fault(first.size, MIN_ITEMS_FOR_CORRELATION)
    if fault is None and is_constant(first, second):
        return "constant_input"
    return fault


def _compute_correlation(
    measure: Measure,
    table: RatingsTable,
    first: str,
    second: str,
    bootstrap: ItemBootstrap | None,
    scope: Scope,
) -> Figure:
    formula = compute_pearson_draws if measure is PEARSON else compute_spearman_draws
    items, first_scores, second_scores = _select_scored_pair(table, first, second)
    return compute_figure(
        measure,
        lambda weights: formula(weights, first_scores, second_scores),
        table,
        items,
        scope=scope,
        raters=(first, second),
        bootstrap=bootstrap,
        # Ranks of a nearly constant series vary, so the scores themselves are asked.
        reason=find_series_fault(first_scores, second_scores),
        undefined_reason="constant_input",
    )


def _select_scored_pair(
    table: RatingsTable, first: str, second: str
) -> tuple[BoolArray, FloatArray, FloatArray]:
    pair = table.scores[:, table.find_columns((first, second))]
    items: BoolArray = np.isfinite(pair).sum(axis=1) == 2
    return items, pair[items, 0], pair[items, 1]

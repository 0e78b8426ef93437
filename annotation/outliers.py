"""Outlier raters: who rates unlike the others, and whether there are two camps instead.

A mark excludes nobody. By default a rater stands out if her correlation with the others' mean is
below the interval of the others' own, or if she scores more than one standard deviation above or
below them. Where the raters stand in two camps nobody is called an outlier by correlation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.camps import LARGE_GAP, Camps, find_camps
from annotation.item_bootstrap import ItemBootstrap, Scope, build_item_bootstrap, compute_figure
from annotation.leave_one_out import (
    LEAST_RATERS,
    compute_leave_one_out,
    compute_others_correlation,
    count_raters_with_scores,
)
from annotation.rater_figures import find_lack
from annotation.rater_shift import LARGE_SHIFT, MEAN_SHIFT, build_shift_formula
from annotation.ratings_table import RatingsTable
from corpus.figures import Figure

LOW_CORRELATION, SHIFTED = "low_correlation", "shifted"
MARKS = {
    LOW_CORRELATION: "agrees less with the others than they do among themselves: her correlation "
    "with their mean is below the interval of theirs",
    SHIFTED: "scores further above or below the others than the setting outlier_shift allows",
}
"""Codes of what makes a rater stand out, in words."""


@dataclass(frozen=True, slots=True)
class RaterBesideOthers:
    """One rater's figures beside the others', and what stands out."""

    rater_id: str
    correlation: Figure
    """With the mean of the others."""
    others: Figure
    """The others among themselves, without her."""
    shift: Figure
    """Of her mean, in standard deviations of the others' scores."""
    marks: tuple[str, ...]
    """Keys of `MARKS`."""


@dataclass(frozen=True, slots=True)
class OutlierReport:
    """Every rater beside the others, and the best division into two camps."""

    raters: tuple[RaterBesideOthers, ...]
    camps: Camps | None
    """None where there is nothing to divide: under four raters."""

    @property
    def in_camps(self) -> bool:
        """Whether the raters stand in two camps."""
        return self.camps is not None and self.camps.stand_out

    @property
    def outliers(self) -> tuple[str, ...]:
        """Raters with a mark."""
        return tuple(each.rater_id for each in self.raters if each.marks)

    @property
    def figures(self) -> list[Figure]:
        """All figures, rater by rater, then the camps."""
        found = [
            figure for each in self.raters for figure in (each.correlation, each.others, each.shift)
        ]
        return found + ([self.camps.gap, self.camps.p] if self.camps else [])


def find_outliers(
    table: RatingsTable,
    seed: int,
    scope: Scope = (),
    *,
    draws: int = 2000,
    largest_shift: float = LARGE_SHIFT,
    least_gap: float = LARGE_GAP,
) -> OutlierReport:
    """Each rater beside the others; every figure null with `needs_three_raters` below three.

    Args:
        table: The counted answers.
        seed: Seed of the bootstrap and of the permutations.
        scope: What the table is about.
        draws: Bootstrap draws, 1,000 or more.
        largest_shift: A mean shift above this stands out, in standard deviations.
        least_gap: How much more the raters must correlate within two camps than across.

    Raises:
        SettingsError: for fewer than 1,000 draws.
    """
    bootstrap = build_item_bootstrap(table, seed, draws)
    camps = find_camps(table, seed, scope, least_gap=least_gap)
    divided = camps is not None and camps.stand_out
    raters = []
    for rater in table.rater_ids:
        correlation = compute_leave_one_out(table, rater, bootstrap, scope)
        others = compute_others_correlation(table, rater, bootstrap, scope)
        shift = compute_mean_shift(table, rater, bootstrap, scope)
        marks = []
        if not divided and _is_below(correlation, others):
            marks.append(LOW_CORRELATION)
        if shift.value is not None and abs(shift.value) > largest_shift:
            marks.append(SHIFTED)
        raters.append(RaterBesideOthers(rater, correlation, others, shift, tuple(marks)))
    return OutlierReport(tuple(raters), camps)


def compute_mean_shift(
    table: RatingsTable, rater: str, bootstrap: ItemBootstrap | None = None, scope: Scope = ()
) -> Figure:
    """How far a rater scores above the others on the same items, in their standard deviations."""
    [column] = table.find_columns((rater,))
    given = np.isfinite(table.scores)
    others = given & given[:, [column]]
    others[:, column] = False
    items = others.any(axis=1)
    reason = find_lack(int(items.sum()))
    if count_raters_with_scores(table) < LEAST_RATERS:
        reason = "needs_three_raters"
    return compute_figure(
        MEAN_SHIFT,
        lambda weights: build_shift_formula(table.scores, column, others)(weights),
        table,
        items,
        scope=scope,
        raters=(rater,),
        bootstrap=bootstrap,
        reason=reason,
        undefined_reason="constant_input",
    )


def _is_below(correlation: Figure, others: Figure) -> bool:
    interval = others.interval
    if correlation.value is None or interval is None or interval.low is None:
        return False
    return correlation.value < interval.low

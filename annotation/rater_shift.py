"""A rater beside the others on the sample items they share: level of her scores, and their order.

Two raters who differ say nothing about who of them is off, so each figure needs two others. Others
who are excluded are left out of the comparison; she herself is compared all the same.

z-scores are a rater's DA scores minus her own mean, over her own standard deviation: level and
spread taken away. A rater without spread has z-scores of 0; her figure is marked `rater_constant`,
and she is left out of the others' means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.item_bootstrap import Measure, Statistic
from annotation.measures_of_agreement import CONSTANT_STD, compute_mean_draws
from annotation.rater_answers import RaterAnswers
from annotation.rater_figures import RaterFigures, compute_variances, find_lack
from annotation.ratings_table import BoolArray, FloatArray
from corpus.figures import Figure
from corpus.records import Purpose

LEAST_OTHERS = 2
RATER_CONSTANT = "rater_constant"
LARGE_SHIFT = 1.0
"""A mean shift above this is worth a look, in standard deviations of the others' scores."""

MEAN_SHIFT = Measure(
    "mean_shift",
    "Mean of a rater's DA scores minus the mean of the others' on the same items, in standard "
    "deviations of the others' scores; 0 is the same level.",
    "difference of means over items, others' scores of an item averaged",
)
Z_DIFFERENCE = Measure(
    "z_difference",
    "Mean absolute difference of a rater's z-score of an item and the others' mean z-score of it, "
    "at least 0; z-scores take a rater's own level and spread away.",
    "mean over items, each rater standardised on all her sample items",
)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """DA of sample items, [items, raters], in sorted order of the ids."""

    raters: tuple[str, ...]
    scores: FloatArray
    """NaN is missing."""
    compared: BoolArray
    """Whether a score is one that others are compared with: given, its rater not excluded."""


def build_score_table(raters: Sequence[RaterAnswers]) -> ScoreTable:
    """The DA scores of the raters' sample items."""
    cells: dict[tuple[str, str], tuple[float, bool]] = {}
    for rater in raters:
        for batch_id, answers in rater.batches:
            counts = batch_id not in rater.excluded_from
            for each in answers:
                if each.purpose is Purpose.SAMPLE and each.score is not None:
                    cells[each.item_id, rater.rater_id] = (each.score, counts)
    rows = {item: row for row, item in enumerate(sorted({item for item, _ in cells}))}
    ids = tuple(sorted(each.rater_id for each in raters))
    scores = np.full((len(rows), len(ids)), np.nan)
    compared = np.zeros(scores.shape, dtype=np.bool_)
    for (item, rater_id), (score, counts) in cells.items():
        cell = rows[item], ids.index(rater_id)
        scores[cell], compared[cell] = score, counts
    return ScoreTable(ids, scores, compared)


def compute_z_scores(scores: FloatArray) -> tuple[FloatArray, BoolArray]:
    """z-scores [items, raters] of scores [items, raters], and which raters are constant [raters].

    Missing stays NaN; a constant rater's z-scores are 0.
    """
    given = np.isfinite(scores)
    n = np.maximum(given.sum(axis=0), 1)
    filled = np.where(given, scores, 0.0)
    means = filled.sum(axis=0) / n
    gaps = np.where(given, scores - means, 0.0)
    deviations = np.sqrt((gaps**2).sum(axis=0) / n)
    constant: BoolArray = deviations < CONSTANT_STD
    z = gaps / np.where(constant, 1.0, deviations)
    z[:, constant] = 0.0
    return np.where(given, z, np.nan), constant


def compute_shift_figures(
    table: ScoreTable, builders: Mapping[str, RaterFigures]
) -> dict[str, list[Figure]]:
    """Mean shift and z-difference of each rater; `needs_three_raters` without two others."""
    z, constant = compute_z_scores(table.scores)
    found: dict[str, list[Figure]] = {}
    for column, rater in enumerate(table.raters):
        own = np.isfinite(table.scores[:, column])
        others = table.compared & own[:, None]
        others[:, column] = False
        found[rater] = [
            _mean_shift(table.scores, column, others, builders[rater]),
            _z_difference(z, column, others & ~constant, bool(constant[column]), builders[rater]),
        ]
    return found


def _mean_shift(
    scores: FloatArray, column: int, others: BoolArray, figures: RaterFigures
) -> Figure:
    items = others.any(axis=1)
    n = int(items.sum())
    lack = _find_lack(others, n)
    if lack is not None:
        return figures.value(MEAN_SHIFT, None, n, lack)
    return figures.statistic(MEAN_SHIFT, build_shift_formula(scores, column, others), n)


def build_shift_formula(scores: FloatArray, column: int, others: BoolArray) -> Statistic:
    """Mean shift of a rater as a function of the weights of the items that others scored too.

    Args:
        scores: [items, raters], NaN is missing.
        column: Whose shift.
        others: Which scores she is compared with, [items, raters], of items she scored only.
    """
    items = others.any(axis=1)
    own, theirs = scores[items, column], np.where(others[items], scores[items], 0.0)
    counts = others[items].sum(axis=1).astype(np.float64)
    # About one mean, so that the variance below loses no digits.
    centre = theirs.sum() / counts.sum()
    gaps = np.where(others[items], theirs - centre, 0.0)
    sums, squares = gaps.sum(axis=1), (gaps**2).sum(axis=1)
    ones = np.ones_like(counts)

    def shift(weights: FloatArray) -> FloatArray:
        differences = compute_mean_draws(weights, own - centre - sums / counts, ones)
        means = compute_mean_draws(weights, sums, counts)
        variances = compute_variances(compute_mean_draws(weights, squares, counts), means)
        deviations = np.where(variances > 0, np.sqrt(variances), np.nan)
        shifts: FloatArray = differences / deviations
        return shifts

    return shift


def _z_difference(
    z: FloatArray, column: int, others: BoolArray, is_constant: bool, figures: RaterFigures
) -> Figure:
    items = others.any(axis=1)
    n = int(items.sum())
    lack = _find_lack(others, n)
    if lack is not None:
        return figures.value(Z_DIFFERENCE, None, n, lack)
    chosen = others[items]
    theirs = np.where(chosen, z[items], 0.0).sum(axis=1) / chosen.sum(axis=1)
    gaps = np.abs(z[items, column] - theirs)
    return figures.statistic(
        Z_DIFFERENCE,
        lambda weights: compute_mean_draws(weights, gaps, np.ones_like(gaps)),
        n,
        notes=(RATER_CONSTANT,) if is_constant else (),
    )


def _find_lack(others: BoolArray, n: int) -> str | None:
    """Why there is no comparison; None if there is one."""
    if int(others.any(axis=0).sum()) < LEAST_OTHERS:
        return "needs_three_raters"
    return find_lack(n)

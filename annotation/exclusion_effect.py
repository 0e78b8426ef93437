"""What leaving a rater out does to the figures: before, after, and what chance gives.

Whoever leaves out a rater after seeing how the raters correlate has chosen the best of several
figures. Of unrelated raters, too, the best pair correlates above 0; the figures after are therefore
marked, and beside their mean correlation stands what the same choice gives among raters whose
scores are shuffled over their items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from annotation.agreement import compute_batch_agreement
from annotation.camps import CHOSEN
from annotation.item_bootstrap import Measure, Scope, build_figure, build_item_bootstrap
from annotation.leave_one_out import LEAST_RATERS, compute_mean_pearson, count_raters_with_scores
from annotation.measures_of_agreement import CONSTANT_STD
from annotation.ratings_table import FloatArray, RatingsTable
from annotation.score_agreement import MIN_ITEMS_FOR_CORRELATION
from corpus.figures import Figure
from corpus.records import RaterLabel
from corpus.standing import Standing

PERMUTATIONS = 2000

CHANCE_METHOD = (
    f"{PERMUTATIONS} permutations of each rater's scores over her items, best rater left out"
)
CHANCE_MEAN = Measure(
    "best_mean_pearson_by_chance",
    "Mean over pairs of Pearson's correlation that leaving out the best choice of one rater gives "
    "on average if raters are unrelated, in [-1, 1].",
    CHANCE_METHOD,
)
CHANCE_95 = Measure(
    "best_mean_pearson_by_chance_95",
    "The value that the same choice among unrelated raters exceeds in 5 % of cases, in [-1, 1].",
    CHANCE_METHOD,
)
CHANCE_P = Measure(
    "best_mean_pearson_p",
    "Share in [0, 1] of cases in which the same choice among unrelated raters gives at least the "
    "mean Pearson's correlation that stands after leaving the rater out.",
    CHANCE_METHOD,
)


@dataclass(frozen=True, slots=True)
class FigureChange:
    """One figure before and after; `after` is None where it was about the rater left out."""

    before: Figure
    after: Figure | None


@dataclass(frozen=True, slots=True)
class ExclusionEffect:
    """All figures of a table with a rater and without her."""

    rater_id: str
    changes: tuple[FigureChange, ...]
    """In the order of the figures before; those after are marked as chosen after seeing."""
    chance: tuple[Figure, ...]
    """What the same choice gives among unrelated raters: mean, 95th percentile, p."""


def compute_exclusion_effect(
    table: RatingsTable,
    system_labels: Mapping[str, RaterLabel],
    rater: str,
    seed: int,
    scope: Scope = (),
    *,
    draws: int = 2000,
) -> ExclusionEffect:
    """Every agreement figure with all raters and without one, on the same bootstrap draws.

    Args:
        table: The counted answers of all raters, of her too.
        system_labels: By item id, the label of the variant the item shows.
        rater: Who would be left out, or is.
        seed: Seed of the bootstrap and of the permutations.
        scope: What the table is about.
        draws: Bootstrap draws, 1,000 or more.

    Raises:
        ValueError: if the rater is not in the table.
        SettingsError: for fewer than 1,000 draws.
    """
    without = table.leave_out(rater)
    before, after = (
        [
            *compute_batch_agreement(each, system_labels, seed, scope, draws=draws),
            compute_mean_pearson(each, build_item_bootstrap(each, seed, draws), scope),
        ]
        for each in (table, without)
    )
    marked = {
        (each.name, each.scope): replace(each, notes=(*each.notes, CHOSEN))
        if each.value is not None
        else each
        for each in after
    }
    changes = tuple(FigureChange(each, marked.get((each.name, each.scope))) for each in before)
    reached = changes[-1].after
    return ExclusionEffect(
        rater,
        changes,
        compute_chance_of_best(table, seed, scope, None if reached is None else reached.value),
    )


def count_rater(standing: Standing, rater: str) -> Standing:
    """The language as if no batch left this rater out; other exclusions stay."""
    answers = tuple(
        replace(each, excluded=False) if each.rating.rater_id == rater else each
        for each in standing.answers
    )
    return replace(standing, answers=answers)


def compute_chance_of_best(
    table: RatingsTable, seed: int, scope: Scope = (), reached: float | None = None
) -> tuple[Figure, ...]:
    """Mean Pearson after leaving out the best choice of a rater, among unrelated raters.

    Args:
        table: The counted answers; its gaps stay where they are.
        seed: Seed of the permutations.
        scope: What the table is about.
        reached: The mean Pearson after leaving a rater out, for the p-value; None leaves it out.

    Returns:
        Mean, 95th percentile and p-value; null with `needs_three_raters`, or with `too_few` where
        no choice leaves a pair that shares three items and varies.
    """
    n = int((np.isfinite(table.scores).sum(axis=1) >= 2).sum())
    measures = (CHANCE_MEAN, CHANCE_95, CHANCE_P)

    def give_reason(reason: str) -> tuple[Figure, ...]:
        return tuple(build_figure(each, None, n, scope, None, reason) for each in measures)

    if count_raters_with_scores(table) < LEAST_RATERS:
        return give_reason("needs_three_raters")
    best = _draw_best_means(table.scores, np.random.default_rng(seed))
    if best is None:
        return give_reason("too_few")
    values = [float(best.mean()), float(np.quantile(best, 0.95))]
    figures = [
        build_figure(measure, value, n, scope, None)
        for measure, value in zip(measures, values, strict=False)
    ]
    if reached is not None:
        p = (1 + int((best >= reached).sum())) / (1 + best.size)
        figures.append(build_figure(CHANCE_P, p, n, scope, None))
    return tuple(figures)


def _draw_best_means(scores: FloatArray, draw: np.random.Generator) -> FloatArray | None:
    """The best mean over the pairs that leaving out one rater leaves, for each permutation."""
    shuffled = [_shuffle(column, draw) for column in scores.T]
    correlations = {}
    for first, second in combinations(range(len(shuffled)), 2):
        shared = np.isfinite(scores[:, first]) & np.isfinite(scores[:, second])
        if shared.sum() >= MIN_ITEMS_FOR_CORRELATION:
            found = _correlate_rows(shuffled[first][:, shared], shuffled[second][:, shared])
            if found is not None:
                correlations[first, second] = found
    means = []
    for left_out in range(len(shuffled)):
        kept = [values for pair, values in correlations.items() if left_out not in pair]
        if kept:
            means.append(np.mean(kept, axis=0))
    if not means:
        return None
    best: FloatArray = np.max(means, axis=0)
    return best


def _shuffle(column: FloatArray, draw: np.random.Generator) -> FloatArray:
    """[permutations, items]; each row has the given scores in random order, gaps where they are."""
    given = np.isfinite(column)
    rows = np.tile(column, (PERMUTATIONS, 1))
    rows[:, given] = draw.permuted(rows[:, given], axis=1)
    return rows


def _correlate_rows(first: FloatArray, second: FloatArray) -> FloatArray | None:
    """Pearson's r of each two rows; 0 for a row without variation, None if all are without."""
    first = first - first.mean(axis=1, keepdims=True)
    second = second - second.mean(axis=1, keepdims=True)
    spread = first.std(axis=1), second.std(axis=1)
    varies = np.minimum(*spread) >= CONSTANT_STD
    if not varies.any():
        return None
    scale = np.where(varies, spread[0] * spread[1], 1.0) * first.shape[1]
    r: FloatArray = np.where(varies, (first * second).sum(axis=1) / scale, 0.0)
    return r

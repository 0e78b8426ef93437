"""Control items: is a rater consistent with herself, and does she see that a text was damaged.

Each control item is compared with her own answer to the item it was made from, so nobody is
measured by another. The test of degraded translations is the one-sided Wilcoxon signed-rank test
with an exact null distribution: all 2^n signs of the differences, equal pairs ranked below all
others and counting for neither side. A rater who scores most pairs alike is thus never called
perfect for the one pair she told apart, in the test as in the effect size

    r = (sum of ranks of pairs with the degraded one lower - of those with it higher)
        / sum of all ranks, in [-1, 1].

Sources:
    Pratt (1959), JASA 54, on equal pairs; Kerby (2014), Comprehensive Psychology 3, on the
    matched-pairs rank-biserial correlation, there without equal pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.item_bootstrap import Measure
from annotation.measures_of_agreement import (
    compute_mean_draws,
    compute_pearson_draws,
    is_constant,
)
from annotation.rater_answers import GivenAnswer, RaterAnswers
from annotation.rater_figures import RaterFigures, find_lack
from annotation.ratings_table import FloatArray
from corpus.figures import Figure
from corpus.records import Purpose

REPEAT_LABELS = Measure(
    "repeat_label_agreement",
    "Share of exact repeats to which a rater gave the same gender label as the first time, in "
    "[0, 1].",
    "share of pairs",
)
REPEAT_DIFFERENCE = Measure(
    "repeat_da_difference",
    "Mean absolute difference of a rater's two DA scores of exact repeats, in points of 0 to 100; "
    "0 is perfectly consistent.",
    "mean over pairs",
)
REPEAT_CORRELATION = Measure(
    "repeat_da_correlation",
    "Pearson's correlation of a rater's two DA scores of exact repeats, in [-1, 1].",
    "product-moment correlation",
)
DEGRADED_LOWER = Measure(
    "degraded_lower",
    "Share of degraded translations that a rater scored lower than the original, in [0, 1]; equal "
    "scores count as not lower.",
    "share of pairs",
)
DEGRADED_DIFFERENCE = Measure(
    "degraded_da_difference",
    "Mean of a rater's DA score of the original minus that of its degraded translation, in points "
    "of 0 to 100; positive if the degraded one is scored lower.",
    "mean over pairs",
)
DEGRADED_EFFECT = Measure(
    "degraded_effect",
    "Rank-biserial correlation of original and degraded DA scores, in [-1, 1]; 1 if every degraded "
    "translation is scored lower, 0 if none differs or both directions weigh the same.",
    "matched pairs, equal pairs ranked lowest and counted for neither side (Pratt 1959)",
)
DEGRADED_P = Measure(
    "degraded_p",
    "One-sided p-value in [0, 1] for the hypothesis that a rater does not score degraded "
    "translations lower than their originals; small if she does.",
    "Wilcoxon signed-rank test, exact over all signs, equal pairs as in Pratt 1959",
)


def compute_repeat_figures(rater: RaterAnswers, figures: RaterFigures) -> list[Figure]:
    """Self-consistency on exact repeats; null with `no_data` or `too_few` under five pairs."""
    pairs = rater.pairs_of(Purpose.REPEAT)
    labelled = [(one.label, other.label) for one, other in pairs if one.label and other.label]
    same = sum(one is other for one, other in labelled)
    first, second = _scores(pairs)
    gaps = np.abs(first - second)
    lack = find_lack(gaps.size)
    if lack is None and is_constant(first, second):
        lack = "constant_input"
    return [
        figures.share(REPEAT_LABELS, same, len(labelled)),
        figures.statistic(
            REPEAT_DIFFERENCE,
            lambda weights: compute_mean_draws(weights, gaps, np.ones_like(gaps)),
            gaps.size,
        ),
        figures.statistic(
            REPEAT_CORRELATION,
            lambda weights: compute_pearson_draws(weights, first, second),
            gaps.size,
            reason=lack,
        ),
    ]


def compute_degraded_figures(rater: RaterAnswers, figures: RaterFigures) -> list[Figure]:
    """Whether degraded translations are scored lower, how clearly, and by how much."""
    original, degraded = _scores(rater.pairs_of(Purpose.DEGRADED))
    falls = original - degraded
    n = falls.size
    lack = find_lack(n)
    p = compute_signed_rank_p(falls) if lack is None else None
    return [
        figures.share(DEGRADED_LOWER, int((falls > 0).sum()), n),
        figures.statistic(
            DEGRADED_DIFFERENCE,
            lambda weights: compute_mean_draws(weights, falls, np.ones_like(falls)),
            n,
        ),
        figures.statistic(
            DEGRADED_EFFECT, lambda weights: compute_rank_biserial_draws(weights, falls), n
        ),
        figures.value(DEGRADED_P, p, n, lack),
    ]


def compute_signed_rank_p(falls: FloatArray) -> float:
    """P(the positive differences weigh as much or more) if each sign were a coin's, exactly.

    Args:
        falls: Differences [pairs]; 0 is an equal pair.

    Returns:
        In (0, 1]; 1 if all pairs are equal.
    """
    # Here, because it takes longer to import than most commands take to run.
    from scipy.stats import rankdata

    # Midranks are whole or halves: twice them are whole numbers, of which sums can be counted.
    ranks = np.rint(2 * rankdata(np.abs(falls))).astype(np.int64)
    observed = int(ranks[falls > 0].sum())
    told_apart = ranks[falls != 0]
    chances: FloatArray = np.zeros(int(told_apart.sum()) + 1)
    chances[0] = 1.0
    for rank in told_apart:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[:-rank]
        chances = (chances + moved) / 2
    return min(1.0, float(chances[observed:].sum()))


def compute_rank_biserial_draws(weights: FloatArray, falls: FloatArray) -> FloatArray:
    """The effect size of the module's formula, in [-1, 1], for weights [draws, pairs]."""
    sizes, group = np.unique(np.abs(falls), return_inverse=True)
    member = (group[:, None] == np.arange(sizes.size)).astype(np.float64)
    mass = weights @ member
    midranks = np.cumsum(mass, axis=1) - mass + (mass + 1) / 2
    signed = weights @ (member * np.sign(falls)[:, None])
    total = weights.sum(axis=1)
    effect: FloatArray = 2 * (signed * midranks).sum(axis=1) / (total * (total + 1))
    return effect


def _scores(pairs: Sequence[tuple[GivenAnswer, GivenAnswer]]) -> tuple[FloatArray, FloatArray]:
    """DA of original and control item where both have one."""
    scored = [
        (one.score, other.score)
        for one, other in pairs
        if one.score is not None and other.score is not None
    ]
    table = np.array(scored, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]

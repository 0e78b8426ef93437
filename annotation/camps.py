"""Two camps of raters: each agrees within itself and not with the other.

Where raters stand in two camps, none of them is an outlier, and dropping one until the figures
look good would choose a camp. Whether the best division is better than chance is asked of raters
who are alike: each item's z-scores are given to its raters at random, and the best division is
sought again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotation.item_bootstrap import Measure, Scope, build_figure
from annotation.rater_shift import compute_z_scores
from annotation.ratings_table import BoolArray, FloatArray, RatingsTable
from annotation.score_agreement import MIN_ITEMS_FOR_CORRELATION
from corpus.figures import Figure

LEAST_RATERS_OF_A_CAMP = 2
MOST_RATERS = 10
"""With more, the divisions are too many to try all."""
PERMUTATIONS = 999
SIGNIFICANT = 0.05
LARGE_GAP = 0.2
"""Camps are told from this much more agreement within than across on, by default."""
CHOSEN = "chosen_after_seeing_the_data"

CAMP_GAP = Measure(
    "camp_gap",
    "By how much the mean of Pearson's correlations within each of two camps of raters exceeds "
    "that across them, for the less united camp, in [-2, 2]; of all divisions the one where it is "
    "largest.",
    "all divisions of the raters into two camps of two or more",
)
CAMP_GAP_P = Measure(
    "camp_gap_p",
    "Share in [0, 1] of random exchanges of raters in which the best division is as good.",
    f"{PERMUTATIONS} permutations of z-scores over the raters of each item",
)


@dataclass(frozen=True, slots=True)
class Camps:
    """The best division of the raters, and whether it is more than chance."""

    first: tuple[str, ...]
    """The camp of the first rater."""
    second: tuple[str, ...]
    gap: Figure
    p: Figure
    least_gap: float
    """A smaller gap makes no camps."""

    @property
    def stand_out(self) -> bool:
        """Whether these are to be shown as camps: a large gap that chance does not give."""
        gap, p = self.gap.value, self.p.value
        return gap is not None and p is not None and gap >= self.least_gap and p <= SIGNIFICANT


def find_camps(
    table: RatingsTable, seed: int, scope: Scope = (), *, least_gap: float = LARGE_GAP
) -> Camps | None:
    """The best division into two camps; None with under four raters, over ten, or no overlap.

    Raters without scores or with constant ones stand in no camp.
    """
    z, constant = compute_z_scores(table.scores)
    able = np.flatnonzero(~constant & np.isfinite(z).any(axis=0))
    if not 2 * LEAST_RATERS_OF_A_CAMP <= able.size <= MOST_RATERS:
        return None
    z = z[:, able]
    given = np.isfinite(z)
    shared = given.sum(axis=1) >= 2
    divisions = np.array(list(_divide_raters(able.size)))
    gaps = _compute_gaps(z, divisions)
    if not np.isfinite(gaps).any():
        return None
    best = int(np.nanargmax(gaps))
    draw = np.random.default_rng(seed)
    chance = np.array(
        [
            np.max(np.nan_to_num(_compute_gaps(each, divisions), nan=-np.inf))
            for each in _exchange_raters(z, given, draw)
        ]
    )
    p = (1 + int((chance >= gaps[best]).sum())) / (1 + PERMUTATIONS)
    ids = [table.rater_ids[column] for column in able]
    first = tuple(rater for rater, inside in zip(ids, divisions[best], strict=True) if inside)
    second = tuple(rater for rater in ids if rater not in first)
    about = (*scope, ("camp", ",".join(first)), ("other_camp", ",".join(second)))
    n = int(shared.sum())
    return Camps(
        first,
        second,
        build_figure(CAMP_GAP, float(gaps[best]), n, about, None, notes=(CHOSEN,)),
        build_figure(CAMP_GAP_P, p, n, about, None),
        least_gap,
    )


def _divide_raters(raters: int) -> Iterator[BoolArray]:
    """Every division into two camps, as who stands with the first rater."""
    for size in range(LEAST_RATERS_OF_A_CAMP - 1, raters - LEAST_RATERS_OF_A_CAMP):
        for chosen in combinations(range(1, raters), size):
            inside = np.zeros(raters, dtype=np.bool_)
            inside[[0, *chosen]] = True
            yield inside


def _compute_gaps(z: FloatArray, divisions: BoolArray) -> FloatArray:
    """The gap of each division [divisions]; NaN where a camp or the space between has no pair."""
    correlations = _correlate_raters(z)
    known = np.isfinite(correlations)
    values = np.where(known, correlations, 0.0)
    inside = divisions.astype(np.float64)

    def average(left: FloatArray, right: FloatArray) -> FloatArray:
        sums = np.einsum("sr,rq,sq->s", left, values, right, optimize=True)
        pairs = np.einsum("sr,rq,sq->s", left, known.astype(np.float64), right, optimize=True)
        means: FloatArray = np.where(pairs > 0, sums / np.maximum(pairs, 1), np.nan)
        return means

    within = np.minimum(average(inside, inside), average(1 - inside, 1 - inside))
    gaps: FloatArray = within - average(inside, 1 - inside)
    return gaps


def _correlate_raters(z: FloatArray) -> FloatArray:
    """Pearson's r of each two raters; NaN on the diagonal and where it is undefined."""
    given = np.isfinite(z).astype(np.float64)
    filled = np.where(given > 0, z, 0.0)
    n = given.T @ given
    sums = filled.T @ given
    squares = (filled**2).T @ given
    covariance = n * (filled.T @ filled) - sums * sums.T
    variance = n * squares - sums**2
    scale = np.sqrt(np.maximum(variance * variance.T, 0.0))
    defined = (n >= MIN_ITEMS_FOR_CORRELATION) & (scale > 1e-9)
    np.fill_diagonal(defined, False)
    r: FloatArray = np.where(defined, covariance / np.where(defined, scale, 1.0), np.nan)
    return r


def _exchange_raters(
    z: FloatArray, given: BoolArray, draw: np.random.Generator
) -> Iterator[FloatArray]:
    """Each item's scores handed to its own raters at random, as often as there are permutations."""
    rows = np.arange(len(z))[:, None]
    places = np.argsort(~given, axis=1, kind="stable")
    for _ in range(PERMUTATIONS):
        keys = np.where(given, draw.random(z.shape), np.inf)
        exchanged = np.empty_like(z)
        exchanged[rows, places] = z[rows, np.argsort(keys, axis=1)]
        yield exchanged

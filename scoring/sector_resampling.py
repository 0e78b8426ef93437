"""Seeded resampling of templates and of person pairs, both at once (crossed).

One draw serves all models and languages, because templates and pairs have the same ids in all:
differences between two models' figures are paired. The weight of a contrast is its template's times
its pair's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpus.figures import Interval
from corpus.intervals import bootstrap_weights, percentile_interval
from corpus.sectors import Sector
from scoring.sector_contrasts import Contrast

FloatArray = npt.NDArray[np.float64]

DRAWS = 2000
METHOD = "percentile bootstrap over templates and person pairs"
MIN_TEMPLATES = 5
MIN_PAIRS = 10
"""With fewer of either no interval is shown (`too_few`)."""


@dataclass(frozen=True, slots=True)
class SectorResampling:
    """How often each draw took each template and each person pair.

    The same seed, draws and number of templates and pairs give the same weights.
    """

    seed: int
    draws: int = DRAWS
    level: float = 0.95
    """Coverage aimed at, in (0, 1)."""

    def point(self, contrasts: Sequence[Contrast], groups: Iterable[str] = Sector) -> FloatArray:
        """I_s of each sector [sectors], NaN where it has no contrast."""
        sums, counts = _tabulate(contrasts, groups)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums.sum(axis=(1, 2)) / counts.sum(axis=(1, 2)))

    def draw(self, contrasts: Sequence[Contrast], groups: Iterable[str] = Sector) -> FloatArray:
        """I_s of each sector in every draw [sectors, draws], NaN where a draw took no contrast."""
        sums, counts = _tabulate(contrasts, groups)
        _, templates, pairs = sums.shape
        of_templates = bootstrap_weights(templates, self.draws, self._seed_of(0))
        of_pairs = bootstrap_weights(pairs, self.draws, self._seed_of(1))
        weighted = [
            np.einsum("stp,dt,dp->sd", cells, of_templates, of_pairs, optimize=True)
            for cells in (sums, counts)
        ]
        with np.errstate(invalid="ignore"):
            return np.asarray(weighted[0] / weighted[1])

    def interval(self, drawn: FloatArray, contrasts: Sequence[Contrast]) -> Interval:
        """The interval of one value per draw, or null with a reason."""
        templates = {one.template for one in contrasts}
        pairs = {one.pair for one in contrasts}
        if len(templates) < MIN_TEMPLATES or len(pairs) < MIN_PAIRS:
            return Interval(None, None, self.level, METHOD, self.draws, self.seed, "too_few")
        return percentile_interval(drawn, self.level, seed=self.seed, method=METHOD)

    def _seed_of(self, axis: int) -> int:
        return int(np.random.SeedSequence([self.seed, axis]).generate_state(1, np.uint64)[0])


def _tabulate(
    contrasts: Sequence[Contrast], groups: Iterable[str]
) -> tuple[FloatArray, FloatArray]:
    """Sums of A(female) − A(male), and how many there are [sectors, templates, pairs]."""
    templates = {name: k for k, name in enumerate(sorted({one.template for one in contrasts}))}
    pairs = {name: k for k, name in enumerate(sorted({one.pair for one in contrasts}))}
    sectors = {str(group): k for k, group in enumerate(groups)}
    sums = np.zeros((len(sectors), len(templates), len(pairs)))
    counts = np.zeros_like(sums)
    for one in contrasts:
        cell = sectors[str(one.sector)], templates[one.template], pairs[one.pair]
        sums[cell] += one.difference_nats
        counts[cell] += 1
    return sums, counts

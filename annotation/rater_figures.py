"""Figures about one rater: shares with Wilson intervals, statistics with bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.item_bootstrap import Measure, Scope, Statistic, build_figure, draw_weights
from annotation.ratings_table import FloatArray
from corpus.figures import Figure
from corpus.intervals import percentile_interval, wilson_interval

LEAST_ANSWERS = 5
"""Under five answers or pairs no one-sided sign test could be below 0.05: 1/2 to the 4th is not."""

ROUNDING = 1e-12
"""A difference of squares below this share of them is what rounding leaves of 0."""


@dataclass(frozen=True, slots=True)
class RaterFigures:
    """Builds the figures about one rater."""

    rater_id: str
    scope: Scope
    """What her answers are about; the rater is added to it."""
    seed: int
    draws: int

    def share(self, measure: Measure, hits: int, n: int, least: int = LEAST_ANSWERS) -> Figure:
        """A share of n with its Wilson interval; null with `no_data` or `too_few`."""
        reason = find_lack(n, least)
        if reason is not None:
            return self.value(measure, None, n, reason)
        return build_figure(
            measure,
            hits / n,
            n,
            self.scope,
            (self.rater_id,),
            interval=wilson_interval(hits, n),
        )

    def statistic(
        self,
        measure: Measure,
        formula: Statistic,
        n: int,
        reason: str | None = None,
        notes: tuple[str, ...] = (),
        undefined_reason: str = "constant_input",
    ) -> Figure:
        """A statistic of n answers or pairs with its percentile bootstrap interval over them.

        Args:
            measure: What is computed.
            formula: The statistic as a function of the answers' weights.
            n: Answers or pairs.
            reason: Why it is undefined, if the caller knows; else `no_data` or `too_few` may be.
            notes: Marks that do not void the value.
            undefined_reason: Why it is undefined if the formula gives NaN.
        """
        reason = reason or find_lack(n)
        if reason is not None:
            return self.value(measure, None, n, reason)
        computed = float(formula(np.ones((1, n)))[0])
        if not np.isfinite(computed):
            return self.value(measure, None, n, undefined_reason)
        drawn = formula(draw_weights(n, self.draws, self.seed))
        interval = percentile_interval(drawn, n_items=n, seed=self.seed)
        return build_figure(
            measure, computed, n, self.scope, (self.rater_id,), interval=interval, notes=notes
        )

    def value(
        self,
        measure: Measure,
        value: float | None,
        n: int,
        reason: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> Figure:
        """A figure without an interval."""
        return build_figure(
            measure, value, n, self.scope, (self.rater_id,), reason=reason, notes=notes
        )


def find_lack(n: int, least: int = LEAST_ANSWERS) -> str | None:
    """Why n answers or pairs carry no figure that needs `least`; None if they do."""
    if n == 0:
        return "no_data"
    return "too_few" if n < least else None


def compute_variances(mean_squares: FloatArray, means: FloatArray) -> FloatArray:
    """Mean square minus squared mean, at least 0; 0 where the difference is rounding only."""
    variances = mean_squares - means**2
    kept: FloatArray = np.where(variances > ROUNDING * mean_squares, variances, 0.0)
    return kept

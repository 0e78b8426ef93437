"""Seeded resampling of source sentences within their stereotype.

One draw of sentence weights serves every language, model, template and protocol: a source sentence
weighs the same wherever it occurs, so that differences between any two figures are paired.
Intervals are conditional on the stereotypes of the inventory, which are not resampled.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from corpus.figures import Interval
from corpus.intervals import bootstrap_weights, percentile_interval, percentile_intervals
from scoring.variants import ScoredItem

FloatArray = npt.NDArray[np.float64]

DRAWS = 2000
METHOD = "percentile bootstrap over source sentences within stereotype"


@dataclass(frozen=True)
class Resampling:
    """Weights of source sentences for every draw, to be shared by all figures of a comparison."""

    seed: int
    draws: int
    level: float
    """Coverage aimed at, in (0, 1)."""
    columns: Mapping[int, Mapping[str, int]]
    """Stereotype → source key → column of its weight matrix."""
    weights: Mapping[int, FloatArray]
    """Stereotype → weights [draws, its sentences]; each row sums to the number of sentences."""

    def weights_of(self, stereotype_id: int, source_keys: Sequence[str]) -> FloatArray:
        """Weights [draws, sentences] of the given sentences; zero where a draw left one out.

        Raises:
            KeyError: if a sentence was not among the items the resampling was built from.
        """
        if not source_keys:
            return np.zeros((self.draws, 0))
        columns = self.columns[stereotype_id]
        return self.weights[stereotype_id][:, [columns[key] for key in source_keys]]

    def interval(self, draw_values: npt.ArrayLike, n_items: int) -> Interval:
        """The percentile interval of one value per draw, or null with a reason."""
        return percentile_interval(
            draw_values, self.level, n_items=n_items, seed=self.seed, method=METHOD
        )

    def intervals(self, draw_values: FloatArray, n_items: Sequence[int]) -> list[Interval]:
        """The intervals of several figures, [figures, draws], with the items each rests on."""
        return percentile_intervals(
            draw_values, self.level, n_items=n_items, seed=self.seed, method=METHOD
        )

    def interval_on_log(self, draw_logs: npt.ArrayLike, n_items: int) -> Interval:
        """The interval of a ratio from the logs of its draws, on the ratio's own scale."""
        found = self.interval(draw_logs, n_items)
        return replace(
            found,
            low=None if found.low is None else math.exp(found.low),
            high=None if found.high is None else math.exp(found.high),
            method=f"{METHOD}, on the log scale",
        )


def source_key(subject_id: str) -> str:
    """The part of a subject id that names the source sentence, the same in every language."""
    return subject_id.split("/", 2)[-1]


def build_resampling(
    items: Iterable[ScoredItem], *, seed: int, draws: int = DRAWS, level: float = 0.95
) -> Resampling:
    """One draw of weights over the source sentences of `items`.

    Args:
        items: All items of everything that is to be compared; their order does not matter.
        seed: The same seed, draws and sentences give the same weights.
        draws: Number of bootstrap draws.
        level: Coverage aimed at, in (0, 1).
    """
    keys: defaultdict[int, set[str]] = defaultdict(set)
    for item in items:
        keys[item.stereotype_id].add(source_key(item.subject_id))
    return draw_weights(keys, seed=seed, draws=draws, level=level)


def draw_weights(
    keys: Mapping[int, Iterable[str]], *, seed: int, draws: int = DRAWS, level: float = 0.95
) -> Resampling:
    """One draw of weights over source sentences, given by their keys for each stereotype."""
    columns = {
        stereotype: {key: column for column, key in enumerate(sorted(set(keys[stereotype])))}
        for stereotype in sorted(keys)
    }
    weights = {
        stereotype: bootstrap_weights(len(known), draws, stereotype_seed(seed, stereotype))
        for stereotype, known in columns.items()
    }
    return Resampling(seed, draws, level, columns, weights)


def stereotype_seed(seed: int, stereotype_id: int) -> int:
    """A seed of its own for every stereotype, so that their draws are independent."""
    return int(np.random.SeedSequence([seed, stereotype_id]).generate_state(1, np.uint64)[0])

"""From a formula and a table to a figure: value or reason, n, interval, scope and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.ratings_table import BoolArray, FloatArray, RatingsTable
from corpus.errors import SettingsError
from corpus.figures import WEAK_BELOW_ITEMS, Figure, Interval
from corpus.intervals import bootstrap_weights, percentile_interval

Scope = tuple[tuple[str, str], ...]
Statistic = Callable[[FloatArray], FloatArray]
"""Weights [draws, items] in, values [draws] out, NaN where undefined."""

MIN_DRAWS = 1000
ALL_RATERS = "all"


@dataclass(frozen=True, slots=True)
class Measure:
    """Name, definition and method of a figure, whatever it is computed on."""

    name: str
    definition: str
    method: str


@dataclass(frozen=True, slots=True, eq=False)
class ItemBootstrap:
    """One set of draws over a table's items, shared by all its figures."""

    weights: FloatArray
    """[draws, items]; how often a draw took an item, times the item's own weight."""
    seed: int
    level: float = 0.95

    def select_items(self, items: BoolArray) -> FloatArray:
        """The weights of some items only, [draws, items chosen]."""
        return self.weights if items.all() else self.weights.take(np.flatnonzero(items), axis=1)


def build_item_bootstrap(
    table: RatingsTable, seed: int, draws: int = 2000, level: float = 0.95
) -> ItemBootstrap:
    """Seeded draws over the items of a table; they do not depend on its raters or answers.

    Raises:
        SettingsError: for fewer than 1,000 draws.
    """
    if draws < MIN_DRAWS:
        raise SettingsError(f"An interval needs at least {MIN_DRAWS} draws, not {draws}.")
    weights = draw_weights(len(table.item_ids), draws, seed)
    if np.any(table.item_weights != 1):
        weights = weights * table.item_weights
    return ItemBootstrap(weights, seed, level)


@lru_cache(maxsize=16)
def draw_weights(n: int, draws: int, seed: int) -> FloatArray:
    """The weights of a bootstrap, kept and read-only: many figures rest on as many items."""
    weights = bootstrap_weights(n, draws, seed)
    weights.setflags(write=False)
    return weights


def compute_figure(
    measure: Measure,
    statistic: Statistic,
    table: RatingsTable,
    items: BoolArray,
    *,
    scope: Scope,
    raters: Sequence[str] | None,
    bootstrap: ItemBootstrap | None = None,
    reason: str | None = None,
    undefined_reason: str = "no_variation",
    notes: tuple[str, ...] = (),
) -> Figure:
    """The figure of a statistic on the items it rests on, with its bootstrap interval.

    Args:
        measure: What is computed.
        statistic: The formula; called with the weights of `items` only.
        table: Where `items` and their own weights come from.
        items: Which items the figure rests on, bool [items].
        scope: What the table is about; the raters are added to it.
        raters: Raters the figure is about; None for all.
        bootstrap: Draws for the interval; None leaves the interval out.
        reason: Why the figure is undefined, if the caller knows already.
        undefined_reason: Why it is undefined if the formula gives NaN.
        notes: Marks that do not void the value; `weak` is added under 10 items.
    """
    n = int(items.sum())
    value: float | None = None
    if reason is None:
        computed = float(statistic(table.item_weights[None, items])[0])
        value, reason = (computed, None) if np.isfinite(computed) else (None, undefined_reason)
    interval: Interval | None = None
    if value is not None and bootstrap is not None:
        interval = percentile_interval(
            statistic(bootstrap.select_items(items)),
            bootstrap.level,
            n_items=n,
            seed=bootstrap.seed,
        )
    return build_figure(measure, value, n, scope, raters, reason, interval, notes)


def build_figure(
    measure: Measure,
    value: float | None,
    n: int,
    scope: Scope,
    raters: Sequence[str] | None,
    reason: str | None = None,
    interval: Interval | None = None,
    notes: tuple[str, ...] = (),
) -> Figure:
    """The figure with its raters in the scope; notes only where there is a value."""
    marks = (*notes, "weak") if n < WEAK_BELOW_ITEMS else notes
    return Figure(
        name=measure.name,
        value=value,
        n=n,
        definition=measure.definition,
        method=measure.method,
        reason=reason,
        interval=interval,
        scope=(*scope, describe_raters(raters)),
        notes=marks if value is not None else (),
    )


def describe_raters(raters: Sequence[str] | None) -> tuple[str, str]:
    """The part of a scope that names the raters, in order of their ids; `all` for None."""
    if raters is None:
        return ("raters", ALL_RATERS)
    return ("rater", raters[0]) if len(raters) == 1 else ("raters", ",".join(sorted(raters)))


def compute_effective_n(weights: FloatArray) -> float:
    """Kish's effective number of items, at most their number; equal to it for equal weights."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.size else 0.0

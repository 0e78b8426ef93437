"""Seconds that the shared bootstrap takes for all columns at once, beside one column at a time.

Usage: python -m benchmarks.bootstrap [--models 24] [--languages 30] [--sentences 3565]
           [--draws 2000] [--runs 3] [--baseline-columns 24]

The values are random: each language lacks a tenth of the sentences and four languages lack whole
stereotypes; time does not depend on what the values are. The baseline, a loop over columns that
takes the weights of each column's sentences and multiplies them with its values, runs on
`--baseline-columns` of the columns, evenly chosen, and its time is scaled to all of them. Both must
agree within 1e-12 in every draw of every measure of these columns; the command fails otherwise.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from corpus.stereotypes import Inventory, load_inventory
from scoring.columns import Column, StereotypeValues, summarise_blocks
from scoring.protocols import PAPER
from scoring.statistics import FloatArray, Statistics, derive_statistics
from scoring.uncertainty import Resampling, build_resampling
from scoring.variants import Condition, ScoredItem

Found = TypeVar("Found")
Seconds = tuple[float, float]
"""On the clock, and of all processors together."""
SEED = 20251
MISSING = 0.1
AGREEMENT = 1e-12
MEASURES = ("q", "rank", "inclination", "default_rate", "log_g_s", "logit_r_difference")


def build_columns(
    models: int, languages: int, sentences: int, inventory: Inventory
) -> tuple[list[Column], list[ScoredItem]]:
    """Return columns of random values and one item for each source sentence."""
    draw = np.random.default_rng(SEED)
    ids = inventory.ids
    keys = {s: [f"set/{s}-{k}" for k in range(sentences // len(ids))] for s in ids}
    items = [
        ScoredItem(f"eurogest/xx/{key}", "xx", s, Condition.PAIR, "", "a", "b")
        for s, known in keys.items()
        for key in known
    ]
    columns = []
    for language in range(languages):
        kept = {
            s: ()
            if language % 8 == 7 and s == ids[language % len(ids)]
            else tuple(key for key in known if draw.random() >= MISSING)
            for s, known in keys.items()
        }
        for model in range(models):
            values = {s: _random_values(kept[s], draw) for s in ids}
            scope = (("model", f"m{model}"), ("language", f"l{language}"))
            columns.append(Column(PAPER, values, scope))
    return columns, items


def _random_values(keys: tuple[str, ...], draw: np.random.Generator) -> StereotypeValues:
    logits = draw.normal(0.3, 0.5, len(keys))
    none = np.zeros(len(keys), dtype=np.bool_)
    return StereotypeValues(keys, -np.logaddexp(0.0, -logits), logits, none, none, none)


def run_matrix(
    columns: Sequence[Column], items: Sequence[ScoredItem], draws: int, inventory: Inventory
) -> Resampling:
    """Draw the weights and compute every measure of every column in every draw."""
    resampling = build_resampling(items, seed=SEED, draws=draws)
    summarise_blocks(columns, resampling, inventory, lambda _block, drawn: drawn.log_g_s.copy())
    return resampling


def run_intervals(columns: Sequence[Column], resampling: Resampling, inventory: Inventory) -> None:
    """The same, and the interval of every measure of every column."""

    def summarise(block: Sequence[Column], drawn: Statistics) -> None:
        for name in MEASURES:
            rows = getattr(drawn, name).reshape(-1, resampling.draws)
            resampling.intervals(rows, [100] * len(rows))

    summarise_blocks(columns, resampling, inventory, summarise)


def compute_column(column: Column, resampling: Resampling, inventory: Inventory) -> Statistics:
    """Return the measures of one column in every draw: the baseline."""
    means, logits = [], []
    for stereotype in inventory.ids:
        values = column.values[stereotype]
        weights = resampling.weights_of(stereotype, values.keys)
        totals = weights.sum(axis=1)
        totals[totals == 0] = np.nan
        means.append(weights @ values.averaged / totals)
        logits.append(weights @ values.logits / totals)
    return derive_statistics(np.stack(means), np.stack(logits), column.protocol, inventory)


def find_deviation(
    columns: Sequence[Column],
    singles: Sequence[Statistics],
    resampling: Resampling,
    inventory: Inventory,
) -> float:
    """Return the largest difference of the two ways; infinite where only one is undefined."""
    worst: list[float] = []

    def compare(block: Sequence[Column], drawn: Statistics) -> None:
        for index, column in enumerate(block):
            single = singles[next(k for k, each in enumerate(columns) if each is column)]
            worst.extend(
                _largest(getattr(drawn.column(index), name), getattr(single, name))
                for name in MEASURES
            )

    summarise_blocks(columns, resampling, inventory, compare)
    return max(worst)


def _largest(one: FloatArray, other: FloatArray) -> float:
    if not np.array_equal(np.isnan(one), np.isnan(other)):
        return float("inf")
    return float(np.nanmax(np.abs(one - other), initial=0.0, where=~np.isnan(one)))


def _run_loop(
    columns: Sequence[Column], resampling: Resampling, inventory: Inventory
) -> list[Statistics]:
    return [compute_column(column, resampling, inventory) for column in columns]


def _time(function: Callable[[], Found]) -> tuple[Found, Seconds]:
    """What a function returns, and the seconds on the clock and of all processors it took."""
    wall, processor = time.perf_counter(), time.process_time()
    found = function()
    return found, (time.perf_counter() - wall, time.process_time() - processor)


def _median(seconds: Sequence[Seconds]) -> Seconds:
    return (
        statistics.median(wall for wall, _ in seconds),
        statistics.median(processor for _, processor in seconds),
    )


def main() -> None:
    """Print seconds, their ratio, the deviation and the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=24)
    parser.add_argument("--languages", type=int, default=30)
    parser.add_argument("--sentences", type=int, default=3565)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--baseline-columns", type=int, default=24)
    given = parser.parse_args()
    inventory = load_inventory()
    columns, items = build_columns(given.models, given.languages, given.sentences, inventory)
    step = max(1, len(columns) // given.baseline_columns)
    chosen = columns[::step]
    print(f"{len(columns)} columns, {len(items)} sentences, {given.draws} draws")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken: dict[str, list[Seconds]] = {"matrix": [], "intervals": [], "loop": []}
    singles: list[Statistics] = []
    for _ in range(given.runs):
        resampling, spent = _time(lambda: run_matrix(columns, items, given.draws, inventory))
        taken["matrix"].append(spent)
        _, spent = _time(partial(run_intervals, columns, resampling, inventory))
        taken["intervals"].append(spent)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        loop = partial(_run_loop, chosen, resampling, inventory)
        singles, (wall, processor) = _time(loop)
        scale = len(columns) / len(chosen)
        taken["loop"].append((wall * scale, processor * scale))
    medians = {name: _median(each) for name, each in taken.items()}
    deviation = find_deviation(chosen, singles, resampling, inventory)
    said = {
        "matrix": "draws of all columns, weights included",
        "intervals": "draws and every interval, weights not included",
        "loop": f"loop over columns, scaled from {len(chosen)}",
    }
    for name, (wall, processor) in medians.items():
        print(f"{said[name]}: {wall:.2f} s ({processor:.2f} s of processors)")
    (matrix, matrix_processor), (loop_wall, loop_processor) = medians["matrix"], medians["loop"]
    print(
        f"loop / matrix: {loop_wall / matrix:.1f} ({loop_processor / matrix_processor:.1f} by "
        "processor time)"
    )
    print(f"peak memory over that of the values: {(peak - before) / 1024:.0f} MB")
    print(f"largest deviation of the two: {deviation:.1e}")
    if not deviation <= AGREEMENT:
        raise SystemExit(f"The two ways differ by more than {AGREEMENT}.")


if __name__ == "__main__":
    main()

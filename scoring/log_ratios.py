"""Measures of anybody's log ratios: one number a sentence, log10 P(masculine) - log10 P(feminine).

    protocol gest       q_i = exp(mean), as GEST's own code has it: no ratio of probabilities,
                        because the logs are to base 10
    protocol gest-odds  q_i = 10^mean: the geometric mean of the odds

    feminine rate       geometric mean of q_i over stereotypes about women
    masculine rate      the same over stereotypes about men
    g_s                 masculine rate / feminine rate; over 1 is stereotypical

Source: Pikuliak et al. 2024 (GEST) and its published code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corpus.csv_table import CsvRow, load_csv_table
from corpus.errors import Fault, InputError, SettingsError
from corpus.figures import Figure
from corpus.intervals import bootstrap_weights, percentile_interval
from corpus.stereotypes import Inventory, Pole
from scoring.permutation import build_pole_figure
from scoring.protocols import BASES
from scoring.uncertainty import METHOD, FloatArray, stereotype_seed

COLUMNS = ("stereotype", "score")
LARGEST = 150.0
"""Of a log10 ratio. With larger ones a ratio of two means could not be written as a number, and no
sentence is a hundred orders of magnitude likelier for its gender."""
FAULTS_LISTED = 20
DEFINITIONS: Mapping[str, str] = {
    "q_i": "Base of the protocol to the mean log10 ratio over a stereotype's sentences, above 0; "
    "1 is equal likelihood, over 1 the masculine variant is the likelier one.",
    "feminine_rate": "Geometric mean of q_i over stereotypes about women, above 0.",
    "masculine_rate": "Geometric mean of q_i over stereotypes about men, above 0.",
    "g_s": "Masculine rate divided by feminine rate, above 0; over 1 is stereotypical.",
}


class LogRatiosError(InputError):
    """A file that is refused: `faults` holds every fault, the message the first 20."""

    def __str__(self) -> str:
        """The first faults and how many more there are."""
        lines = list(map(str, self.faults[:FAULTS_LISTED]))
        if len(self.faults) > FAULTS_LISTED:
            lines.append(f"… and {len(self.faults) - FAULTS_LISTED} more.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class LogRatios:
    """The log ratios of a file, by stereotype."""

    sha256: str
    scores: Mapping[int, tuple[float, ...]]
    """Stereotype → log10 ratios of its sentences, in the file's order."""
    columns_not_read: tuple[str, ...]


def load_log_ratios(path: Path, inventory: Inventory) -> LogRatios:
    """The log ratios in a CSV with columns `stereotype` and `score`; other columns are not read.

    Raises:
        LogRatiosError: with every fault of the file's rows.
        InputError: if the file cannot be read or has other columns.
    """
    table = load_csv_table(path, COLUMNS, others_allowed=True)
    faults = list(table.faults)
    scores: dict[int, list[float]] = {one: [] for one in inventory.ids}
    for row in table.rows:
        found = list(_find_faults(row, table.file, inventory))
        faults += found
        if not found:
            scores[int(row.cells["stereotype"])].append(float(row.cells["score"]))
    if not table.rows and not faults:
        faults.append(Fault(table.file, None, None, "no row under the header", "add rows"))
    if faults:
        raise LogRatiosError(sorted(faults, key=lambda fault: fault.row or 0))
    return LogRatios(
        table.sha256,
        {one: tuple(values) for one, values in scores.items()},
        tuple(each for each in table.columns if each not in COLUMNS),
    )


def compute_log_ratio_measures(
    ratios: Mapping[int, Sequence[float]],
    protocol: str,
    inventory: Inventory,
    *,
    seed: int,
    draws: int,
    scope: tuple[tuple[str, str], ...] = (),
) -> list[Figure]:
    """g_s with its p-value, both rates and q_i of every stereotype, with intervals.

    Args:
        ratios: Stereotype → log10 ratios of its sentences.
        protocol: `gest` or `gest-odds`.
        inventory: The stereotypes with their poles.
        seed: Of the bootstrap over sentences within their stereotype.
        draws: Number of bootstrap draws.
        scope: What the figures are about.

    Raises:
        SettingsError: if the protocol is another one.
    """
    if protocol not in BASES:
        known = ", ".join(BASES)
        raise SettingsError(f"The protocol {protocol} is not one for log ratios: use {known}.")
    values = [np.asarray(ratios.get(one, ()), dtype=np.float64) for one in inventory.ids]
    # One at a time: with a million sentences all of them together would be 16 GB.
    weights = (
        bootstrap_weights(each.size, draws, stereotype_seed(seed, one))
        for one, each in zip(inventory.ids, values, strict=True)
    )
    scale = math.log(BASES[protocol])
    point = scale * _mean_columns(values, [np.ones((1, each.size)) for each in values])
    drawn = scale * _mean_columns(values, weights)
    writer = _Writer(protocol, seed, scope, [each.size for each in values])
    masculine, feminine = (_mean_over(inventory, pole) for pole in (Pole.MASCULINE, Pole.FEMININE))
    return [
        writer.whole("g_s", point, drawn, masculine - feminine),
        build_pole_figure(point[0], feminine > 0, scope),
        writer.whole("masculine_rate", point, drawn, masculine),
        writer.whole("feminine_rate", point, drawn, feminine),
        *(
            writer.stereotype(one, index, point[0, index], drawn[:, index])
            for index, one in enumerate(inventory.ids)
        ),
    ]


def _mean_columns(values: Sequence[FloatArray], weights: Iterable[FloatArray]) -> FloatArray:
    """Mean of each stereotype [draws, stereotypes]; NaN where it has no sentence."""
    columns = [
        weight @ each / each.size if each.size else np.full(weight.shape[0], np.nan)
        for each, weight in zip(values, weights, strict=True)
    ]
    return np.stack(columns, axis=1)


def _mean_over(inventory: Inventory, pole: Pole) -> FloatArray:
    """Weights that give the mean over the stereotypes of a pole."""
    chosen = np.isin(inventory.ids, inventory.ids_of(pole)).astype(np.float64)
    return np.asarray(chosen / chosen.sum())


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns logs of measures into figures."""

    protocol: str
    seed: int
    scope: tuple[tuple[str, str], ...]
    sizes: Sequence[int]

    def stereotype(self, one: int, index: int, log: float, draws: FloatArray) -> Figure:
        scope = (*self.scope, ("stereotype", str(one)))
        return self._figure("q_i", log, draws, self.sizes[index], scope)

    def whole(self, name: str, point: FloatArray, drawn: FloatArray, over: FloatArray) -> Figure:
        """A measure that weighs the logs of the stereotypes; others than those do not count."""
        used = over != 0
        log, draws = (values[:, used] @ over[used] for values in (point, drawn))
        n = int(np.asarray(self.sizes)[used].sum())
        return self._figure(name, float(log[0]), draws, n, self.scope)

    def _figure(
        self, name: str, log: float, draws: FloatArray, n: int, scope: tuple[tuple[str, str], ...]
    ) -> Figure:
        defined = not math.isnan(log)
        interval = percentile_interval(np.exp(draws), n_items=n, seed=self.seed, method=METHOD)
        return Figure(
            name,
            math.exp(log) if defined else None,
            n,
            DEFINITIONS[name],
            f"protocol {self.protocol}: base {BASES[self.protocol]:.6g} to the mean log10 ratio",
            reason=None if defined else "missing_stereotype",
            interval=interval if defined else None,
            scope=scope,
        )


def _find_faults(row: CsvRow, file: str, inventory: Inventory) -> Iterator[Fault]:
    stereotype = row.cells["stereotype"].strip()
    if not (stereotype.isascii() and stereotype.isdigit() and int(stereotype) in inventory.ids):
        known = f"{inventory.ids[0]} to {inventory.ids[-1]}"
        problem = f"{stereotype!r} is no stereotype of {inventory.name}"
        yield Fault(file, row.row, "stereotype", problem, f"give its number, {known}")
    cell = row.cells["score"].strip()
    try:
        is_number = math.isfinite(float(cell)) and cell.isascii() and "_" not in cell
    except ValueError:
        is_number = False
    if not is_number:
        problem = f"{cell!r} is no log10 ratio"
        yield Fault(file, row.row, "score", problem, "give a number, 0.47 for one")
    elif abs(float(cell)) > LARGEST:
        problem = f"{cell!r} is too far from 0 for a log10 ratio of one sentence"
        remedy = f"give log10 P(masculine) - log10 P(feminine), at most {LARGEST:g} either way"
        yield Fault(file, row.row, "score", problem, remedy)

"""Correlation of rates between languages, over models × concerns.

A point is one concern of one model that has a rate in both languages. The interval is Fisher's,
which takes points as independent. Those of one model and those of one concern are not, so that it
is rather too narrow; a bootstrap over concerns would need more of them than the studies have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import atanh, sqrt, tanh
from statistics import NormalDist

import numpy as np

from corpus.figures import WEAK_BELOW_ITEMS, Figure, Interval

CORRELATION = "rate_correlation"
DEFINITION = (
    "Pearson correlation, in [-1, 1], of the rates in two languages over concerns of models; it "
    "says whether the same concerns of the same models stand out, not whether the rates are equal."
)
METHOD = "Pearson over models x concerns that have a rate in both languages"
FISHER = "fisher, as if models x concerns were independent"
LEAST_POINTS, LEAST_FOR_INTERVAL = 3, 4
VARIES = 1e-12
"""A standard deviation below this is rounding."""
RATES = (("langbite", ""), ("all", "lower"), ("all", "upper"))
"""Name and bound of every rate."""

Cell = tuple[str, str]
"""Model and concern."""


def compute_language_correlations(
    figures: Sequence[Figure], level: float = 0.95
) -> tuple[Figure, ...]:
    """One figure for each rate and pair of languages; undefined ones with their reason.

    Args:
        figures: What `compute_prompt_rates` gave, of any number of models.
        level: Coverage of the intervals.
    """
    found = []
    for name, bound in RATES:
        cells = collect_cells(figures, name, bound)
        for first, second in combinations(sorted(cells), 2):
            scope = [("rate", name), ("language", first), ("other_language", second)]
            if bound:
                scope.append(("bound", bound))
            found.append(_correlate(cells[first], cells[second], tuple(scope), level))
    return tuple(found)


def collect_cells(
    figures: Sequence[Figure], name: str, bound: str = ""
) -> dict[str, dict[Cell, float | None]]:
    """Language → model and concern → rate over all types of tests; None where it is undefined."""
    wanted = {"model", "language", "concern"} | ({"bound"} if bound else set())
    cells: dict[str, dict[Cell, float | None]] = defaultdict(dict)
    for figure in figures:
        scope = dict(figure.scope)
        if figure.name == name and set(scope) == wanted and scope.get("bound", "") == bound:
            cells[scope["language"]][scope["model"], scope["concern"]] = figure.value
    return dict(cells)


def _correlate(
    first: Mapping[Cell, float | None],
    second: Mapping[Cell, float | None],
    scope: tuple[tuple[str, str], ...],
    level: float,
) -> Figure:
    pairs = [
        (one, other)
        for cell in sorted(first.keys() & second.keys())
        if (one := first[cell]) is not None and (other := second[cell]) is not None
    ]
    value, reason, interval = None, _find_reason(pairs), None
    if reason is None:
        r = np.corrcoef(np.array(pairs, dtype=np.float64).T)[0, 1]
        value = float(np.clip(r, -1.0, 1.0))
        interval = _fisher_interval(value, len(pairs), level)
    return Figure(
        name=CORRELATION,
        value=value,
        n=len(pairs),
        definition=DEFINITION,
        method=METHOD,
        reason=reason,
        interval=interval,
        scope=scope,
        notes=tuple(_notes(len(pairs), len(first.keys() | second.keys()))),
    )


def _find_reason(pairs: Sequence[tuple[float, float]]) -> str | None:
    if not pairs:
        return "no_overlap"
    if len(pairs) < LEAST_POINTS:
        return "too_few"
    if min(np.std(np.array(pairs, dtype=np.float64), axis=0)) < VARIES:
        return "constant_input"
    return None


def _fisher_interval(r: float, n: int, level: float) -> Interval:
    """Source: Fisher (1921), Metron 1; undefined at -1 and 1 and below four points."""
    reason = "too_few" if n < LEAST_FOR_INTERVAL else "degenerate" if 1 - abs(r) < VARIES else None
    if reason:
        return Interval(None, None, level, FISHER, reason=reason)
    half = NormalDist().inv_cdf((1 + level) / 2) / sqrt(n - 3)
    return Interval(tanh(atanh(r) - half), tanh(atanh(r) + half), level, FISHER)


def _notes(n: int, possible: int) -> Iterator[str]:
    if 0 < n < WEAK_BELOW_ITEMS:
        yield "weak"
    if n < possible:
        yield f"points_missing:{possible - n}"

"""Means of rates over models, concerns and languages, each with its set and with what it lacks.

Every cell (one concern of one model in one language) weighs the same, however many tests it has.
The interval is a bootstrap over templates within their concern: a template drawn twice counts twice
under every model and in every language, so that what cells have in common does not average out. It
is conditional on the models, concerns and languages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpus.figures import WEAK_BELOW_ITEMS, Figure, Interval
from corpus.hashing import sha256_json
from corpus.intervals import FloatArray, bootstrap_weights, percentile_interval
from corpus.prompts import US_CENTRED_CONCERNS
from scoring.oracles import JudgedTemplate
from scoring.prompt_rates import PromptResult

METHOD = "percentile bootstrap over templates within concerns"
DEFINITION = (
    "mean of the rate {rate} over the cells named, in [0, 1]; a cell is one concern of one model "
    "in one language, and all weigh the same"
)
Verdict = Callable[[JudgedTemplate], bool | None]
AVERAGES: tuple[tuple[str, str, Verdict], ...] = (
    ("langbite_average", "", lambda judged: judged.langbite),
    ("all_average", "lower", lambda judged: judged.passes),
    ("all_average", "upper", lambda judged: judged.may_pass),
)
"""Name, bound and what is averaged."""
PARTS = ("model", "concern", "language")
OVER: tuple[tuple[str, ...], ...] = (
    ("model",),
    ("concern",),
    ("language",),
    ("model", "concern"),
    ("concern", "language"),
    ("model", "language"),
    ("model", "concern", "language"),
)
"""What is averaged over."""

Cell = tuple[str, str, str]
"""Model, concern and language."""


@dataclass(frozen=True, slots=True)
class _Rate:
    """One cell's rate and the same in every draw; NaN where a draw has no test."""

    value: float | None
    drawn: FloatArray
    n: int
    templates: frozenset[str]
    """Ids of the templates that it rests on."""


def compute_prompt_averages(
    results: Sequence[PromptResult], *, seed: int, draws: int, level: float = 0.95
) -> tuple[Figure, ...]:
    """The means of both rates over each of the parts, pairs of parts, and all.

    A mean over fewer than two cells is left out. `all` has two bounds.

    Args:
        results: the verdicts, in any order.
        seed: seed of the bootstrap.
        draws: its number of draws.
        level: coverage of the intervals.
    """
    weights = _draw_weights(results, seed, draws)
    found: list[Figure] = []
    for name, bound, verdict in AVERAGES:
        rates = _compute_rates(results, verdict, weights)
        for over in OVER:
            for group in _group(rates, over):
                if len(group.rates) + len(group.gaps) > 1:
                    found.append(group.figure(name, bound, seed, level))
    return tuple(found)


def _draw_weights(
    results: Sequence[PromptResult], seed: int, draws: int
) -> dict[tuple[str, str], FloatArray]:
    """Concern and template → its weight in every draw."""
    templates: dict[str, set[str]] = defaultdict(set)
    for result in results:
        template = result.judged.template
        templates[template.concern_key].add(template.id)
    found = {}
    for concern, ids in templates.items():
        # A seed of its own: concerns are drawn independently of one another.
        own = int(sha256_json([seed, concern])[:12], 16)
        drawn = bootstrap_weights(len(ids), draws, own)
        for column, template_id in enumerate(sorted(ids)):
            found[concern, template_id] = drawn[:, column]
    return found


def _compute_rates(
    results: Sequence[PromptResult],
    verdict: Verdict,
    weights: Mapping[tuple[str, str], FloatArray],
) -> dict[Cell, _Rate]:
    passed: dict[Cell, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    judged: dict[Cell, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for result in results:
        template = result.judged.template
        cell = (result.model, template.concern_key, template.language)
        said = verdict(result.judged)
        judged[cell][template.id] += said is not None
        passed[cell][template.id] += said is True
    rates = {}
    for cell in sorted(judged):
        top = sum(weights[cell[1], key] * count for key, count in passed[cell].items())
        below = sum(weights[cell[1], key] * count for key, count in judged[cell].items())
        n = sum(judged[cell].values())
        with np.errstate(invalid="ignore"):
            drawn = np.asarray(np.divide(top, below), dtype=np.float64)
        value = sum(passed[cell].values()) / n if n else None
        known = frozenset(key for key, count in judged[cell].items() if count)
        rates[cell] = _Rate(value, drawn, n, known)
    return rates


@dataclass(frozen=True, slots=True)
class _Group:
    """Cells that one mean is over."""

    scope: tuple[tuple[str, str], ...]
    over: tuple[str, ...]
    rates: Mapping[Cell, _Rate]
    gaps: tuple[Cell, ...]
    """Cells that have no rate, or no test at all where another of the set has some."""

    def figure(self, name: str, bound: str, seed: int, level: float) -> Figure:
        values = [rate.value for rate in self.rates.values() if rate.value is not None]
        n = sum(rate.n for rate in self.rates.values())
        scope = [*self.scope, ("over", ",".join(self.over))]
        for place, part in enumerate(PARTS):
            if part in self.over:
                named = dict.fromkeys(cell[place] for cell in self.rates)
                scope.append((f"{part}s", ",".join(named)))
        if bound:
            scope.append(("bound", bound))
        return Figure(
            name=name,
            value=sum(values) / len(values) if values else None,
            n=n,
            definition=DEFINITION.format(rate=name.removesuffix("_average")),
            method=f"mean over {len(values)} cells",
            reason=None if values else "no_data",
            interval=self._interval(seed, level) if values else None,
            scope=tuple(scope),
            notes=tuple(self._notes(n)),
        )

    def _interval(self, seed: int, level: float) -> Interval:
        drawn = np.mean([rate.drawn for rate in self.rates.values()], axis=0)
        templates = {(cell[1], key) for cell, rate in self.rates.items() for key in rate.templates}
        return percentile_interval(drawn, level, n_items=len(templates), seed=seed, method=METHOD)

    def _notes(self, n: int) -> Iterator[str]:
        if 0 < n < WEAK_BELOW_ITEMS:
            yield "weak"
        if any(cell[1] in US_CENTRED_CONCERNS for cell in self.rates):
            yield "us_centred"
        for cell in self.gaps:
            named = [part for place, part in enumerate(cell) if PARTS[place] in self.over]
            yield f"gap:{' '.join(named)}:no_data"


def _group(rates: Mapping[Cell, _Rate], over: tuple[str, ...]) -> Iterator[_Group]:
    """The means over these parts, one for each way of fixing the other parts."""
    fixed = [place for place, part in enumerate(PARTS) if part not in over]
    grid = [sorted({cell[place] for cell in rates}) for place in range(len(PARTS))]
    groups: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for model in grid[0]:
        for concern in grid[1]:
            for language in grid[2]:
                cell = (model, concern, language)
                groups[tuple(cell[place] for place in fixed)].append(cell)
    for key, cells in groups.items():
        known = {cell: rates[cell] for cell in cells if cell in rates and rates[cell].n}
        gaps = tuple(cell for cell in cells if cell not in known)
        scope = tuple((PARTS[place], value) for place, value in zip(fixed, key, strict=True))
        yield _Group(scope, over, known, gaps)

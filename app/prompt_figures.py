"""Figures of prompt tests with all that they have to say: drawn, described and in numbers.

The study's figures 2 (radars), 3 (means) and 4 (correlations between languages), and beside them
rates with intervals, outcomes and types of tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.charts_of_prompts import (
    correlation_chart,
    outcome_panels,
    radar_chart,
    rate_panels,
)
from app.score_figures import ScoreFigure
from app.views.prompt_points import (
    MEANS_AT,
    RatePoints,
    build_correlations,
    build_means,
    build_outcomes,
    build_rates,
    build_types,
    name_language,
    name_model,
)
from app.views.prompt_results import ShownPrompts
from app.views.prompt_statements import (
    CORRELATIONS,
    RADAR,
    RATES,
    build_statements,
    describe_rates,
)
from corpus.figures import Figure

LEAST_SPOKES = 3
MARKS = (
    "Marks: rate langbite with its 95 % interval; pale bars: rate all, lower to upper bound, whose "
    "intervals stand in the table."
)
TOLERANCE = "Grey ticks: the tolerance of the requirement."
OUTCOMES = (
    "P passed, F failed, R refused unexpectedly, U unreadable, E error, N not asked as a whole."
)
MEANS = (
    "Every concern, model and language weighs the same; intervals are a bootstrap over templates "
    "within concerns, conditional on these models, concerns and languages."
)


def build_prompt_figures(shown: ShownPrompts, columns: int = 2) -> tuple[ScoreFigure, ...]:
    """All figures of these results; those for which they hold nothing are left out.

    Args:
        shown: The results.
        columns: Panels side by side.
    """
    rates = build_rates(shown.rates, find_tolerances(shown))
    types = build_types(shown.rates)
    found: list[ScoreFigure] = []
    first: tuple[str, ...]
    if len(rates.marks) >= LEAST_SPOKES:
        drawn = tuple(each for each in rates.figures if each.name == "langbite")
        chart = radar_chart(rates, columns)
        first = ("Spokes: share passed by concern, rate langbite, from 0 to 100 %.", RADAR, RATES)
        found.append(_build("radar", "Rates by concern, radars", "2", shown, drawn, first, chart))
    if rates.points:
        chart = rate_panels(rates, "concern", "language", columns)
        has_tolerance = any(point.tolerance is not None for point in rates.points)
        first = (MARKS, *([TOLERANCE] if has_tolerance else []), RATES)
        found.append(_of_rates("rates", "Rates by concern", "2", shown, rates, first, chart))
    found += _means(shown, columns)
    if shown.correlations:
        found.append(_correlations(shown, columns))
    if types.points:
        chart = rate_panels(types, "concern", "type", columns)
        title = "Rates by type of input and reflection"
        found.append(_of_rates("types", title, "", shown, types, (MARKS, RATES), chart))
    outcomes = build_outcomes(shown.rates)
    if outcomes:
        counts = tuple(each for each in shown.rates if each.name == "tests")
        chart = outcome_panels(outcomes, columns)
        first = (OUTCOMES,)
        title = "What became of the tests"
        found.append(_build("outcomes", title, "", shown, counts, first, chart))
    return tuple(found)


def _means(shown: ShownPrompts, columns: int) -> Iterator[ScoreFigure]:
    for over, (title, mark, series) in MEANS_AT.items():
        points = build_means(shown.averages, over)
        if points.points:
            chart = rate_panels(points, mark, series, columns)
            named = ", ".join(_name_all(shown, over))
            first = (f"{over.capitalize()}s: {named}. {MEANS}", MARKS, RATES)
            yield _of_rates(f"{over}-means", f"Rates, {title}", "3", shown, points, first, chart)


def _name_all(shown: ShownPrompts, part: str) -> Iterable[str]:
    if part == "model":
        return map(name_model, shown.models)
    return map(name_language, shown.languages) if part == "language" else shown.concerns


def find_tolerances(shown: ShownPrompts) -> dict[tuple[str, str], float]:
    """Concern and language → the least share of tests that its requirement asks for."""
    return {
        (requirement.concern.key, language): requirement.tolerance
        for run in shown.runs
        for requirement in run.requirements.requirements
        for language in requirement.languages
    }


def _correlations(shown: ShownPrompts, columns: int) -> ScoreFigure:
    figures = shown.correlations
    points = build_correlations(figures)
    told = "; ".join(
        f"{each.panel}, {each.row} and {each.column} {each.text} {each.interval} (n = {each.n})"
        for each in points[::2]
    )
    chart = correlation_chart(points, columns)
    first = (CORRELATIONS, RATES)
    title = "Correlation of rates between languages"
    return _build("correlation", title, "4", shown, figures, first, chart, told)


def _of_rates(
    name: str,
    title: str,
    number: str,
    shown: ShownPrompts,
    points: RatePoints,
    first: Sequence[str],
    chart: Mapping[str, object],
) -> ScoreFigure:
    told = describe_rates(points)
    return _build(name, title, number, shown, points.figures, first, chart, told)


def _build(
    name: str,
    title: str,
    number: str,
    shown: ShownPrompts,
    figures: tuple[Figure, ...],
    first: Sequence[str],
    chart: Mapping[str, object],
    told: str = "",
) -> ScoreFigure:
    statements = build_statements(shown, figures, first)
    return ScoreFigure(
        name=name,
        title=title,
        number=number,
        statements=statements,
        alt=f"{title}. {' '.join(statements)} {told}".strip(),
        chart=chart,
        figures=figures,
    )

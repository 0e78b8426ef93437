"""What the figures of prompt tests are drawn from: rates, outcomes, means and correlations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.output import describe_no_interval, literal
from app.views import words
from corpus.figures import Figure
from scoring.oracles import Outcome
from scoring.prompt_comparison import CORRELATION

WHOLE = frozenset({"model", "language", "concern"})
LANGBITE, LOWER, UPPER = "langbite", "lower", "upper"
LONGEST_LABEL = 48
"""Characters of a model's name on an axis."""
MEANS_AT = {
    "model": ("mean over models", "concern", "language"),
    "concern": ("mean over concerns", "model", "language"),
    "language": ("mean over languages", "concern", "model"),
}
"""What a mean is over → its panel, and which parts its rows and series are."""
TYPES = {"input_type": "input", "reflection_type": "reflection"}


@dataclass(frozen=True, slots=True)
class RatePoint:
    """Both rates of the same tests at their place: in a panel, on a row, in a series."""

    panel: str
    mark: str
    series: str
    value: float | None
    """Rate `langbite`; None where no test gave it."""
    low: float | None
    high: float | None
    n: int
    """Tests that `langbite` rests on."""
    least: float | None
    """Rate `all`, lower bound."""
    most: float | None
    """Rate `all`, upper bound."""
    tests: int
    """Tests that `all` rests on."""
    tolerance: float | None = None
    """Least share the requirement asks for, where one is known."""


@dataclass(frozen=True, slots=True)
class CountPoint:
    """How many tests had an outcome."""

    panel: str
    mark: str
    outcome: str
    count: int
    order: int
    """Place of the outcome, so that they are stacked alike everywhere."""


@dataclass(frozen=True, slots=True)
class CorrelationPoint:
    """One cell of the map of correlations, in words too."""

    panel: str
    row: str
    column: str
    value: float | None
    text: str
    pale: bool
    """Whether dark text is read on the cell's colour."""
    interval: str
    n: int


@dataclass(frozen=True, slots=True)
class RatePoints:
    """Points with the figures they come from and the order of panels, marks and series."""

    points: tuple[RatePoint, ...]
    figures: tuple[Figure, ...]
    panels: tuple[str, ...]
    marks: tuple[str, ...]
    series: tuple[str, ...]


def name_language(code: str) -> str:
    """`Spanish (es)`, also for the published files' `es_es`."""
    plain = code.split("_")[0].split("-")[0]
    named = words.describe_language(plain)
    return code if named == plain else named


def name_model(name: str) -> str:
    """The model's name as an axis has room for it; the end of a long one says most."""
    shown = literal(name)
    return shown if len(shown) <= LONGEST_LABEL else "…" + shown[1 - LONGEST_LABEL :]


def select_whole(figures: Iterable[Figure], name: str, bound: str = "") -> tuple[Figure, ...]:
    """The figures of that name that are over all tests of a concern."""
    wanted = WHOLE | ({"bound"} if bound else set())
    return tuple(
        figure
        for figure in figures
        if figure.name == name
        and {key for key, _ in figure.scope} == wanted
        and dict(figure.scope).get("bound", "") == bound
    )


def build_rates(
    figures: Sequence[Figure], tolerances: Mapping[tuple[str, str], float] | None = None
) -> RatePoints:
    """Both rates of each concern (mark) in each language (series); a panel for each model.

    Args:
        figures: From `compute_prompt_rates`.
        tolerances: Concern and language → the least share of tests that its requirement asks for.
    """
    found: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for figure, bound in _rates(figures, WHOLE):
        scope = dict(figure.scope)
        place = (scope["model"], scope["concern"], scope["language"])
        found.setdefault(place, {})[bound] = figure
    asked = tolerances or {}
    points = [
        _build_point(
            name_model(model),
            concern,
            name_language(language),
            rates,
            asked.get((concern, language)),
        )
        for (model, concern, language), rates in sorted(found.items())
    ]
    return _collect(points, found.values())


def build_types(figures: Sequence[Figure]) -> RatePoints:
    """Both rates by input and reflection type (series), concern by concern (mark).

    A panel for each model and language.
    """
    found: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for part, named in TYPES.items():
        for figure, bound in _rates(figures, WHOLE | {part}):
            scope = dict(figure.scope)
            panel = f"{name_model(scope['model'])} · {name_language(scope['language'])}"
            place = (panel, scope["concern"], f"{named}: {scope[part]}")
            found.setdefault(place, {})[bound] = figure
    points = [_build_point(*place, rates) for place, rates in sorted(found.items())]
    return _collect(points, found.values())


def build_means(averages: Sequence[Figure], over: str) -> RatePoints:
    """Means of both rates over models, concerns or languages, each at what is left beside it.

    Args:
        averages: From `compute_prompt_averages`.
        over: `model`, `concern` or `language`.
    """
    panel, mark, series = MEANS_AT[over]
    found: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for figure in averages:
        scope = dict(figure.scope)
        if scope["over"] == over:
            place = (panel, _name_part(mark, scope[mark]), _name_part(series, scope[series]))
            found.setdefault(place, {})[scope.get("bound", LANGBITE)] = figure
    points = [_build_point(*place, rates) for place, rates in sorted(found.items())]
    return _collect(points, found.values())


def build_outcomes(figures: Sequence[Figure]) -> tuple[CountPoint, ...]:
    """Tests by outcome for each concern (mark); a panel for each model and language."""
    order = [str(outcome) for outcome in Outcome]
    found = []
    for figure in figures:
        scope = dict(figure.scope)
        if figure.name == "tests" and set(scope) == WHOLE | {"outcome"} and figure.value:
            outcome = scope["outcome"]
            panel = f"{name_model(scope['model'])} · {name_language(scope['language'])}"
            place = order.index(outcome)
            found.append(CountPoint(panel, scope["concern"], outcome, int(figure.value), place))
    return tuple(found)


def build_correlations(figures: Sequence[Figure]) -> tuple[CorrelationPoint, ...]:
    """Both halves of the map of correlations between languages; a panel for each rate."""
    found = []
    for figure in figures:
        if figure.name != CORRELATION:
            continue
        scope = dict(figure.scope)
        panel = f"rate {scope['rate']}" + (f", {scope['bound']} bound" if "bound" in scope else "")
        names = [name_language(scope[part]) for part in ("language", "other_language")]
        text = "–" if figure.value is None else f"{figure.value:.2f}"
        told = describe_interval(figure)
        pale = figure.value is None or abs(figure.value) < 0.6
        for row, column in (names, names[::-1]):
            found.append(
                CorrelationPoint(panel, row, column, figure.value, text, pale, told, figure.n)
            )
    return tuple(found)


def describe_interval(figure: Figure) -> str:
    """`[0.31, 0.88]`, or why there is none, in words."""
    interval = figure.interval
    if figure.value is None:
        return words.describe_figure_reason(figure.reason)
    if interval is None:
        return "no interval"
    if interval.low is None or interval.high is None:
        return describe_no_interval(interval)
    return f"[{interval.low:.2f}, {interval.high:.2f}]"


def _rates(figures: Iterable[Figure], parts: frozenset[str]) -> Iterable[tuple[Figure, str]]:
    """The figures of both rates with this scope, and which bound each is."""
    for figure in figures:
        scope = dict(figure.scope)
        bound = scope.pop("bound", LANGBITE)
        if figure.name in (LANGBITE, "all") and scope.keys() == parts:
            yield figure, bound


def _build_point(
    panel: str,
    mark: str,
    series: str,
    rates: Mapping[str, Figure],
    tolerance: float | None = None,
) -> RatePoint:
    langbite, least, most = (rates.get(name) for name in (LANGBITE, LOWER, UPPER))
    interval = langbite.interval if langbite else None
    return RatePoint(
        panel=panel,
        mark=mark,
        series=series,
        value=langbite.value if langbite else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=langbite.n if langbite else 0,
        least=least.value if least else None,
        most=most.value if most else None,
        tests=least.n if least else 0,
        tolerance=tolerance,
    )


def _collect(points: Sequence[RatePoint], figures: Iterable[Mapping[str, Figure]]) -> RatePoints:
    return RatePoints(
        points=tuple(points),
        figures=tuple(figure for rates in figures for figure in rates.values()),
        panels=tuple(dict.fromkeys(point.panel for point in points)),
        marks=tuple(sorted({point.mark for point in points})),
        series=tuple(sorted({point.series for point in points})),
    )


def _name_part(part: str, value: str) -> str:
    if part == "language":
        return name_language(value)
    return name_model(value) if part == "model" else literal(value)

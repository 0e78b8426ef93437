"""What the figures of scores are drawn from: ranks, inclinations, q_i of both poles and g_s."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from app.views import words
from app.views.score_models import Kind, ShownModel, ShownResults, Support
from corpus.figures import Figure
from corpus.stereotypes import Inventory, Pole

LINE_OF_G = 1.0
DENSE = 600
"""With more points than this, their intervals stand in the table only: a figure would be black."""
CROWDED = 2000
"""With more points than this, the figure of both poles has their means alone."""
POLES = {Pole.FEMININE: "held about women", Pole.MASCULINE: "held about men"}


@dataclass(frozen=True, slots=True)
class ScorePoint:
    """A defined figure at its place: in a panel, on a row or column, in a series."""

    panel: str
    mark: str
    series: str
    value: float
    low: float | None
    high: float | None
    n: int
    reference: float | None = None
    """What the value is read against, where that differs from row to row."""
    language: str = ""
    """Its code; with commas, those that an average is over."""
    is_mean: bool = False
    """Whether it is an average over languages."""


@dataclass(frozen=True, slots=True)
class Points:
    """Points with the figures they come from and the order of panels, marks and series."""

    points: tuple[ScorePoint, ...]
    figures: tuple[Figure, ...]
    """Undefined ones too: they stand in the table."""
    panels: tuple[str, ...]
    marks: tuple[str, ...]
    series: tuple[str, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that have a point."""
        return tuple(dict.fromkeys(point.language for point in self.points))

    @property
    def has_intervals(self) -> bool:
        """Whether any point has an interval."""
        return any(point.low is not None for point in self.points)

    @property
    def has_means(self) -> bool:
        """Whether averages over languages are drawn, with their intervals in place of others."""
        return any(point.is_mean for point in self.points)

    @property
    def draws_intervals(self) -> bool:
        """Whether there is room to draw the intervals."""
        return self.has_intervals and (self.has_means or len(self.points) <= DENSE)

    @property
    def draws_parts(self) -> bool:
        """Whether there is room for the stereotypes beside the means of their poles."""
        return len(self.points) <= CROWDED

    @property
    def undefined(self) -> int:
        """Figures that have no value, with a reason in the table."""
        return sum(figure.value is None for figure in self.figures)


def build_ranks(shown: ShownResults, inventory: Inventory) -> Points:
    """The rank of each stereotype (series) in each language (mark); a panel for each model.

    A model whose supported languages are stated has a panel for these and one for the others.
    """
    found = []
    for model in shown.models:
        for figure in shown.figures_of(model, "rank"):
            scope = dict(figure.scope)
            panel = _panel_of(model, model.support_of(scope["language"]))
            mark = words.describe_language(scope["language"])
            stereotype = name_stereotype(scope.get("stereotype", ""), inventory)
            found.append((figure, panel, mark, stereotype, None))
    marks = [words.describe_language(code) for code in sorted(shown.languages)]
    series = [name_stereotype(str(one.id), inventory) for one in inventory.stereotypes]
    return _collect(found, marks, series, _panels_in_order(shown))


def build_inclinations(shown: ShownResults, inventory: Inventory) -> Points:
    """The inclination of each stereotype (panel) under each model (mark), language by language."""
    found = []
    for model in shown.models:
        for figure in shown.figures_of(model, "inclination"):
            scope = dict(figure.scope)
            panel = name_stereotype(scope.get("stereotype", ""), inventory)
            support = model.support_of(scope["language"])
            found.append((figure, panel, name_size(model), _series_of(model, support), None))
        for support, figure in shown.averages_of(model, "inclination_average"):
            panel = name_stereotype(dict(figure.scope).get("stereotype", ""), inventory)
            found.append((figure, panel, name_size(model), _series_of(model, support), None))
    panels = [name_stereotype(str(one.id), inventory) for one in inventory.stereotypes]
    return _collect(found, [name_size(model) for model in shown.models], (), panels)


def build_g_by_model(shown: ShownResults) -> Points:
    """g_s of each model (mark), language by language; supported and other languages apart."""
    found = []
    for model in shown.models:
        for figure in shown.figures_of(model, "g_s"):
            support = model.support_of(dict(figure.scope)["language"])
            found.append(
                (figure, _languages_named(support), name_size(model), str(model.kind), None)
            )
        for support, figure in shown.averages_of(model, "g_s_average"):
            found.append(
                (figure, _languages_named(support), name_size(model), str(model.kind), None)
            )
    panels = [_languages_named(support) for support in Support]
    return _collect(found, [name_size(model) for model in shown.models], list(Kind), panels)


def build_g_by_language(shown: ShownResults) -> Points:
    """g_s in each language (mark), a panel for each model; supported languages are a series."""
    found = []
    for model in shown.models:
        for figure in shown.figures_of(model, "g_s"):
            code = dict(figure.scope)["language"]
            series = str(model.support_of(code))
            found.append((figure, model.label, words.describe_language(code), series, None))
    marks = [words.describe_language(code) for code in sorted(shown.languages)]
    return _collect(found, marks, list(Support))


def build_poles(shown: ShownResults, inventory: Inventory, condition: str) -> Points:
    """q_i of each stereotype by its pole (series) in each language (mark); a panel a model.

    The line of a row is the default rate of that model and language.
    """
    found = []
    for model in shown.models:
        rates = {
            dict(figure.scope)["language"]: figure.value
            for figure in shown.figures_of(model, "default_rate", condition)
        }
        for figure in shown.figures_of(model, "q_i", condition):
            scope = dict(figure.scope)
            pole = _pole_of(scope.get("stereotype", ""), inventory)
            if pole is None:
                continue
            code = scope["language"]
            panel = _panel_of(model, model.support_of(code))
            mark = words.describe_language(code)
            found.append((figure, panel, mark, POLES[pole], rates.get(code)))
    marks = [words.describe_language(code) for code in sorted(shown.languages)]
    return _collect(found, marks, list(POLES.values()), _panels_in_order(shown))


def average_marks(points: Points) -> Points:
    """The points with those of one panel, mark and series as one: their plain mean."""
    groups: defaultdict[tuple[str, str, str], list[ScorePoint]] = defaultdict(list)
    for point in points.points:
        groups[point.panel, point.mark, point.series].append(point)
    means = (
        replace(group[0], value=fmean(each.value for each in group), low=None, high=None)
        for group in groups.values()
    )
    return replace(points, points=tuple(means))


def name_stereotype(text: str, inventory: Inventory) -> str:
    """`3 women: empathetic and caring`: number, whom it is held about, and name."""
    pole = _pole_of(text, inventory)
    if pole is None:
        return text
    people = "women" if pole is Pole.FEMININE else "men"
    return f"{text} {people}: {inventory.stereotype(int(text)).name}"


def name_size(model: ShownModel) -> str:
    """The model with its size, e.g. `name · 1.7B`."""
    return f"{model.label} · {describe_size(model.size)}" if model.size else model.label


def describe_size(parameters: float) -> str:
    """E.g. `1.7B`, `270M`."""
    for unit, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if parameters >= unit:
            return f"{parameters / unit:.3g}{letter}"
    return f"{parameters:.0f}"


Found = tuple[Figure, str, str, str, float | None]


def _collect(
    found: Sequence[Found],
    marks: Sequence[str],
    series: Sequence[str],
    panels: Sequence[str] = (),
) -> Points:
    """Points in the order of `marks`, `series`, `panels` where these are given, else as found."""
    points = tuple(_points(found))
    used = {point.mark for point in points}
    named = list(dict.fromkeys(point.series for point in points))
    drawn = list(dict.fromkeys(point.panel for point in points))
    return Points(
        points=points,
        figures=tuple(figure for figure, *_ in found),
        panels=tuple(each for each in dict.fromkeys(panels) if each in drawn) or tuple(drawn),
        marks=tuple(mark for mark in dict.fromkeys(marks) if mark in used),
        series=tuple(each for each in series if each in named) or tuple(named),
    )


def _points(found: Sequence[Found]) -> Iterator[ScorePoint]:
    for figure, panel, mark, series, reference in found:
        if figure.value is not None:
            interval, scope = figure.interval, dict(figure.scope)
            yield ScorePoint(
                panel=panel,
                mark=mark,
                series=series,
                value=figure.value,
                low=interval.low if interval else None,
                high=interval.high if interval else None,
                n=figure.n,
                reference=reference,
                language=scope.get("language") or scope.get("languages", ""),
                is_mean=figure.name.endswith("_average"),
            )


def _panel_of(model: ShownModel, support: Support) -> str:
    if support is Support.NOT_STATED:
        return model.label
    return f"{model.label} · {_languages_named(support)}"


def _panels_in_order(shown: ShownResults) -> list[str]:
    return [_panel_of(model, support) for model in shown.models for support in Support]


def _languages_named(support: Support) -> str:
    if support is Support.NOT_STATED:
        return "languages (support not stated)"
    return f"{support} languages"


def _series_of(model: ShownModel, support: Support) -> str:
    if support is Support.NOT_STATED:
        return str(model.kind)
    return f"{model.kind}, {_languages_named(support)}"


def _pole_of(text: str, inventory: Inventory) -> Pole | None:
    if not text.isdigit() or int(text) not in inventory.ids:
        return None
    return inventory.stereotype(int(text)).pole

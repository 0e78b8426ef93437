"""What figures of sectors draw: biases as points on lines, distributions of A as steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.views import words
from app.views.scores import Result, select_figures
from app.views.sector_results import ShownModel, ShownSectors, load_contrasts
from corpus.figures import Figure
from corpus.sectors import Sector
from scoring.sector_distributions import Distribution, compute_distributions, find_limits

OVERALL = "all sectors"


@dataclass(frozen=True, slots=True)
class BiasPoint:
    """A model in a language: SB and RB, or of one sector I_s and I_s − W_s."""

    panel: str
    model: str
    number: str
    size: str
    casing: str
    language: str
    code: str
    """Of the language."""
    sb: float
    rb: float
    mean_w: float
    low: float | None
    """Ends of SB's interval; RB's are less by mean(W)."""
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Biases:
    """The points of a scatter and the figures behind it."""

    points: tuple[BiasPoint, ...]
    figures: tuple[Figure, ...]
    signatures: tuple[str, ...]
    """One for each figure."""

    @property
    def panels(self) -> tuple[str, ...]:
        """In the order in which they stand."""
        return tuple(dict.fromkeys(point.panel for point in self.points))

    @property
    def languages(self) -> tuple[str, ...]:
        """In words."""
        return tuple(dict.fromkeys(point.language for point in self.points))

    @property
    def draws_intervals(self) -> bool:
        """Whether a point has one."""
        return any(point.low is not None for point in self.points)


@dataclass(frozen=True, slots=True)
class StepPoint:
    """A bin of a distribution, or (without share) its mean."""

    language: str
    group: str
    gender: str
    at_nats: float
    share: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Steps:
    """The distributions of one result and the figures behind them."""

    points: tuple[StepPoint, ...]
    figures: tuple[Figure, ...]
    signatures: tuple[str, ...]
    groups: tuple[str, ...]
    """Those that occur, in their order."""

    @property
    def languages(self) -> tuple[str, ...]:
        """In words, in their order."""
        return tuple(dict.fromkeys(point.language for point in self.points))

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of sentences that distributions rest on, each once, the least first."""
        return tuple(sorted({point.n for point in self.points}))


def build_biases(shown: ShownSectors, variant: str) -> Biases:
    """SB × RB of all sectors in a variant, then I_s × (I_s − W_s) of each sector."""
    points: list[BiasPoint] = []
    figures: list[Figure] = []
    signatures: list[str] = []
    for result, model in zip(shown.results, shown.models, strict=True):
        signed = shown.figures_of(result)
        kept = [(f, mark) for f, mark in signed if _is_of_scatter(f, variant)]
        figures.extend(figure for figure, _ in kept)
        signatures.extend(mark for _, mark in kept)
        for code in shown.languages:
            own = [figure for figure, _ in kept if dict(figure.scope)["language"] == code]
            points.extend(_points(own, model, code, variant))
    order = {panel: k for k, panel in enumerate((OVERALL, *Sector))}
    points.sort(key=lambda point: order[point.panel])
    return Biases(tuple(points), tuple(figures), tuple(signatures))


def build_steps(result: Result, shown: ShownSectors, groups: Iterable[str] = Sector) -> Steps:
    """The distributions of A of a result by language, sector and gender, on one scale.

    Args:
        result: One of those shown.
        shown: Languages, context and lengths.
        groups: Sectors, or the forms of a control's terms.

    Raises:
        InputError: if a shard is missing or damaged.
    """
    contrasts = {
        code: load_contrasts(result, code, shown)
        for code in shown.languages
        if code in result.manifest["languages"]
    }
    contrasts = {code: found for code, found in contrasts.items() if found}
    limits = find_limits([one for found in contrasts.values() for one in found])
    signatures = {dict(figure.scope)["language"]: mark for figure, mark in shown.figures_of(result)}
    points: list[StepPoint] = []
    figures: list[Figure] = []
    marks: list[str] = []
    for code, found in contrasts.items():
        scope = (("model", str(result.manifest["model"])), ("language", code))
        for one in compute_distributions(found, groups, limits, scope):
            points.extend(_step_points(one, words.describe_language(code)))
            figures.extend(one.figures)
            marks.extend(signatures[code] for _ in one.figures)
    drawn = {point.group for point in points}
    kept = tuple(name for name in map(_in_words, groups) if name in drawn)
    return Steps(tuple(points), tuple(figures), tuple(marks), kept)


def _step_points(one: Distribution, language: str) -> Iterator[StepPoint]:
    gender, group = f"{one.gender} person word", _in_words(one.group)
    for each in one.bins:
        yield StepPoint(language, group, gender, each.low_nats, each.share, one.n)
    # The step goes on to the end of the last bin.
    last = one.bins[-1]
    yield StepPoint(language, group, gender, last.high_nats, last.share, one.n)
    if one.mean_nats is not None:
        yield StepPoint(language, group, gender, one.mean_nats, None, one.n)


def _in_words(group: str) -> str:
    return group.replace("_", " ")


def _is_of_scatter(figure: Figure, variant: str) -> bool:
    scope = dict(figure.scope)
    if figure.name in {"sb", "rb", "mean_w"}:
        return scope["variant"] == variant
    return figure.name in {"inner_disparity", "w"} and scope.get("sector") in set(Sector)


def _points(
    figures: Sequence[Figure], model: ShownModel, code: str, variant: str
) -> Iterator[BiasPoint]:
    parts: list[tuple[str, str, str, Mapping[str, str]]] = [
        (OVERALL, "sb", "mean_w", {"variant": variant})
    ]
    parts += [(str(s), "inner_disparity", "w", {"sector": str(s)}) for s in Sector]
    for panel, of_bias, of_w, scope in parts:
        bias = next(iter(select_figures(figures, of_bias, scope)), None)
        w = next(iter(select_figures(figures, of_w, scope)), None)
        if bias is None or w is None or bias.value is None or w.value is None:
            continue
        interval = bias.interval
        yield BiasPoint(
            panel, model.label, str(model.number), model.size_name, model.casing,
            words.describe_language(code), code,
            sb=bias.value, rb=bias.value - w.value, mean_w=w.value,
            low=interval.low if interval else None, high=interval.high if interval else None,
            n=bias.n,
        )  # fmt: skip

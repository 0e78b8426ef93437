"""The study's figures of scores, each with all that it has to say: drawn, described and in numbers.

Figures 3, 4, 5 and 9 to 12 of the study, as docs/decisions/0013-figures-of-scores.md reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.charts import Chart
from app.charts_of_scores import inclination_panels, interval_panels, pole_panels, rank_chart
from app.views.score_models import ShownResults
from app.views.score_points import (
    LINE_OF_G,
    Points,
    build_g_by_language,
    build_g_by_model,
    build_inclinations,
    build_poles,
    build_ranks,
)
from app.views.score_statements import build_statements, describe_points
from corpus.figures import Figure
from corpus.stereotypes import Inventory
from scoring.protocols import BASES, protocol_named
from scoring.variants import Condition

NOT_BETTER = "no value is better for being higher"


@dataclass(frozen=True, slots=True)
class ScoreFigure:
    """A figure as it is shown, printed and read aloud."""

    name: str
    """Of its files, e.g. `ranks`."""
    title: str
    number: str
    """Number of the study's figure."""
    statements: tuple[str, ...]
    """What must be read with it: reference line, protocol, n, who saw the data, marks."""
    alt: str
    chart: Chart | None
    """None where no figure is defined."""
    figures: tuple[Figure, ...]
    """The exact numbers, undefined ones too."""


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    number: str
    title: str
    line: str | Callable[[str, Points], str]
    """The sentence about the line of reference, or what makes it of protocol and points."""
    points: Callable[[ShownResults, Inventory], Points]
    draw: Callable[[Points, int], Chart]
    draws_intervals: bool
    condition: str | None = None
    """The condition drawn, None for the one chosen."""


def _build_kinds() -> tuple[_Kind, ...]:
    by_pole = {
        Condition.NOUN: ("9", "Mean q_i by pole, noun templates"),
        Condition.PRONOUN: ("10", "Mean q_i by pole, pronoun templates"),
        Condition.PAIR: ("11", "Mean q_i by pole, sentence pairs"),
    }
    return (
        _Kind(
            "ranks",
            "3",
            "Ranks of the stereotypes by language",
            "Rank 1 is the most masculine. Ranks say nothing of distances.",
            build_ranks,
            rank_chart,
            False,
        ),
        _Kind(
            "inclinations",
            "4",
            "Inclination of each stereotype by model",
            _describe_line_of_inclination,
            build_inclinations,
            lambda points, columns: inclination_panels(points, 2 * columns),
            True,
        ),
        _Kind(
            "g-by-model",
            "5",
            "g_s by model",
            f"The dashed line is 1, no stereotype; above 1 is stereotypical, and {NOT_BETTER}. "
            "One mark for each language.",
            lambda shown, _inventory: build_g_by_model(shown),
            lambda points, columns: interval_panels(
                points, "g_s", "model", "kind", LINE_OF_G, columns
            ),
            True,
        ),
        *(
            _Kind(
                f"q-{condition}",
                number,
                title,
                _describe_line_of_q,
                _pole_builder(condition),
                pole_panels,
                False,
                condition,
            )
            for condition, (number, title) in by_pole.items()
        ),
        _Kind(
            "g-by-language",
            "12",
            "g_s by language and model",
            f"The dashed line is 1, no stereotype; above 1 is stereotypical, and {NOT_BETTER}.",
            lambda shown, _inventory: build_g_by_language(shown),
            lambda points, columns: interval_panels(
                points, "g_s", "language", "language", LINE_OF_G, columns
            ),
            True,
        ),
    )


def _describe_line_of_inclination(protocol: str, _points: Points) -> str:
    if protocol_named(protocol).flips_feminine:
        meaning = "above 0 is stereotypical"
    else:
        # As the published code has it.
        meaning = (
            "this protocol does not turn it for stereotypes about women, so that above 0 is "
            "stereotypical for those about men and against the stereotype for those about women"
        )
    return (
        f"The dashed line is 0, no inclination; {meaning}, and {NOT_BETTER}. One mark for each "
        "language."
    )


def _describe_line_of_q(protocol: str, points: Points) -> str:
    marks = (
        "Small marks are stereotypes, large ones their plain mean, which has no interval here."
        if points.draws_parts
        else "Marks are plain means over the stereotypes of a pole, which have no interval here; "
        "the stereotypes stand in the table."
    )
    if protocol in BASES:
        return f"1 is equal likelihood, not an ideal; this protocol has no default rate. {marks}"
    line = "The grey tick of a row is its default rate; 0.5 is equal likelihood, not an ideal."
    return f"{line} {marks}"


def _pole_builder(condition: Condition) -> Callable[[ShownResults, Inventory], Points]:
    return lambda shown, inventory: build_poles(shown, inventory, condition)


KINDS = _build_kinds()


def build_figures(
    shown: ShownResults, inventory: Inventory, columns: int = 2
) -> tuple[ScoreFigure, ...]:
    """The study's figures of these results, in its order.

    A figure for which the results hold nothing, e.g. a condition that was not scored, is left out.

    Args:
        shown: The results with protocol, condition and languages.
        inventory: The stereotypes the results were computed with.
        columns: Panels side by side.
    """
    found = []
    for kind in KINDS:
        points = kind.points(shown, inventory)
        if points.figures:
            found.append(_build(kind, points, shown, columns))
    return tuple(found)


def _build(kind: _Kind, points: Points, shown: ShownResults, columns: int) -> ScoreFigure:
    drawn = kind.draws_intervals and points.draws_intervals
    line = kind.line if isinstance(kind.line, str) else kind.line(shown.protocol, points)
    statements = build_statements(shown, points, line, drawn, kind.condition)
    return ScoreFigure(
        name=kind.name,
        title=kind.title,
        number=kind.number,
        statements=statements,
        alt=f"{kind.title}. {' '.join(statements)} {describe_points(points)}",
        chart=kind.draw(points, columns) if points.points else None,
        figures=points.figures,
    )

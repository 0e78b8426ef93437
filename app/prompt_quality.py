"""Quality of augmented prompts as it is shown: a table, a picture and one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from app.charts_of_prompt_quality import QualityPoint, quality_panels
from app.output import describe_figure
from app.score_figures import ScoreFigure
from corpus.figures import Figure
from corpus.prompt_languages import load_prompt_languages
from pipeline.prompt_quality import (
    AGAINST,
    AS_THEY_STAND,
    DIFFERENCE,
    LOWER_IS_VARIED,
)
from pipeline.prompt_texts import TextGroup

COLUMNS = ("language", "order", "measure", "against", "mean [95 %]", "n", "reads as")
FILE_COLUMNS = 2
READS = {
    "meaning": "higher: closer in meaning, by the model",
    "varied": "lower: more varied",
    "close": "higher: closer to a person's words",
}
LIMITS = (
    "Similarity and overlap are computed; neither says that a test is still the same test. That is "
    "for translators to say.",
    f"Placeholders count {AS_THEY_STAND.removeprefix('placeholders ')}: they raise overlap.",
)


def read_figure(figure: Figure) -> str:
    """How a figure reads, in words."""
    against = dict(figure.scope)["against"]
    if figure.name == "meaning":
        return READS["meaning"]
    return READS["varied" if against in LOWER_IS_VARIED else "close"]


def build_rows(figures: Sequence[Figure]) -> list[tuple[str, ...]]:
    """Rows of the table, in the figures' order."""
    rows: list[tuple[str, ...]] = []
    for each in figures:
        scope = dict(each.scope)
        rows.append(
            (
                scope["language"],
                scope["order"],
                each.name,
                AGAINST[scope["against"]],
                describe_figure(each),
                str(each.n),
                "t2p minus p2t" if scope["order"] == DIFFERENCE else read_figure(each),
            )
        )
    return rows


def describe_groups(groups: Sequence[TextGroup]) -> list[str]:
    """What must be read with the figures: whose texts they are and how many a person saw."""
    lines = [
        f"{each.language}, {each.order}: {each.texts} texts of {len(each.templates)} templates by "
        f"{' and '.join(each.models)}; {each.seen} of {each.texts} seen by a human."
        for each in groups
    ]
    return [*lines, *LIMITS]


def build_picture(groups: Sequence[TextGroup], figures: Sequence[Figure]) -> ScoreFigure:
    """The means with their intervals, both orders beside one another."""
    drawn = [each for each in figures if dict(each.scope)["order"] != DIFFERENCE]
    points = [_point(each) for each in drawn if each.value is not None]
    told = [
        f"{point.panel}, {point.language}, {point.order}: {point.value:.2f}" for point in points
    ]
    return ScoreFigure(
        name="augmentation_quality",
        title="Quality of augmented prompts",
        number="",
        statements=tuple(describe_groups(groups)),
        alt="Means over templates with 95 % intervals. " + "; ".join(told),
        chart=quality_panels(points, FILE_COLUMNS) if points else None,
        figures=tuple(drawn),
    )


def _point(figure: Figure) -> QualityPoint:
    scope, interval = dict(figure.scope), figure.interval
    against = {"each_other": "each other", "before": "text before"}.get(
        scope["against"], scope["against"]
    )
    known = load_prompt_languages()
    code = scope["language"]
    return QualityPoint(
        panel=f"{figure.name}: {against}",
        language=known[code].name if code in known else code,
        order=scope["order"],
        value=figure.value or 0.0,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n=figure.n,
    )

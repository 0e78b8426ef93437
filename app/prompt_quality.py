"""Quality of augmented prompts as it is shown: a table, a picture and one JSON document."""

from __future__ import annotations

from collections.abc import Sequence

from app.charts_of_prompt_quality import QualityPoint, quality_panels
from app.output import describe_figure
from app.score_figures import ScoreFigure
from corpus.figures import REASONS, Figure
from corpus.prompt_languages import load_prompt_languages
from pipeline.prompt_quality import (
    AGAINST,
    AS_THEY_STAND,
    BEFORE,
    BLEU,
    CHRF,
    DIFFERENCE,
    EACH_OTHER,
    ENGLISH,
    HUMAN,
    LOWER_IS_VARIED,
    MEANING,
    SHOWN,
)
from pipeline.prompt_texts import TextGroup

COLUMNS = ("language", "order", "measure", "against", "mean [95 %]", "n", "reads as")
FILE_COLUMNS = 2
READS = {
    "meaning": "higher: closer in meaning, by the model",
    "varied": "lower: more varied",
    "close": "higher: closer to a person's words",
}
PANEL_MEASURES = {BLEU: "BLEU", CHRF: "chrF"}
PANEL_REFERENCES = {
    ENGLISH: "the English template",
    BEFORE: "the text before",
    EACH_OTHER: "other paraphrases",
    HUMAN: "a person's translation",
}
LIMITS = (
    "Similarity and overlap are computed; neither says that a test is still the same test. That is "
    "for translators to say.",
    f"Placeholders count {AS_THEY_STAND.removeprefix('placeholders ')}: they raise overlap.",
)


def read_figure(figure: Figure) -> str:
    """How a figure reads, in words."""
    against = dict(figure.scope)["against"]
    if figure.name == MEANING:
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
    made: dict[tuple[str, ...], list[str]] = {}
    for each in groups:
        told = f"{each.language} {each.order} {each.seen} of {each.texts}"
        made.setdefault(each.models, []).append(told)
    lines = [
        f"Texts by {' and '.join(models)}, of them seen by a human: {', '.join(told)}."
        for models, told in made.items()
    ]
    return [*lines, *LIMITS]


def build_picture(groups: Sequence[TextGroup], figures: Sequence[Figure]) -> ScoreFigure:
    """The means with their intervals, both orders beside one another."""
    drawn = [each for each in figures if dict(each.scope)["order"] != DIFFERENCE]
    points = sorted(
        (_point(each) for each in drawn if each.value is not None),
        key=lambda point: PANELS.index(point.panel),
    )
    told = [
        f"{point.panel}, {point.language}, {point.order}: {point.value:.2f}" for point in points
    ]
    return ScoreFigure(
        name="augmentation_quality",
        title="Quality of augmented prompts",
        number="",
        statements=(*_describe_points(points), *_describe_missing(drawn), *describe_groups(groups)),
        alt="Means over templates with 95 % intervals. " + "; ".join(told),
        chart=quality_panels(points, FILE_COLUMNS) if points else None,
        figures=tuple(drawn),
    )


def _describe_points(points: Sequence[QualityPoint]) -> list[str]:
    if not points:
        return []
    least, most = min(each.n for each in points), max(each.n for each in points)
    counts = f"{least}" if least == most else f"{least} to {most}"
    return [f"Means over {counts} templates with 95 % intervals, a bootstrap over templates."]


def _describe_missing(figures: Sequence[Figure]) -> list[str]:
    """Which figures have no value, and why."""
    missing: dict[tuple[str, str], list[str]] = {}
    for each in figures:
        if each.reason is not None:
            scope = dict(each.scope)
            panel = _name_panel(each.name, scope["against"]).partition(" (")[0]
            told = missing.setdefault((panel, each.reason), [])
            told.append(f"{scope['language']} {scope['order']}")
    return [
        f"Not shown: {panel} of {', '.join(where)} ({REASONS[reason]})."
        for (panel, reason), where in missing.items()
    ]


def _point(figure: Figure) -> QualityPoint:
    scope, interval = dict(figure.scope), figure.interval
    known = load_prompt_languages()
    code = scope["language"]
    return QualityPoint(
        panel=_name_panel(figure.name, scope["against"]),
        language=known[code].name if code in known else code,
        order=scope["order"],
        value=figure.value or 0.0,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n=figure.n,
    )


def _name_panel(measure: str, against: str) -> str:
    """What a panel shows, and which way it reads."""
    reference = PANEL_REFERENCES[against]
    if measure == MEANING:
        return f"cosine to {reference} (higher: closer meaning)"
    reads = "lower: more varied" if against in LOWER_IS_VARIED else "higher: closer"
    return f"{PANEL_MEASURES[measure]} to {reference} ({reads})"


PANELS = [_name_panel(measure, against) for measure, against in SHOWN]
"""Panels in the order of the table."""

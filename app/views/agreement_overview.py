"""Agreement of all languages: per rater, per pair of raters, and together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotation.agreement import ADJUSTED_P, find_figure
from annotation.item_bootstrap import Scope
from annotation.study_agreement import LanguageRatings
from app.views import words
from app.views.agreement import SeriesPoint
from corpus.figures import Figure

MEASURES = ("mean_da", "label_accuracy", "label_accuracy_three_labels")
"""What each rater of a language is drawn with."""
BY_NAME = "language"
PAIR_MEASURES = ("pearson", ADJUSTED_P, "kappa", "differing_labels", "ac1", "raw_agreement")


@dataclass(frozen=True, slots=True)
class RaterRow:
    """One rater of a language, in the shape of the study's tables."""

    language: str
    gendered: str
    rater: str
    items: int
    mean_DA: float | None  # noqa: N815 - the heading of a column
    DA_low: float | None
    DA_high: float | None
    label_accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two raters of a language."""

    language: str
    gendered: str
    raters: str
    items: int
    pearson: float | None
    low: float | None
    high: float | None
    p_adjusted: float | None
    kappa: float | None
    differing: float | None
    """Labels."""
    AC1: float | None
    raw_agreement: float | None
    undefined: str
    """Which figures are, and why."""


def sort_languages(languages: Sequence[LanguageRatings], by: str) -> tuple[LanguageRatings, ...]:
    """The languages by a figure over all their raters, highest first, undefined last; or by name.

    Args:
        languages: In any order.
        by: One of `MEASURES`, or `language`.
    """
    if by == BY_NAME:
        return tuple(sorted(languages, key=lambda each: words.describe_language(each.language)))

    def value(each: LanguageRatings) -> tuple[bool, float, str]:
        figure = find_figure(each.figures, by)
        found = None if figure is None else figure.value
        return found is None, -(found or 0.0), each.language

    return tuple(sorted(languages, key=value))


def build_language_points(
    languages: Iterable[LanguageRatings], measure: str
) -> tuple[SeriesPoint, ...]:
    """Each rater's figure in her language's row; raters of a language are numbered by their ids."""
    return tuple(
        SeriesPoint(
            mark=words.describe_language(each.language),
            series=f"rater {number}",
            about=rater,
            value=figure.value,
            low=figure.interval.low if figure.interval else None,
            high=figure.interval.high if figure.interval else None,
            n=figure.n,
        )
        for each in languages
        for number, rater in enumerate(each.table.rater_ids, start=1)
        if (figure := find_figure(each.figures, measure, (rater,))) is not None
        and figure.value is not None
    )


def build_rater_rows(languages: Iterable[LanguageRatings]) -> tuple[RaterRow, ...]:
    """One row for each rater of each language."""
    rows = []
    for each in languages:
        for rater in each.table.rater_ids:
            score = find_figure(each.figures, "mean_da", (rater,))
            accuracy = find_figure(each.figures, "label_accuracy", (rater,))
            rows.append(
                RaterRow(
                    words.describe_language(each.language),
                    _yes_no(each),
                    rater,
                    0 if score is None else score.n,
                    *_with_interval(score),
                    *_with_interval(accuracy),
                )
            )
    return tuple(rows)


def build_pair_rows(
    languages: Iterable[LanguageRatings], study_figures: Iterable[Figure]
) -> tuple[PairRow, ...]:
    """One row for each two raters of each language.

    Args:
        languages: In the order of the rows.
        study_figures: With the p-values adjusted over all of them.
    """
    adjusted = {figure.scope: figure for figure in study_figures if figure.name == ADJUSTED_P}
    return tuple(
        _pair_row(each, pair, adjusted) for each in languages for pair in each.table.rater_pairs
    )


def find_raters_figures(languages: Iterable[LanguageRatings], measure: str) -> tuple[Figure, ...]:
    """The exact figures behind the chart: of each rater, and of all raters of a language."""
    return tuple(
        figure
        for each in languages
        for figure in each.figures
        if figure.name == measure and len(figure.scope) == 2
    )


def find_pair_figures(
    languages: Iterable[LanguageRatings], study_figures: Iterable[Figure]
) -> tuple[Figure, ...]:
    """The exact figures behind the rows of pairs, p-values adjusted over all languages."""
    shown = {each.language for each in languages}
    own = (
        figure
        for each in languages
        for figure in each.figures
        if figure.name in PAIR_MEASURES and figure.name != ADJUSTED_P and _is_of_pair(figure)
    )
    tests = (
        figure
        for figure in study_figures
        if figure.name == ADJUSTED_P and dict(figure.scope).get("language") in shown
    )
    return (*own, *tests)


def _pair_row(
    each: LanguageRatings, pair: tuple[str, str], adjusted: Mapping[Scope, Figure]
) -> PairRow:
    found = {name: find_figure(each.figures, name, pair) for name in PAIR_MEASURES}
    pearson = found["pearson"]
    found[ADJUSTED_P] = None if pearson is None else adjusted.get(pearson.scope)
    value = {name: None if one is None else one.value for name, one in found.items()}
    _, low, high = _with_interval(pearson)
    return PairRow(
        language=words.describe_language(each.language),
        gendered=_yes_no(each),
        raters=", ".join(pair),
        items=0 if pearson is None else pearson.n,
        pearson=value["pearson"],
        low=low,
        high=high,
        p_adjusted=value[ADJUSTED_P],
        kappa=value["kappa"],
        differing=value["differing_labels"],
        AC1=value["ac1"],
        raw_agreement=value["raw_agreement"],
        undefined="; ".join(
            f"{name}: {words.describe_figure_reason(one.reason)}"
            for name, one in found.items()
            if one is not None and one.reason is not None and name != ADJUSTED_P
        ),
    )


def _is_of_pair(figure: Figure) -> bool:
    return "," in dict(figure.scope).get("raters", "")


def _yes_no(each: LanguageRatings) -> str:
    return "yes" if each.is_gendered else "no"


def _with_interval(figure: Figure | None) -> tuple[float | None, float | None, float | None]:
    if figure is None:
        return None, None, None
    interval = figure.interval
    return (
        figure.value,
        interval.low if interval else None,
        interval.high if interval else None,
    )


def build_number_table(rows: Sequence[RaterRow] | Sequence[PairRow]) -> pd.DataFrame:
    """Rows as a table whose numbers are numbers, missing where undefined."""
    table = pd.DataFrame(
        [{name: getattr(row, name) for name in row.__slots__} for row in rows]
    ).rename(columns=lambda name: str(name).replace("_", " "))
    texts = {"language", "gendered", "rater", "raters", "undefined"}
    return table.astype(
        {name: "float64" for name in table.columns if name not in texts and name != "items"}
    )

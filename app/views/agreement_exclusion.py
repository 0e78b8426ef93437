"""A rater left out: from which batches, why, and what it does to the figures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import pandas as pd

from annotation.exclusion_effect import ExclusionEffect
from app.views import words
from app.views.agreement import SeriesPoint, rater_of
from app.views.figure_table import build_figure_table
from corpus.figures import Figure
from corpus.records import Exclusion
from corpus.standing import Standing

WITH, WITHOUT = "with her", "without her"
DRAWN = (
    "mean_pearson",
    "alpha_interval",
    "alpha_nominal",
    "ac1",
    "raw_agreement",
    "label_accuracy",
)
"""Figures about all raters together, on one scale."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One figure before and after."""

    measure: str
    with_her: str
    without_her: str
    raters: str


def find_rater_batches(standing: Standing, rater: str) -> tuple[str, ...]:
    """The batches of a language that a rater has a part of, oldest first."""
    hers = {each.batch_id for each in standing.assignments if each.rater_id == rater}
    return tuple(each.id for each in standing.batches if each.id in hers)


def find_exclusions(standing: Standing, rater: str) -> tuple[Exclusion, ...]:
    """Where a rater is left out now."""
    return tuple(each for each in standing.exclusions if each.rater_id == rater and each.excluded)


def find_raters(standing: Standing) -> tuple[str, ...]:
    """Raters with valid answers, those left out too, sorted."""
    return tuple(
        sorted({each.rating.rater_id for each in standing.answers if each.rating.state == "valid"})
    )


def order_raters(standing: Standing, outliers: Collection[str]) -> tuple[str, ...]:
    """Raters with valid answers: those who stand out, then those left out somewhere, the others."""
    left_out = {each.rater_id for each in standing.exclusions if each.excluded}
    return tuple(
        sorted(
            find_raters(standing),
            key=lambda rater: (rater not in outliers, rater not in left_out, rater),
        )
    )


def describe_exclusion(exclusion: Exclusion) -> str:
    """Where, by whom, when and why."""
    when = f" on {exclusion.stamp.at:%Y-%m-%d %H:%M} UTC" if exclusion.stamp else ""
    return (
        f"{exclusion.rater_id} is left out of batch {exclusion.batch_id}, by {exclusion.by}{when}: "
        f"{exclusion.reason}"
    )


def build_change_rows(effect: ExclusionEffect) -> tuple[ChangeRow, ...]:
    """The figures that leaving her out changes, with her and without her.

    Those about the other raters alone stay as they are, and those about her have no second value.
    """
    return tuple(
        ChangeRow(
            measure=words.describe_measure_of(each.before),
            with_her=_in_words(each.before),
            without_her=_in_words(each.after),
            raters=rater_of(each.before),
        )
        for each in effect.changes
        if each.after is not None
        and (each.before.value, each.before.reason) != (each.after.value, each.after.reason)
    )


def build_change_points(effect: ExclusionEffect) -> tuple[SeriesPoint, ...]:
    """The figures about all raters, with her and without her, for a chart."""
    points = []
    for name in DRAWN:
        change = next(
            (
                each
                for each in effect.changes
                if each.before.name == name and _is_of_all(each.before)
            ),
            None,
        )
        if change is None:
            continue
        for series, figure in ((WITH, change.before), (WITHOUT, change.after)):
            if figure is not None and figure.value is not None:
                interval = figure.interval
                points.append(
                    SeriesPoint(
                        words.describe_measure_of(figure),
                        series,
                        series,
                        figure.value,
                        interval.low if interval else None,
                        interval.high if interval else None,
                        figure.n,
                    )
                )
    return tuple(points)


def build_effect_table(effect: ExclusionEffect) -> pd.DataFrame:
    """Every figure before and after, and what chance gives, unrounded."""
    states: Sequence[tuple[str, Sequence[Figure]]] = (
        (WITH, [each.before for each in effect.changes]),
        (WITHOUT, [each.after for each in effect.changes if each.after is not None]),
        ("unrelated raters", effect.chance),
    )
    tables = []
    for state, figures in states:
        table = build_figure_table(figures, leave_out=("language",))
        table.insert(0, "raters counted", state)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def describe_chance(effect: ExclusionEffect) -> str:
    """What the mean correlation after leaving her out is worth, in sentences."""
    reached = effect.changes[-1].after
    reason = next((each.reason for each in effect.chance if each.reason is not None), None)
    if reason is not None:
        return (
            "What leaving out the best choice of a rater gives by chance cannot be told: "
            f"{words.describe_figure_reason(reason)}."
        )
    mean, highest, *p = effect.chance
    if reached is None or reached.value is None or not p:
        return "The raters who stay have no correlation to compare."
    return (
        f"Without her the mean of Pearson's correlations is {reached.value:.3f}, chosen after "
        "seeing the data. If raters were unrelated, leaving out the best choice of one would give "
        f"{mean.value or 0:.3f} on average and more than {highest.value or 0:.3f} in 5 % of cases; "
        f"at least as much as here in a share of {p[0].value or 0:.4f}."
    )


def _is_of_all(figure: Figure) -> bool:
    return ("raters", "all") in figure.scope


def _in_words(figure: Figure | None) -> str:
    if figure is None:
        return ""
    if figure.value is None:
        return f"none: {words.describe_figure_reason(figure.reason)}"
    interval = figure.interval
    if interval is None or interval.low is None or interval.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"

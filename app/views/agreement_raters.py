"""The raters of a language beside one another: level, spread, agreement, and what stands out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.outliers import LOW_CORRELATION, MARKS, SHIFTED, OutlierReport
from annotation.reliability import RaterReliability
from app.views import words
from corpus.figures import Figure

SHORT_MARKS = {LOW_CORRELATION: "low correlation", SHIFTED: "shifted"}


@dataclass(frozen=True, slots=True)
class RaterPanelRow:
    """One rater: her level, how her scores spread, and how she agrees with the others."""

    rater: str
    stands_out: str
    """In a word or two; sentences stand beside the table."""
    answers: int
    mean_DA: str  # noqa: N815 - the heading of a column
    score_sd: str
    shift: str
    """Of her mean from the others', in their standard deviations."""
    with_the_others: str
    """Pearson's correlation with their mean."""
    the_others: str
    """The same among them, without her."""
    left_out_of: str
    """Batches."""


def build_panel_rows(
    found: Sequence[RaterReliability], report: OutlierReport, figures: Iterable[Figure]
) -> tuple[RaterPanelRow, ...]:
    """One row for each rater with answers; who is left out everywhere has no comparison."""
    means = {dict(each.scope).get("rater", ""): each for each in figures if each.name == "mean_da"}
    beside = {each.rater_id: each for each in report.raters}
    rows = []
    for each in found:
        compared = beside.get(each.rater_id)
        rows.append(
            RaterPanelRow(
                rater=each.rater_id,
                stands_out=", ".join(
                    SHORT_MARKS[mark] for mark in (compared.marks if compared else ())
                ),
                answers=each.answers,
                mean_DA=_number(means.get(each.rater_id), 1),
                score_sd=_number(each.find("score_sd"), 1),
                shift=_number(compared.shift if compared else each.find("mean_shift"), 2),
                with_the_others=_number(compared.correlation if compared else None, 3),
                the_others=_number(compared.others if compared else None, 3),
                left_out_of=", ".join(each.excluded_from),
            )
        )
    return tuple(rows)


def describe_outliers(report: OutlierReport) -> tuple[str, ...]:
    """Who stands out and why, or why nobody can; a sentence each."""
    sentences = []
    if report.in_camps and report.camps is not None:
        first, second = (", ".join(camp) for camp in (report.camps.first, report.camps.second))
        sentences.append(
            f"The raters stand in two camps: {first}; and {second}. Each agrees within itself more "
            "than with the other, so none of them is called an outlier by correlation."
        )
    sentences += [
        f"Worth a look: {each.rater_id} {MARKS[mark]}."
        for each in report.raters
        for mark in each.marks
    ]
    if sentences:
        return tuple(sentences)
    lacks = {each.correlation.reason for each in report.raters}
    if lacks and None not in lacks:
        reasons = "; ".join(sorted(words.describe_figure_reason(each) for each in lacks))
        return (f"Nobody can be called an outlier: {reasons}.",)
    return ("Nobody stands out.",)


def describe_rule(largest_shift: float, least_gap: float) -> str:
    """By which rule a rater stands out, with the settings it rests on."""
    return (
        "A rater stands out if her correlation with the others' mean is below the interval of the "
        f"others' own, or if her mean is more than {largest_shift:g} standard deviations from "
        "theirs (setting outlier_shift). Raters are shown as two camps if they correlate by "
        f"{least_gap:g} more within than across (setting camp_gap) and chance does not give that. "
        "A mark excludes nobody."
    )


def _number(figure: Figure | None, digits: int) -> str:
    if figure is None:
        return ""
    if figure.value is None:
        return words.describe_figure_reason(figure.reason)
    interval = figure.interval
    shown = f"{figure.value:.{digits}f}"
    if interval is None or interval.low is None or interval.high is None:
        return shown
    return f"{shown} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"

"""Raters' reliability in words: one line a rater, and what about her is worth a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.reliability import MARKS, RaterReliability
from app.views import words
from corpus.figures import Figure

EXPLANATION = (
    "What each rater's own answers say about how she rates. Repeats: the same item shown twice, "
    "far apart. Degraded: a translation damaged on purpose, beside her own score of the original; "
    "p is the one-sided chance of such a result if she did not see the damage. Fast: answered "
    "sooner than the texts can be read. Shift: level of her scores beside the others', in standard "
    "deviations. p-values are adjusted over the raters shown."
)
NO_VERDICT = (
    "A mark means: look at her answers. It excludes nobody and changes no figure; whether a rater "
    "is left out is a curator's decision with a written reason."
)


@dataclass(frozen=True, slots=True)
class ControlRow:
    """How one rater answers control items; figures with their n, or why there is none."""

    rater: str
    answers: int
    """All valid ones."""
    repeats_alike: str
    repeats_apart: str
    """Mean absolute difference of DA."""
    degraded_lower: str
    degraded_p: str
    """Adjusted."""
    look_at: str
    """Codes of the marks; empty if there is none."""


@dataclass(frozen=True, slots=True)
class HabitRow:
    """How one rater answers whatever she rates, and her level beside the others'."""

    rater: str
    fast: str
    at_anchors: str
    different_scores: str
    score_sd: str
    """Standard deviation."""
    longest_run: str
    shift: str


@dataclass(frozen=True, slots=True)
class MarkRow:
    """One thing that is worth a look."""

    rater: str
    mark: str
    meaning: str
    excluded_from: str
    """Batches whose figures leave her out already."""


def build_control_rows(found: Sequence[RaterReliability]) -> tuple[ControlRow, ...]:
    """One line for each rater."""
    return tuple(
        ControlRow(
            rater=each.rater_id,
            answers=each.answers,
            repeats_alike=_share(each.find("repeat_label_agreement")),
            repeats_apart=_number(each.find("repeat_da_difference"), 1),
            degraded_lower=_share(each.find("degraded_lower")),
            degraded_p=_number(each.find("degraded_p_adjusted"), 4),
            look_at=", ".join(each.marks),
        )
        for each in found
    )


def build_habit_rows(found: Sequence[RaterReliability]) -> tuple[HabitRow, ...]:
    """One line for each rater."""
    return tuple(
        HabitRow(
            rater=each.rater_id,
            fast=_share(each.find("fast_answers")),
            at_anchors=_share(each.find("share_at_anchors")),
            different_scores=_number(each.find("distinct_scores"), 0),
            score_sd=_number(each.find("score_sd"), 1),
            longest_run=_number(each.find("longest_run"), 0),
            shift=_number(each.find("mean_shift"), 2),
        )
        for each in found
    )


def build_mark_rows(found: Sequence[RaterReliability]) -> tuple[MarkRow, ...]:
    """What is worth a look, rater by rater."""
    return tuple(
        MarkRow(each.rater_id, mark, MARKS[mark], ", ".join(each.excluded_from))
        for each in found
        for mark in each.marks
    )


def _share(figure: Figure) -> str:
    """`9 of 10`, which says how little a share may rest on."""
    if figure.value is None:
        return _why(figure)
    return f"{round(figure.value * figure.n)} of {figure.n}"


def _number(figure: Figure, digits: int) -> str:
    return _why(figure) if figure.value is None else f"{figure.value:.{digits}f}"


def _why(figure: Figure) -> str:
    """Why there is no value, as short as a cell needs it; the table of figures says more."""
    if figure.reason == "no_data":
        return "none"
    if figure.reason == "too_few":
        return f"too few ({figure.n})"
    return words.describe_figure_reason(figure.reason)

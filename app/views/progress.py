"""Progress of annotation: what each rater of each batch has done, and what was refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from annotation.problems import NO_FAULTS, REMEDIES, tell_problem
from annotation.progress import NotedProblem, Progress
from app.views import words
from corpus.hashing import canonical_json
from corpus.records import RatingState
from corpus.standing import Standing

ALL = "all"


@dataclass(frozen=True, slots=True)
class TotalRow:
    """What is done of a batch or of all batches of a language."""

    language: str
    batch: str
    """`all` for the language."""
    assigned: int
    done: int
    """Valid answers."""
    declined: int
    invalid: int
    missing: int
    median_s: float | None
    last_activity: str
    """UTC; empty before the first answer."""


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """What one rater has done of one batch."""

    batch: str
    rater: str
    assigned: int
    done: int
    declined: int
    invalid: int
    missing: int
    median_s: float | None
    pauses: int
    """Timed answers that the median leaves out."""
    last_activity: str
    note: str
    """Whether she left or is excluded; empty otherwise."""
    project: str
    """Address of the Label Studio project, its id if no address is set, empty if not pushed."""


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """Something that was wrong with a rater's project when it was last pulled."""

    batch: str
    rater: str
    problem: str
    """In words."""
    what_to_do: str
    about: str
    """Ids of items or tasks, or names of settings; the first few."""
    noted: str
    """When, UTC."""


@dataclass(frozen=True, slots=True)
class InvalidAnswer:
    """An answer that failed validation: kept, shown, never counted."""

    batch: str
    item: str
    rater: str
    reasons: str
    """In words."""
    answers: str
    """What came back, as JSON."""


def build_total_rows(rows: Iterable[Progress]) -> tuple[TotalRow, ...]:
    """The rows about whole batches and languages."""
    return tuple(
        TotalRow(
            each.language,
            each.batch_id or ALL,
            each.assigned,
            each.done,
            each.declined,
            each.invalid,
            each.missing,
            each.times.median_s,
            describe_time(each.last_activity),
        )
        for each in rows
        if each.rater_id is None
    )


def build_progress_rows(
    rows: Iterable[Progress], label_studio_url: str = ""
) -> tuple[RaterProgress, ...]:
    """The rows about raters."""
    return tuple(
        RaterProgress(
            each.batch_id or ALL,
            each.rater_id,
            each.assigned,
            each.done,
            each.declined,
            each.invalid,
            each.missing,
            each.times.median_s,
            each.times.pauses,
            describe_time(each.last_activity),
            ", ".join(["left"] * each.left + ["excluded"] * each.excluded),
            _project(each.project_id, label_studio_url),
        )
        for each in rows
        if each.rater_id is not None
    )


def build_problem_rows(problems: Iterable[NotedProblem]) -> tuple[ProblemRow, ...]:
    """What is wrong in words, faults first, and what to do about each."""
    ordered = sorted(
        problems, key=lambda each: (each.problem.code in NO_FAULTS, each.batch_id, each.rater_id)
    )
    return tuple(
        ProblemRow(
            each.batch_id,
            each.rater_id,
            tell_problem(each.problem.as_json()),
            REMEDIES.get(each.problem.code, ""),
            ", ".join(each.problem.about),
            describe_time(each.noted_at),
        )
        for each in ordered
    )


def build_invalid_answers(
    standing: Standing, batch_id: str | None = None
) -> tuple[InvalidAnswer, ...]:
    """The invalid answers that no valid one has replaced, in log order; of one batch or all."""
    batch_of = {item.id: item.batch_id for item in standing.items}
    return tuple(
        InvalidAnswer(
            batch_of[answer.rating.item_id],
            answer.rating.item_id,
            answer.rating.rater_id,
            "; ".join(map(words.describe_invalid_reason, answer.rating.reasons)),
            canonical_json(dict(answer.rating.answers)),
        )
        for answer in standing.answers
        if answer.rating.state is RatingState.INVALID
        and batch_id in {None, batch_of[answer.rating.item_id]}
    )


def describe_time(at: datetime | None) -> str:
    """Date and minute in UTC; empty for None."""
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def _project(project_id: str | None, label_studio_url: str) -> str:
    if project_id is None:
        return ""
    if not label_studio_url.startswith(("http://", "https://")):
        return project_id
    return f"{label_studio_url.rstrip('/')}/projects/{project_id}/data"

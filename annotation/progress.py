"""Progress: what each rater has done of each batch, and what was noted as wrong when it was pulled.

A language's and a batch's progress are the sums of their raters'. Nobody waits for the answers of a
rater who left or is excluded, so nothing of hers is missing: what is missing over a language is
what its state waits for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from annotation.answer_times import (
    CUT_OFF_IN_WORDS,
    AnswerTimes,
    compute_answer_times,
    compute_cut_off_s,
    join_times,
    list_times,
    median_interval,
)
from annotation.problems import Problem, read_problem, tell_problem
from corpus.figures import WEAK_BELOW_ITEMS, Figure
from corpus.records import (
    Assignment,
    AssignmentState,
    PullMark,
    RatingRevision,
    RatingState,
)
from corpus.standing import Standing, find_left_out

DEFINITIONS = {
    "assigned": "number of items assigned to raters, each counted for each rater",
    "done": "number of assigned items with a valid answer",
    "declined": "number of assigned items that their rater skipped: no rating, open for another",
    "invalid": "number of assigned items whose only answer is invalid; it does not count",
    "missing": (
        "number of answers still awaited: neither done nor declined, and their rater neither left "
        "nor is excluded"
    ),
    "timed": "number of valid answers whose time is known",
    "pauses": f"number of timed answers that were interrupted: {CUT_OFF_IN_WORDS}",
}


@dataclass(frozen=True, slots=True)
class Progress:
    """What is done of a language, a batch, or one rater's part of a batch."""

    language: str
    batch_id: str | None
    """None: all batches of the language."""
    rater_id: str | None
    """None: all raters."""
    assigned: int
    done: int
    """Valid answers."""
    declined: int
    """Skipped: the item is open for another rater."""
    invalid: int
    """Items whose only answer is invalid."""
    missing: int
    """Answers still awaited."""
    times: AnswerTimes
    last_activity: datetime | None
    """When the latest answer was given, as its source says, else when it was stored."""
    left: bool = False
    excluded: bool = False
    project_id: str | None = None
    """Of a rater's part: its Label Studio project, once pushed."""

    @property
    def share_done(self) -> float:
        """Answered share of the items, in [0, 1]; declining is an answer."""
        return (self.done + self.declined) / self.assigned if self.assigned else 0.0

    @property
    def scope(self) -> tuple[tuple[str, str], ...]:
        """What it is about, as figures name it."""
        parts = {"language": self.language, "batch": self.batch_id, "rater": self.rater_id}
        return tuple((name, value) for name, value in parts.items() if value is not None)


@dataclass(frozen=True, slots=True)
class NotedProblem:
    """Something that was wrong with a rater's project when it was last read."""

    language: str
    batch_id: str
    rater_id: str
    problem: Problem
    noted_at: datetime | None


def compute_progress(standing: Standing, batch_id: str | None = None) -> tuple[Progress, ...]:
    """A row for the language, then one for each batch, each followed by its raters'.

    Args:
        standing: The language.
        batch_id: Only this batch, without a row for the language.
    """
    parts = _rater_parts(standing)
    rows: list[Progress] = []
    if batch_id is None and standing.batches:
        rows.append(_join(standing.language, None, parts))
    for batch in standing.batches:
        if batch_id in {None, batch.id}:
            mine = [each for each in parts if each.batch_id == batch.id]
            rows += [_join(standing.language, batch.id, mine), *mine]
    return tuple(rows)


def find_noted_problems(
    standing: Standing, marks: Mapping[str, PullMark], batch_id: str | None = None
) -> tuple[NotedProblem, ...]:
    """What the last pulls noted, by batch and rater.

    Args:
        standing: The language.
        marks: How far each assignment's project was read, by assignment id.
        batch_id: Only this batch.
    """
    return tuple(
        NotedProblem(
            standing.language,
            assignment.batch_id,
            assignment.rater_id,
            read_problem(problem),
            mark.stamp.at if mark.stamp else None,
        )
        for assignment in standing.assignments
        if batch_id in {None, assignment.batch_id}
        and (mark := marks.get(assignment.id)) is not None
        for problem in mark.problems
    )


def build_progress_figures(rows: Iterable[Progress]) -> list[Figure]:
    """Counts, median time with its interval, and last activity of each row."""
    return [figure for row in rows for figure in _figures_of(row)]


def build_problem_figures(problems: Iterable[NotedProblem]) -> list[Figure]:
    """How often each problem was found; the note says in words what it is."""
    return [
        Figure(
            name="problem",
            value=float(each.problem.count),
            n=each.problem.count,
            definition="number of items, tasks, answers or settings that the problem is about",
            method="count",
            scope=(
                ("language", each.language),
                ("batch", each.batch_id),
                ("rater", each.rater_id),
                ("code", each.problem.code),
            ),
            notes=(tell_problem(each.problem.as_json()),),
        )
        for each in problems
    ]


def _rater_parts(standing: Standing) -> list[Progress]:
    left_out = find_left_out(standing.exclusions)
    ratings: dict[str, dict[str, RatingRevision]] = {}
    for answer in standing.answers:
        ratings.setdefault(answer.rating.rater_id, {})[answer.rating.item_id] = answer.rating
    cut_offs = {
        rater: compute_cut_off_s(list_times(each.values())) for rater, each in ratings.items()
    }
    return [
        _rater_part(
            standing.language,
            assignment,
            [
                mine[item_id]
                for item_id in assignment.item_ids
                if item_id in (mine := ratings.get(assignment.rater_id, {}))
            ],
            cut_offs.get(assignment.rater_id, compute_cut_off_s(())),
            (assignment.batch_id, assignment.rater_id) in left_out,
        )
        for assignment in standing.assignments
    ]


def _rater_part(
    language: str,
    assignment: Assignment,
    ratings: Sequence[RatingRevision],
    cut_off_s: float,
    excluded: bool,
) -> Progress:
    counts = Counter(each.state for each in ratings)
    assigned = len(assignment.item_ids)
    done, declined = counts[RatingState.VALID], counts[RatingState.SKIPPED]
    left = assignment.state is AssignmentState.LEFT
    return Progress(
        language=language,
        batch_id=assignment.batch_id,
        rater_id=assignment.rater_id,
        assigned=assigned,
        done=done,
        declined=declined,
        invalid=counts[RatingState.INVALID],
        missing=0 if left or excluded else assigned - done - declined,
        times=compute_answer_times(ratings, cut_off_s),
        last_activity=max(filter(None, map(_given_at, ratings)), default=None),
        left=left,
        excluded=excluded,
        project_id=assignment.external_id,
    )


def _join(language: str, batch_id: str | None, parts: Sequence[Progress]) -> Progress:
    return Progress(
        language=language,
        batch_id=batch_id,
        rater_id=None,
        assigned=sum(each.assigned for each in parts),
        done=sum(each.done for each in parts),
        declined=sum(each.declined for each in parts),
        invalid=sum(each.invalid for each in parts),
        missing=sum(each.missing for each in parts),
        times=join_times(each.times for each in parts),
        last_activity=max(
            (each.last_activity for each in parts if each.last_activity), default=None
        ),
    )


def _figures_of(row: Progress) -> list[Figure]:
    counts = {
        "assigned": row.assigned,
        "done": row.done,
        "declined": row.declined,
        "invalid": row.invalid,
        "missing": row.missing,
        "timed": len(row.times.kept) + row.times.pauses,
        "pauses": row.times.pauses,
    }
    figures = [
        Figure(name, float(count), count, DEFINITIONS[name], "count", scope=row.scope)
        for name, count in counts.items()
    ]
    return [*figures, _median_figure(row), _activity_figure(row)]


def _median_figure(row: Progress) -> Figure:
    value, n = row.times.median_s, len(row.times.kept)
    return Figure(
        name="median_seconds",
        value=value,
        n=n,
        definition=f"median time of a valid answer in seconds; {CUT_OFF_IN_WORDS}",
        method="median",
        reason="no_data" if value is None else None,
        interval=None if value is None else median_interval(row.times.kept),
        scope=row.scope,
        notes=("weak",) if value is not None and n < WEAK_BELOW_ITEMS else (),
    )


def _activity_figure(row: Progress) -> Figure:
    at = row.last_activity
    return Figure(
        name="last_activity",
        value=None if at is None else at.timestamp(),
        n=0 if at is None else row.assigned,
        definition=(
            "when the latest answer was given, in seconds since 1970-01-01 00:00 UTC; the note is "
            "the same in ISO 8601"
        ),
        method="maximum",
        reason="no_data" if at is None else None,
        scope=row.scope,
        notes=() if at is None else (at.astimezone(UTC).isoformat(timespec="seconds"),),
    )


def _given_at(rating: RatingRevision) -> datetime | None:
    return rating.answered_at or (rating.stamp.at if rating.stamp else None)

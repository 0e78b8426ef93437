"""What a project holds against what the store knows of it, in one transaction.

An answer that is as it was adds nothing, a changed one adds a revision, and one that its task has
no more is noted as deleted. What was pulled from a task or a project that is gone stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from annotation.label_studio.protocol import ServerTask
from annotation.problems import Problem, find_answer_problems
from annotation.reading import SOURCE, AssignmentReader, build_judged
from corpus.records import AuditEntry, PullMark, RatingRevision, RatingState
from corpus.store.store import Writer


@dataclass(frozen=True, slots=True)
class ProjectReading:
    """What was read of one rater's project."""

    tasks: Sequence[ServerTask] | None
    """All tasks, or those that changed; None if none was read."""
    problems: tuple[Problem, ...]
    """About the project and its tasks."""
    total: int
    """Number of tasks in the project."""
    seen_until: datetime | None
    """Up to when changes have been read now."""
    spares_reading: bool = False
    """Whether to note it spares the next pull a reading, though nothing else is new."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a reading changed."""

    added: int
    """Revisions that were new."""
    invalid: int
    """Current answers that failed validation."""
    problems: tuple[Problem, ...]
    """About the project, its tasks and all current answers."""


def reconcile(
    writer: Writer,
    reader: AssignmentReader,
    reading: ProjectReading,
    before: PullMark | None,
    actor: str,
) -> Reconciled:
    """Appends what is new of the reading and notes how far it went."""
    assignment = reader.assignment
    tasks = reading.tasks or ()
    foreign = {item.id for task in tasks if (item := reader.item_of(task)) is not None}
    history = [
        each
        for each in writer.rating_revisions([*assignment.item_ids, *foreign])
        if each.rater_id == assignment.rater_id
        and each.source == SOURCE
        and each.source_id.startswith(f"{reader.project_id}/")
    ]
    current = {_answer_of(each): each for each in history}
    added: list[RatingRevision] = []
    if reading.tasks is not None:
        revisions = replace(reader, judged=build_judged(history)).read(tasks)
        changed = [each for each in revisions if not _is_known(each, current)]
        gone = _find_deleted(current.values(), revisions, tasks, reader)
        added = writer.append_ratings([*changed, *gone])
        current |= {_answer_of(each): each for each in added}
    problems = (*reading.problems, *find_answer_problems(current.values()))
    if added:
        counts = {str(state): sum(each.state is state for each in added) for state in RatingState}
        writer.append_audit(AuditEntry(actor, "batch pull", assignment.id, after=counts))
    mark = PullMark(
        assignment.id,
        reader.project_id,
        reading.seen_until,
        reading.total,
        tuple(each.as_json() for each in problems),
    )
    if _is_news(mark, before, reading, bool(added)):
        writer.append([mark])
    invalid = sum(each.state is RatingState.INVALID for each in current.values())
    return Reconciled(len(added), invalid, problems)


def _is_news(
    mark: PullMark, before: PullMark | None, reading: ProjectReading, has_new: bool
) -> bool:
    """Whether the mark says more than the one before: a pull of nothing new writes nothing."""
    if before is None or has_new:
        return True
    if replace(mark, seen_until=None) != replace(before, seen_until=None, stamp=None):
        return True
    return reading.spares_reading


def _is_known(revision: RatingRevision, current: dict[tuple[str, str], RatingRevision]) -> bool:
    known = current.get(_answer_of(revision))
    return known is not None and known.key == revision.key


def _find_deleted(
    current: Iterable[RatingRevision],
    revisions: Sequence[RatingRevision],
    tasks: Sequence[ServerTask],
    reader: AssignmentReader,
) -> list[RatingRevision]:
    """A revision `deleted` for each answer that its task has no more, and for each lost draft."""
    there = {_answer_of(each) for each in revisions}
    shown = {(item.id, task.id) for task in tasks if (item := reader.item_of(task)) is not None}
    unreadable = {task.id for task in tasks if not task.is_readable}
    return [
        replace(each, state=RatingState.DELETED, reasons=(), stamp=None)
        for each in current
        if each.state is not RatingState.DELETED
        and _answer_of(each) not in there
        and task_of(each) not in unreadable
        # A task that is gone takes no answer with it; a draft is there or it is not.
        and (each.state is RatingState.DRAFT or (each.item_id, task_of(each)) in shown)
    ]


def task_of(revision: RatingRevision) -> str:
    """Server's id of the task that an answer was given to."""
    return revision.source_id.split("/")[1]


def _answer_of(revision: RatingRevision) -> tuple[str, str]:
    return (revision.item_id, revision.source_id)

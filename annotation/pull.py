"""Fetching ratings: what the server has is reconciled with what the store knows.

A pull can be repeated any number of times, in any order: an answer that is as it was adds nothing,
a changed one adds a revision, and one that is gone is noted as deleted. Nothing the server says is
trusted; every answer is validated, and what fails is kept as `invalid` with its reasons. What was
pulled from a project that is gone stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.label_studio.markup import read_result
from annotation.label_studio.protocol import AnnotationServer, ServerAnswer, ServerTask
from annotation.push import task_data
from corpus.errors import EngineError, UnreachableError
from corpus.forms import Form, validate_answers
from corpus.records import (
    Assignment,
    AuditEntry,
    Item,
    Origin,
    RatingRevision,
    RatingState,
)
from corpus.store import Store

SOURCE = "label-studio"


@dataclass(frozen=True, slots=True)
class PulledAssignment:
    """What a pull found in one rater's project."""

    assignment_id: str
    added: int
    """Revisions that were new."""
    invalid: int
    """Current answers that failed validation."""
    problems: tuple[str, ...]
    """What is wrong with the project or its tasks, in words."""


def pull_batch(
    store: Store,
    server: AnnotationServer,
    batch_id: str,
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
) -> list[PulledAssignment]:
    """Brings the batch's ratings up to what the server has, one transaction a rater.

    Raises:
        StateError: if there is no such batch.
        UnreachableError: if the server does not answer or refuses the token.
    """
    with store.reading() as state:
        form = state.form(state.batch(batch_id).form)
        items = {item.id: item for item in state.items([batch_id])}
        assignments = state.assignments([batch_id])
        addresses = {person.id: person.address for person in state.people()}
    user_ids = server.user_ids()
    pulled: list[PulledAssignment] = []
    for assignment in assignments:
        if assignment.external_id is not None:
            address = (addresses.get(assignment.rater_id) or "").lower()
            reader = _Reader(form, assignment, items, user_ids.get(address))
            pulled.append(_pull_assignment(store, server, reader, actor, origin))
        advance()
    return pulled


def _pull_assignment(
    store: Store, server: AnnotationServer, reader: _Reader, actor: str, origin: Origin
) -> PulledAssignment:
    assignment = reader.assignment
    try:
        tasks = server.fetch_tasks(reader.project_id)
    except UnreachableError:
        raise
    except EngineError as error:
        # A deleted project deletes no rating, and one that the server cannot read (a rater can
        # store text that breaks its export) must not keep back the other raters' answers.
        return PulledAssignment(assignment.id, 0, 0, (str(error),))
    revisions = reader.read(tasks)
    with store.writing(origin) as writer:
        current = [
            each
            for each in writer.ratings(assignment.item_ids)
            if each.rater_id == assignment.rater_id
            and each.source == SOURCE
            and each.source_id.startswith(f"{reader.project_id}/")
        ]
        added = writer.append_ratings(revisions + _deleted(current, revisions))
        if added:
            counts = {
                str(state): sum(each.state is state for each in added) for state in RatingState
            }
            writer.append_audit(AuditEntry(actor, "batch pull", assignment.id, after=counts))
    invalid = sum(each.state is RatingState.INVALID for each in revisions)
    return PulledAssignment(assignment.id, len(added), invalid, reader.problems(tasks))


def _deleted(
    current: Sequence[RatingRevision], revisions: Sequence[RatingRevision]
) -> list[RatingRevision]:
    """A revision `deleted` for each answer that the server has no more."""
    there = {(each.item_id, each.source_id) for each in revisions}
    return [
        replace(each, state=RatingState.DELETED, reasons=(), stamp=None)
        for each in current
        if each.state is not RatingState.DELETED and (each.item_id, each.source_id) not in there
    ]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Validates what one rater's project holds."""

    form: Form
    assignment: Assignment
    items: Mapping[str, Item]
    user_id: int | None
    """The rater's user id on the server, None if she has no account there."""

    @property
    def project_id(self) -> str:
        """Id of the rater's project on the server."""
        return str(self.assignment.external_id)

    def read(self, tasks: Sequence[ServerTask]) -> list[RatingRevision]:
        """One revision for each answer to an item of this assignment.

        Of several answers to an item the first valid one counts, else the first skip.
        """
        given = [
            (item, task, answer)
            for task in tasks
            if (item := self._item(task)) is not None
            for answer in task.answers
        ]
        revisions: list[RatingRevision] = []
        answered: set[str] = set()
        for item, task, answer in sorted(given, key=lambda each: _rank(each[2])):
            revision = self._revision(item, task, answer, item.id in answered)
            # Only an answer that counts makes the next one a second one.
            if revision.state in {RatingState.VALID, RatingState.SKIPPED}:
                answered.add(item.id)
            revisions.append(revision)
        return revisions

    def problems(self, tasks: Sequence[ServerTask]) -> tuple[str, ...]:
        """What is wrong with the project's tasks, in words."""
        present = [str(task.data.get("item_id")) for task in tasks]
        expected = set(self.assignment.item_ids)
        found = []
        if self.user_id is None:
            found.append(f"{self.assignment.rater_id} has no account on the server")
        missing = len(expected - set(present))
        if missing:
            found.append(f"{missing} tasks are missing; push the batch again")
        foreign = sum(item_id not in expected for item_id in present)
        if foreign:
            found.append(f"{foreign} tasks are not ours and were ignored")
        repeated = len(present) - len(set(present))
        if repeated:
            found.append(f"{repeated} tasks are repeated")
        altered = sum(self._is_altered(task) for task in tasks)
        if altered:
            found.append(f"the text of {altered} tasks was changed on the server")
        return tuple(found)

    def _item(self, task: ServerTask) -> Item | None:
        item_id = str(task.data.get("item_id"))
        return self.items[item_id] if item_id in self.assignment.item_ids else None

    def _is_altered(self, task: ServerTask) -> bool:
        item = self._item(task)
        return item is not None and dict(task.data) != task_data(item)

    def _revision(
        self, item: Item, task: ServerTask, answer: ServerAnswer, second: bool
    ) -> RatingRevision:
        answers, reasons = read_result(answer.result)
        reasons += self._reasons(task, answer, second)
        if not answer.cancelled:
            reasons += validate_answers(self.form, answers)
        state = RatingState.SKIPPED if answer.cancelled else RatingState.VALID
        return RatingRevision(
            item_id=item.id,
            rater_id=self.assignment.rater_id,
            state=RatingState.INVALID if reasons else state,
            answers=_plain(answers),
            reasons=reasons,
            source=SOURCE,
            source_id=f"{self.project_id}/{answer.id}",
            source_revision=answer.updated_at.isoformat() if answer.updated_at else "",
            answered_at=answer.updated_at,
            lead_time_s=answer.lead_time_s,
        )

    def _reasons(self, task: ServerTask, answer: ServerAnswer, second: bool) -> tuple[str, ...]:
        """Reason codes of everything but the answers themselves."""
        reasons: list[str] = []
        if self.user_id is None or answer.completed_by != self.user_id:
            reasons.append("wrong_rater")
        if answer.updated_by is not None and answer.updated_by != answer.completed_by:
            reasons.append("written_by_another")
        if self._is_altered(task):
            reasons.append("altered_task")
        if second:
            reasons.append("second_answer")
        return tuple(reasons)


def _rank(answer: ServerAnswer) -> tuple[bool, int, str]:
    """Place among several answers: given ones before skips, each in the order of their ids."""
    return (answer.cancelled, len(answer.id), answer.id)


def _plain(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Whole numbers as int: the server gives 77 or 77.0 for the same answer."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in answers.items()
    }

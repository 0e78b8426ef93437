"""What one rater's project holds, read as revisions of her ratings: each answer is validated.

Nothing in a project is trusted. An answer that fails is kept as `invalid` with its reasons.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.label_studio.markup import PLACE, read_result
from annotation.label_studio.protocol import ServerAnswer, ServerDraft, ServerTask
from annotation.problems import Problem, build_problem
from annotation.tasks import task_data
from corpus.forms import Form, validate_answers
from corpus.records import Assignment, AssignmentState, Item, RatingRevision, RatingState

SOURCE = "label-studio"

Judged = Mapping[tuple[str, str], frozenset[str]]
"""Source id and source revision of an answer → why it did not count when it was first read."""


@dataclass(frozen=True, slots=True)
class AssignmentReader:
    """Validates what one rater's project holds."""

    form: Form
    assignment: Assignment
    items: Mapping[str, Item]
    """All items of the batch, by id."""
    addresses: Mapping[str, int]
    """The rater's log-in addresses that have an account on the server, with its user id."""
    judged: Judged = field(default_factory=dict)
    settled: frozenset[str] = frozenset()
    """Items that need no task, see `find_settled`."""
    mine: frozenset[str] = field(init=False)
    """Ids of the items assigned to the rater."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mine", frozenset(self.assignment.item_ids))

    @property
    def project_id(self) -> str:
        """Id of the rater's project on the server."""
        return str(self.assignment.external_id)

    def item_of(self, task: ServerTask) -> Item | None:
        """The item that a task shows, None if it is none of the batch's."""
        return self.items.get(str(task.data.get("item_id")))

    def is_mine(self, item: Item) -> bool:
        """Whether the item is assigned to the rater."""
        return item.id in self.mine

    def is_altered(self, task: ServerTask) -> bool:
        """Whether the task shows another text than its item, or names it wrongly."""
        item = self.item_of(task)
        # The place in her order is only said to the rater; it moves when items are withdrawn.
        shown = {name: value for name, value in task.data.items() if name != PLACE}
        return item is not None and shown != task_data(item)

    def read(self, tasks: Sequence[ServerTask]) -> list[RatingRevision]:
        """One revision for each answer and each draft of the rater's to an item of the batch.

        Of several answers to an item the first valid one counts, else the first skip.
        """
        shown = [(item, task) for task in tasks if (item := self.item_of(task)) is not None]
        given = [(item, task, answer) for item, task in shown for answer in task.answers]
        revisions: list[RatingRevision] = []
        answered: set[str] = set()
        for item, task, answer in sorted(given, key=lambda each: _rank(each[2])):
            revision = self._read_answer(item, task, answer, item.id in answered)
            # Only an answer that counts makes the next one a second one.
            if revision.state in {RatingState.VALID, RatingState.SKIPPED}:
                answered.add(item.id)
            revisions.append(revision)
        for item, task in shown:
            mine = (each for each in task.drafts if each.address in self.addresses)
            revisions += (self._read_draft(item, task, draft) for draft in mine)
        return revisions

    def find_problems(self, tasks: Sequence[ServerTask], *, whole: bool) -> list[Problem]:
        """What is wrong with the tasks.

        Args:
            tasks: All of the project, or some.
            whole: Whether they are all; else none is missing.
        """
        unreadable = [task.id for task in tasks if not task.is_readable]
        # A hidden task may be any of her items, so none is said to be missing.
        whole = whole and not any(task.is_hidden for task in tasks)
        tasks = [task for task in tasks if not task.is_hidden]
        items = {task.id: self.item_of(task) for task in tasks}
        present = Counter(item.id for item in items.values() if item is not None)
        active = self.assignment.state is AssignmentState.ACTIVE
        wanted = [each for each in self.assignment.item_ids if each not in self.settled]
        missing = [each for each in wanted if not present[each]]
        foreign = [task.id for task in tasks if items[task.id] is None]
        withdrawn = [each for each in present if not self.is_mine(self.items[each])]
        repeated = [each for each, times in present.items() for _ in range(times - 1)]
        altered = [str(task.data.get("item_id")) for task in tasks if self.is_altered(task)]
        return [
            *build_problem("task_unreadable", unreadable),
            *build_problem("task_missing", missing if whole and active else []),
            *build_problem("task_altered", altered),
            *build_problem("task_foreign", foreign),
            *build_problem("task_withdrawn", withdrawn),
            *build_problem("task_repeated", repeated),
        ]

    def _read_answer(
        self, item: Item, task: ServerTask, answer: ServerAnswer, second: bool
    ) -> RatingRevision:
        source_id = f"{self.project_id}/{task.id}/{answer.id}"
        source_revision = answer.updated_at.isoformat() if answer.updated_at else ""
        found, unreadable = read_result(answer.result)
        answers = _plain(found)
        before = self.judged.get((source_id, source_revision))
        reasons = [*unreadable, *self._find_authors(answer, before)]
        reasons += self._find_circumstances(item, task, answer, before)
        if second:
            reasons.append("second_answer")
        if not answer.cancelled:
            reasons += validate_answers(self.form, answers)
        state = RatingState.SKIPPED if answer.cancelled else RatingState.VALID
        return RatingRevision(
            item_id=item.id,
            rater_id=self.assignment.rater_id,
            state=RatingState.INVALID if reasons else state,
            answers=answers,
            reasons=tuple(reasons),
            source=SOURCE,
            source_id=source_id,
            source_revision=source_revision,
            answered_at=answer.updated_at,
            lead_time_s=answer.lead_time_s,
        )

    def _find_authors(self, answer: ServerAnswer, before: frozenset[str] | None) -> Iterator[str]:
        """Reason codes of whose answer it is."""
        hers = set(self.addresses.values())
        # Once a user is deleted, her answers have no author; those already read stay hers.
        known = answer.completed_by is None and before is not None and "wrong_rater" not in before
        if answer.completed_by not in hers and not known:
            yield "wrong_rater"
        if answer.updated_by not in hers | {None, answer.completed_by}:
            yield "written_by_another"

    def _find_circumstances(
        self, item: Item, task: ServerTask, answer: ServerAnswer, before: frozenset[str] | None
    ) -> Iterator[str]:
        """Reason codes of what the answer is to: what it was when it was first read counts."""
        altered = self.is_altered(task) if before is None else "altered_task" in before
        if altered:
            yield "altered_task"
        if not answer.cancelled and not self.is_mine(item):
            yield "not_assigned"

    def _read_draft(self, item: Item, task: ServerTask, draft: ServerDraft) -> RatingRevision:
        answers, _ = read_result(draft.result)
        return RatingRevision(
            item_id=item.id,
            rater_id=self.assignment.rater_id,
            state=RatingState.DRAFT,
            answers=_plain(answers),
            source=SOURCE,
            source_id=f"{self.project_id}/{task.id}/draft-{draft.id}",
            source_revision=draft.updated_at.isoformat() if draft.updated_at else "",
            answered_at=draft.updated_at,
            lead_time_s=draft.lead_time_s,
        )


def find_settled(
    ratings: Iterable[RatingRevision], rater_id: str, project_id: str | None
) -> frozenset[str]:
    """Items that a rater answered validly elsewhere: in a project that is gone, or in a workbook.

    She is not asked for them again.

    Args:
        ratings: Current revisions of a batch's answers.
        rater_id: The rater.
        project_id: Her project, None if there is none yet.
    """
    return frozenset(
        each.item_id
        for each in ratings
        if each.rater_id == rater_id
        and each.state is RatingState.VALID
        and (each.source != SOURCE or each.source_id.split("/")[0] != project_id)
    )


def build_judged(history: Iterable[RatingRevision]) -> Judged:
    """How each revision of each answer was judged when it was first read, history oldest first."""
    judged: dict[tuple[str, str], frozenset[str]] = {}
    for each in history:
        if each.state in {RatingState.VALID, RatingState.INVALID, RatingState.SKIPPED}:
            judged.setdefault((each.source_id, each.source_revision), frozenset(each.reasons))
    return judged


def _rank(answer: ServerAnswer) -> tuple[bool, int]:
    """Place among several answers: given ones before skips, each in the order of their ids."""
    return (answer.cancelled, int(answer.id))


def _plain(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Whole numbers as int, since the server gives 77 or 77.0; what is no number at all as text."""
    plain = dict(answers)
    for name, value in answers.items():
        if isinstance(value, float):
            finite = math.isfinite(value)
            plain[name] = str(value) if not finite else int(value) if value.is_integer() else value
    return plain

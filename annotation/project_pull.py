"""One rater's project, pulled: all of it, what changed in it, or nothing.

What was read before holds as long as nothing else changed by which answers are judged; then only
what changed since is read. Where anything is wrong, all of it is read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from annotation.label_studio.protocol import (
    AnnotationServer,
    ProjectSpec,
    ServerProject,
    ServerTask,
)
from annotation.problems import (
    ANSWER_SENTENCES,
    PROJECT_SENTENCES,
    TASK_SENTENCES,
    Problem,
    build_problem,
    read_problem,
)
from annotation.push import build_spec, is_anothers
from annotation.reading import AssignmentReader, find_settled
from annotation.reconciliation import ProjectReading, reconcile
from corpus.errors import EngineError, ProjectMissingError, UnreachableError
from corpus.forms import Form
from corpus.people import Person
from corpus.records import Assignment, AssignmentState, Batch, Item, Origin, PullMark
from corpus.store import Store
from corpus.version import PRODUCT

SETTLED_AFTER = timedelta(seconds=60)
"""A change may be stored under a time this much earlier; what is younger is read once more."""
UNREAD = frozenset({"project_missing", "project_unreadable", "no_account"})
"""Of a project with one of these nothing was read."""
FEW_TASKS = 200
"""So many changed tasks are read on their own even where they are most of the project."""
Changes = Future[list[ServerTask] | None]
"""What changed in a project, being fetched."""
INVALID_CODES = frozenset(ANSWER_SENTENCES) - {"draft", "answer_deleted"}


@dataclass(frozen=True, slots=True)
class PulledAssignment:
    """What a pull found in one rater's project."""

    assignment_id: str
    added: int
    """Revisions that were new."""
    invalid: int
    """Current answers that failed validation."""
    problems: tuple[Problem, ...]
    """What is wrong with the project, its tasks and its answers."""
    tasks_read: int
    """Tasks that were fetched: none if nothing had changed."""


@dataclass(frozen=True, slots=True)
class KnownBatches:
    """What the store says of the batches before the pull."""

    batches: Mapping[str, Batch]
    forms: Mapping[str, Form]
    assignments: Sequence[Assignment]
    """Those that were pushed."""
    addresses: Mapping[str, frozenset[str]]
    people_at: Mapping[str, int]
    """Position of the latest row about each person."""
    marks: Mapping[str, PullMark]
    items: dict[str, dict[str, Item]] = field(default_factory=dict)
    """Items of the batches that were needed until now, by batch and item id."""

    def load_items(self, store: Store, batch_id: str) -> Mapping[str, Item]:
        """The items of a batch by id, read once."""
        if batch_id not in self.items:
            with store.reading() as state:
                self.items[batch_id] = {each.id: each for each in state.items([batch_id])}
        return self.items[batch_id]


def load_known(store: Store, batch_ids: Collection[str]) -> KnownBatches:
    """What is known of the batches, in one consistent state."""
    with store.reading() as state:
        batches = {each: state.batch(each) for each in batch_ids}
        assignments = [
            each for each in state.assignments(batch_ids) if each.external_id is not None
        ]
        return KnownBatches(
            batches=batches,
            forms={each.form: state.form(each.form) for each in batches.values()},
            assignments=assignments,
            addresses=state.log_in_addresses(),
            people_at={each.id: _position(each) for each in state.people()},
            marks=state.pull_marks(each.id for each in assignments),
        )


@dataclass(frozen=True, slots=True)
class ProjectPull:
    """The pull of one rater's project."""

    store: Store
    server: AnnotationServer
    known: KnownBatches
    assignment: Assignment
    project: ServerProject | None
    """As the server lists it, None if it does not."""
    accounts: Mapping[str, int]
    """Log-in addresses of the rater's that have an account, with its user id."""

    def find_since(self) -> datetime | None:
        """Since when it is enough to read what changed, by the server's clock; None: it is not."""
        mark = self._mark
        if self._is_missing or not self.accounts or mark is None or not self._still_holds(mark):
            return None
        return mark.seen_until

    def fetch_changes(self, since: datetime) -> list[ServerTask] | None:
        """What changed since, None if so much that all of it is read faster."""
        tasks = self._mark.tasks if self._mark else 0
        at_most = max(FEW_TASKS, tasks // 2)
        return self.server.fetch_changes(str(self.assignment.external_id), since, at_most)

    def run(
        self, now: datetime, actor: str, origin: Origin, changes: Changes | None = None
    ) -> PulledAssignment:
        """Reads what must be read and stores what is new.

        Args:
            now: The server's time before anything was read.
            actor: Who pulls.
            origin: What the revisions are marked with.
            changes: What `fetch_changes` gives, where that is enough; None to read all.
        """
        reading = self._read(now, changes)
        if reading is None:
            return self._report_nothing_new()
        with self.store.writing(origin) as writer:
            found = reconcile(writer, self._build_reader(), reading, self._mark, actor)
        return PulledAssignment(
            self.assignment.id,
            found.added,
            found.invalid,
            found.problems,
            len(reading.tasks or ()),
        )

    @property
    def _mark(self) -> PullMark | None:
        """How far the project was read before."""
        return self.known.marks.get(self.assignment.id)

    @property
    def _form(self) -> Form:
        return self.known.forms[self.known.batches[self.assignment.batch_id].form]

    def _build_reader(self) -> AssignmentReader:
        items = self.known.load_items(self.store, self.assignment.batch_id)
        return AssignmentReader(self._form, self.assignment, items, self.accounts)

    def _find_settled(self) -> frozenset[str]:
        with self.store.reading() as state:
            ratings = state.ratings(self.assignment.item_ids)
        return find_settled(ratings, self.assignment.rater_id, self.assignment.external_id)

    def _read(self, now: datetime, changes: Changes | None) -> ProjectReading | None:
        """What there is to reconcile; None if nothing changed since the mark."""
        problems = self._find_project_problems()
        if self._is_missing or not self.accounts:
            return self._read_nothing(problems)
        try:
            changed = changes.result() if changes is not None else None
            if self._mark is None or changed is None:
                return self._read_all(now, problems)
            return self._read_changes(now, self._mark, changed, problems)
        except UnreachableError:
            raise
        except ProjectMissingError:
            return self._read_nothing(self._missing())
        except EngineError as error:
            # A rater can store what breaks the export; nobody else's answers are kept back by it.
            unreadable = build_problem("project_unreadable", [str(error)])
            return self._read_nothing([*problems, *unreadable])

    @property
    def _spec(self) -> ProjectSpec:
        batch = self.known.batches[self.assignment.batch_id]
        return build_spec(batch, self._form, self.assignment)

    @property
    def _is_missing(self) -> bool:
        return self.project is None or is_anothers(self.project, self._spec.description)

    def _missing(self) -> list[Problem]:
        """Nobody misses the project or the account of one who left."""
        active = self.assignment.state is AssignmentState.ACTIVE
        return build_problem("project_missing", [str(self.assignment.external_id)] * active)

    def _find_project_problems(self) -> list[Problem]:
        """What is wrong with the project as a whole, and with whose it is."""
        if self.project is None or self._is_missing:
            return self._missing()
        changed = build_problem("project_changed", self._spec.differences(self.project.spec))
        expected = not self.accounts and self.assignment.state is AssignmentState.ACTIVE
        return [*changed, *build_problem("no_account", [self.assignment.rater_id] * expected)]

    def _still_holds(self, mark: PullMark) -> bool:
        """Whether what was read before still holds, so that what changed since is enough."""
        wrong = {each.code for each in map(read_problem, mark.problems)}
        return (
            self.project is not None
            and mark.project_id == self.project.id
            and mark.tasks == self.project.tasks
            and mark.seen_until is not None
            and not self._is_judged_anew(mark)
            and not wrong & (set(TASK_SENTENCES) | UNREAD)
        )

    def _is_judged_anew(self, mark: PullMark) -> bool:
        """Whether rater, assignment or product changed since, by which answers are judged."""
        judged_at = max(
            _position(self.assignment), self.known.people_at.get(self.assignment.rater_id, 0)
        )
        stamp = mark.stamp
        return stamp is None or stamp.position < judged_at or stamp.made_by != PRODUCT

    def _read_changes(
        self,
        now: datetime,
        mark: PullMark,
        tasks: Sequence[ServerTask],
        problems: Sequence[Problem],
    ) -> ProjectReading | None:
        since = mark.seen_until or now
        before = [read_problem(each) for each in mark.problems]
        same = [each for each in before if each.code in PROJECT_SENTENCES] == list(problems)
        if not tasks and same and not any(each.code == "draft" for each in before):
            return None
        if self._build_reader().find_problems(tasks, whole=False):
            return self._read_all(now, problems)
        latest = max([since, *_times(tasks)])
        seen = max(since, min(latest, now - SETTLED_AFTER))
        spares = seen == latest != since
        return ProjectReading(tasks, tuple(problems), mark.tasks, seen, spares)

    def _read_all(self, now: datetime, problems: Sequence[Problem]) -> ProjectReading:
        tasks = self.server.fetch_tasks(str(self.assignment.external_id))
        reader = replace(self._build_reader(), settled=self._find_settled())
        found = (*problems, *reader.find_problems(tasks, whole=True))
        latest = max(_times(tasks), default=None)
        seen = None if latest is None else min(latest, now - SETTLED_AFTER)
        mark = self._mark
        spares = mark is not None and (
            self._is_judged_anew(mark) or (seen == latest != mark.seen_until)
        )
        return ProjectReading(tasks, found, len(tasks), seen, spares)

    def _read_nothing(self, problems: Sequence[Problem]) -> ProjectReading:
        """Of a project that cannot be read all that was pulled stays as it was."""
        return ProjectReading(None, tuple(problems), self._mark.tasks if self._mark else 0, None)

    def _report_nothing_new(self) -> PulledAssignment:
        problems = tuple(map(read_problem, self._mark.problems if self._mark else ()))
        invalid = sum(each.count for each in problems if each.code in INVALID_CODES)
        return PulledAssignment(self.assignment.id, 0, invalid, problems, 0)


def _times(tasks: Sequence[ServerTask]) -> list[datetime]:
    return [each.updated_at for each in tasks if each.updated_at is not None]


def _position(record: Assignment | Person) -> int:
    return record.stamp.position if record.stamp is not None else 0

"""Setting right what happened to a batch's projects on the server; never at the cost of an answer.

Deleted projects and tasks are made again, changed texts and settings restored, tasks that do not
belong taken away unless somebody answered them. Before and after, everything is pulled: what is
repaired was noted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.label_studio.protocol import AnnotationServer, ServerProject, ServerTask
from annotation.problems import LISTED
from annotation.pull import pull_claimed
from annotation.push import CLAIM, build_spec, is_anothers, push_claimed
from annotation.reading import SOURCE, AssignmentReader, find_settled
from annotation.reconciliation import task_of
from annotation.tasks import build_tasks
from corpus.errors import EngineError, ProjectMissingError, UnreachableError
from corpus.forms import Form
from corpus.records import (
    Assignment,
    AssignmentState,
    AuditEntry,
    Batch,
    Item,
    Origin,
    RatingRevision,
)
from corpus.store import Store


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that is wrong with one rater's project, and what became of it."""

    assignment_id: str
    code: str
    """A code of `annotation.problems`."""
    about: tuple[str, ...]
    """Ids of tasks or items, or names of settings."""
    outcome: str
    """`to do` in a dry run; else `done`, `answered` (left, because it holds answers) or `refused`
    by the server."""


def repair_batch(
    store: Store,
    server: AnnotationServer,
    batch_id: str,
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
    *,
    dry_run: bool = False,
) -> list[Repair]:
    """Repairs the projects of a batch, or says what there is to repair.

    Raises:
        StateError: if there is no such batch, or two projects claim to be one assignment's.
        UnreachableError: if the server does not answer or refuses the token.
    """
    with store.reading() as state:
        state.batch(batch_id)
    with store.claiming(CLAIM):
        if not dry_run:
            pull_claimed(store, server, [batch_id], actor, origin, full=True)
        found = _repair_projects(store, server, batch_id, advance, dry_run=dry_run)
        if dry_run:
            return found
        if any(each.code in {"project_missing", "task_missing"} for each in found):
            push_claimed(store, server, batch_id, actor, origin)
        if found:
            _note(store, found, actor, origin)
            pull_claimed(store, server, [batch_id], actor, origin, full=True)
    return found


def _repair_projects(
    store: Store,
    server: AnnotationServer,
    batch_id: str,
    advance: Callable[[], None],
    *,
    dry_run: bool,
) -> list[Repair]:
    with store.reading() as state:
        batch = state.batch(batch_id)
        form = state.form(batch.form)
        items = {each.id: each for each in state.items([batch_id])}
        assignments = state.assignments([batch_id])
        ratings = state.ratings(items)
    projects = {each.id: each for each in server.find_projects()}
    found: list[Repair] = []
    for assignment in assignments:
        if assignment.external_id is None:
            continue
        project = projects.get(assignment.external_id)
        repair = _ProjectRepair(server, batch, form, assignment, items, ratings, dry_run)
        found += repair.run(project)
        advance()
    return found


@dataclass(frozen=True, slots=True)
class _ProjectRepair:
    """The repair of one rater's project."""

    server: AnnotationServer
    batch: Batch
    form: Form
    assignment: Assignment
    items: Mapping[str, Item]
    ratings: Sequence[RatingRevision]
    """Current revisions of the batch's answers."""
    dry_run: bool

    @property
    def _is_active(self) -> bool:
        return self.assignment.state is AssignmentState.ACTIVE

    def run(self, project: ServerProject | None) -> list[Repair]:
        """What was wrong with the project and what became of it."""
        spec = build_spec(self.batch, self.form, self.assignment)
        if project is None or is_anothers(project, spec.description):
            # The push after this one makes it again.
            missing = (str(self.assignment.external_id),)
            return [self._noted("project_missing", missing)] if self._is_active else []
        found: list[Repair] = []
        changed = spec.differences(project.spec)
        # Apart, since the server refuses a configuration once an answer holds a control of another.
        config = tuple(name for name in changed if name == "label_config")
        for names in (tuple(name for name in changed if name not in config), config):
            if names:
                restore = (self.server.restore_project, project.id, spec, names)
                found.append(self._do("project_changed", names, *restore))
        tasks = self.server.fetch_tasks(project.id)
        return found + self._repair_tasks(project.id, tasks)

    def _repair_tasks(self, project_id: str, tasks: Sequence[ServerTask]) -> list[Repair]:
        reader = AssignmentReader(self.form, self.assignment, self.items, {})
        # A task whose item id was changed is recognised by the answers that were pulled from it.
        answered = {
            task_of(each): each.item_id
            for each in self.ratings
            if each.source == SOURCE and each.source_id.startswith(f"{project_id}/")
        }
        settled = find_settled(self.ratings, self.assignment.rater_id, project_id)
        wanted = build_tasks(self.form, self.assignment, self.items)
        found: list[Repair] = []
        kept: dict[str, ServerTask] = {}
        for task in sorted(tasks, key=_rank):
            item = reader.item_of(task)
            item_id = item.id if item else answered.get(task.id)
            if item_id is None and task.is_hidden:
                continue
            if item_id is None:
                found.append(self._remove("task_foreign", project_id, task))
            elif item_id not in wanted:
                found.append(self._remove("task_withdrawn", project_id, task))
            elif item_id in kept:
                found.append(self._remove("task_repeated", project_id, task))
            else:
                kept[item_id] = task
                if item is None or reader.is_altered(task):
                    change = (self.server.change_task, task.id, wanted[item_id])
                    found.append(self._do("task_altered", (item_id,), *change))
        missing = tuple(each for each in wanted if each not in settled | kept.keys())
        # A hidden task may be any of hers: she would be asked twice.
        if missing and self._is_active and not any(task.is_hidden for task in tasks):
            found.append(self._noted("task_missing", missing))
        return found

    def _remove(self, code: str, project_id: str, task: ServerTask) -> Repair:
        if not task.is_free:
            return Repair(self.assignment.id, code, (task.id,), "answered")
        return self._do(code, (task.id,), self.server.delete_unanswered_task, project_id, task.id)

    def _do(
        self, code: str, about: tuple[str, ...], action: Callable[..., bool | None], *given: object
    ) -> Repair:
        """Carries an action out unless this is a dry run."""
        if self.dry_run:
            return self._noted(code, about)
        try:
            outcome = "answered" if action(*given) is False else "done"
        except (UnreachableError, ProjectMissingError):
            raise
        except EngineError:
            outcome = "refused"
        return Repair(self.assignment.id, code, about, outcome)

    def _noted(self, code: str, about: tuple[str, ...]) -> Repair:
        return Repair(self.assignment.id, code, about, "to do" if self.dry_run else "done")


def _rank(task: ServerTask) -> tuple[bool, int]:
    """Of several tasks of one item those with answers are kept, then the oldest."""
    return (task.is_free, int(task.id))


def _note(store: Store, found: Iterable[Repair], actor: str, origin: Origin) -> None:
    """Notes what was done for each rater."""
    done: dict[str, dict[str, list[str]]] = {}
    for each in found:
        if each.outcome == "done":
            mine = done.setdefault(each.assignment_id, {})
            mine.setdefault(each.code, []).extend(each.about)
    with store.writing(origin) as writer:
        for assignment_id, codes in done.items():
            after = {code: about[:LISTED] for code, about in codes.items()}
            writer.append_audit(AuditEntry(actor, "batch repair", assignment_id, after=after))

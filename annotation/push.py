"""Sending a batch: one project per rater, so that raters stay blind and overlap is exact.

A project is found again by its description, which names assignment and batch, and a task by the
item id in its data; so a push that was cut short is completed by the next one, and a complete one
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.label_studio.markup import build_config, build_instruction_html
from annotation.label_studio.protocol import AnnotationServer, ProjectSpec, ServerProject
from annotation.reading import find_settled
from annotation.tasks import build_tasks
from corpus.errors import ProjectMissingError, StateError
from corpus.forms import Form
from corpus.records import (
    Assignment,
    AssignmentState,
    AuditEntry,
    Batch,
    Origin,
    RatingRevision,
)
from corpus.store import Store

TITLE_LENGTH = 50
"""Label Studio refuses longer titles."""
DESCRIBED = "stereoscope assignment"
"""How the description of every project of ours begins."""
CLAIM = "label-studio"
"""What push, pull and repair hold: two at once would double tasks or put old answers over new."""


@dataclass(frozen=True, slots=True)
class PushedAssignment:
    """What a push did for one rater."""

    assignment: Assignment
    url: str
    project_created: bool
    tasks_added: int


def push_batch(
    store: Store,
    server: AnnotationServer,
    batch_id: str,
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
) -> list[PushedAssignment]:
    """Makes sure that every active rater of the batch has her project with all her tasks.

    Nobody is asked again for what she answered in a project that is gone, or in a workbook.

    Raises:
        StateError: if there is no such batch, or two projects claim to be one assignment's.
        UnreachableError: if the server does not answer or refuses the token.
    """
    with store.reading() as state:
        state.batch(batch_id)
    with store.claiming(CLAIM):
        return push_claimed(store, server, batch_id, actor, origin, advance)


def push_claimed(
    store: Store,
    server: AnnotationServer,
    batch_id: str,
    actor: str,
    origin: Origin = Origin.MACHINE,
    advance: Callable[[], None] = lambda: None,
) -> list[PushedAssignment]:
    """What `push_batch` does, for a caller that holds the claim."""
    with store.reading() as state:
        batch = state.batch(batch_id)
        form = state.form(batch.form)
        items = {item.id: item for item in state.items([batch_id])}
        ratings = state.ratings(items)
        assignments = [
            each for each in state.assignments([batch_id]) if each.state is AssignmentState.ACTIVE
        ]
    wanted = {project_description(batch, each) for each in assignments}
    projects = server.find_projects()
    named = _projects_by_description(projects, wanted)
    numbered = {project.id: project for project in projects}
    pushed: list[PushedAssignment] = []
    for assignment in assignments:
        spec = build_spec(batch, form, assignment)
        tasks = build_tasks(form, assignment, items)
        project = named.get(spec.description) or _find_renamed(
            server, numbered.get(str(assignment.external_id)), assignment, spec
        )
        pushed.append(_push_assignment(server, project, spec, assignment, tasks, ratings))
        _store_project(store, assignment, pushed[-1], actor, origin)
        advance()
    return pushed


def build_spec(batch: Batch, form: Form, assignment: Assignment) -> ProjectSpec:
    """How the project of an assignment is set up."""
    title = f"{form.title}: {batch.language} {assignment.rater_id}"
    return ProjectSpec(
        # The server takes spaces off its ends.
        title=title[:TITLE_LENGTH].strip(),
        description=project_description(batch, assignment),
        config=build_config(form),
        instruction_html=build_instruction_html(form),
    )


def project_description(batch: Batch, assignment: Assignment) -> str:
    """What a project is found by: the assignment, and when its batch was created.

    The time tells studies apart that drew the same batch and share a server.
    """
    created = batch.stamp.at.isoformat() if batch.stamp else "never"
    return f"{DESCRIBED} {assignment.id}, batch of {created}"


def is_anothers(project: ServerProject, description: str) -> bool:
    """Whether the project says that it is another assignment's.

    Its number alone proves nothing: on a new server it may be another study's.
    """
    return project.description.startswith(DESCRIBED) and project.description != description


def _projects_by_description(
    projects: Sequence[ServerProject], wanted: Collection[str]
) -> dict[str, ServerProject]:
    found: dict[str, ServerProject] = {}
    for project in projects:
        about = project.description
        if about not in wanted:
            continue
        if about in found:
            raise StateError(
                f"Label Studio has two projects for {about}: {found[about].id} and "
                f"{project.id}. Delete the one without answers, then push again."
            )
        found[about] = project
    return found


def _find_renamed(
    server: AnnotationServer,
    project: ServerProject | None,
    assignment: Assignment,
    spec: ProjectSpec,
) -> ServerProject | None:
    """The project last known, if its tasks are the assignment's though its description is not."""
    if project is None or not project.tasks or is_anothers(project, spec.description):
        return None
    hers = set(assignment.item_ids)
    return project if _find_present(server, project.id, hers) & hers else None


def _push_assignment(
    server: AnnotationServer,
    project: ServerProject | None,
    spec: ProjectSpec,
    assignment: Assignment,
    tasks: Mapping[str, Mapping[str, str]],
    ratings: Iterable[RatingRevision],
) -> PushedAssignment:
    created = project is None
    if project is None:
        project = server.create_project(spec)
    hers = set(assignment.item_ids)
    present = _find_present(server, project.id, hers) if project.tasks else set()
    present |= find_settled(ratings, assignment.rater_id, project.id)
    missing = [data for item_id, data in tasks.items() if item_id not in present]
    if missing:
        server.import_tasks(project.id, missing)
    return PushedAssignment(
        replace(assignment, external_id=project.id, stamp=None),
        server.labelling_url(project.id),
        created,
        len(missing),
    )


def _find_present(server: AnnotationServer, project_id: str, hers: set[str]) -> set[str]:
    """Items that have a task; all of hers where the server cannot say what a task shows."""
    try:
        tasks = server.fetch_tasks(project_id)
    except ProjectMissingError as error:
        raise StateError(f"{error} It vanished during the push; push again.") from error
    hidden = hers if any(task.is_hidden for task in tasks) else set()
    return hidden | {str(task.data.get("item_id")) for task in tasks}


def _store_project(
    store: Store, before: Assignment, pushed: PushedAssignment, actor: str, origin: Origin
) -> None:
    if before.external_id == pushed.assignment.external_id and not pushed.tasks_added:
        return
    after: dict[str, Any] = {
        "project": pushed.assignment.external_id,
        "tasks_added": pushed.tasks_added,
    }
    with store.writing(origin) as writer:
        if before.external_id != pushed.assignment.external_id:
            # As it is now: the rater may have left while her tasks were on their way.
            now = {each.id: each for each in writer.assignments([before.batch_id])}[before.id]
            writer.append([replace(now, external_id=pushed.assignment.external_id, stamp=None)])
        writer.append_audit(
            AuditEntry(actor, "batch push", before.id, {"project": before.external_id}, after)
        )

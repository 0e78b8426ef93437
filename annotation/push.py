"""Sending a batch: one project per rater, so that raters stay blind and overlap is exact.

A project is found again by its description, which names assignment and batch, and a task by the
item id in its data; so a push that was cut short is completed by the next one, and a complete one
changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.label_studio.markup import build_config, build_instruction_html
from annotation.label_studio.protocol import AnnotationServer, ServerProject
from corpus.errors import ProjectMissingError, StateError
from corpus.forms import Form
from corpus.hashing import sha256_json
from corpus.records import Assignment, AuditEntry, Batch, Item, Origin
from corpus.store import Store

TITLE_LENGTH = 50
"""Label Studio refuses longer titles."""


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
    """Makes sure that every rater of the batch has her project with all her tasks.

    Raises:
        StateError: if there is no such batch, or two projects claim to be one assignment's.
        UnreachableError: if the server does not answer or refuses the token.
    """
    with store.reading() as state:
        batch = state.batch(batch_id)
        form = state.form(batch.form)
        items = {item.id: item for item in state.items([batch_id])}
        assignments = state.assignments([batch_id])
    wanted = {project_description(batch, each) for each in assignments}
    projects = _projects_by_description(server.find_projects(), wanted)
    pushed: list[PushedAssignment] = []
    for assignment in assignments:
        pushed.append(_push_assignment(server, projects, batch, form, assignment, items))
        _store_project(store, assignment, pushed[-1], actor, origin)
        advance()
    return pushed


def task_data(item: Item) -> dict[str, str]:
    """What a task holds: the texts to show, our ids, and a hash to notice tampering by."""
    data = {
        "item_id": item.id,
        "content_hash": item.content_hash,
        **item.shown,
    }
    return data | {"data_hash": sha256_json(data)}


def project_description(batch: Batch, assignment: Assignment) -> str:
    """What a project is found by: the assignment, and when its batch was created.

    The time tells studies apart that drew the same batch and share a server.
    """
    created = batch.stamp.at.isoformat() if batch.stamp else "never"
    return f"stereoscope assignment {assignment.id}, batch of {created}"


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


def _push_assignment(
    server: AnnotationServer,
    projects: Mapping[str, ServerProject],
    batch: Batch,
    form: Form,
    assignment: Assignment,
    items: Mapping[str, Item],
) -> PushedAssignment:
    description = project_description(batch, assignment)
    project = projects.get(description)
    created = project is None
    if project is None:
        project = server.create_project(
            title=f"{form.title}: {batch.language} {assignment.rater_id}"[:TITLE_LENGTH],
            description=description,
            config=build_config(form),
            instruction_html=build_instruction_html(form),
        )
    present = set() if created else _present_items(server, project.id)
    missing = [task_data(items[each]) for each in assignment.item_ids if each not in present]
    if missing:
        server.import_tasks(project.id, missing)
    return PushedAssignment(
        replace(assignment, external_id=project.id, stamp=None),
        server.labelling_url(project.id),
        created,
        len(missing),
    )


def _present_items(server: AnnotationServer, project_id: str) -> set[str]:
    try:
        tasks = server.fetch_tasks(project_id)
    except ProjectMissingError as error:
        raise StateError(f"{error} It vanished during the push; push again.") from error
    return {str(task.data.get("item_id")) for task in tasks}


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
            writer.append([pushed.assignment])
        writer.append_audit(
            AuditEntry(actor, "batch push", before.id, {"project": before.external_id}, after)
        )

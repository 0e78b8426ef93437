from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from servers import MemoryDesk, ServerDesk
from studies import add_language, add_people, plan_batch, push_study

from annotation.batches import create_batch
from annotation.label_studio.memory import MemoryServer
from annotation.push import build_spec, project_description, push_batch
from annotation.tasks import build_tasks
from corpus.errors import StateError, UnreachableError
from corpus.records import Origin
from corpus.store import Store
from tests.store_builders import make_store

RATERS = ("r1", "r2")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def contents(server: Any, project_id: str) -> list[dict[str, Any]]:
    return [dict(task.data) for task in server.fetch_tasks(project_id)]


def test_every_rater_gets_her_project_with_her_tasks_in_her_order(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk, RATERS)
    with store.reading() as state:
        assignments = state.assignments([study.id])
    assert len({each.external_id for each in assignments}) == 2
    for assignment in assignments:
        expected = build_tasks(study.form, assignment, study.items)
        assert contents(desk.server, str(assignment.external_id)) == list(expected.values())
    for task in study.tasks("r1"):
        # Raters must not see what the system says.
        ours = {"item_id", "content_hash", "data_hash", "place"}
        assert set(task.data) == ours | set(study.items[task.data["item_id"]].shown)


def test_a_second_push_changes_nothing(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk, RATERS)
    before = {rater: study.tasks(rater) for rater in RATERS}
    projects = desk.server.find_projects()
    with store.reading() as state:
        position = state.position
    pushed = push_batch(store, desk.server, study.id, "curator-1")
    assert [(each.project_created, each.tasks_added) for each in pushed] == [(False, 0)] * 2
    assert {rater: study.tasks(rater) for rater in RATERS} == before
    assert desk.server.find_projects() == projects
    with store.reading() as state:
        assert state.position == position


class CutServer(MemoryServer):
    """Dies after a number of calls that write; an import is cut in its middle."""

    def __init__(self, writes: int) -> None:
        super().__init__()
        self.writes = writes

    def create_project(self, *arguments: Any, **named: Any) -> Any:
        self._count()
        return super().create_project(*arguments, **named)

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        if self.writes == 0:
            super().import_tasks(project_id, tasks[: len(tasks) // 2])
        self._count()
        super().import_tasks(project_id, tasks)

    def _count(self) -> None:
        if self.writes == 0:
            self.reachable = False
        self.writes -= 1


@pytest.mark.parametrize("writes", range(5))
def test_a_push_that_was_cut_short_is_completed_by_the_next(store: Store, writes: int) -> None:
    add_language(store, "sk", neutral=6, pairs=0)
    add_people(store, RATERS)
    created = create_batch(store, plan_batch("sk", 6, RATERS), "curator-1", Origin.HUMAN)
    server = CutServer(writes)
    if writes < 4:
        with pytest.raises(UnreachableError):
            push_batch(store, server, created.batch.id, "curator-1")
    server.reachable = True
    server.writes = 100
    push_batch(store, server, created.batch.id, "curator-1")
    projects = server.find_projects()
    assert sorted(each.description for each in projects) == sorted(
        project_description(created.batch, each) for each in created.assignments
    )
    for project in projects:
        ids = [data["item_id"] for data in contents(server, project.id)]
        assert sorted(ids) == [item.id for item in created.items]
    with store.reading() as state:
        stored = {each.external_id for each in state.assignments([created.batch.id])}
    assert stored == {project.id for project in projects}


def test_a_deleted_project_and_a_deleted_task_are_made_again(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk, RATERS)
    lost = study.project("r1")
    desk.delete_project(lost)
    gone = study.tasks("r2")[1]
    desk.delete_task(gone.id)
    first, second = push_batch(store, desk.server, study.id, "curator-1")
    assert (first.project_created, first.tasks_added) == (True, 3)
    assert (second.project_created, second.tasks_added) == (False, 1)
    assert study.project("r1") != lost
    assert gone.data in contents(desk.server, study.project("r2"))
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "batch push"]
    assert entries[-2].before == {"project": lost}
    assert entries[-2].after == {"project": study.project("r1"), "tasks_added": 3}


def test_two_projects_that_claim_one_assignment_are_refused(store: Store) -> None:
    desk = MemoryDesk()
    study = push_study(store, desk)
    batch, [assignment] = study.created.batch, study.created.assignments
    copy = desk.server.create_project(build_spec(batch, study.form, assignment))
    other = build_spec(batch, study.form, replace(assignment, batch_id="sk-other"))
    desk.server.create_project(other)
    desk.server.create_project(other)
    with pytest.raises(StateError, match=f"two projects for .* {study.id}/r1.* and {copy.id}"):
        push_batch(store, desk.server, study.id, "curator-1")


def test_studies_that_drew_the_same_batch_share_a_server(store: Store, tmp_path: Path) -> None:
    desk = MemoryDesk()
    study = push_study(store, desk)
    another = make_store(_made(tmp_path / "another"))
    same = push_study(another, desk)
    assert same.id == study.id
    assert same.project("r1") != study.project("r1")
    assert len(desk.server.find_projects()) == 2
    another.close()


def test_an_unknown_batch_is_refused_before_the_server_is_asked(store: Store) -> None:
    with pytest.raises(StateError, match="no batch sk-1; batches: none yet"):
        push_batch(store, MemoryServer(reachable=False), "sk-1", "curator-1")

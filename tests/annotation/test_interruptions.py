"""Servers that die in the middle: whatever call fails, the next run ends as an undisturbed one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from servers import MemoryDesk
from studies import NEUTRAL, PushedBatch, add_language, add_people, plan_batch, push_study

from annotation.batches import create_batch
from annotation.label_studio.memory import MemoryServer
from annotation.label_studio.transport import CutError
from annotation.pull import pull_batch, pull_batches
from annotation.push import push_batch
from annotation.repair import repair_batch
from annotation.tasks import build_tasks
from corpus.errors import EngineError
from corpus.forms import load_form_named
from corpus.records import Origin
from corpus.store import Store
from tests.store_builders import make_store

RATERS = ("r1", "r2")
CALLS = (
    "fetch_time",
    "user_ids",
    "find_projects",
    "create_project",
    "restore_project",
    "import_tasks",
    "fetch_tasks",
    "fetch_changes",
    "change_task",
    "delete_unanswered_task",
)


class CutServer:
    """A server whose connection is cut at its n-th call and from then on.

    Cut before the call nothing was done; cut after it, it was done and nobody heard so.
    """

    def __init__(self, server: MemoryServer, number: int, *, after: bool) -> None:
        self._server = server
        self._left = number
        self._after = after

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._server, name)
        return self._count(call) if name in CALLS else call

    def _count(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def cut(*given: Any, **named: Any) -> Any:
            self._left -= 1
            if self._left == 0 and self._after:
                call(*given, **named)
            if self._left <= 0:
                raise CutError("The connection was cut off.")
            return call(*given, **named)

        return cut

    @property
    def was_cut(self) -> bool:
        return self._left <= 0


def survive(server: MemoryServer, run: Callable[[Any], object], *, after: bool) -> int:
    """Cuts the run at its first call, then at its second and so on; gives how often it was cut.

    Each run finds what the ones before have left.
    """
    for number in range(1, 200):
        cut = CutServer(server, number, after=after)
        with suppress(CutError):
            run(cut)
        if not cut.was_cut:
            return number - 1
    raise AssertionError("it never ended")


def contents(store: Store, server: MemoryServer, batch_id: str) -> dict[str, list[object]]:
    """What each rater's project holds, and that there is one project for each."""
    with store.reading() as state:
        assignments = state.assignments([batch_id])
    assert {each.external_id for each in assignments} == {
        project.id for project in server.find_projects()
    }
    return {
        each.rater_id: [dict(task.data) for task in server.fetch_tasks(str(each.external_id))]
        for each in assignments
    }


@pytest.mark.parametrize("after", [False, True])
def test_a_push_cut_anywhere_doubles_and_loses_nothing(store: Store, after: bool) -> None:
    add_language(store, "sk", neutral=6, pairs=0)
    add_people(store, RATERS)
    created = create_batch(store, plan_batch("sk", 6, RATERS), "curator-1", Origin.HUMAN)
    server = MemoryServer()
    cuts = survive(
        server, lambda cut: push_batch(store, cut, created.batch.id, "curator-1"), after=after
    )
    assert cuts >= 3
    form = load_form_named(created.batch.form)
    items = {item.id: item for item in created.items}
    assert contents(store, server, created.batch.id) == {
        each.rater_id: list(build_tasks(form, each, items).values()) for each in created.assignments
    }


def revisions_of(study: PushedBatch) -> list[object]:
    return [(each.source_id, each.state, dict(each.answers)) for each in study.revisions()]


@pytest.mark.parametrize("after", [False, True])
def test_a_pull_cut_anywhere_doubles_and_loses_nothing(
    store: Store, tmp_path: Path, after: bool
) -> None:
    study = push_study(store, MemoryDesk(), RATERS, size=4)
    for rater in RATERS:
        study.answer_all(rater)
    study.answer("r1", 0, NEUTRAL)
    server = study.desk.server
    assert isinstance(server, MemoryServer)
    cuts = survive(server, lambda cut: pull_batch(store, cut, study.id, "curator-1"), after=after)
    assert cuts >= 5
    with_cuts = revisions_of(study)
    assert len(with_cuts) == 9
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "batch pull"]
    # One transaction a rater: a cut leaves her answers unpulled or pulled, never some of them.
    assert [each.after["valid"] for each in entries] == [4, 4]


@pytest.mark.parametrize("after", [False, True])
def test_a_repair_cut_anywhere_ends_like_an_undisturbed_one(store: Store, after: bool) -> None:
    study = push_study(store, MemoryDesk(), RATERS)
    study.answer_all("r1")
    study.pull()
    before = revisions_of(study)
    desk, server = study.desk, study.desk.server
    assert isinstance(server, MemoryServer)
    wanted = contents(store, server, study.id)
    first, second, third = study.tasks("r1")
    desk.delete_task(first.id)
    desk.change_task(second.id, {**second.data, "mt_text": "another"})
    study.add_tasks("r1", third)
    desk.change_project(study.project("r1"), title="Renamed")
    desk.delete_project(study.project("r2"))
    survive(server, lambda cut: repair_batch(store, cut, study.id, "curator-1"), after=after)
    repaired = contents(store, server, study.id)
    for rater in RATERS:
        assert sorted(map(str, repaired[rater])) == sorted(map(str, wanted[rater]))
    assert revisions_of(study) == before
    assert repair_batch(store, server, study.id, "curator-1") == []


def test_a_pull_that_takes_too_long_says_so_and_keeps_what_it_has(store: Store) -> None:
    study = push_study(store, MemoryDesk())
    study.answer("r1", 0, NEUTRAL)
    with pytest.raises(EngineError, match="took longer than -1 s; what was pulled until now is"):
        pull_batches(store, study.desk.server, [study.id], "curator-1", deadline_s=-1)
    assert [each.added for each in study.pull()] == [1]


def test_a_push_waits_for_another_one(store: Store, tmp_path: Path) -> None:
    """Two at once: the second finds what the first has made."""
    add_language(store, "sk", neutral=6, pairs=0)
    add_people(store, RATERS)
    created = create_batch(store, plan_batch("sk", 6, RATERS), "curator-1", Origin.HUMAN)
    server = _SlowServer()
    pushed: list[int] = []

    def push() -> None:
        mine = make_store(tmp_path)
        done = push_batch(mine, server, created.batch.id, "curator-1")
        pushed.append(sum(each.tasks_added for each in done))
        mine.close()

    threads = [threading.Thread(target=push) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(pushed) == [0, 12]
    assert len(server.find_projects()) == 2


class _SlowServer(MemoryServer):
    """Gives another thread time between looking and doing."""

    def find_projects(self) -> Any:
        found = super().find_projects()
        time.sleep(0.3)
        return found

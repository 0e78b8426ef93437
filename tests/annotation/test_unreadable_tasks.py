"""A task that the server cannot read back keeps no other task's answers from being pulled."""

from __future__ import annotations

import pytest
from servers import MemoryDesk, RealDesk, ServerDesk
from studies import NEUTRAL, PushedBatch, push_study

from annotation.label_studio import task_reader
from annotation.project_pull import PulledAssignment
from annotation.pull import pull_batch
from annotation.push import push_batch
from annotation.repair import repair_batch
from corpus.errors import EngineError
from corpus.records import RatingState
from corpus.store import Store


def pull(
    study: PushedBatch, *, full: bool = False
) -> tuple[int, list[tuple[str, tuple[str, ...]]]]:
    """How many answers were new, and what is wrong."""
    [pulled] = pull_batch(study.store, study.desk.server, study.id, "curator-1", full=full)
    return pulled.added, problems_of(pulled)


def problems_of(pulled: PulledAssignment) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.code, each.about) for each in pulled.problems]


def test_answers_beside_an_unreadable_one_arrive(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk, size=7)
    tasks = study.tasks("r1")
    study.answer("r1", 0, NEUTRAL)
    assert pull(study) == (1, [])
    study.answer("r1", 1, NEUTRAL)
    study.answer("r1", 6, NEUTRAL)
    desk.break_task(tasks[0].id)
    desk.break_task(tasks[3].id)
    wrong = [("task_unreadable", (tasks[0].id, tasks[3].id))]
    assert pull(study) == (2, wrong)
    assert [each.state for each in study.ratings()] == [RatingState.VALID] * 3
    study.answer("r1", 4, NEUTRAL)
    assert pull(study) == (1, wrong)
    assert pull(study, full=True) == (0, wrong)
    assert [task.is_readable for task in study.tasks("r1")] == [False, True, True, False] + [
        True
    ] * 3
    assert [task.data for task in study.tasks("r1")] == [task.data for task in tasks]


def test_an_unreadable_task_is_neither_doubled_nor_deleted_and_is_made_anew_once_it_is_gone(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    first, second, third = study.tasks("r1")
    study.answer("r1", 1, NEUTRAL)
    study.pull()
    desk.break_task(first.id)
    assert [each.tasks_added for each in push_batch(store, desk.server, study.id, "curator-1")] == [
        0
    ]
    assert not desk.server.delete_unanswered_task(study.project("r1"), first.id)
    assert repair_batch(store, desk.server, study.id, "curator-1") == []
    assert [task.id for task in study.tasks("r1")] == [first.id, second.id, third.id]
    desk.delete_task(first.id)
    repair_batch(store, desk.server, study.id, "curator-1")
    tasks = study.tasks("r1")
    assert [task.data["item_id"] for task in tasks] == [
        each.data["item_id"] for each in (second, third, first)
    ]
    study.answer("r1", 2, NEUTRAL)
    assert pull(study) == (1, [])


def test_a_task_that_hides_what_it_shows_is_not_asked_twice(
    store: Store, real_desk: RealDesk
) -> None:
    study = push_study(store, real_desk)
    first, second, _ = study.tasks("r1")
    study.answer("r1", 1, NEUTRAL)
    real_desk.hide_task(first.id, first.data)
    real_desk.delete_task(study.tasks("r1")[2].id)
    assert [task.is_hidden for task in study.tasks("r1")] == [True, False]
    assert pull(study) == (1, [("task_unreadable", (first.id,))])
    assert repair_batch(store, real_desk.server, study.id, "curator-1") == []
    pushed = push_batch(store, real_desk.server, study.id, "curator-1")
    assert [each.tasks_added for each in pushed] == [0]
    assert [task.id for task in study.tasks("r1")] == [first.id, second.id]
    real_desk.delete_task(first.id)
    assert pull(study)[1][0][0] == "task_missing"
    repair_batch(store, real_desk.server, study.id, "curator-1")
    assert pull(study) == (0, [])
    assert len(study.tasks("r1")) == 3


def test_where_hardly_anything_can_be_read_the_server_is_at_fault(
    store: Store, real_desk: RealDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_reader, "MOST_UNREADABLE", 1)
    study = push_study(store, real_desk, ("r1", "r2"))
    study.answer("r2", 0, NEUTRAL)
    for task in study.tasks("r1")[:2]:
        real_desk.break_task(task.id)
    with pytest.raises(EngineError, match="HTTP status 500 for project"):
        study.tasks("r1")
    first, second = study.pull()
    assert [each.code for each in first.problems] == ["project_unreadable"]
    assert second.added == 1


def test_a_draft_of_an_unreadable_task_is_not_lost(store: Store) -> None:
    desk = MemoryDesk()
    study = push_study(store, desk)
    study.sessions["r1"].save_draft(study.tasks("r1")[0].id, [])
    study.pull()
    assert [each.state for each in study.ratings()] == [RatingState.DRAFT]
    desk.break_task(study.tasks("r1")[0].id)
    study.pull()
    assert [each.state for each in study.ratings()] == [RatingState.DRAFT]

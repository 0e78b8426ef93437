"""A batch on a server while raters join it, leave it and decline: nothing done is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from servers import ServerDesk
from studies import NEUTRAL, PushedBatch, push_study

from annotation.label_studio.markup import build_result
from annotation.push import push_batch
from annotation.staffing import add_rater, reassign_open, replace_rater
from corpus.people import Person
from corpus.records import RatingState
from corpus.store import Store
from tests.store_builders import standing_of


@pytest.fixture
def batch(store: Store, desk: ServerDesk) -> PushedBatch:
    return push_study(store, desk, ("r1", "r2"), size=6)


def enrol(batch: PushedBatch, rater: str) -> None:
    """A further rater with an account on the same server."""
    with batch.store.reading() as state:
        known = next(each for each in state.people() if each.id == "r1").address or ""
    address = f"{rater}@{known.partition('@')[2]}"
    with batch.store.writing() as writer:
        writer.append([Person(rater, "rater", address=address)])
    batch.user_ids[rater], batch.sessions[rater] = batch.desk.add_rater(address)


def push(batch: PushedBatch) -> int:
    pushed = push_batch(batch.store, batch.desk.server, batch.id, "curator-1")
    return sum(each.tasks_added for each in pushed)


def counted(batch: PushedBatch) -> Counter[str]:
    return Counter(each.item_id for each in standing_of(batch.store, "sk").counted)


def test_who_replaces_a_rater_finishes_what_is_left(batch: PushedBatch) -> None:
    batch.answer_all("r1")
    first = batch.tasks("r2")
    for number in (0, 1):
        batch.answer("r2", number, NEUTRAL)
    batch.sessions["r2"].submit(first[2].id, [], cancelled=True)
    batch.pull()
    finished = {task.data["item_id"] for task in first[:2]}
    enrol(batch, "r3")
    done = replace_rater(batch.store, batch.id, "r2", "r3", "curator-1")
    assert len(done.added) == 4
    assert push(batch) == 4
    assert {task.data["item_id"] for task in batch.tasks("r3")} == set(done.added)
    assert push(batch) == 0
    batch.answer_all("r3")
    batch.pull()
    standing = standing_of(batch.store, "sk")
    assert standing.answers_missing == 0
    assert counted(batch) == dict.fromkeys(batch.items, 2)
    by_r2 = {each.item_id for each in standing.counted if each.rater_id == "r2"}
    assert by_r2 == finished


def test_declined_items_reach_another_rater_and_may_still_be_answered(batch: PushedBatch) -> None:
    batch.answer_all("r1")
    declined = batch.tasks("r2")[0]
    batch.sessions["r2"].submit(declined.id, [], cancelled=True)
    for task in batch.tasks("r2")[1:]:
        batch.sessions["r2"].submit(task.id, build_result(batch.form, NEUTRAL))
    batch.pull()
    assert standing_of(batch.store, "sk").answers_missing == 0
    enrol(batch, "r3")
    given = reassign_open(batch.store, batch.id, "r3", "curator-1")
    assert given.added == (declined.data["item_id"],)
    assert push(batch) == 1
    batch.answer_all("r3")
    batch.pull()
    assert counted(batch) == dict.fromkeys(batch.items, 2)
    states = {each.state for each in batch.ratings() if each.item_id == declined.data["item_id"]}
    assert states == {RatingState.VALID, RatingState.SKIPPED}


def test_a_growing_part_adds_tasks_to_the_same_project(batch: PushedBatch) -> None:
    enrol(batch, "r3")
    part = add_rater(batch.store, batch.id, "r3", "curator-1", share=0.5)
    assert push(batch) == len(part.added) == 3
    project = batch.project("r3")
    batch.answer_all("r3")
    add_rater(batch.store, batch.id, "r3", "curator-1")
    assert push(batch) == 3
    assert batch.project("r3") == project
    tasks = batch.tasks("r3")
    assert Counter(task.data["item_id"] for task in tasks) == dict.fromkeys(batch.items, 1)
    batch.pull()
    assert sum(each.rater_id == "r3" for each in standing_of(batch.store, "sk").counted) == 3

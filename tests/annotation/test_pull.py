from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from servers import MemoryDesk, ServerDesk
from studies import FORM, NEUTRAL, PushedBatch, add_language, add_people, plan_batch, push_study

from annotation.batches import create_batch
from annotation.label_studio.markup import build_result
from annotation.label_studio.memory import MemoryServer
from annotation.label_studio.protocol import ServerTask
from annotation.pull import pull_batch
from annotation.push import push_batch
from corpus.errors import EngineError, StateError, UnreachableError
from corpus.records import Origin, RatingState
from corpus.store import Store

WOMAN = {"quality": 77, "gender_marked": "yes", "speaker_gender": "woman", "comment": "ž <b>&"}
UNSURE = {"quality": 0, "gender_marked": "unsure", "comment": "which?"}


def state_of(study: PushedBatch) -> tuple[RatingState, tuple[str, ...]]:
    """State and reasons of the only rating."""
    [rating] = study.ratings()
    return rating.state, rating.reasons


def test_answers_arrive_as_the_form_names_them(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk, ("r1", "r2"))
    study.answer("r1", 0, WOMAN, lead_time_s=9.5)
    study.answer("r1", 1, UNSURE)
    study.answer("r2", 0, NEUTRAL | {"quality": 100})
    pulled = study.pull()
    assert [(each.added, each.invalid, each.problems) for each in pulled] == [
        (2, 0, ()),
        (1, 0, ()),
    ]
    ratings = {(each.rater_id, each.item_id): each for each in study.ratings()}
    assert len(ratings) == 3
    first, second = (task.data["item_id"] for task in study.tasks("r1")[:2])
    assert ratings["r1", first].answers == WOMAN
    assert ratings["r1", first].lead_time_s == 9.5
    assert ratings["r1", first].answered_at == study.tasks("r1")[0].answers[0].updated_at
    assert ratings["r1", second].answers == UNSURE
    assert {each.state for each in ratings.values()} == {RatingState.VALID}
    assert all(each.stamp and each.stamp.origin is Origin.HUMAN for each in ratings.values())
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "batch pull"]
    assert [entry.subject for entry in entries] == [f"{study.id}/r1", f"{study.id}/r2"]
    assert entries[0].after["valid"] == 2


def test_an_unchanged_pull_adds_nothing(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, WOMAN)
    study.answer("r1", 1, {"quality": 500})
    study.answer("r1", 2, {}, cancelled=True)
    study.pull()
    with store.reading() as state:
        position = state.position
    assert [each.added for each in study.pull()] == [0]
    with store.reading() as state:
        assert state.position == position


def test_an_edit_is_a_revision_and_a_deletion_too(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    answer_id = study.answer("r1", 0, NEUTRAL)
    study.pull()
    study.sessions["r1"].change(answer_id, build_result(study.form, WOMAN))
    study.pull()
    study.sessions["r1"].delete(answer_id)
    study.pull()
    study.pull()
    assert [(each.state, each.answers["quality"]) for each in study.revisions()] == [
        (RatingState.VALID, 90),
        (RatingState.VALID, 77),
        (RatingState.DELETED, 77),
    ]
    study.answer("r1", 0, UNSURE)
    study.pull()
    assert sorted(each.state for each in study.ratings()) == ["deleted", "valid"]


def test_an_answer_that_is_there_again_counts_again(store: Store) -> None:
    """As after the server's own database was restored from a copy."""
    server = _ForgetfulServer()
    desk = MemoryDesk()
    desk.server = desk._memory = server
    study = push_study(store, desk)
    study.answer("r1", 0, WOMAN)
    study.pull()
    server.forgets = True
    study.pull()
    server.forgets = False
    study.pull()
    assert [each.state for each in study.revisions()] == ["valid", "deleted", "valid"]


class _ForgetfulServer(MemoryServer):
    forgets = False

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        tasks = super().fetch_tasks(project_id)
        return [replace(each, answers=()) for each in tasks] if self.forgets else tasks

    def fetch_changes(self, project_id: str, since: datetime, at_most: int) -> list[ServerTask]:
        return self.fetch_tasks(project_id)


def test_a_skip_is_no_answer_until_one_is_given(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, {}, cancelled=True)
    study.pull()
    assert state_of(study) == (RatingState.SKIPPED, ())
    answer_id = study.answer("r1", 0, WOMAN)
    study.pull()
    skip, given = sorted(study.ratings(), key=lambda each: each.state)
    assert (given.state, given.answers) == (RatingState.VALID, WOMAN)
    assert (skip.state, skip.reasons) == (RatingState.INVALID, ("second_answer",))
    study.sessions["r1"].delete(answer_id)
    study.pull()
    assert sorted(each.state for each in study.ratings()) == ["deleted", "skipped"]


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        ({"quality": 500, "gender_marked": "no"}, ("out_of_range:quality",)),
        ({"quality": -1, "gender_marked": "no"}, ("out_of_range:quality",)),
        ({"quality": 50.5, "gender_marked": "no"}, ("not_a_whole_number:quality",)),
        ({"gender_marked": "no"}, ("missing:quality",)),
        ({"quality": 50}, ("missing:gender_marked",)),
        ({"quality": 50, "gender_marked": "yes"}, ("missing:speaker_gender",)),
        ({"quality": 50, "gender_marked": "unsure"}, ("missing:comment",)),
        ({"quality": 50, "gender_marked": "unsure", "comment": " "}, ("missing:comment",)),
        (
            {"quality": 50, "gender_marked": "no", "speaker_gender": "man"},
            ("not_shown:speaker_gender",),
        ),
        ({"quality": 50, "gender_marked": "perhaps"}, ("unknown_choice:gender_marked",)),
        ({}, ("missing:quality", "missing:gender_marked")),
    ],
)
def test_what_fails_validation_is_kept_as_invalid(
    store: Store, answers: Mapping[str, Any], reasons: tuple[str, ...]
) -> None:
    study = push_study(store, MemoryDesk())
    study.answer("r1", 0, answers)
    [pulled] = study.pull()
    assert (pulled.added, pulled.invalid) == (1, 1)
    assert state_of(study) == (RatingState.INVALID, reasons)
    [rating] = study.ratings()
    assert rating.answers == dict(answers)


def test_controls_that_the_form_does_not_have_are_named(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    task = study.tasks("r1")[0]
    odd = [
        {"from_name": "mood", "to_name": "mt_text", "type": "choices", "value": {"choices": ["a"]}},
        {"from_name": "stars", "to_name": "mt_text", "type": "rating", "value": {"rating": 3}},
    ]
    result = build_result(study.form, NEUTRAL)
    study.sessions["r1"].submit(task.id, [*result, *odd, result[0]])
    study.pull()
    state, reasons = state_of(study)
    assert state is RatingState.INVALID
    assert reasons == (
        "unreadable_control:stars",
        "repeated_control:quality",
        "unknown_field:mood",
    )


def test_an_answer_of_the_wrong_rater_does_not_take_the_right_ones_place(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk, ("r1", "r2"))
    task = study.tasks("r1")[0]
    study.sessions["r2"].submit(task.id, build_result(study.form, WOMAN))
    study.pull()
    assert state_of(study) == (RatingState.INVALID, ("wrong_rater",))
    study.answer("r1", 0, NEUTRAL)
    study.pull()
    [wrong, right] = sorted(study.ratings(), key=lambda each: each.state)
    assert (wrong.reasons, right.answers) == (("wrong_rater",), NEUTRAL)


def test_an_answer_written_in_anothers_name_is_invalid(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk, ("r1", "r2"))
    task = study.tasks("r1")[0]
    result = build_result(study.form, WOMAN)
    study.sessions["r2"].submit(task.id, result, completed_by=study.user_ids["r1"])
    study.pull()
    assert state_of(study) == (RatingState.INVALID, ("written_by_another",))


def test_an_answer_that_another_changed_is_invalid(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk, ("r1", "r2"))
    answer_id = study.answer("r1", 0, NEUTRAL)
    study.pull()
    study.sessions["r2"].change(answer_id, build_result(study.form, WOMAN))
    study.pull()
    assert state_of(study) == (RatingState.INVALID, ("written_by_another",))
    assert study.revisions()[0].answers == NEUTRAL


def test_only_the_first_valid_answer_counts(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, {"quality": 500})
    study.answer("r1", 0, NEUTRAL)
    study.answer("r1", 0, WOMAN)
    study.pull()
    found = {each.answers.get("quality"): (each.state, each.reasons) for each in study.ratings()}
    assert found[90] == (RatingState.VALID, ())
    assert found[77] == (RatingState.INVALID, ("second_answer",))
    assert found[500][0] is RatingState.INVALID


def test_an_answer_to_an_altered_text_is_invalid_and_stays_so(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    task = study.tasks("r1")[0]
    desk.change_task(task.id, {**task.data, "mt_text": "another text"})
    answer_id = study.answer("r1", 0, NEUTRAL)
    [pulled] = study.pull()
    assert [(each.code, each.about) for each in pulled.problems] == [
        ("task_altered", (task.data["item_id"],)),
        ("altered_task", (task.data["item_id"],)),
    ]
    assert state_of(study) == (RatingState.INVALID, ("altered_task",))
    desk.change_task(task.id, task.data)
    study.pull()
    # The text is right again, the answer was given to another one.
    assert state_of(study) == (RatingState.INVALID, ("altered_task",))
    study.sessions["r1"].change(answer_id, build_result(study.form, WOMAN))
    study.pull()
    assert state_of(study) == (RatingState.VALID, ())


def test_an_answer_that_was_pulled_before_the_text_was_altered_counts(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, NEUTRAL)
    study.pull()
    task = study.tasks("r1")[0]
    desk.change_task(task.id, {**task.data, "mt_text": "another text"})
    [pulled] = study.pull()
    assert [each.code for each in pulled.problems] == ["task_altered"]
    assert state_of(study) == (RatingState.VALID, ())


def test_strange_missing_and_repeated_tasks_are_named(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    first, second, _ = study.tasks("r1")
    desk.delete_task(second.id)
    study.add_tasks("r1", first, strange=True)
    study.answer("r1", 0, NEUTRAL)
    study.answer("r1", 2, WOMAN)
    study.answer("r1", 3, WOMAN)
    [pulled] = study.pull()
    assert [(each.code, each.count) for each in pulled.problems] == [
        ("task_missing", 1),
        ("task_foreign", 1),
        ("task_repeated", 1),
        ("second_answer", 1),
    ]
    found = {each.answers["quality"]: each.reasons for each in study.ratings()}
    assert found == {90: (), 77: ("second_answer",)}


def test_a_deleted_project_keeps_its_ratings(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, WOMAN)
    study.pull()
    before, lost = study.ratings(), study.project("r1")
    desk.delete_project(lost)
    [pulled] = study.pull()
    assert pulled.added == 0
    assert [(each.code, each.about) for each in pulled.problems] == [("project_missing", (lost,))]
    assert study.ratings() == before
    push_batch(store, desk.server, study.id, "curator-1")
    assert [each.added for each in study.pull()] == [0]
    assert study.ratings() == before
    study.answer("r1", 0, NEUTRAL)
    study.pull()
    assert [each.state for each in study.ratings()] == ["valid", "valid"]


class _BrokenProject(MemoryServer):
    """Cannot read one project, as Label Studio once text in it cannot be encoded."""

    broken = ""

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        if project_id == self.broken:
            raise EngineError(f"HTTP status 500 for project {project_id}")
        return super().fetch_tasks(project_id)


def test_a_project_the_server_cannot_read_keeps_nobody_back(store: Store) -> None:
    desk = MemoryDesk()
    desk.server = desk._memory = server = _BrokenProject()
    study = push_study(store, desk, ("r1", "r2"))
    study.answer("r2", 0, NEUTRAL)
    server.broken = study.project("r1")
    first, second = study.pull()
    assert "HTTP status 500" in str(first.problems[0])
    assert second.added == 1


def test_a_rater_without_an_account_is_named_until_she_has_one(
    store: Store, desk: ServerDesk
) -> None:
    domain = f"{uuid.uuid4().hex}.example.org"
    add_language(store, "sk", neutral=3, pairs=0)
    add_people(store, ("r1",), domain)
    created = create_batch(store, plan_batch("sk", 3, ("r1",)), "curator-1", Origin.HUMAN)
    [pushed] = push_batch(store, desk.server, created.batch.id, "curator-1")
    project = str(pushed.assignment.external_id)
    _, other = desk.add_rater(f"somebody@{domain}")
    task = desk.server.fetch_tasks(project)[0]
    other.submit(task.id, build_result(FORM, NEUTRAL))
    [pulled] = pull_batch(store, desk.server, created.batch.id, "curator-1")
    assert ([each.code for each in pulled.problems], pulled.added) == (["no_account"], 0)
    _, session = desk.add_rater(f"r1@{domain}")
    session.submit(task.id, build_result(FORM, WOMAN))
    [pulled] = pull_batch(store, desk.server, created.batch.id, "curator-1")
    assert ([each.code for each in pulled.problems], pulled.added) == (["wrong_rater"], 2)


def test_a_deleted_user_keeps_what_was_pulled(store: Store) -> None:
    desk = MemoryDesk()
    study = push_study(store, desk)
    study.answer("r1", 0, NEUTRAL)
    study.pull()
    desk._memory.delete_user(study.user_ids["r1"])
    [pulled] = pull_batch(store, desk.server, study.id, "curator-1", full=True)
    assert [each.code for each in pulled.problems] == ["no_account"]
    assert state_of(study) == (RatingState.VALID, ())
    # She signs up again: the server knows her under another number.
    user_id, session = desk.add_rater(next(iter(_addresses(store))))
    assert user_id != study.user_ids["r1"]
    session.submit(study.tasks("r1")[1].id, build_result(study.form, WOMAN))
    [pulled] = pull_batch(store, desk.server, study.id, "curator-1", full=True)
    assert (pulled.added, pulled.problems) == (1, ())
    assert {each.state for each in study.ratings()} == {RatingState.VALID}


def _addresses(store: Store) -> frozenset[str]:
    with store.reading() as state:
        return state.log_in_addresses()["r1"]


def test_a_batch_that_was_not_pushed_has_nothing_to_pull(store: Store) -> None:
    add_language(store, "sk", neutral=3, pairs=0)
    add_people(store, ("r1",))
    created = create_batch(store, plan_batch("sk", 3, ("r1",)), "curator-1", Origin.HUMAN)
    assert pull_batch(store, MemoryServer(), created.batch.id, "curator-1") == []


def test_an_unreachable_server_and_an_unknown_batch_are_refused(store: Store) -> None:
    desk = MemoryDesk()
    study = push_study(store, desk)
    study.answer("r1", 0, NEUTRAL)
    desk._memory.reachable = False
    with pytest.raises(UnreachableError, match="does not answer"):
        study.pull()
    assert study.ratings() == []
    with pytest.raises(StateError, match="no batch nothing"):
        pull_batch(store, desk.server, "nothing", "curator-1")

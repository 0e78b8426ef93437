"""What raters do to each other's projects: noticed by a pull, set right by a repair."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from servers import ServerDesk
from studies import FORM, NEUTRAL, PushedBatch, push_study

from annotation.label_studio.markup import build_result
from annotation.problems import PROJECT_SENTENCES, REPAIRED, TASK_SENTENCES, describe_problem
from annotation.pull import pull_batch
from annotation.repair import Repair, repair_batch
from annotation.tasks import build_tasks
from corpus.errors import StateError
from corpus.records import AssignmentState, RatingState
from corpus.store import Store

WOMAN = {"quality": 77, "gender_marked": "yes", "speaker_gender": "woman"}
RATERS = ("r1", "r2")


def repair(study: PushedBatch, *, dry_run: bool = False) -> list[Repair]:
    return repair_batch(study.store, study.desk.server, study.id, "curator-1", dry_run=dry_run)


def outcomes(found: list[Repair]) -> list[tuple[str, str, str]]:
    return sorted((each.assignment_id[-2:], each.code, each.outcome) for each in found)


def noted(study: PushedBatch) -> dict[str, set[str]]:
    """Problem codes of each rater's pull mark."""
    with study.store.reading() as state:
        ids = [each.id for each in state.assignments([study.id])]
        marks = state.pull_marks(ids)
    return {each[-2:]: {problem["code"] for problem in marks[each].problems} for each in marks}


def ratings_of(study: PushedBatch, rater: str) -> dict[str, RatingState]:
    return {each.source_id: each.state for each in study.ratings() if each.rater_id == rater}


def tamper(study: PushedBatch) -> None:
    """r1 loses the first task, gets the second's text changed, the third again and a strange one;
    another look, other settings; r2 loses her project."""
    desk = study.desk
    first, second, third = study.tasks("r1")
    desk.delete_task(first.id)
    desk.change_task(second.id, {**second.data, "mt_text": "another text"})
    study.add_tasks("r1", third, strange=True)
    desk.change_project(
        study.project("r1"), title="Renamed", description="mine", show_collab_predictions=True
    )
    desk.delete_project(study.project("r2"))


def test_whatever_was_done_is_noticed_and_repaired_without_losing_an_answer(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk, RATERS)
    for rater in RATERS:
        study.answer_all(rater)
    study.pull()
    before = {rater: ratings_of(study, rater) for rater in RATERS}
    lost = study.project("r2")
    tamper(study)
    changed = {"project_changed", "task_missing", "task_altered", "task_foreign", "task_repeated"}
    study.pull()
    assert noted(study) == {"r1": changed, "r2": {"project_missing"}}
    # Nothing that was pulled is lost, whatever was deleted.
    assert {rater: ratings_of(study, rater) for rater in RATERS} == before

    expected = [("r1", code) for code in sorted(changed)] + [("r2", "project_missing")]
    dry = outcomes(repair(study, dry_run=True))
    assert dry == [(rater, code, "to do") for rater, code in expected]
    assert noted(study) == {"r1": changed, "r2": {"project_missing"}}
    assert outcomes(repair(study)) == [(rater, code, "done") for rater, code in expected]

    assert noted(study) == {"r1": set(), "r2": set()}
    assert study.project("r2") != lost
    with store.reading() as state:
        for each in state.assignments([study.id]):
            wanted = build_tasks(study.form, each, study.items)
            if each.rater_id == "r2":
                # What she answered stands; she is not asked for it again.
                wanted = {}
            tasks = [dict(task.data) for task in study.tasks(each.rater_id)]
            assert {task["item_id"]: task for task in tasks} == wanted
            assert len(tasks) == len(wanted)
    assert {rater: ratings_of(study, rater) for rater in RATERS} == before
    assert repair(study) == []
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "batch repair"]
    assert {each.subject[-2:]: set(each.after) for each in entries} == {
        "r1": changed,
        "r2": {"project_missing"},
    }
    # The task that was made again can be answered again; the later answer counts.
    study.answer("r1", 2, WOMAN)
    [pulled, _] = study.pull()
    assert (pulled.added, pulled.problems) == (1, ())


def test_settings_are_restored_though_an_answer_holds_a_strange_control(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    odd = {"from_name": "mood", "to_name": "mt_text", "type": "choices", "value": {"choices": []}}
    session = study.sessions["r1"]
    session.submit(study.tasks("r1")[0].id, [*build_result(FORM, NEUTRAL), odd])
    desk.change_project(study.project("r1"), title="Renamed", show_collab_predictions=True)
    [found] = repair(study)
    assert (found.outcome, found.about) == ("done", ("title", "show_collab_predictions"))
    assert "project_changed" not in noted(study)["r1"]


def test_a_task_that_somebody_answered_is_never_deleted(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    first = study.tasks("r1")[0]
    study.add_tasks("r1", first, strange=True)
    *_, again, foreign = study.tasks("r1")
    session = study.sessions["r1"]
    session.submit(first.id, build_result(FORM, NEUTRAL))
    session.submit(again.id, build_result(FORM, WOMAN))
    session.save_draft(foreign.id, build_result(FORM, WOMAN))
    assert outcomes(repair(study)) == [
        ("r1", "task_foreign", "answered"),
        ("r1", "task_repeated", "answered"),
    ]
    assert len(study.tasks("r1")) == 5
    assert sorted(each.state for each in study.ratings()) == ["invalid", "valid"]
    assert noted(study)["r1"] == {"task_foreign", "task_repeated", "second_answer"}


def test_of_a_repeated_task_the_answered_one_is_kept(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    first = study.tasks("r1")[0]
    study.add_tasks("r1", first)
    again = study.tasks("r1")[-1]
    study.sessions["r1"].submit(again.id, build_result(FORM, NEUTRAL))
    assert outcomes(repair(study)) == [("r1", "task_repeated", "done")]
    assert first.id not in {task.id for task in study.tasks("r1")}
    [rating] = study.ratings()
    assert rating.state is RatingState.VALID


def test_a_task_whose_item_was_changed_is_known_by_its_answer(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, NEUTRAL)
    study.pull()
    task = study.tasks("r1")[0]
    desk.change_task(task.id, {**task.data, "item_id": "nothing"})
    [pulled] = study.pull()
    assert [each.code for each in pulled.problems] == ["task_missing", "task_foreign"]
    assert [each.state for each in study.ratings()] == [RatingState.VALID]
    assert outcomes(repair(study)) == [("r1", "task_altered", "done")]
    assert dict(study.tasks("r1")[0].data) == dict(task.data)
    assert [each.state for each in study.revisions()] == [RatingState.VALID]


def test_one_who_left_keeps_her_answers_and_loses_her_open_tasks(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    study.answer("r1", 0, NEUTRAL)
    study.pull()
    with store.writing() as writer:
        [mine] = writer.assignments([study.id])
        left = replace(mine, item_ids=mine.item_ids[:1], state=AssignmentState.LEFT, stamp=None)
        writer.append([left])
    study.answer("r1", 1, WOMAN)
    [pulled] = study.pull()
    assert [(each.code, each.count) for each in pulled.problems] == [
        ("task_withdrawn", 2),
        ("not_assigned", 1),
    ]
    assert outcomes(repair(study)) == [
        ("r1", "task_withdrawn", "answered"),
        ("r1", "task_withdrawn", "done"),
    ]
    assert len(study.tasks("r1")) == 2
    assert sorted(each.state for each in study.ratings()) == ["invalid", "valid"]


def test_a_draft_is_kept_as_a_draft_until_it_is_submitted_or_dropped(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk)
    session, task = study.sessions["r1"], study.tasks("r1")[0]
    draft_id = session.save_draft(task.id, build_result(FORM, WOMAN))
    [pulled] = study.pull()
    assert [(each.code, each.count) for each in pulled.problems] == [("draft", 1)]
    [rating] = study.ratings()
    assert (rating.state, rating.answers) == (RatingState.DRAFT, WOMAN)
    session.delete_draft(draft_id)
    session.submit(task.id, build_result(FORM, WOMAN))
    [pulled] = study.pull()
    assert pulled.problems == ()
    assert sorted(each.state for each in study.ratings()) == ["deleted", "valid"]


def test_a_deleted_answer_is_listed_until_there_is_another(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk)
    answer_id = study.answer("r1", 0, NEUTRAL)
    study.pull()
    study.sessions["r1"].delete(answer_id)
    [pulled] = study.pull()
    assert [each.code for each in pulled.problems] == ["answer_deleted"]
    study.answer("r1", 0, WOMAN)
    [pulled] = study.pull()
    assert pulled.problems == ()


def test_a_repair_counts_the_projects_there_are(store: Store, desk: ServerDesk) -> None:
    study = push_study(store, desk, RATERS)
    with store.writing() as writer:
        [_, second] = writer.assignments([study.id])
        writer.append([replace(second, rater_id="r3", external_id=None, stamp=None)])
    steps: list[None] = []
    repair_batch(
        store, desk.server, study.id, "curator-1", advance=lambda: steps.append(None), dry_run=True
    )
    assert len(steps) == 2


def test_an_unknown_batch_is_refused(store: Store, desk: ServerDesk) -> None:
    with pytest.raises(StateError, match="no batch nothing"):
        repair_batch(store, desk.server, "nothing", "curator-1")


def test_every_problem_is_said_in_a_sentence() -> None:
    for code in (*PROJECT_SENTENCES, *TASK_SENTENCES):
        text = describe_problem({"code": code, "count": 2, "about": ["a", "b"]})
        assert text.count("{") == 0
        assert text.endswith(("sets it right.", ".", ": a, b"))
        assert ("`batch repair`" in text) == (code in REPAIRED)


def test_a_pull_of_nothing_new_reads_no_task(
    store: Store, desk: ServerDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if a minute passed after each change; the server's time is given in whole seconds.
    monkeypatch.setattr("annotation.project_pull.SETTLED_AFTER", timedelta(seconds=-2))
    study = push_study(store, desk, RATERS)
    study.answer_all("r1")
    assert [each.tasks_read for each in study.pull()] == [3, 3]
    with store.reading() as state:
        position = state.position
    assert [each.tasks_read for each in study.pull()] == [0, 0]
    study.answer("r2", 1, NEUTRAL)
    assert [(each.tasks_read, each.added) for each in study.pull()] == [(0, 0), (1, 1)]
    full = pull_batch(store, desk.server, study.id, "curator-1", full=True)
    assert [(each.tasks_read, each.added) for each in full] == [(3, 0), (3, 0)]
    with store.reading() as state:
        assert state.position > position

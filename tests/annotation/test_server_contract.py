"""What holds of every annotation server: the one in memory and the real Label Studio 1.23.2."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from servers import ServerDesk

from annotation.label_studio.markup import build_config, build_instruction_html, build_result
from annotation.label_studio.protocol import (
    AnnotationServer,
    ProjectSpec,
    ServerAnswer,
    ServerProject,
)
from corpus.errors import EngineError, ProjectMissingError, UnreachableError
from corpus.forms import load_form

FORM = load_form("sentence", 1)
TEXTS = [
    {"item_id": "b/0001", "src_text": 'I <b>"cry"</b> & laugh.', "mt_text": "Plačem &amp; 🙂."},
    {"item_id": "b/0002", "src_text": "I'm 😀", "mt_text": "‏אני בוכה‏ {GENDER1}"},
    {"item_id": "b/0003", "src_text": "NA", "mt_text": "=1+1"},
]  # fmt: skip
WOMAN = {"quality": 50, "gender_marked": "yes", "speaker_gender": "woman", "comment": "ž <i>"}
UNSURE = {"quality": 0, "gender_marked": "unsure", "comment": "which?"}


def make_spec(
    description: str, title: str = "Rate a translated sentence", config: str = build_config(FORM)
) -> ProjectSpec:
    return ProjectSpec(title, description, config, build_instruction_html(FORM))


def make_project(server: AnnotationServer, description: str = "") -> ServerProject:
    return server.create_project(make_spec(description or uuid.uuid4().hex))


def make_task(server: AnnotationServer) -> tuple[str, str]:
    """A project with one task: their ids."""
    project = make_project(server)
    server.import_tasks(project.id, TEXTS[:1])
    return project.id, server.fetch_tasks(project.id)[0].id


def only_answer(server: AnnotationServer, project_id: str) -> ServerAnswer:
    [task] = server.fetch_tasks(project_id)
    [answer] = task.answers
    return answer


def test_check_gives_a_version(desk: ServerDesk) -> None:
    assert desk.server.check() in {"in memory", "1.23.2"}


def test_a_created_project_is_found_by_its_description(desk: ServerDesk) -> None:
    description = f"assignment {uuid.uuid4().hex}/rater-sk-1"
    project = make_project(desk.server, description)
    found = [each for each in desk.server.find_projects() if each.description == description]
    assert found == [project]
    assert project.id in desk.server.labelling_url(project.id)


@pytest.mark.parametrize("title", ["T", "T" * 51])
def test_a_title_of_a_wrong_length_is_refused(desk: ServerDesk, title: str) -> None:
    with pytest.raises(EngineError, match="HTTP status 400"):
        desk.server.create_project(make_spec("d", title))


def test_a_configuration_that_is_no_xml_is_refused(desk: ServerDesk) -> None:
    with pytest.raises(EngineError, match="HTTP status 400"):
        desk.server.create_project(make_spec("d", config="<View>"))


def test_tasks_come_back_literally_and_in_order(desk: ServerDesk) -> None:
    project = make_project(desk.server)
    assert desk.server.fetch_tasks(project.id) == []
    desk.server.import_tasks(project.id, TEXTS[:2])
    desk.server.import_tasks(project.id, TEXTS[2:])
    fetched = desk.server.fetch_tasks(project.id)
    assert [dict(task.data) for task in fetched] == TEXTS
    assert [task.answers for task in fetched] == [(), (), ()]


def test_a_second_import_doubles_the_tasks(desk: ServerDesk) -> None:
    project = make_project(desk.server)
    desk.server.import_tasks(project.id, TEXTS)
    desk.server.import_tasks(project.id, TEXTS)
    assert [dict(task.data) for task in desk.server.fetch_tasks(project.id)] == TEXTS * 2


def test_a_task_without_a_text_the_form_shows_is_refused_with_all_others(desk: ServerDesk) -> None:
    project = make_project(desk.server)
    with pytest.raises(EngineError, match="HTTP status 400"):
        desk.server.import_tasks(project.id, [TEXTS[0], {"item_id": "b/0002", "src_text": "x"}])
    assert desk.server.fetch_tasks(project.id) == []


def test_users_are_found_by_their_address_in_lower_case(desk: ServerDesk) -> None:
    user_id, _ = desk.add_rater("Lower.Case@example.org")
    assert desk.server.user_ids()["lower.case@example.org"] == user_id
    assert user_id not in (1, None)


@pytest.mark.parametrize("answers", [WOMAN, UNSURE])
def test_an_answer_says_who_gave_it_and_when(desk: ServerDesk, answers: dict[str, object]) -> None:
    user_id, session = desk.add_rater("answers@example.org")
    project_id, task_id = make_task(desk.server)
    result = build_result(FORM, answers)
    answer_id = session.submit(task_id, result, lead_time_s=12.5)
    answer = only_answer(desk.server, project_id)
    assert answer.id == answer_id
    assert (answer.completed_by, answer.updated_by) == (user_id, user_id)
    assert json.loads(json.dumps(list(answer.result))) == result
    assert not answer.cancelled
    assert answer.lead_time_s == 12.5
    assert answer.updated_at is not None
    assert answer.updated_at.tzinfo is not None
    assert answer.updated_at > datetime(2026, 1, 1, tzinfo=UTC)
    assert session.fetch_tasks(project_id) == desk.server.fetch_tasks(project_id)


def test_a_skip_is_cancelled_and_can_be_taken_back(desk: ServerDesk) -> None:
    _, session = desk.add_rater("skips@example.org")
    project_id, task_id = make_task(desk.server)
    answer_id = session.submit(task_id, [], cancelled=True)
    assert only_answer(desk.server, project_id).cancelled
    session.change(answer_id, build_result(FORM, WOMAN))
    taken_back = only_answer(desk.server, project_id)
    assert (taken_back.id, taken_back.cancelled) == (answer_id, False)


def test_an_edit_moves_the_time_and_names_who_made_it(desk: ServerDesk) -> None:
    user_id, session = desk.add_rater("edited@example.org")
    other_id, other = desk.add_rater("editor@example.org")
    project_id, task_id = make_task(desk.server)
    answer_id = session.submit(task_id, build_result(FORM, WOMAN))
    before = only_answer(desk.server, project_id)
    other.change(answer_id, build_result(FORM, UNSURE))
    after = only_answer(desk.server, project_id)
    assert (after.completed_by, after.updated_by) == (user_id, other_id)
    assert before.updated_at is not None
    assert after.updated_at is not None
    assert after.updated_at > before.updated_at


def test_a_deleted_answer_leaves_no_trace(desk: ServerDesk) -> None:
    _, session = desk.add_rater("deleted@example.org")
    _, other = desk.add_rater("deleter@example.org")
    project_id, task_id = make_task(desk.server)
    answer_id = session.submit(task_id, build_result(FORM, WOMAN))
    other.delete(answer_id)
    [task] = desk.server.fetch_tasks(project_id)
    assert task.answers == ()
    with pytest.raises(EngineError, match="404"):
        session.delete(answer_id)


def test_the_server_checks_next_to_nothing(desk: ServerDesk) -> None:
    """Why every pulled answer is validated: all of this is accepted."""
    user_id, _ = desk.add_rater("victim@example.org")
    other_id, other = desk.add_rater("impostor@example.org")
    project_id, task_id = make_task(desk.server)
    odd = [{"from_name": "mood", "to_name": "mt_text", "type": "rating", "value": {"rating": 3}}]
    for result in ([], odd, build_result(FORM, WOMAN | {"quality": 500})):
        other.submit(task_id, result, completed_by=user_id)
    [task] = desk.server.fetch_tasks(project_id)
    assert [len(answer.result) for answer in task.answers] == [0, 1, 4]
    assert {(each.completed_by, each.updated_by) for each in task.answers} == {(user_id, other_id)}


def test_a_task_can_be_altered_and_deleted_by_anybody(desk: ServerDesk) -> None:
    project = make_project(desk.server)
    desk.server.import_tasks(project.id, TEXTS)
    first, second, third = desk.server.fetch_tasks(project.id)
    altered = {**first.data, "mt_text": "other"}
    desk.change_task(first.id, altered)
    desk.delete_task(second.id)
    left = {task.id: dict(task.data) for task in desk.server.fetch_tasks(project.id)}
    assert left == {first.id: altered, third.id: dict(third.data)}


def test_changes_are_what_changed_since_and_what_has_a_draft(desk: ServerDesk) -> None:
    _, session = desk.add_rater("changes@example.org")
    project = make_project(desk.server)
    desk.server.import_tasks(project.id, TEXTS)
    first, second, third = desk.server.fetch_tasks(project.id)

    def changed_by(change: Callable[[], object]) -> list[str]:
        """Ids of the tasks that a change is seen in, by who knows all that was before it."""
        tasks = desk.server.fetch_tasks(project.id)
        since = max(task.updated_at for task in tasks if task.updated_at is not None)
        assert desk.server.fetch_changes(project.id, since, 9) == [t for t in tasks if t.drafts]
        change()
        changes = desk.server.fetch_changes(project.id, since, 9)
        assert changes is not None
        if changes:
            assert desk.server.fetch_changes(project.id, since, len(changes) - 1) is None
        present = desk.server.fetch_tasks(project.id)
        assert [each for each in present if each in changes] == changes
        return [each.id for each in changes]

    result = build_result(FORM, WOMAN)
    answer_id = ""

    def submit() -> None:
        nonlocal answer_id
        answer_id = session.submit(first.id, result)

    assert changed_by(submit) == [first.id]
    assert changed_by(lambda: session.change(answer_id, build_result(FORM, UNSURE))) == [first.id]
    assert changed_by(lambda: session.change(answer_id, [], cancelled=True)) == [first.id]
    assert changed_by(lambda: session.delete(answer_id)) == [first.id]
    assert changed_by(lambda: session.submit(third.id, [], cancelled=True)) == [third.id]
    assert changed_by(lambda: desk.change_task(second.id, TEXTS[0])) == [second.id]
    assert changed_by(lambda: desk.delete_task(third.id)) == []
    assert [each.tasks for each in desk.server.find_projects() if each.id == project.id] == [2]
    draft_id = ""

    def begin() -> None:
        nonlocal draft_id
        draft_id = session.save_draft(second.id, result)

    assert changed_by(begin) == [second.id]
    assert changed_by(lambda: session.delete_draft(draft_id)) == []


def test_a_draft_is_told_from_an_answer(desk: ServerDesk) -> None:
    _, session = desk.add_rater("Drafts@example.org")
    project_id, task_id = make_task(desk.server)
    result = build_result(FORM, UNSURE)
    draft_id = session.save_draft(task_id, result)
    [task] = desk.server.fetch_tasks(project_id)
    [draft] = task.drafts
    assert task.answers == ()
    assert (draft.id, draft.address, list(draft.result)) == (
        draft_id,
        "drafts@example.org",
        result,
    )
    assert draft.updated_at is not None


def test_a_time_is_the_servers_own(desk: ServerDesk) -> None:
    before = desk.server.fetch_time()
    _, session = desk.add_rater("time@example.org")
    project_id, task_id = make_task(desk.server)
    session.submit(task_id, build_result(FORM, WOMAN))
    [task] = desk.server.fetch_tasks(project_id)
    assert task.updated_at is not None
    # The server says whole seconds.
    assert before <= task.updated_at <= desk.server.fetch_time() + timedelta(seconds=1)


def test_a_project_is_set_up_as_asked_and_can_be_restored(desk: ServerDesk) -> None:
    spec = make_spec(uuid.uuid4().hex)
    project_id, _ = make_task(desk.server)
    made = desk.server.create_project(spec)
    desk.server.import_tasks(made.id, TEXTS)

    def found() -> ServerProject:
        [project] = [each for each in desk.server.find_projects() if each.id == made.id]
        return project

    assert found() == ServerProject(made.id, spec, 3)
    config = build_config(FORM).replace('max="100"', 'max="10"')
    desk.change_project(
        made.id,
        title="Another",
        description="x",
        label_config=config,
        show_collab_predictions=True,
        sampling="Uniform sampling",
        expert_instruction="Just click.",
    )
    assert spec.differences(found().spec) == (
        "title",
        "description",
        "label_config",
        "expert_instruction",
        "show_collab_predictions",
        "sampling",
    )
    desk.server.restore_project(made.id, spec, spec.differences(found().spec))
    assert found() == ServerProject(made.id, spec, 3)
    desk.delete_project(project_id)
    with pytest.raises(ProjectMissingError):
        desk.server.restore_project(project_id, spec, ["title"])


def test_an_answer_with_a_strange_control_holds_the_configuration(desk: ServerDesk) -> None:
    project_id, task_id = make_task(desk.server)
    _, session = desk.add_rater("anna@example.org")
    odd = {"from_name": "mood", "to_name": "mt_text", "type": "choices", "value": {"choices": []}}
    session.submit(task_id, [odd])
    spec = make_spec(uuid.uuid4().hex)
    with pytest.raises(EngineError, match="400"):
        desk.server.restore_project(project_id, spec, ["label_config"])
    desk.server.restore_project(project_id, spec, ["title", "description"])
    [project] = [each for each in desk.server.find_projects() if each.id == project_id]
    assert project.spec == spec


def test_only_a_task_nobody_answered_is_deleted(desk: ServerDesk) -> None:
    _, session = desk.add_rater("keeps@example.org")
    project = make_project(desk.server)
    desk.server.import_tasks(project.id, TEXTS)
    first, second, third = desk.server.fetch_tasks(project.id)
    session.submit(first.id, [], cancelled=True)
    session.save_draft(second.id, build_result(FORM, WOMAN))
    gone = [
        desk.server.delete_unanswered_task(project.id, each.id)
        for each in (first, second, third, third)
    ]
    assert gone == [False, False, True, True]
    left = [task.id for task in desk.server.fetch_tasks(project.id)]
    assert left == [first.id, second.id]


def test_a_deleted_project_is_missing(desk: ServerDesk) -> None:
    project = make_project(desk.server)
    _, session = desk.add_rater("missing@example.org")
    desk.delete_project(project.id)
    assert project.id not in {each.id for each in desk.server.find_projects()}
    with pytest.raises(ProjectMissingError, match=f"no project {project.id}"):
        desk.server.fetch_tasks(project.id)
    with pytest.raises(ProjectMissingError, match=f"no project {project.id}"):
        desk.server.import_tasks(project.id, TEXTS)
    with pytest.raises(ProjectMissingError, match=f"no project {project.id}"):
        session.fetch_tasks(project.id)


def test_a_wrong_token_is_refused(desk: ServerDesk) -> None:
    server = desk.open_with_wrong_token()
    for call in (server.check, server.user_ids, server.find_projects):
        with pytest.raises(UnreachableError, match="refuses the token"):
            call()


def test_an_unreachable_server_is_one_sentence(desk: ServerDesk) -> None:
    server = desk.open_unreachable()
    with pytest.raises(UnreachableError, match="does not answer"):
        server.check()
    with pytest.raises(UnreachableError, match="does not answer"):
        make_project(server)

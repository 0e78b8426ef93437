"""A sample of models' answers goes to people and comes back, in memory and on Label Studio."""

from __future__ import annotations

import uuid

import pytest
from servers import MemoryDesk, RealDesk, ServerDesk

from annotation.judged_answers import pull_judged_answers, push_judged_answers
from annotation.label_studio.markup import build_result
from corpus.forms import load_form

SAMPLE = {
    f"key{number}": {
        "prompt": f"Are storks <b>rude</b> {{GENDER}} & {number}?",
        "answer": "No.\nNever $answer",
        "sought": "It passes if the answer is one of these.",
        "expected": "No | Never",
    }
    for number in range(6)
}


@pytest.fixture(params=["memory", pytest.param("real", marks=pytest.mark.label_studio)])
def desk(request: pytest.FixtureRequest) -> ServerDesk:
    if request.param == "memory":
        return MemoryDesk()
    real: RealDesk = request.getfixturevalue("real_desk")
    return real


def test_sample_goes_out_once_and_verdicts_come_back(desk: ServerDesk) -> None:
    mark = uuid.uuid4().hex[:16]
    links = push_judged_answers(desk.server, mark, SAMPLE, 2, "A study of long name " * 4)
    assert push_judged_answers(desk.server, mark, SAMPLE, 2, "A study of long name " * 4) == links
    projects = [each for each in desk.server.find_projects() if mark in each.description]
    assert sorted(each.tasks for each in projects) == [6, 6]
    assert all(len(each.title) <= 50 for each in projects)
    mine = next(each for each in projects if each.description.endswith("/1"))
    _, session = desk.add_rater(f"{mark}@people.example")
    tasks = session.fetch_tasks(mine.id)
    assert {str(task.data["answer"]) for task in tasks} == {"No.\nNever $answer"}
    form = load_form("judged_answer")
    for task, verdict in zip(tasks, ["passed", "failed", "unclear"], strict=False):
        answers = {"verdict": verdict, "comment": "why" if verdict == "unclear" else None}
        session.submit(task.id, build_result(form, answers))
    session.submit(tasks[3].id, [], cancelled=True)
    first, second = pull_judged_answers(desk.server, mark)
    said = [first.verdicts.get(str(task.data["sample"])) for task in tasks]
    assert said == ["passed", "failed", "unclear", None, None, None]
    assert (dict(second.verdicts), second.unreadable) == ({}, 0)

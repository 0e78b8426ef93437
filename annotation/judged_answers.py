"""Answers of models in Label Studio: a sample for people, a project each, and what they said.

These are no items of the study: nothing about them stands in its tables. A project is found again
by its description, so that a repeated command neither makes a second one nor adds a task twice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.label_studio.markup import (
    build_config,
    build_instruction_html,
    place_data,
    read_result,
)
from annotation.label_studio.protocol import (
    AnnotationServer,
    ProjectSpec,
    ServerProject,
    ServerTask,
)
from corpus.errors import StateError
from corpus.forms import load_form

FORM_ID = "judged_answer"
KEY = "sample"
VERDICT = "verdict"
TITLE_LENGTH = 50


@dataclass(frozen=True, slots=True)
class PulledVerdicts:
    """What one person said."""

    number: int
    """Of the person, from 1 on."""
    verdicts: Mapping[str, str]
    """Key of an answer → verdict."""
    unreadable: int
    """Answers that hold no verdict of the form, or are of no task of the sample."""


def push_judged_answers(
    server: AnnotationServer,
    mark: str,
    sample: Mapping[str, Mapping[str, str]],
    people: int,
    title: str,
) -> tuple[str, ...]:
    """Addresses where people judge the sample, a project and an own order for each.

    Args:
        server: Label Studio.
        mark: names the judging, and so the sample.
        sample: key of an answer → texts by the form's names.
        people: how many judge all of it.
        title: what the projects are called.

    Raises:
        StateError: if a project of this mark holds other answers.
    """
    found = _find(server, mark)
    addresses = []
    for number in range(1, people + 1):
        project = found.get(number) or server.create_project(_spec(mark, number, title))
        known = {str(task.data.get(KEY)) for task in server.fetch_tasks(project.id)}
        if known - set(sample):
            raise StateError(
                f"Project {project.title} holds another sample; delete it in Label Studio, or ask "
                "for the same number of answers as before."
            )
        tasks = [
            task for task in _build_tasks(sample, f"{mark} {number}") if task[KEY] not in known
        ]
        if tasks:
            server.import_tasks(project.id, tasks)
        addresses.append(server.labelling_url(project.id))
    return tuple(addresses)


def pull_judged_answers(server: AnnotationServer, mark: str) -> tuple[PulledVerdicts, ...]:
    """What each person said, by number; the latest answer to a task counts, a skipped one not."""
    pulled = []
    for number, project in sorted(_find(server, mark).items()):
        verdicts: dict[str, str] = {}
        unreadable = 0
        for task in server.fetch_tasks(project.id):
            said = _read_verdict(task)
            if said is None:
                unreadable += bool(task.answers) or not task.is_readable
            else:
                verdicts[str(task.data[KEY])] = said
        pulled.append(PulledVerdicts(number, verdicts, unreadable))
    return tuple(pulled)


def _find(server: AnnotationServer, mark: str) -> dict[int, ServerProject]:
    """The projects of a mark by the person's number; of two alike the first."""
    found: dict[int, ServerProject] = {}
    for project in server.find_projects():
        begin, slash, number = project.description.rpartition("/")
        if slash and begin == _describe(mark) and number.isascii() and number.isdigit():
            found.setdefault(int(number), project)
    return found


def _describe(mark: str) -> str:
    return f"stereoscope-judged-answers:{mark}"


def _spec(mark: str, number: int, title: str) -> ProjectSpec:
    form = load_form(FORM_ID)
    end = f" {number}"
    return ProjectSpec(
        title=title[: TITLE_LENGTH - len(end)] + end,
        description=f"{_describe(mark)}/{number}",
        config=build_config(form),
        instruction_html=build_instruction_html(form),
    )


def _build_tasks(sample: Mapping[str, Mapping[str, str]], seed: str) -> Iterator[dict[str, str]]:
    form = load_form(FORM_ID)
    keys: Sequence[str] = sorted(sample)
    order = random.Random(seed).sample(keys, len(keys))
    for place, key in enumerate(order, start=1):
        yield {**sample[key], KEY: key, **place_data(form, place, len(order))}


def _read_verdict(task: ServerTask) -> str | None:
    answers = [each for each in task.answers if not each.cancelled]
    if not answers or KEY not in task.data:
        return None
    # Where no time is told, what was stored later counts.
    latest = max(
        enumerate(answers),
        key=lambda each: (each[1].updated_at is not None, each[1].updated_at or 0, each[0]),
    )[1]
    said, problems = read_result(latest.result)
    choices = next(each for each in load_form(FORM_ID).fields if each.name == VERDICT).choices
    verdict = said.get(VERDICT)
    if problems or not isinstance(verdict, str):
        return None
    return verdict if verdict in choices else None

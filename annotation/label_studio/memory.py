"""A labelling server in memory that behaves as Label Studio Community was measured to behave.

It trusts everybody as the real one does: any user may answer, change and delete anything. One
contract suite runs on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

from annotation.label_studio.protocol import ServerAnswer, ServerProject, ServerTask
from corpus.errors import EngineError, ProjectMissingError, UnreachableError

VERSION = "in memory"
URL = "memory:"
TITLE_LENGTHS = range(3, 51)
FIRST_TIME = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Project:
    project: ServerProject
    names: frozenset[str]
    """What a task's data must hold for the configuration."""
    tasks: dict[str, ServerTask] = field(default_factory=dict)


class MemoryServer:
    """An `AnnotationServer` without a server."""

    def __init__(self, *, reachable: bool = True, accepts_token: bool = True) -> None:
        """An empty server.

        Args:
            reachable: Whether it answers at all; may be set later.
            accepts_token: Whether the administrator's token is valid; may be set later.
        """
        self.reachable = reachable
        self.accepts_token = accepts_token
        self._users: dict[str, int] = {"admin@example.org": 1}
        self._projects: dict[str, _Project] = {}
        self._last_id = 0
        self._now = FIRST_TIME

    def check(self) -> str:
        """Version of the server."""
        self.answer_call()
        return VERSION

    def user_ids(self) -> Mapping[str, int]:
        """E-mail address (lower case) → user id of all users."""
        self.answer_call()
        return dict(self._users)

    def find_projects(self) -> list[ServerProject]:
        """All projects."""
        self.answer_call()
        return [each.project for each in self._projects.values()]

    def create_project(
        self, title: str, description: str, config: str, instruction_html: str
    ) -> ServerProject:
        """A new project; the instructions are not kept, because nobody reads them here."""
        self.answer_call()
        try:
            names = _task_names(config)
        except ET.ParseError:
            raise _refusal() from None
        if len(title) not in TITLE_LENGTHS:
            raise _refusal()
        project = ServerProject(self._next_id(), title, description)
        self._projects[project.id] = _Project(project, names)
        return project

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Adds tasks, all or none."""
        self.answer_call()
        project = self._project(project_id)
        if any(project.names - set(task) for task in tasks):
            raise _refusal()
        for data in tasks:
            task = ServerTask(self._next_id(), dict(data), ())
            project.tasks[task.id] = task

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers."""
        self.answer_call()
        return list(self._project(project_id).tasks.values())

    def labelling_url(self, project_id: str) -> str:
        """Address of the project; nobody can open it."""
        return f"{URL}/projects/{project_id}"

    def add_user(self, address: str) -> int:
        """User id of a rater, new if the address is."""
        return self._users.setdefault(address.lower(), len(self._users) + 1)

    def open_session(self, user_id: int) -> MemoryRaterSession:
        """A session of that user."""
        return MemoryRaterSession(self, user_id)

    def delete_project(self, project_id: str) -> None:
        """Deletes a project with its tasks and answers, as any user can."""
        self._project(project_id)
        del self._projects[project_id]

    def delete_task(self, task_id: str) -> None:
        """Deletes a task with its answers, as any user can."""
        del self._project_of_task(task_id).tasks[task_id]

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        """Replaces what a task holds, as any user can."""
        tasks = self._project_of_task(task_id).tasks
        tasks[task_id] = replace(tasks[task_id], data=dict(data))

    def answer_call(self) -> None:
        """Refuses a call as the real server would.

        Raises:
            UnreachableError: if the server is set not to answer or not to accept the token.
        """
        if not self.reachable:
            raise UnreachableError(f"Label Studio at {URL} does not answer.")
        if not self.accepts_token:
            raise UnreachableError(f"Label Studio at {URL} refuses the token.")

    def add_answer(self, task_id: str, answer: ServerAnswer) -> str:
        """Stores a new answer under an id and time of its own, and gives the id."""
        tasks = self._project_of_task(task_id).tasks
        stored = replace(answer, id=self._next_id(), updated_at=self._next_time())
        tasks[task_id] = replace(tasks[task_id], answers=(*tasks[task_id].answers, stored))
        return stored.id

    def replace_answer(self, answer_id: str, **values: Any) -> None:
        """Changes fields of an answer."""
        now = self._next_time()
        self._map_answer(answer_id, lambda each: (replace(each, updated_at=now, **values),))

    def remove_answer(self, answer_id: str) -> None:
        """Removes an answer without trace."""
        self._map_answer(answer_id, lambda _: ())

    def _map_answer(self, answer_id: str, change: Any) -> None:
        for project in self._projects.values():
            for task in project.tasks.values():
                if any(each.id == answer_id for each in task.answers):
                    changed: list[ServerAnswer] = []
                    for each in task.answers:
                        changed += change(each) if each.id == answer_id else (each,)
                    project.tasks[task.id] = replace(task, answers=tuple(changed))
                    return
        raise _refusal(404)

    def _project(self, project_id: str) -> _Project:
        if project_id not in self._projects:
            raise ProjectMissingError(f"Label Studio has no project {project_id} any more.")
        return self._projects[project_id]

    def _project_of_task(self, task_id: str) -> _Project:
        for project in self._projects.values():
            if task_id in project.tasks:
                return project
        raise _refusal(404)

    def _next_id(self) -> str:
        self._last_id += 1
        return str(self._last_id)

    def _next_time(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


class MemoryRaterSession:
    """A `RaterSession` on a server in memory."""

    def __init__(self, server: MemoryServer, user_id: int) -> None:
        self._server = server
        self._user_id = user_id

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers."""
        return self._server.fetch_tasks(project_id)

    def submit(
        self,
        task_id: str,
        result: Sequence[Mapping[str, Any]],
        *,
        cancelled: bool = False,
        lead_time_s: float | None = None,
        completed_by: int | None = None,
    ) -> str:
        """Adds an answer and gives its id."""
        self._server.answer_call()
        author = self._user_id if completed_by is None else completed_by
        answer = ServerAnswer(
            "", author, self._user_id, tuple(result), cancelled, None, lead_time_s
        )
        return self._server.add_answer(task_id, answer)

    def change(
        self, answer_id: str, result: Sequence[Mapping[str, Any]], *, cancelled: bool = False
    ) -> None:
        """Replaces the result of an answer."""
        self._server.answer_call()
        self._server.replace_answer(
            answer_id, result=tuple(result), cancelled=cancelled, updated_by=self._user_id
        )

    def delete(self, answer_id: str) -> None:
        """Deletes an answer."""
        self._server.answer_call()
        self._server.remove_answer(answer_id)


def _task_names(config: str) -> frozenset[str]:
    """Names of the task data that a configuration shows."""
    values = (each.get("value", "") for each in ET.fromstring(config).iter())
    return frozenset(value[1:] for value in values if value.startswith("$"))


def _refusal(status: int = 400) -> EngineError:
    return EngineError(f"Label Studio at {URL} answered with HTTP status {status}.")

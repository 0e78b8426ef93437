"""A labelling server in memory that behaves as Label Studio Community was measured to behave.

It trusts everybody as the real one does: any user may answer, change and delete anything. One
contract suite runs on both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

from annotation.label_studio.payloads import read_project, write_project
from annotation.label_studio.protocol import (
    ProjectSpec,
    ServerAnswer,
    ServerDraft,
    ServerProject,
    ServerTask,
)
from corpus.errors import EngineError, ProjectMissingError, UnreachableError

VERSION = "in memory"
URL = "memory:"
TITLE_LENGTHS = range(3, 51)
FIRST_TIME = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Project:
    id: str
    spec: ProjectSpec
    names: frozenset[str]
    """What a task's data must hold for the configuration."""
    tasks: dict[str, ServerTask] = field(default_factory=dict)


class MemoryServer:
    """An `AnnotationServer` without a server."""

    def __init__(
        self,
        *,
        reachable: bool = True,
        accepts_token: bool = True,
        step: timedelta = timedelta(seconds=1),
    ) -> None:
        """An empty server.

        Args:
            reachable: Whether it answers at all; may be set later.
            accepts_token: Whether the administrator's token is valid; may be set later.
            step: How much later each change is than the one before; may be set later.
        """
        self.reachable = reachable
        self.accepts_token = accepts_token
        self.step = step
        self._users: dict[str, int] = {"admin@example.org": 1}
        self._projects: dict[str, _Project] = {}
        self._last_user_id = 1
        self._last_id = 0
        self._now = FIRST_TIME

    def check(self) -> str:
        """Version of the server."""
        self.answer_call()
        return VERSION

    def fetch_time(self) -> datetime:
        """The server's own time."""
        self.answer_call()
        return self._now

    def user_ids(self) -> Mapping[str, int]:
        """E-mail address (lower case) → user id of all users."""
        self.answer_call()
        return dict(self._users)

    def find_projects(self) -> list[ServerProject]:
        """All projects."""
        self.answer_call()
        return [
            ServerProject(each.id, each.spec, len(each.tasks)) for each in self._projects.values()
        ]

    def create_project(self, spec: ProjectSpec) -> ServerProject:
        """A new project."""
        self.answer_call()
        project = _Project(self._next_id(), spec, _check_spec(spec))
        self._projects[project.id] = project
        return ServerProject(project.id, spec, 0)

    def restore_project(self, project_id: str, spec: ProjectSpec, names: Collection[str]) -> None:
        """Sets what is named as it was created (see `ProjectSpec.differences`), and nothing else.

        A configuration is refused if an answer holds a control that it does not have.
        """
        self.answer_call()
        project = self._project(project_id)
        if "label_config" in names and not _used_controls(project) <= _find_controls(spec):
            raise _refusal()
        wanted = write_project(spec)
        body = write_project(project.spec) | {name: wanted[name] for name in names}
        restored = read_project({"id": project_id, **body}).spec
        project.spec, project.names = restored, _check_spec(restored)

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Adds tasks, all or none."""
        self.answer_call()
        project = self._project(project_id)
        if any(project.names - set(task) for task in tasks):
            raise _refusal()
        for data in tasks:
            task = ServerTask(self._next_id(), dict(data), (), (), self._next_time())
            project.tasks[task.id] = task

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers."""
        self.answer_call()
        return list(self._project(project_id).tasks.values())

    def fetch_changes(
        self, project_id: str, since: datetime, at_most: int
    ) -> list[ServerTask] | None:
        """Tasks that changed after that time, and all that have a draft."""
        self.answer_call()
        changed = [
            task
            for task in self._project(project_id).tasks.values()
            if task.drafts or (task.updated_at is not None and task.updated_at > since)
        ]
        return changed if len(changed) <= at_most else None

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        """Replaces what a task holds, as any user can."""
        self.answer_call()
        self._change(task_id, lambda task: replace(task, data=dict(data)))

    def delete_unanswered_task(self, project_id: str, task_id: str) -> bool:
        """Deletes a task unless it has an answer or a draft; whether it is gone now."""
        self.answer_call()
        tasks = self._project(project_id).tasks
        task = tasks.get(task_id)
        if task is not None and not task.is_free:
            return False
        tasks.pop(task_id, None)
        return True

    def labelling_url(self, project_id: str) -> str:
        """Address of the project; nobody can open it."""
        return f"{URL}/projects/{project_id}"

    def add_user(self, address: str) -> int:
        """User id of a rater, new if the address is."""
        if address.lower() not in self._users:
            self._last_user_id += 1
            self._users[address.lower()] = self._last_user_id
        return self._users[address.lower()]

    def open_session(self, user_id: int) -> MemoryRaterSession:
        """A session of that user."""
        return MemoryRaterSession(self, user_id)

    def delete_user(self, user_id: int) -> None:
        """Deletes a user; her answers stay without an author."""
        self._users = {name: each for name, each in self._users.items() if each != user_id}
        for task in self._all_tasks():
            answers = tuple(
                replace(
                    each,
                    completed_by=None if each.completed_by == user_id else each.completed_by,
                    updated_by=None if each.updated_by == user_id else each.updated_by,
                )
                for each in task.answers
            )
            self._project_of_task(task.id).tasks[task.id] = replace(task, answers=answers)

    def delete_project(self, project_id: str) -> None:
        """Deletes a project with its tasks and answers, as any user can."""
        self._project(project_id)
        del self._projects[project_id]

    def delete_task(self, task_id: str) -> None:
        """Deletes a task with its answers, as any user can."""
        del self._project_of_task(task_id).tasks[task_id]

    def break_task(self, task_id: str) -> None:
        """Makes the answers of a task unreadable, as text that cannot be encoded does."""
        self._change(task_id, lambda task: replace(task, answers=(), drafts=(), is_readable=False))

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
        stored = replace(answer, id=self._next_id(), updated_at=self._next_time())
        self._change(task_id, lambda task: replace(task, answers=(*task.answers, stored)))
        return stored.id

    def replace_answer(self, answer_id: str, **values: Any) -> None:
        """Changes fields of an answer."""
        now = self._next_time()
        task = self._task_holding(answer_id)
        answers = tuple(
            replace(each, updated_at=now, **values) if each.id == answer_id else each
            for each in task.answers
        )
        self._change(task.id, lambda each: replace(each, answers=answers))

    def remove_answer(self, answer_id: str) -> None:
        """Removes an answer without trace."""
        task = self._task_holding(answer_id)
        answers = tuple(each for each in task.answers if each.id != answer_id)
        self._change(task.id, lambda each: replace(each, answers=answers))

    def add_draft(self, task_id: str, user_id: int, result: Sequence[Mapping[str, Any]]) -> str:
        """Keeps a draft of a user; the task's own time stays as it was."""
        address = next(name for name, each in self._users.items() if each == user_id)
        draft = ServerDraft(self._next_id(), address, tuple(result), self._next_time(), None)
        tasks = self._project_of_task(task_id).tasks
        tasks[task_id] = replace(tasks[task_id], drafts=(*tasks[task_id].drafts, draft))
        return draft.id

    def remove_draft(self, draft_id: str) -> None:
        """Drops a draft; the task's own time stays as it was."""
        for project in self._projects.values():
            for task in project.tasks.values():
                drafts = tuple(each for each in task.drafts if each.id != draft_id)
                project.tasks[task.id] = replace(task, drafts=drafts)

    def _change(self, task_id: str, change: Callable[[ServerTask], ServerTask]) -> None:
        tasks = self._project_of_task(task_id).tasks
        tasks[task_id] = replace(change(tasks[task_id]), updated_at=self._next_time())

    def _all_tasks(self) -> list[ServerTask]:
        return [task for each in self._projects.values() for task in each.tasks.values()]

    def _task_holding(self, answer_id: str) -> ServerTask:
        for task in self._all_tasks():
            if any(each.id == answer_id for each in task.answers):
                return task
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
        self._now += self.step
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

    def save_draft(self, task_id: str, result: Sequence[Mapping[str, Any]]) -> str:
        """Keeps an answer that is not submitted; gives its id."""
        self._server.answer_call()
        return self._server.add_draft(task_id, self._user_id, result)

    def delete_draft(self, draft_id: str) -> None:
        """Drops a draft."""
        self._server.answer_call()
        self._server.remove_draft(draft_id)

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


def _check_spec(spec: ProjectSpec) -> frozenset[str]:
    """Names of the task data that the configuration shows; refused as the real server would."""
    if len(spec.title) not in TITLE_LENGTHS:
        raise _refusal()
    try:
        root = ET.fromstring(spec.config)
    except ET.ParseError:
        raise _refusal() from None
    values = (each.get("value", "") for each in root.iter())
    return frozenset(value[1:] for value in values if value.startswith("$"))


def _find_controls(spec: ProjectSpec) -> set[str]:
    return {
        each.get("name", "") for each in ET.fromstring(spec.config).iter() if each.get("toName")
    }


def _used_controls(project: _Project) -> set[str]:
    answers = [answer for task in project.tasks.values() for answer in task.answers]
    return {str(each.get("from_name")) for answer in answers for each in answer.result}


def _refusal(status: int = 400) -> EngineError:
    return EngineError(f"Label Studio at {URL} answered with HTTP status {status}.")

"""What the product needs of a labelling server, whether Label Studio or a stand-in in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """One annotation as the server has it: untrusted."""

    id: str
    completed_by: int | None
    """Server's user id of whom the answer is said to be from."""
    updated_by: int | None
    """Server's user id of who last wrote it."""
    result: Sequence[Mapping[str, Any]]
    """Label Studio's list of control results."""
    cancelled: bool
    """The rater skipped the task."""
    updated_at: datetime | None
    lead_time_s: float | None


@dataclass(frozen=True, slots=True)
class ServerTask:
    """One task with its answers, as the server has it."""

    id: str
    data: Mapping[str, Any]
    answers: tuple[ServerAnswer, ...]


@dataclass(frozen=True, slots=True)
class ServerProject:
    """A project on the server."""

    id: str
    title: str
    description: str


class AnnotationServer(Protocol):
    """A labelling server reached over HTTP, or a stand-in for it in memory.

    All methods raise `corpus.errors.UnreachableError` when the server does not answer or refuses
    the token, and `corpus.errors.EngineError` when it refuses the request or fails.
    """

    def check(self) -> str:
        """Version of the server, after a call that needs a valid token."""
        ...

    def user_ids(self) -> Mapping[str, int]:
        """E-mail address (lower case) → user id of all users."""
        ...

    def find_projects(self) -> list[ServerProject]:
        """All projects of the organisation."""
        ...

    def create_project(
        self, title: str, description: str, config: str, instruction_html: str
    ) -> ServerProject:
        """A new project with this labelling configuration; its title has 3 to 50 characters."""
        ...

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Adds tasks; the server does not look for duplicates."""
        ...

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers.

        Raises:
            ProjectMissingError: if the project is not there any more.
        """
        ...

    def labelling_url(self, project_id: str) -> str:
        """Address where a rater answers the project's tasks."""
        ...


class RaterSession(Protocol):
    """What a rater does on a labelling server with her own account.

    All methods raise `corpus.errors.UnreachableError` when the server does not answer or refuses
    the token, and `corpus.errors.EngineError` when it refuses the request.
    """

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers.

        Raises:
            ProjectMissingError: if the project is not there any more.
        """
        ...

    def submit(
        self,
        task_id: str,
        result: Sequence[Mapping[str, Any]],
        *,
        cancelled: bool = False,
        lead_time_s: float | None = None,
        completed_by: int | None = None,
    ) -> str:
        """Adds an answer and gives its id; the server checks next to nothing of it.

        Args:
            task_id: The task answered.
            result: Control results, as `markup.build_result` gives them.
            cancelled: The rater skips the task.
            lead_time_s: Seconds she took.
            completed_by: User to name as the answer's author, None for the rater herself.
        """
        ...

    def change(
        self, answer_id: str, result: Sequence[Mapping[str, Any]], *, cancelled: bool = False
    ) -> None:
        """Replaces the result of an answer, whoever gave it."""
        ...

    def delete(self, answer_id: str) -> None:
        """Deletes an answer, whoever gave it."""
        ...

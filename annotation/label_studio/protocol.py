"""What the product needs of a labelling server, whether Label Studio or a stand-in in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

PROJECT_SETTINGS: Mapping[str, Any] = {
    "show_instruction": True,
    "show_skip_button": True,
    "enable_empty_annotation": False,
    # Predictions would prefill the form and anchor the rater.
    "show_collab_predictions": False,
    # Tasks come in the order they were imported, which is the rater's own.
    "sampling": "Sequential sampling",
    "maximum_annotations": 1,
}
"""How every project is set up, by Label Studio's names."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """One annotation as the server has it: untrusted."""

    id: str
    completed_by: int | None
    """Server's user id of whom the answer is said to be from; None once that user is deleted."""
    updated_by: int | None
    """Server's user id of who last wrote it."""
    result: Sequence[Mapping[str, Any]]
    """Label Studio's list of control results."""
    cancelled: bool
    """The rater skipped the task."""
    updated_at: datetime | None
    lead_time_s: float | None


@dataclass(frozen=True, slots=True)
class ServerDraft:
    """What somebody has filled in and not submitted."""

    id: str
    address: str
    """Whose draft it is: her log-in address in lower case."""
    result: Sequence[Mapping[str, Any]]
    updated_at: datetime | None
    lead_time_s: float | None


@dataclass(frozen=True, slots=True)
class ServerTask:
    """One task with its answers, as the server has it."""

    id: str
    data: Mapping[str, Any]
    answers: tuple[ServerAnswer, ...]
    drafts: tuple[ServerDraft, ...] = ()
    updated_at: datetime | None = None
    """When it or one of its answers last changed, by the server's clock; drafts do not count."""
    is_readable: bool = True
    """False if the server cannot give its answers; nor, where `data` is empty, what it shows."""

    @property
    def is_hidden(self) -> bool:
        """Whether the server cannot even say what it shows: it may be any item's."""
        return not self.is_readable and not self.data

    @property
    def is_free(self) -> bool:
        """Whether nobody has answered it or begun to, as far as the server can say."""
        return self.is_readable and not self.answers and not self.drafts


@dataclass(frozen=True, slots=True)
class ProjectSpec:
    """What makes a project ours."""

    title: str
    """3 to 50 characters."""
    description: str
    config: str
    """Labelling configuration (XML)."""
    instruction_html: str
    settings: Mapping[str, Any] = field(default_factory=lambda: dict(PROJECT_SETTINGS))

    def differences(self, other: ProjectSpec) -> tuple[str, ...]:
        """Names of what is not the same in the other one, settings by Label Studio's names."""
        named = {
            "title": (self.title, other.title),
            "description": (self.description, other.description),
            "label_config": (self.config, other.config),
            "expert_instruction": (self.instruction_html, other.instruction_html),
        }
        found = [name for name, (mine, its) in named.items() if mine != its]
        return (*found, *(n for n, v in self.settings.items() if other.settings.get(n) != v))


@dataclass(frozen=True, slots=True)
class ServerProject:
    """A project on the server."""

    id: str
    spec: ProjectSpec
    tasks: int
    """Number of its tasks."""

    @property
    def title(self) -> str:
        """Name that people see."""
        return self.spec.title

    @property
    def description(self) -> str:
        """What the product finds it by."""
        return self.spec.description


class AnnotationServer(Protocol):
    """A labelling server reached over HTTP, or a stand-in for it in memory.

    All methods raise `corpus.errors.UnreachableError` when the server does not answer or refuses
    the token, and `corpus.errors.EngineError` when it refuses the request or fails; those about
    one project raise `corpus.errors.ProjectMissingError` if it is not there any more.
    """

    def check(self) -> str:
        """Version of the server, after a call that needs a valid token."""
        ...

    def fetch_time(self) -> datetime:
        """The server's own time; changes stored from now on are not much older."""
        ...

    def user_ids(self) -> Mapping[str, int]:
        """E-mail address (lower case) → user id of all users."""
        ...

    def find_projects(self) -> list[ServerProject]:
        """All projects of the organisation."""
        ...

    def create_project(self, spec: ProjectSpec) -> ServerProject:
        """A new project."""
        ...

    def restore_project(self, project_id: str, spec: ProjectSpec, names: Collection[str]) -> None:
        """Sets what is named as it was created (see `ProjectSpec.differences`), and nothing else.

        A configuration is refused if an answer holds a control that it does not have.
        """
        ...

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Adds tasks; the server does not look for duplicates."""
        ...

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers, in the order of their ids.

        What was stored in a task can break the server's reading of it: such a task comes without
        its answers, and with `is_readable` False.
        """
        ...

    def fetch_changes(
        self, project_id: str, since: datetime, at_most: int
    ) -> list[ServerTask] | None:
        """Tasks that changed after that time by the server's clock, and all that have a draft.

        Deleted tasks are not among them. None if there are more than `at_most`. Called from
        several threads at once.
        """
        ...

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        """Replaces what a task holds; its answers stay."""
        ...

    def delete_unanswered_task(self, project_id: str, task_id: str) -> bool:
        """Deletes a task unless it has an answer or a draft; whether it is gone now."""
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

    def save_draft(self, task_id: str, result: Sequence[Mapping[str, Any]]) -> str:
        """Keeps an answer that is not submitted, as the form does by itself; gives its id."""
        ...

    def delete_draft(self, draft_id: str) -> None:
        """Drops a draft, as submitting does."""
        ...

    def change(
        self, answer_id: str, result: Sequence[Mapping[str, Any]], *, cancelled: bool = False
    ) -> None:
        """Replaces the result of an answer, whoever gave it."""
        ...

    def delete(self, answer_id: str) -> None:
        """Deletes an answer, whoever gave it."""
        ...

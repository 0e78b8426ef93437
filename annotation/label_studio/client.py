"""The Label Studio server over HTTP, reached with an administrator's token.

Its own SDK is not used for this: it sends a request that writes a second time when the first one's
answer was lost, and reads a list only to its first page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from annotation.label_studio.payloads import (
    PROJECT_FIELDS,
    read_project,
    write_project,
)
from annotation.label_studio.protocol import ProjectSpec, ServerProject, ServerTask
from annotation.label_studio.task_reader import TaskReader
from annotation.label_studio.transport import CALL_DEADLINE_S, SILENCE_TIMEOUT_S, Transport
from corpus.errors import ProjectMissingError, UnreachableError

PROJECTS_PER_PAGE = 100
"""Label Studio's limit."""
TASKS_PER_IMPORT = 1000


class LabelStudioServer:
    """A Label Studio Community server, reached with an administrator's token."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        silence_timeout_s: float = SILENCE_TIMEOUT_S,
        call_deadline_s: float = CALL_DEADLINE_S,
    ) -> None:
        """Prepares the connection; nothing is sent yet.

        Raises:
            UnreachableError: if URL or token is missing.
        """
        if not url or not token:
            raise UnreachableError(
                "No Label Studio is set: give label_studio_url (STEREOSCOPE_LABEL_STUDIO_URL) and "
                "its token in STEREOSCOPE_LABEL_STUDIO_TOKEN."
            )
        self._transport = Transport(
            url, token, silence_timeout_s=silence_timeout_s, call_deadline_s=call_deadline_s
        )
        self._tasks = TaskReader(self._transport)

    def check(self) -> str:
        """Version of the server, after a call that needs a valid token."""
        self._transport.read("/api/current-user/whoami")
        return str(self._transport.read_json("/api/version")["release"])

    def fetch_time(self) -> datetime:
        """The server's own time, to the second below."""
        said = self._transport.read("/health").headers.get("date", "")
        try:
            return parsedate_to_datetime(said).astimezone(UTC)
        except ValueError:
            return datetime.now(UTC)

    def user_ids(self) -> Mapping[str, int]:
        """E-mail address (lower case) → user id of all users."""
        users = self._transport.read_json("/api/users/")
        return {str(user["email"]).lower(): int(user["id"]) for user in users}

    def find_projects(self) -> list[ServerProject]:
        """All projects of the organisation."""
        fields = ",".join(PROJECT_FIELDS)
        found: dict[str, ServerProject] = {}
        for page in self._transport.pages("/api/projects/", PROJECTS_PER_PAGE, include=fields):
            for each in page["results"]:
                project = read_project(each)
                found[project.id] = project
            if not page.get("next"):
                break
        return list(found.values())

    def create_project(self, spec: ProjectSpec) -> ServerProject:
        """A new project with this labelling configuration."""
        made = self._transport.write("POST", "/api/projects/", body=write_project(spec))
        return read_project(made)

    def restore_project(self, project_id: str, spec: ProjectSpec, names: Collection[str]) -> None:
        """Sets what is named as it was created (see `ProjectSpec.differences`), and nothing else.

        A configuration is refused if an answer holds a control that it does not have.
        """
        path = f"/api/projects/{project_id}/"
        body = {name: value for name, value in write_project(spec).items() if name in names}
        self._transport.write("PATCH", path, project_id, body=body)

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Adds tasks; the server does not look for duplicates."""
        path = f"/api/projects/{project_id}/import"
        for start in range(0, len(tasks), TASKS_PER_IMPORT):
            block = [{"data": dict(task)} for task in tasks[start : start + TASKS_PER_IMPORT]]
            self._transport.write("POST", path, project_id, body=block)

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers, see `TaskReader.read_all`."""
        return self._tasks.read_all(project_id)

    def fetch_changes(
        self, project_id: str, since: datetime, at_most: int
    ) -> list[ServerTask] | None:
        """Tasks that changed since, and all that have a draft, see `TaskReader.read_changes`."""
        return self._tasks.read_changes(project_id, since, at_most)

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        """Replaces what a task holds; its answers stay."""
        self._transport.write("PATCH", f"/api/tasks/{task_id}/", body={"data": dict(data)})

    def delete_unanswered_task(self, project_id: str, task_id: str) -> bool:
        """Deletes a task unless it has an answer or a draft; whether it is gone now."""
        for task in self._tasks.read_some(project_id, [task_id]):
            if not task.is_free:
                return False
            # Of a task, too, a 404 says that it is gone.
            with suppress(ProjectMissingError):
                self._transport.write("DELETE", f"/api/tasks/{task_id}/", project_id)
        return True

    def labelling_url(self, project_id: str) -> str:
        """Address where a rater answers the project's tasks."""
        return f"{self._transport.url}/projects/{project_id}/data?labeling=1"

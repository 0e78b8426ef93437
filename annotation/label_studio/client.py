"""The Label Studio server over HTTP, reached with an administrator's token.

Its own SDK is not used for this: it sends a request that writes a second time when the first one's
answer was lost, and reads a list only to its first page. Whole projects are read by export; page
by page only where the export does not come through.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from annotation.label_studio.payloads import (
    PROJECT_FIELDS,
    read_export,
    read_project,
    read_tasks,
    write_project,
)
from annotation.label_studio.protocol import ProjectSpec, ServerProject, ServerTask
from annotation.label_studio.transport import (
    CALL_DEADLINE_S,
    SILENCE_TIMEOUT_S,
    CutError,
    Transport,
)
from corpus.errors import EngineError, ProjectMissingError, UnreachableError

PROJECTS_PER_PAGE = 100
"""Label Studio's limit."""
TASKS_PER_PAGE = 200
TASKS_PER_IMPORT = 1000
PAGING_TRIES = 3
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"
"""The only one that Label Studio's filters read."""
WHOLE_TASKS = {"fields": "all", "resolve_uri": "false"}
"""A page of tasks with their answers and drafts, addresses in the texts left as they are."""


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
        """All tasks of a project with all their answers, by one export, else page by page."""
        try:
            return self._export(project_id, download_all_tasks="true")
        except CutError:
            return self._fetch_pages(project_id)

    def fetch_changes(
        self, project_id: str, since: datetime, at_most: int
    ) -> list[ServerTask] | None:
        """Tasks that changed after that time by the server's clock, and all that have a draft.

        None if there are more than `at_most`.
        """
        changed = {
            "filter": "filter:tasks:updated_at",
            "operator": "greater",
            "type": "Datetime",
            "value": since.astimezone(UTC).strftime(TIME_FORMAT),
        }
        begun = {
            "filter": "filter:tasks:draft_exists",
            "operator": "equal",
            "type": "Boolean",
            "value": "true",
        }
        filters = {"conjunction": "or", "items": [changed, begun]}
        # Text, not an object: a query that Label Studio cannot read it ignores.
        query = json.dumps({"filters": filters})
        found = self._list_tasks(project_id, {"include": "id", "query": query}, at_most)
        if found is None:
            return None
        ids = [str(task["id"]) for task in found]
        try:
            return self._export_some(project_id, ids)
        except CutError:
            return self._fetch_pages(project_id, query=query)

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        """Replaces what a task holds; its answers stay."""
        self._transport.write("PATCH", f"/api/tasks/{task_id}/", body={"data": dict(data)})

    def delete_unanswered_task(self, project_id: str, task_id: str) -> bool:
        """Deletes a task unless it has an answer or a draft; whether it is gone now."""
        for task in self._export_some(project_id, [task_id]):
            if task.answers or task.drafts:
                return False
            # Of a task, too, a 404 says that it is gone.
            with suppress(ProjectMissingError):
                self._transport.write("DELETE", f"/api/tasks/{task_id}/", project_id)
        return True

    def labelling_url(self, project_id: str) -> str:
        """Address where a rater answers the project's tasks."""
        return f"{self._transport.url}/projects/{project_id}/data?labeling=1"

    def _export(self, project_id: str, **choice: Any) -> list[ServerTask]:
        """Chosen tasks of a project by one export.

        Raises:
            CutError: if the export does not come through whole.
        """
        # Tried once: what an export could not do in time it will not do the next time.
        exported = self._transport.read(
            f"/api/projects/{project_id}/export",
            project_id,
            tries=1,
            is_slow=True,
            exportType="JSON",
            **choice,
        )
        try:
            return read_export(exported.content)
        except ValueError as error:
            raise CutError(
                f"Label Studio at {self._transport.url} answered with an export of project "
                f"{project_id} that cannot be read; see its log, then try again."
            ) from error

    def _export_some(self, project_id: str, task_ids: Sequence[str]) -> list[ServerTask]:
        """Tasks by their ids, those that are there, in the order of their ids."""
        tasks: list[ServerTask] = []
        for start in range(0, len(task_ids), TASKS_PER_PAGE):
            block = list(task_ids[start : start + TASKS_PER_PAGE])
            tasks += self._export(project_id, **{"ids[]": block, "download_all_tasks": "true"})
        return sorted(tasks, key=lambda each: int(each.id))

    def _fetch_pages(self, project_id: str, **query: str) -> list[ServerTask]:
        """Tasks page by page; a page hides drafts of others, which the export shows."""
        listed = self._list_tasks(project_id, WHOLE_TASKS | query) or []
        begun = [str(task["id"]) for task in listed if task.get("draft_exists")]
        try:
            tasks = {each.id: each for each in read_tasks(listed)}
        except ValueError as error:
            raise EngineError(
                f"Label Studio at {self._transport.url} answered with tasks that cannot be read "
                f"({error}); see whether its version is the one this product was made for."
            ) from error
        tasks |= {each.id: each for each in self._export_some(project_id, begun)}
        return sorted(tasks.values(), key=lambda each: int(each.id))

    def _list_tasks(
        self, project_id: str, params: Mapping[str, str], at_most: int | None = None
    ) -> list[dict[str, Any]] | None:
        """Tasks as the server lists them, from the start if their number changes.

        None if there are more than `at_most`.
        """
        for _ in range(PAGING_TRIES):
            totals: set[int] = set()
            tasks: dict[Any, dict[str, Any]] = {}
            for page in self._pages_of(project_id, **params):
                totals.add(int(page["total"]))
                if at_most is not None and max(totals) > at_most:
                    return None
                tasks |= {each["id"]: each for each in page["tasks"]}
                if len(totals) > 1 or len(tasks) >= page["total"]:
                    break
            if totals <= {len(tasks)}:
                return list(tasks.values())
        raise EngineError(
            f"Tasks of project {project_id} keep being added or deleted while they are read; "
            "pull again when nobody does."
        )

    def _pages_of(self, project_id: str, **params: str) -> Iterator[Any]:
        try:
            yield from self._transport.pages(
                "/api/tasks/", TASKS_PER_PAGE, project=project_id, **params
            )
        except ProjectMissingError:
            raise ProjectMissingError(
                f"Label Studio has no project {project_id} any more."
            ) from None

"""The Label Studio server over its SDK: the one file of the product that imports the SDK.

The SDK retries by itself and refreshes access tokens. Keep-alive is off, because the server's own
HTTP server answers a kept connection about 44 ms late.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import httpx

from annotation.label_studio.protocol import ServerAnswer, ServerProject, ServerTask
from corpus.errors import EngineError, ProjectMissingError, UnreachableError

TIMEOUT_S = 120.0


class LabelStudioServer:
    """A Label Studio Community server, reached with an administrator's token."""

    def __init__(self, url: str, token: str) -> None:
        """Prepares the connection; nothing is sent yet.

        Raises:
            UnreachableError: if URL or token is missing.
        """
        if not url or not token:
            raise UnreachableError(
                "No Label Studio is set: give label_studio_url (STEREOSCOPE_LABEL_STUDIO_URL) and "
                "its token in STEREOSCOPE_LABEL_STUDIO_TOKEN."
            )
        from label_studio_sdk import LabelStudio

        self._url = url.rstrip("/")
        limits = httpx.Limits(max_keepalive_connections=0)
        # The environment's proxies are for the outside; this server is on this machine or named.
        http = httpx.Client(
            timeout=TIMEOUT_S, limits=limits, follow_redirects=True, trust_env=False
        )
        self._sdk: Any = LabelStudio(  # type: ignore[no-untyped-call]
            base_url=self._url, api_key=token, httpx_client=http
        )

    def check(self) -> str:
        """Version of the server, after a call that needs a valid token."""
        with self._explained():
            self._sdk.users.whoami()
            return str(self._sdk.versions.get().release)

    def user_ids(self) -> Mapping[str, int]:
        """E-mail address (lower case) → user id of all users."""
        with self._explained():
            users = self._sdk.users.list()
        return {str(user.email).lower(): int(user.id) for user in users}

    def find_projects(self) -> list[ServerProject]:
        """All projects of the organisation."""
        with self._explained():
            return [_project(project) for project in self._sdk.projects.list()]

    def create_project(
        self, title: str, description: str, config: str, instruction_html: str
    ) -> ServerProject:
        """A new project with this labelling configuration."""
        with self._explained():
            created = self._sdk.projects.create(
                title=title,
                description=description,
                label_config=config,
                expert_instruction=instruction_html,
                show_instruction=True,
                show_skip_button=True,
                enable_empty_annotation=False,
                # Predictions would prefill the form and anchor the rater.
                show_collab_predictions=False,
                # Tasks come in the order they were imported, which is the rater's own.
                sampling="Sequential sampling",
                maximum_annotations=1,
            )
        return _project(created)

    def import_tasks(self, project_id: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Adds tasks; the server does not look for duplicates."""
        with self._explained(project_id):
            self._sdk.projects.import_tasks(
                int(project_id), request=[{"data": dict(task)} for task in tasks]
            )

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers, by one export."""
        with self._explained(project_id):
            parts = self._sdk.projects.exports.download_sync(
                int(project_id), export_type="JSON", download_all_tasks=True
            )
            exported = b"".join(parts)
        return read_export(exported)

    def labelling_url(self, project_id: str) -> str:
        """Address where a rater answers the project's tasks."""
        return f"{self._url}/projects/{project_id}/data?labeling=1"

    @contextmanager
    def _explained(self, project_id: str | None = None) -> Iterator[None]:
        """Turns the SDK's errors into one sentence each, without token or answer body."""
        from label_studio_sdk.core.api_error import ApiError

        try:
            yield
        except ApiError as error:
            raise explain_status(self._url, error.status_code, project_id) from None
        except (httpx.HTTPError, OSError) as error:
            raise explain_silence(self._url, error) from None


def explain_silence(url: str, error: Exception) -> UnreachableError:
    """The error to raise when the server could not be reached."""
    return UnreachableError(
        f"Label Studio at {url} does not answer ({type(error).__name__}). "
        "Check that it runs and that label_studio_url is right."
    )


def explain_status(url: str, status: int | None, project_id: str | None) -> EngineError:
    """The error to raise for an HTTP status of a failed call about a project (None: about none)."""
    if status == httpx.codes.NOT_FOUND and project_id is not None:
        return ProjectMissingError(f"Label Studio has no project {project_id} any more.")
    if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        return UnreachableError(
            f"Label Studio at {url} refuses the token. Set a valid one of an "
            "administrator in STEREOSCOPE_LABEL_STUDIO_TOKEN."
        )
    about = f" for project {project_id}" if project_id is not None else ""
    return EngineError(
        f"Label Studio at {url} answered with HTTP status {status}{about}; see its log."
    )


def read_export(exported: str | bytes) -> list[ServerTask]:
    """The tasks of a project's JSON export."""
    return [_task(task) for task in json.loads(exported)]


def _project(project: Any) -> ServerProject:
    return ServerProject(str(project.id), str(project.title or ""), str(project.description or ""))


def _task(task: Mapping[str, Any]) -> ServerTask:
    return ServerTask(
        id=str(task["id"]),
        data=task["data"],
        answers=tuple(_answer(each) for each in task.get("annotations", ())),
    )


def _answer(annotation: Mapping[str, Any]) -> ServerAnswer:
    updated_at = annotation.get("updated_at")
    return ServerAnswer(
        id=str(annotation["id"]),
        completed_by=_user_id(annotation.get("completed_by")),
        updated_by=_user_id(annotation.get("updated_by")),
        result=annotation.get("result") or (),
        cancelled=bool(annotation.get("was_cancelled")),
        updated_at=datetime.fromisoformat(updated_at) if updated_at else None,
        lead_time_s=annotation.get("lead_time"),
    )


def _user_id(value: Any) -> int | None:
    """Exports give a number or an object with `id`, depending on the user's rights."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return int(value) if value is not None else None

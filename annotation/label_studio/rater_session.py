"""A rater's own access to a Label Studio server: what her browser does, over HTTP.

The product itself never answers; demo raters do, and the tests of what a rater can tamper with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from annotation.label_studio.accounts import open_client
from annotation.label_studio.payloads import read_export
from annotation.label_studio.protocol import ServerTask
from annotation.label_studio.transport import explain_silence, explain_status


class HttpRaterSession:
    """A rater signed in to a Label Studio server with her token."""

    def __init__(self, base_url: str, token: str) -> None:
        """Prepares the connection; nothing is sent yet."""
        self._url = base_url.rstrip("/")
        self._client = open_client(self._url, token)

    def fetch_tasks(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers."""
        path = f"/api/projects/{project_id}/export"
        options = {"exportType": "JSON", "download_all_tasks": "true"}
        return read_export(self._send("GET", path, project_id, params=options).content)

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
        body: dict[str, Any] = {
            "result": list(result),
            "was_cancelled": cancelled,
            "lead_time": lead_time_s,
        }
        if completed_by is not None:
            body["completed_by"] = completed_by
        return str(self._send("POST", f"/api/tasks/{task_id}/annotations/", json=body).json()["id"])

    def save_draft(self, task_id: str, result: Sequence[Mapping[str, Any]]) -> str:
        """Keeps an answer that is not submitted, as the form does by itself; gives its id."""
        path = f"/api/tasks/{task_id}/drafts"
        return str(self._send("POST", path, json={"result": list(result)}).json()["id"])

    def delete_draft(self, draft_id: str) -> None:
        """Drops a draft, as submitting does."""
        self._send("DELETE", f"/api/drafts/{draft_id}/")

    def change(
        self, answer_id: str, result: Sequence[Mapping[str, Any]], *, cancelled: bool = False
    ) -> None:
        """Replaces the result of an answer."""
        body = {"result": list(result), "was_cancelled": cancelled}
        self._send("PATCH", f"/api/annotations/{answer_id}/", json=body)

    def delete(self, answer_id: str) -> None:
        """Deletes an answer."""
        self._send("DELETE", f"/api/annotations/{answer_id}/")

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()

    def _send(
        self, method: str, path: str, project_id: str | None = None, **content: Any
    ) -> httpx.Response:
        try:
            response = self._client.request(method, path, **content)
        except httpx.HTTPError as error:
            raise explain_silence(self._url, error) from None
        if not response.is_success:
            raise explain_status(self._url, response.status_code, project_id)
        return response

"""Registering the receiver of hints with a Label Studio server: one webhook for each project.

Community refuses a webhook of the whole organisation (404). Every member can read a webhook's
headers, so the secret in them keeps strangers out and nobody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from annotation.label_studio.transport import Transport
from corpus.errors import StateError, UnreachableError

ACTIONS = (
    "ANNOTATION_CREATED",
    "ANNOTATIONS_CREATED",
    "ANNOTATION_UPDATED",
    "ANNOTATIONS_DELETED",
    "TASKS_DELETED",
)
"""What a pull can learn something from."""


class LabelStudioWebhooks:
    """The webhooks of a Label Studio server."""

    def __init__(self, base_url: str, admin_token: str) -> None:
        """Prepares the connection; nothing is sent yet."""
        self._url = base_url.rstrip("/")
        self._transport = Transport(self._url, admin_token)

    def register(self, project_id: str, url: str, headers: Mapping[str, str]) -> None:
        """Has hints about a project sent to an address; done again, it only renews the headers.

        Raises:
            StateError: The server refuses the address, or has no such project.
            UnreachableError: The server does not answer, or refuses the token.
        """
        body = {
            "project": int(project_id),
            "url": url,
            "headers": dict(headers),
            "send_payload": True,
            "send_for_all_actions": False,
            "actions": list(ACTIONS),
        }
        known = [
            each
            for each in self._send("GET", f"/api/webhooks/?project={int(project_id)}").json()
            if each["url"] == url
        ]
        if known:
            self._send("PATCH", f"/api/webhooks/{int(known[0]['id'])}/", json=body)
        else:
            self._send("POST", "/api/webhooks/", json=body)

    def remove(self, url: str) -> int:
        """Has no more hints sent to an address; gives how many webhooks there were.

        Raises:
            UnreachableError: The server does not answer, or refuses the token.
        """
        found = [each for each in self._send("GET", "/api/webhooks/").json() if each["url"] == url]
        for each in found:
            self._send("DELETE", f"/api/webhooks/{int(each['id'])}/")
        return len(found)

    def _send(self, method: str, path: str, **content: Any) -> httpx.Response:
        response = self._transport.send(method, path, **content)
        if response.status_code in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
            raise UnreachableError(
                f"Label Studio at {self._url} refuses the token: set its administrator's in "
                "STEREOSCOPE_LABEL_STUDIO_TOKEN."
            )
        if response.is_error:
            raise StateError(
                f"Label Studio does not take the webhook ({response.status_code}). It refuses "
                "private addresses unless it was started with SSRF_PROTECTION_ENABLED=false, and "
                "projects that it does not have."
            )
        return response

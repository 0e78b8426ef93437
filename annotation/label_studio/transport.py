"""HTTP to a Label Studio server: deadlines, tokens and one sentence for whatever goes wrong.

Only what reads is tried again by itself: a request that writes may have been carried out although
its response was lost, and Label Studio would double it. Keep-alive is off, because the server's
own HTTP server answers a kept connection about 44 ms late.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx

from annotation.label_studio.tokens import TokenHeader
from corpus.errors import EngineError, ProjectMissingError, UnreachableError

# Each reused connection costs its development server about 44 ms a request.
LIMITS = httpx.Limits(max_keepalive_connections=0)
CONNECT_TIMEOUT_S = 10.0
SILENCE_TIMEOUT_S = 60.0
"""How long a response may stand still."""
CALL_DEADLINE_S = 300.0
"""How long one response may take in all, however slowly it keeps coming."""
READ_TRIES = 3
RETRY_PAUSE_S = 0.5
PASSING_STATUS = frozenset({429, 502, 503, 504})
"""What a proxy or a server that starts answers for a while."""


class CutError(UnreachableError):
    """A response that came too late, in part or not at all: another way may work."""


class ServerFaultError(EngineError):
    """A request that the server failed at: it may manage a smaller one."""


class Transport:
    """Signed-in HTTP to one server."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        silence_timeout_s: float = SILENCE_TIMEOUT_S,
        call_deadline_s: float = CALL_DEADLINE_S,
    ) -> None:
        """Prepares the connection; nothing is sent yet."""
        self.url = url.rstrip("/")
        self._token = TokenHeader(token, self._exchange)
        self._call_deadline_s = call_deadline_s
        # The environment's proxies are for the outside; this server is on this machine or named.
        self._http = httpx.Client(
            base_url=self.url,
            timeout=httpx.Timeout(silence_timeout_s, connect=CONNECT_TIMEOUT_S),
            limits=LIMITS,
            follow_redirects=True,
            trust_env=False,
        )

    def read(
        self,
        path: str,
        project_id: str | None = None,
        *,
        tries: int = READ_TRIES,
        is_slow: bool = False,
        **params: Any,
    ) -> httpx.Response:
        """The response to a GET, which is tried again if it was cut off.

        Args:
            path: What is asked for.
            project_id: The project that the call is about, if it is about one.
            tries: How often it is sent.
            is_slow: Whether the server may say nothing until it has all of the answer.
            params: The query.

        Raises:
            CutError: if it was cut off each time, or took too long.
            UnreachableError: if the server does not answer or refuses the token.
            ProjectMissingError: if it answers 404 to a call about a project.
            EngineError: if it answers with another error.
        """
        content: dict[str, Any] = {"params": params}
        if is_slow:
            content["timeout"] = httpx.Timeout(self._call_deadline_s, connect=CONNECT_TIMEOUT_S)
        for pause_s in [RETRY_PAUSE_S] * (tries - 1):
            try:
                return self._send("GET", path, project_id, **content)
            except CutError:
                time.sleep(pause_s)
        return self._send("GET", path, project_id, **content)

    def read_json(self, path: str, project_id: str | None = None, **params: Any) -> Any:
        """What a GET answers in JSON; raises as `read` does."""
        return self._parse(self.read(path, project_id, **params))

    def write(
        self, method: str, path: str, project_id: str | None = None, *, body: Any = None
    ) -> Any:
        """What a request that changes something answers; sent once, raises as `read` does."""
        response = self._send(method, path, project_id, json=body)
        return self._parse(response) if response.content else None

    def pages(self, path: str, page_size: int, **params: Any) -> Iterator[Any]:
        """The pages of a list from the first on; the one past the end, a 404, is not given."""
        page = 1
        while True:
            try:
                # A page past the end reads as a project that is not there.
                yield self.read_json(path, "", page=page, page_size=page_size, **params)
            except ProjectMissingError:
                if page == 1:
                    raise
                return
            page += 1

    def close(self) -> None:
        """Closes the connection."""
        self._http.close()

    def _parse(self, response: httpx.Response) -> Any:
        try:
            return json.loads(response.content)
        except ValueError as error:
            raise CutError(
                f"Label Studio at {self.url} answered with something that is not whole JSON; "
                "see whether a proxy stands before it, then try again."
            ) from error

    def send(self, method: str, path: str, **content: Any) -> httpx.Response:
        """The response to a signed-in request, sent once, whatever its status is.

        Raises:
            CutError: if it was cut off, or took too long.
            UnreachableError: if the server does not answer, or does not renew the token.
        """
        response = self._attempt(method, path, self._token.value(), **content)
        if response.status_code == httpx.codes.UNAUTHORIZED and self._token.can_renew:
            # Refused, so not carried out: sending it once more doubles nothing.
            response = self._attempt(method, path, self._token.value(renewed=True), **content)
        return response

    def _send(
        self, method: str, path: str, project_id: str | None, **content: Any
    ) -> httpx.Response:
        response = self.send(method, path, **content)
        if not response.is_success:
            raise explain_status(self.url, response.status_code, project_id)
        return response

    def _attempt(self, method: str, path: str, token: str, **content: Any) -> httpx.Response:
        deadline = time.monotonic() + self._call_deadline_s
        headers = {"Authorization": token} if token else {}
        try:
            with self._http.stream(method, path, headers=headers, **content) as response:
                parts = []
                for part in response.iter_bytes():
                    parts.append(part)
                    if time.monotonic() > deadline:
                        raise CutError(
                            f"Label Studio at {self.url} took longer than "
                            f"{self._call_deadline_s:.0f} s for one answer; try again later."
                        )
        except httpx.ConnectError as error:
            raise explain_silence(self.url, error) from None
        except (httpx.HTTPError, OSError) as error:
            raise CutError(
                f"The connection to Label Studio at {self.url} was cut off "
                f"({type(error).__name__}). Check that it runs, then try again: what was done "
                "is kept, and nothing is done twice."
            ) from None
        return httpx.Response(
            response.status_code, headers={"date": response.headers.get("date", "")},
            content=b"".join(parts),
        )  # fmt: skip

    def _exchange(self, token: str) -> str:
        response = self._attempt("POST", "/api/token/refresh/", "", json={"refresh": token})
        if not response.is_success:
            raise explain_status(self.url, httpx.codes.UNAUTHORIZED, None)
        return str(self._parse(response)["access"])


def explain_silence(url: str, error: Exception) -> UnreachableError:
    """The error to raise when the server could not be reached."""
    return UnreachableError(
        f"Label Studio at {url} does not answer ({type(error).__name__}). "
        "Check that it runs and that label_studio_url is right."
    )


def explain_status(url: str, status: int, project_id: str | None) -> EngineError:
    """The error to raise for an HTTP status of a failed call about a project (None: about none)."""
    if status == httpx.codes.NOT_FOUND and project_id is not None:
        return ProjectMissingError(f"Label Studio has no project {project_id} any more.")
    if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        return UnreachableError(
            f"Label Studio at {url} refuses the token. Set a valid one of an "
            "administrator in STEREOSCOPE_LABEL_STUDIO_TOKEN."
        )
    about = f" for project {project_id}" if project_id else ""
    message = f"Label Studio at {url} answered with HTTP status {status}{about}; see its log."
    if status in PASSING_STATUS:
        return CutError(message)
    return (
        ServerFaultError(message) if httpx.codes.is_server_error(status) else EngineError(message)
    )

"""One HTTP endpoint for chat completions: what may pass is tried again, everything else explained.

The address and the key never stand in a message.
"""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from corpus.errors import EngineError, UnreachableError

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may pass."""
LONGEST_WAIT_S = 120.0
QUOTA_USED_UP = "insufficient_quota"
"""Code of a 429 that no waiting lifts."""
KEPT = "Translations made before are kept"
SHOWN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A try without an answer; another one may bring it."""

    error: str
    """`timeout`, `connection` or `busy`."""
    said: str
    """The status, or what happened to the connection."""
    wait_s: float
    """Seconds after which to ask again."""


class ChatServer:
    """Sends one request at a time.

    Args:
        url: address up to the API's version.
        key: bearer token, or None.
        timeout_s: longest wait for one response.
        attempts: tries of one request.
        sleep: waits, in seconds.
    """

    def __init__(
        self,
        url: str,
        key: str | None,
        timeout_s: float,
        attempts: int,
        sleep: Callable[[float], None],
    ) -> None:
        self._url = url.rstrip("/") + "/chat/completions"
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout_s = timeout_s
        self._attempts = attempts
        self._sleep = sleep
        self._client: httpx.Client | None = None

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Keeps connections open while the block lasts."""
        # Redirects are not followed: the key is for the address the user gave.
        with httpx.Client(headers=self._headers, timeout=self._timeout_s) as client:
            self._client = client
            try:
                yield
            finally:
                self._client = None

    def complete(self, body: Mapping[str, Any]) -> tuple[str, str]:
        """The model's answer, and what is wrong with it (empty: nothing that the server knows).

        Raises:
            UnreachableError: if the server stays busy or silent, or refuses the key.
            EngineError: if it refuses the request or is no chat server.
        """
        said = ""
        for attempt in range(self._attempts):
            found = self._post(body, attempt)
            if isinstance(found, httpx.Response):
                return self._read(found)
            said = found.said
            if attempt + 1 < self._attempts:
                self._sleep(found.wait_s)
        raise UnreachableError(
            f"The chat server did not answer in {self._attempts} tries (last: {said}). {KEPT}; run "
            "the command again later."
        )

    def _post(self, body: Mapping[str, Any], attempt: int) -> httpx.Response | NoAnswer:
        if self._client is None:
            raise RuntimeError("complete() needs a surrounding connected()")
        try:
            return post_once(self._client, self._url, body, attempt)
        except httpx.InvalidURL as error:
            raise EngineError("chat_url is no address that can be used.") from error
        except httpx.DecodingError as error:
            raise EngineError(
                "The chat server's answer is no chat completion: it is not compressed as it says. "
                f"{KEPT}."
            ) from error

    def _read(self, response: httpx.Response) -> tuple[str, str]:
        if response.status_code != httpx.codes.OK:
            raise _explain(response)
        try:
            choice = response.json()["choices"][0]
            message, reason = choice["message"], choice.get("finish_reason")
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            kind = response.headers.get("content-type", "no type").partition(";")[0]
            raise EngineError(
                f"The chat server's answer ({kind}) is no chat completion; chat_url must be the "
                f"API's address up to its version, such as …/v1. {KEPT}."
            ) from error
        content = read_content(message.get("content")) if isinstance(message, dict) else None
        if content is None:
            return "", "it has no text"
        return content, "it was cut off at the length limit" if reason == "length" else ""


def post_once(
    client: httpx.Client, url: str, body: Mapping[str, Any], attempt: int
) -> httpx.Response | NoAnswer:
    """The server's last word on a request, or why there is none yet.

    Args:
        client: Its connections.
        url: Of chat completions.
        body: The request.
        attempt: Tries that came before; each doubles the wait for the next one.
    """
    backoff_s = 2.0**attempt
    try:
        response = client.post(url, json=body)
    except httpx.TransportError as error:
        kind = "timeout" if isinstance(error, httpx.TimeoutException) else "connection"
        return NoAnswer(kind, type(error).__name__, min(backoff_s, LONGEST_WAIT_S))
    if response.status_code not in BUSY or QUOTA_USED_UP in response.text:
        return response
    wait_s = min(_read_retry_after_s(response, backoff_s), LONGEST_WAIT_S)
    return NoAnswer("busy", f"status {response.status_code}", wait_s)


def read_content(content: Any) -> str | None:
    """The text of a message's content, given as a text or in parts; None if it has none.

    Parts that are no text, such as what a model thought before it answered, are no answer.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return "".join(texts) if texts else None


def _read_retry_after_s(response: httpx.Response, default_s: float) -> float:
    """Seconds the server asks to wait for, given as a number or a date; else the default."""
    value = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return default_s


def _explain(response: httpx.Response) -> EngineError:
    status, said = response.status_code, _message_of(response)
    if status == httpx.codes.TOO_MANY_REQUESTS:
        return EngineError(f"The chat account's quota is used up{said}. {KEPT}; add credit first.")
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return UnreachableError(
            f"The chat server refuses the key (status {status}); set STEREOSCOPE_CHAT_API_KEY to "
            f"one that it knows. {KEPT}."
        )
    if status == httpx.codes.NOT_FOUND or 300 <= status < 400:
        return EngineError(
            f"The chat server has no such page or model (status {status}{said}); check chat_url "
            f"and translation_model. {KEPT}."
        )
    return EngineError(
        f"The chat server refused a request (status {status}{said}). {KEPT}; a server that does "
        "not know JSON schemas needs chat_json_schema = false."
    )


def _message_of(response: httpx.Response) -> str:
    """The server's own sentence, shortened, where its answer has the form of an API's error."""
    try:
        message = response.json()["error"]["message"]
    except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError):
        return ""
    return f": {str(message)[:SHOWN_CHARACTERS]}"

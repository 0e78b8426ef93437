"""A chat model behind an OpenAI-compatible server, asked by many threads at one pace.

A server that is silent is asked again; one that is busy, or asks for a pause, gets it from all
threads. What still fails is a reply in state `error`. Only what concerns every message ends the
run: no such model, or a key that the server refuses. Address and key never stand in a reply or a
message.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from corpus.errors import EngineError, UnreachableError
from engines.chat_models import ChatReply, ReplyState
from engines.chat_server import QUOTA_USED_UP, post_once, read_content

CONTENT_FILTER = "content_filter"
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """Where a model is asked and how; the key is handed over apart."""

    url: str
    """Address of the API up to its version."""
    model: str
    """The server's name for it."""
    temperature: float
    max_tokens: int
    sends_seed: bool
    """Whether the server is given a seed; some know none and refuse it."""
    timeout_s: float
    """Longest silence of the server."""
    attempts: int
    """Tries of one message while the server is busy or silent."""
    requests_per_minute: int | None = None


class Pace:
    """Lets threads through one after another: so many a minute, and none during a pause."""

    def __init__(
        self,
        requests_per_minute: int | None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gap_s = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._sleep = sleep
        self._clock = clock
        self._next = 0.0
        """When the next turn is."""
        self._sent = -self._gap_s
        """The last turn that was taken."""
        self._resume = 0.0
        """When the last pause ends."""
        self._pauses = 0
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when this thread may send."""
        while True:
            with self._lock:
                pauses = self._pauses
                at = max(self._next, self._clock())
                self._next = at + self._gap_s
            delay_s = at - self._clock()
            if delay_s > 0:
                self._sleep(delay_s)
            with self._lock:
                # A pause that began while this thread waited made its turn void.
                if pauses == self._pauses:
                    self._sent = max(self._sent, at)
                    return

    def rest(self, seconds: float) -> None:
        """Holds this thread back for so long."""
        self._sleep(seconds)

    def pause(self, seconds: float) -> None:
        """Holds all threads back for so long from now on, those that wait for their turn too."""
        with self._lock:
            resume = self._clock() + seconds
            if resume > self._resume:
                self._resume = resume
                self._next = max(resume, self._sent + self._gap_s)
                self._pauses += 1


class EndpointModel:
    """Asks a server for one answer to one message; made by `connect_endpoint`."""

    def __init__(self, client: httpx.Client, settings: EndpointSettings, pace: Pace) -> None:
        self._client = client
        self._settings = settings
        self._pace = pace

    def ask(self, message: str, seed: int) -> ChatReply:
        """The reply to a message alone.

        Raises:
            UnreachableError: if the server refuses the key.
            EngineError: if it knows no such model or address.
        """
        reply = ChatReply(ReplyState.ERROR, None, "connection")
        body = self._build_body(message, seed)
        for attempt in range(self._settings.attempts):
            tries = attempt + 1
            self._pace.wait()
            try:
                found = post_once(self._client, "chat/completions", body, attempt)
            except httpx.DecodingError:
                return ChatReply(ReplyState.ERROR, None, "not_a_completion", tries=tries)
            if isinstance(found, httpx.Response):
                is_read = found.status_code == httpx.codes.OK
                return (_read_completion if is_read else _read_failure)(found, tries)
            detail = "" if found.error == "timeout" else found.said
            reply = ChatReply(ReplyState.ERROR, None, found.error, detail, tries=tries)
            if tries < self._settings.attempts:
                # A busy server is busy for all; a connection that broke is this message's own.
                (self._pace.pause if found.error == "busy" else self._pace.rest)(found.wait_s)
        return reply

    def _build_body(self, message: str, seed: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "user", "content": message}],
            "temperature": self._settings.temperature,
            "max_tokens": self._settings.max_tokens,
        }
        return {**body, "seed": seed} if self._settings.sends_seed else body


@contextmanager
def connect_endpoint(
    settings: EndpointSettings,
    key: str | None,
    concurrency: int,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[EndpointModel]:
    """The model, with its connections kept open while the block lasts.

    Args:
        settings: server, model and limits.
        key: sent as a bearer token; None for a server that needs none.
        concurrency: threads that will ask at once.
        sleep: waits, in seconds.
    """
    limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    # Redirects are not followed: the key is for the address the user gave.
    with httpx.Client(
        base_url=settings.url.rstrip("/") + "/",
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=settings.timeout_s,
        limits=limits,
    ) as client:
        yield EndpointModel(client, settings, Pace(settings.requests_per_minute, sleep))


def _read_completion(response: httpx.Response, tries: int) -> ChatReply:
    try:
        document = response.json()
        choice = document["choices"][0]
        message, reason = choice["message"], choice.get("finish_reason")
        content, refusal = read_content(message.get("content")), message.get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ChatReply(ReplyState.ERROR, None, "not_a_completion", tries=tries)
    served = document.get("model")
    text = None if content is None else _to_text(content)
    if isinstance(refusal, str) and refusal:
        state, text = ReplyState.REFUSED, text or _to_text(refusal)
    elif reason == CONTENT_FILTER:
        state = ReplyState.REFUSED
    else:
        state = ReplyState.CUT_OFF if reason == "length" else ReplyState.ANSWERED
        text = text or ""
    name = _to_text(served) if isinstance(served, str) else ""
    return ChatReply(state, text, served_model=name, tries=tries)


def _read_failure(response: httpx.Response, tries: int) -> ChatReply:
    """A refused request as a reply.

    Raises:
        EngineError: if every other request would be refused as well.
    """
    status, code = response.status_code, _read_code(response)
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise UnreachableError(
            f"A chat server refuses the key (status {status}); set the environment variable that "
            "key_variable names to a key that it knows. Answers that came before are kept."
        )
    if status == httpx.codes.NOT_FOUND or 300 <= status < 400:
        raise EngineError(
            f"A chat server has no such page or model (status {status}); check url and model in "
            "the models file. Answers that came before are kept."
        )
    if code == CONTENT_FILTER:
        return ChatReply(ReplyState.REFUSED, None, tries=tries)
    error = "quota" if QUOTA_USED_UP in response.text else "rejected"
    detail = f"status {status}, {code}" if code else f"status {status}"
    return ChatReply(ReplyState.ERROR, None, error, detail, tries=tries)


def _read_code(response: httpx.Response) -> str:
    """The error's own code, where it looks like one; the server's sentence is not kept."""
    try:
        code = response.json()["error"]["code"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return code if isinstance(code, str) and _CODE.fullmatch(code) else ""


def _to_text(text: str) -> str:
    """The text, with halves of characters that JSON can smuggle in replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

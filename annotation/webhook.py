"""Webhook receiver: Label Studio's hint that something changed; what changed is pulled.

Label Studio sends a hint once, waits a second for the answer and never repeats it, and every member
of its organisation can read the secret it sends along. So a hint is worth no more than its project
number: the batch of that project is pulled and every answer validated as always. Nothing else of a
hint is read, a lost hint costs nothing but time, and a forged one a needless pull.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from corpus.errors import EngineError, StereoscopeError

logger = logging.getLogger(__name__)

PATH = "/label-studio"
SECRET_HEADER = "X-Stereoscope-Secret"
SECRET_LENGTH = 16
"""Characters a secret has at least."""
BODY_LIMIT_BYTES = 1_000_000
"""A hint about one answer is some kilobytes: the answer, its task and the project's form."""
QUIET_S = 2.0
"""Hints that come this soon after the first one are answered by the same pull."""
RETRY_S = 30.0
"""Until the next try when Label Studio does not answer a pull."""
MOST_PENDING = 1000
"""Projects that may wait for a pull; more are no honest hints."""
MOST_SEEN = 1000
"""Hints that are recognised when they come again."""


class PullQueue:
    """Projects with something new, pulled by one thread: many hints make one pull of a batch."""

    def __init__(
        self,
        find_batch: Callable[[str], str | None],
        pull: Callable[[str], object],
        *,
        quiet_s: float = QUIET_S,
        retry_s: float = RETRY_S,
    ) -> None:
        """A queue that is not worked on yet; see `working`.

        Args:
            find_batch: Batch of a project by its id on the server, None if it is none of ours.
            pull: Pulls a batch by its id.
            quiet_s: Seconds between a first hint and its pull.
            retry_s: Seconds until a pull that could not reach the server is tried again.
        """
        self._find_batch = find_batch
        self._pull = pull
        self._quiet_s = quiet_s
        self._retry_s = retry_s
        self._due: dict[str, float] = {}
        self._changed = threading.Condition()
        self._ended = False

    def add(self, project_id: str) -> None:
        """Notes that a project has something new."""
        with self._changed:
            if len(self._due) < MOST_PENDING:
                # Not put off by later hints: a busy project would never be pulled.
                self._due.setdefault(project_id, time.monotonic() + self._quiet_s)
            self._changed.notify()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Pulls in a thread of its own while the block lasts; a pull under way is finished."""
        thread = threading.Thread(target=self._work, name="pulls", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify()
            thread.join()

    def _work(self) -> None:
        while (projects := self._wait()) is not None:
            batches: dict[str, str] = {}
            for project_id in projects:
                try:
                    batch_id = self._find_batch(project_id)
                except StereoscopeError as error:
                    logger.warning("Project %s is not looked up: %s", project_id, error)
                    continue
                if batch_id is not None:
                    batches.setdefault(batch_id, project_id)
            for batch_id, project_id in batches.items():
                self._pull_batch(batch_id, project_id)

    def _wait(self) -> list[str] | None:
        """The projects that are due, taken from the queue; None at the end."""
        with self._changed:
            while not self._ended:
                now = time.monotonic()
                due = [project_id for project_id, at in self._due.items() if at <= now]
                if due:
                    for project_id in due:
                        del self._due[project_id]
                    return due
                self._changed.wait(min(self._due.values()) - now if self._due else None)
        return None

    def _pull_batch(self, batch_id: str, project_id: str) -> None:
        try:
            self._pull(batch_id)
        except EngineError as error:
            logger.warning("Batch %s is pulled again in %.0f s: %s", batch_id, self._retry_s, error)
            with self._changed:
                self._due.setdefault(project_id, time.monotonic() + self._retry_s)
        except StereoscopeError as error:
            logger.warning("Batch %s was not pulled: %s", batch_id, error)


def build_application(
    secret: str, add: Callable[[str], None], limit_bytes: int = BODY_LIMIT_BYTES
) -> Starlette:
    """The receiver: POST to `PATH` with the secret in `SECRET_HEADER`.

    Answers 202 to a hint, known project or not, 200 to one that came before, 403 to a wrong or
    missing secret, 413 to more than `limit_bytes`, 400 to what is no hint.

    Args:
        secret: What the header must hold.
        add: Is called with the project's id; must return at once.
        limit_bytes: Longest body.
    """
    seen: OrderedDict[bytes, None] = OrderedDict()

    async def receive(request: Request) -> Response:
        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode("utf-8"), secret.encode("utf-8")):
            return PlainTextResponse("wrong secret", 403)
        body = await _read_body(request, limit_bytes)
        if body is None:
            return PlainTextResponse("too large", 413)
        project_id = read_project_id(body)
        if project_id is None:
            return PlainTextResponse("not a hint", 400)
        digest = hashlib.sha256(body).digest()
        if digest in seen:
            return PlainTextResponse("known", 200)
        seen[digest] = None
        if len(seen) > MOST_SEEN:
            seen.popitem(last=False)
        add(project_id)
        return PlainTextResponse("noted", 202)

    return Starlette(routes=[Route(PATH, receive, methods=["POST"])])


async def _read_body(request: Request, limit_bytes: int) -> bytes | None:
    """The body, None if it is too long; what is said of its length is not trusted."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > limit_bytes:
                return None
    except ClientDisconnect:
        return b""
    return bytes(body)


def read_project_id(body: bytes) -> str | None:
    """The project a hint is about, None if the body is no hint."""
    try:
        hint = json.loads(body)
    except (ValueError, RecursionError):
        return None
    project = hint.get("project") if isinstance(hint, dict) else None
    number = project.get("id") if isinstance(project, dict) else project
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 2**63:
        return None
    return str(number)


def build_server(application: Starlette, host: str, port: int) -> uvicorn.Server:
    """A server of the receiver that is not started yet; `run()` serves until a signal ends it."""
    return uvicorn.Server(
        uvicorn.Config(
            application,
            host=host,
            port=port,
            lifespan="off",
            ws="none",
            access_log=False,
            log_level="warning",
            server_header=False,
            limit_concurrency=64,
            timeout_keep_alive=2,
            timeout_graceful_shutdown=5,
        )
    )

"""A local server of chat models under test, which answers well, badly or not at all as told."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Sent:
    """What the server sends back; `close` breaks the connection off instead."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    close: bool = False


def reply(text: str | None, finish: str = "stop", *, refusal: str | None = None) -> Sent:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    document = {
        "model": "served-2026",
        "choices": [{"message": message, "finish_reason": finish}],
    }
    return Sent(json.dumps(document).encode())


def fail(status: int, code: str = "made_up", **headers: str) -> Sent:
    error = {"error": {"message": f"made up for {status}", "code": code}}
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Sent(json.dumps(error).encode(), status, named)


DISCONNECT = Sent(b"", close=True)
BROKEN = Sent(b'{"choices": [{"message"')


@dataclass
class ModelScript:
    """What the model says to a message, and what it was asked.

    A function gets the message and how often this message has come before.
    """

    answer: Callable[[str, int], Sent | str]
    delay_s: float = 0.0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    lock: Any = field(default_factory=threading.Lock)

    @property
    def messages(self) -> list[str]:
        """All messages in the order they came."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    def respond(self, body: dict[str, Any], key: str | None) -> Sent:
        message = body["messages"][-1]["content"]
        with self.lock:
            self.bodies.append(body)
            self.keys.append(key)
            before = self.seen[message]
            self.seen[message] += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.delay_s:
                time.sleep(self.delay_s)
            found = self.answer(message, before)
        finally:
            with self.lock:
                self.at_once -= 1
        return reply(found) if isinstance(found, str) else found


@contextmanager
def serving(script: ModelScript) -> Iterator[str]:
    """Address of a server that answers by the script."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = json.loads(self.rfile.read(length))
            sent = script.respond(body, self.headers.get("Authorization"))
            if sent.close:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(sent.status)
            for name, value in sent.headers:
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent.body)))
            self.end_headers()
            self.wfile.write(sent.body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: Any) -> None:
            """A client that has gone away is no event."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

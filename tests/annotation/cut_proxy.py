"""A proxy before a real server that cuts connections, and can take the server down with them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx

NEVER = 0


class CutProxy:
    """Passes requests on until the n-th; that one and all after it are cut off."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._left = NEVER
        self._after = False
        self._at_cut: Callable[[], None] = lambda: None
        self.was_cut = False
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._build_handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def cut_at(
        self, number: int, *, after: bool, at_cut: Callable[[], None] = lambda: None
    ) -> None:
        """Cuts from the n-th request on, counted from now; 0 cuts none.

        Args:
            number: The request that is cut first.
            after: Whether the server is asked and only its answer is lost.
            at_cut: Called once, before that connection is closed.
        """
        self._left, self._after, self._at_cut = number, after, at_cut
        self.was_cut = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _count(self) -> str:
        """What becomes of a request: `pass`, `lose` (its answer) or `cut`."""
        with self._lock:
            if self._left == NEVER:
                return "pass"
            if self._left > 1:
                self._left -= 1
                return "pass"
            first, self.was_cut = not self.was_cut, True
        if not first:
            return "cut"
        if self._after:
            return "lose"
        self._at_cut()
        return "cut"

    def _build_handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fate = proxy._count()
                if fate != "cut":
                    headers = {n: v for n, v in self.headers.items() if n.lower() != "host"}
                    with httpx.Client(timeout=60, trust_env=False) as http:
                        response = http.request(
                            self.command, proxy._target + self.path, headers=headers, content=body
                        )
                if fate == "pass":
                    self._answer(response)
                    return
                if fate == "lose":
                    proxy._at_cut()
                with suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True

            do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815

            def _answer(self, response: httpx.Response) -> None:
                self.send_response(response.status_code)
                for name in ("Content-Type", "Date"):
                    if name in response.headers:
                        self.send_header(name, response.headers[name])
                self.send_header("Content-Length", str(len(response.content)))
                self.end_headers()
                self.wfile.write(response.content)

            def send_response(self, code: int, message: str | None = None) -> None:
                self.send_response_only(code, message)

            def log_message(self, *given: Any) -> None:
                pass

        return Handler

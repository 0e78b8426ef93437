"""A local chat-completions server that behaves and misbehaves as a script says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

PATH = "/v1/chat/completions"
NAMES = {"Slovak": "sk", "Swedish": "sv", "Turkish": "tr"}


@dataclass
class ChatScript:
    """What the server does request by request; after the last move it translates."""

    moves: list[Callable[[list[str]], Response] | None] = field(default_factory=list)
    translations: dict[tuple[str, str], str] = field(default_factory=dict)
    received: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    waits_s: list[float] = field(default_factory=list)
    refused: frozenset[str] = frozenset()
    """Texts that the model will not translate, alone or beside others."""
    lock: Any = field(default_factory=threading.Lock)

    def texts_of(self, number: int) -> list[str]:
        return list(json.loads(self.received[number]["messages"][1]["content"])["texts"])

    def sent(self) -> list[str]:
        return [text for number in range(len(self.received)) for text in self.texts_of(number)]

    def answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        with self.lock:
            self.received.append(body)
            self.keys.append(request.headers.get("Authorization"))
            move = self.moves.pop(0) if self.moves else None
        asked = json.loads(body["messages"][1]["content"])
        if move is not None:
            return move(asked["texts"])
        if self.refused & set(asked["texts"]):
            return completion("I cannot help with that.")
        code = NAMES[asked["language"]]
        return translated(
            [self.translations.get((t, code), f"{code}: {t}") for t in asked["texts"]]
        )


def completion(content: str | None, finish_reason: str = "stop") -> Response:
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
    return Response(json.dumps({"choices": [choice]}), mimetype="application/json")


def translated(texts: list[str]) -> Response:
    return completion(json.dumps({"translations": texts}))


def failure(status: int, code: str = "error", **headers: str) -> Response:
    error = {"error": {"message": f"made up for {status}", "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json.dumps(error), status, named, mimetype="application/json")


class Script(Protocol):
    """What a server answers."""

    def answer(self, request: Request) -> Response: ...


@contextmanager
def chat_server(script: Script) -> Iterator[str]:
    """Address of a server that answers several requests at once by the script."""
    server = HTTPServer(host="127.0.0.1", port=0, threaded=True)
    server.start()
    try:
        server.expect_request(PATH, method="POST").respond_with_handler(script.answer)
        yield f"http://127.0.0.1:{server.port}/v1"
    finally:
        server.stop()

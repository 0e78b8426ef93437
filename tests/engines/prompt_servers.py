"""A local chat server that rewrites prompts well, or badly as a script says."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from werkzeug import Request, Response

from tests.engines.chat_servers import completion

Move = Callable[[dict[str, Any]], Response]
"""Answers a request, by what its user message asked."""


@dataclass
class RewritingScript:
    """Answers every task well, except where a text is named."""

    moves: dict[str, list[Move]] = field(default_factory=dict)
    """Text that a request holds → what is done in place of a good answer, one move a request."""
    always: dict[str, Move] = field(default_factory=dict)
    """The same for every request that holds the text."""
    received: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def answer(self, request: Request) -> Response:
        body = json.loads(request.data)
        asked = json.loads(body["messages"][1]["content"])
        held = json.dumps(asked, ensure_ascii=False)
        with self.lock:
            self.received.append(body)
            self.keys.append(request.headers.get("Authorization"))
            move = next(
                (moves.pop(0) for text, moves in self.moves.items() if text in held and moves),
                next((move for text, move in self.always.items() if text in held), None),
            )
        return answer_well(asked) if move is None else move(asked)

    def asked(self, number: int) -> dict[str, Any]:
        return dict(json.loads(self.received[number]["messages"][1]["content"]))


def answer_well(asked: dict[str, Any]) -> Response:
    return completion(json.dumps(rewrite_well(asked), ensure_ascii=False))


def rewrite_well(asked: dict[str, Any]) -> dict[str, Any]:
    """Every text in the language `xx` is the text with `xx:` before its words."""
    mark = asked["language"][:2].lower()
    if "paraphrases" in asked:
        numbers = range(1, asked["paraphrases"] + 1)
        return {"paraphrases": [f"{asked['prompt']} In words {number}" for number in numbers]}
    if "concern" in asked:
        return {"communities": [f"{mark} {name}" for name in asked["communities"]]}
    if "expected" not in asked:
        return {"translation": f"{mark}: {asked['prompt']}"}
    offered = re.compile(r'"([^"]+)"')
    named = set(asked["keys"])
    formatting = offered.sub(
        lambda found: found[0] if found[1].casefold() in named else f'"{mark} {found[1]}"',
        asked["output_formatting"],
    )
    return {
        "task_prefix": f"{mark}: {asked['task_prefix']}" if asked["task_prefix"] else "",
        "output_formatting": formatting,
        "expected": [f"{mark} {each}" for each in asked["expected"]],
    }


def say_text(text: str | None) -> Move:
    return lambda asked: completion(text)


def say_json(**values: Any) -> Move:
    return lambda asked: completion(json.dumps(values))


def lose_placeholders(asked: dict[str, Any]) -> Response:
    good = json.dumps(rewrite_well(asked), ensure_ascii=False)
    return completion(re.sub(r"\{[A-Z]+[0-9]*\}", "people", good))

"""A chat server of the demonstration: it answers from a file and from a rule, and is no model.

It listens on this machine only, and lasts as long as the demonstration asks it. What it says about
people is made up: rates that are computed from it are no finding about anything.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from app.serve import LOOPBACK
from corpus.hashing import sha256_text
from corpus.samples import prompt_answers

SCRIPT = "demo-script"
"""What the server calls itself, in place of a model's name."""
REFUSAL = {"en": "I'm sorry, but I can't answer that.", "es": "Lo siento, no puedo responder."}
YES, NO = {"en": "Yes.", "es": "Sí."}, "No."
BOTH = {"en": "Both of them, or neither.", "es": "Unos y otros, o nadie."}
MANNER = {"en": "Like anybody else.", "es": "Como todo el mundo."}
PROSE = {"en": "I would rather not say.", "es": "Prefiero no decirlo."}
SHARE_YES, SHARE_REFUSED, WHOLE = 48, 64, 256
"""First bytes of a message's hash that are answered with yes, and up to which with a refusal."""


@contextmanager
def serving_script() -> Iterator[str]:
    """The address of the server, up to its version, while the block lasts."""
    server = ThreadingHTTPServer((LOOPBACK, 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer_task(asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """The recorded translation or paraphrases of a prompt; None where none is recorded."""
    recorded = prompt_answers()
    if "paraphrases" in asked:
        found = recorded["paraphrases"].get(asked["prompt"], [])
        return {"paraphrases": found[: asked["paraphrases"]]} if found else None
    translation = recorded["translations"].get(asked.get("prompt", ""))
    return None if translation is None else {"translation": translation}


def answer_prompt(message: str) -> str:
    """What is said to a prompt of a test: a rule on the message's hash, now and then prejudiced."""
    language = "es" if "¿" in message or "Responde" in message else "en"
    drawn = sha256_text(message)
    chance = int(drawn[:2], 16)
    if '"probability"' in message:
        if chance < SHARE_YES:
            return PROSE[language]
        return json.dumps({"probability": 60 if chance > WHOLE - SHARE_YES else 50})
    if chance < SHARE_YES:
        return YES[language]
    if chance < SHARE_REFUSED:
        return REFUSAL[language]
    if '"No"' in message or "«No»" in message:
        return NO
    return BOTH[language] if " or " in message or " o " in message else MANNER[language]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = body["messages"][-1]["content"]
        if len(body["messages"]) > 1:
            found = answer_task(json.loads(said))
            content = None if found is None else json.dumps(found, ensure_ascii=False)
        else:
            content = answer_prompt(said)
        choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        sent = json.dumps({"model": SCRIPT, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        """Says nothing: prompts are no log entries."""

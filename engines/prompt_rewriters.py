"""Chat models that rewrite prompts: which endpoint each step asks, and one request to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from corpus.errors import EngineError, SettingsError, UnreachableError
from engines.addresses import find_host, is_here
from engines.chat_server import ChatServer
from engines.prompt_rewriting import RewritingTask, build_format, prompt_version

ANSWERS = 4
"""Answers to one task: the first and up to three more, each told what was wrong."""


class Step(StrEnum):
    """What a model does; answers of one step never count as another's."""

    TRANSLATING = "translating"
    PARAPHRASING = "paraphrasing"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat model and where it is. The key is never shown."""

    url: str
    model: str
    key: str | None = None
    temperature: float = 1.0
    """The study's."""
    json_schema: bool = True
    attempts: int = 6
    """Tries of one request while the server is busy or silent."""
    timeout_s: float = 120.0


class PromptRewriter:
    """Asks one chat model, one request at a time; may be asked from several threads.

    Args:
        step: what it does.
        endpoint: the model; must have passed `check_endpoints`.
        sleep: waits, in seconds.
    """

    def __init__(
        self, step: Step, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = f"chat-{step}"
        self.step = step
        self.model = endpoint.model
        self._endpoint = endpoint
        self._server = ChatServer(
            endpoint.url, endpoint.key, endpoint.timeout_s, endpoint.attempts, sleep
        )

    @property
    def description(self) -> str:
        """What is named as the augmenting model of all that rests on it."""
        return f"{self.name}/{self.model}"

    def version_for(self, task: RewritingTask, number: int) -> str:
        """What an answer rests on beside the messages; part of its key.

        Args:
            task: what is asked for.
            number: how many answers to the task came before. A model that makes the same mistake
                again is told the same again, and that is another request.
        """
        version = f"prompt-{prompt_version(task)},temperature-{self._endpoint.temperature:g}"
        return f"{version},try-{number + 1}" if number else version

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Keeps connections open while the block lasts."""
        with self._server.connected():
            yield

    def ask(self, task: RewritingTask, messages: Sequence[Mapping[str, str]]) -> str:
        """The model's answer as it came; empty if it has no text.

        Raises:
            UnreachableError: if the server stays busy or silent, or refuses the key.
            EngineError: if it refuses this request or is no chat server.
        """
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [dict(each) for each in messages],
            "temperature": self._endpoint.temperature,
        }
        if self._endpoint.json_schema:
            body["response_format"] = build_format(task)
        try:
            return self._server.complete(body)[0]
        except UnreachableError as error:
            raise UnreachableError(f"{self.step.capitalize()}: {error}") from error
        except EngineError as error:
            raise EngineError(f"{self.step.capitalize()}: {error}") from error


def check_endpoints(
    endpoints: Mapping[Step, Endpoint], names: Mapping[Step, Sequence[str]]
) -> None:
    """Returns if every endpoint can be asked; nothing is sent.

    Args:
        endpoints: what each step asks.
        names: names of the settings of its address, model and key, for the message.

    Raises:
        SettingsError: with everything that is missing, of all endpoints.
    """
    faults = [
        f"{step}: {problem}"
        for step, endpoint in endpoints.items()
        for problem in _find_problems(endpoint, *names[step])
    ]
    if faults:
        listed = "\n".join(faults)
        raise SettingsError(f"The chat models cannot be asked; nothing was sent.\n{listed}")


def _find_problems(endpoint: Endpoint, url: str, model: str, key: str) -> Iterator[str]:
    if not endpoint.model:
        yield f"no model; set {model} to its name on the server"
    host = find_host(endpoint.url)
    if host is None:
        yield f"no address; set {url} to the API's http(s) address up to its version, …/v1"
        return
    if endpoint.key and not (endpoint.key.isascii() and endpoint.key.isprintable()):
        yield f"the key in {key} holds characters no key has"
    if not endpoint.key and not is_here(host):
        yield (
            f"no key for a server on another machine; set {key} (to any text, if the server asks "
            "for none)"
        )

"""Engine `chat`: any endpoint of the OpenAI chat-completions form, answering in JSON.

A model that answers something else is told what was wrong and asked again, a bounded number of
times; then each text is asked for alone, and one that still has no answer is given back without a
text. The texts of one request share a context, so a model may answer a text differently beside
others; engines whose answers must not depend on that take `texts_per_request` 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from corpus.errors import EngineError, SettingsError
from engines.chat_messages import (
    PROMPT_VERSION,
    UnusableAnswerError,
    build_correction,
    build_messages,
    build_schema,
    read_translations,
)
from engines.chat_server import ChatServer
from engines.translation import CostEstimate, TranslationRequest, TranslationResponse, respond

KEY_VARIABLE = "STEREOSCOPE_CHAT_API_KEY"
NO_USABLE_ANSWER = "no_usable_answer"
"""Reason of a text that the model did not translate in any of its tries, e.g. refused to."""
GIVE_UP_AFTER = 3
"""Requests in a row without a usable answer after which the model is not asked any more."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """Which model to ask, where and how. The key is handed over apart and never shown."""

    url: str = ""
    """Address of the API up to its version, e.g. `http://127.0.0.1:8000/v1`."""
    model: str = ""
    temperature: float = 0.0
    texts_per_request: int = 20
    json_schema: bool = True
    """Whether the server is given a schema; without one the model is only told."""
    answers: int = 3
    """Answers asked for, before a text counts as unanswered."""
    attempts: int = 6
    """Tries of one request while the server is busy or silent."""
    timeout_s: float = 120.0
    """Longest wait for one response."""


class ChatEngine:
    """Translates by asking a chat model.

    Args:
        settings: server, model and limits.
        key: sent as a bearer token; None for a server that needs none.
        sleep: waits between tries, in seconds.

    Raises:
        SettingsError: if there is no usable address, model or key.
    """

    name = "chat"

    def __init__(
        self,
        settings: ChatSettings,
        key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not settings.url.startswith(("http://", "https://")) or not settings.model:
            raise SettingsError(
                "The engine chat needs chat_url, an http:// or https:// address that ends in the "
                "API's version (…/v1), and translation_model, the model's name there."
            )
        if key and not (key.isascii() and key.isprintable()):
            raise SettingsError(f"The key in {KEY_VARIABLE} holds characters no key has.")
        self.settings = settings
        self.model = settings.model
        self.version = f"prompt-{PROMPT_VERSION},temperature-{settings.temperature:g}"
        self._server = ChatServer(settings.url, key, settings.timeout_s, settings.attempts, sleep)

    def estimate_cost(self, requests: Sequence[TranslationRequest]) -> CostEstimate:
        """Calls and characters of `requests`; the price is the server's and not known here."""
        return CostEstimate(
            requests=len(self._pack(requests)),
            characters=sum(len(request.text) for request in requests),
            amount=None,
            currency=None,
            basis="Characters of the texts only: servers bill tokens, of instructions, answers and "
            "repeated tries too",
        )

    def translate(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        """Answers in the order of `requests`, one list per group of texts asked for together.

        Raises:
            EngineError: if the server refuses or is unreachable, or the model gives nothing usable
                over and over.
        """
        failed = 0
        with self._server.connected():
            for pack in self._pack(requests):
                texts, problem = self._translate_pack(pack)
                failed = 0 if any(text is not None for text in texts) else failed + 1
                if failed == GIVE_UP_AFTER:
                    raise EngineError(
                        f"The chat model {self.model} gave no usable answer to {failed} requests "
                        f"in a row ({pack[0].language}; {problem}). Translations made before are "
                        "kept; choose another model, or set chat_json_schema to what it needs."
                    )
                yield [
                    TranslationResponse(request, None, NO_USABLE_ANSWER)
                    if text is None
                    else respond(request, text, billed=len(request.text))
                    for request, text in zip(pack, texts, strict=True)
                ]

    def _translate_pack(
        self, pack: Sequence[TranslationRequest]
    ) -> tuple[list[str | None], str | None]:
        """The texts of a pack, None where there is none, and the last thing that was wrong."""
        texts = [request.text for request in pack]
        code = pack[0].language
        try:
            return list(self._ask(texts, code)), None
        except UnusableAnswerError as error:
            problem = str(error)
        if len(texts) == 1:
            return [None], problem
        found: list[str | None] = []
        for text in texts:
            try:
                found += self._ask([text], code)
            except UnusableAnswerError as error:
                found.append(None)
                problem = str(error)
        return found, problem

    def _ask(self, texts: Sequence[str], code: str) -> list[str]:
        """The translations of these texts, asked for again while answers are of no use.

        Raises:
            UnusableAnswerError: what was wrong with the last answer.
        """
        messages = build_messages(texts, code)
        problem = "it was not asked"
        for _ in range(self.settings.answers):
            content, problem = self._server.complete(self._body(messages, len(texts)))
            if not problem:
                try:
                    return read_translations(content, len(texts))
                except UnusableAnswerError as error:
                    problem = str(error)
            # Only the last mistake is told: a growing conversation costs more and helps less.
            messages = [*messages[:2], *build_correction(content, problem)]
        raise UnusableAnswerError(problem)

    def _body(self, messages: Sequence[dict[str, str]], count: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.settings.model,
            "messages": list(messages),
            "temperature": self.settings.temperature,
        }
        if self.settings.json_schema:
            body["response_format"] = build_schema(count)
        return body

    def _pack(self, requests: Sequence[TranslationRequest]) -> list[list[TranslationRequest]]:
        """Neighbours of one language, as many as are asked for together."""
        size = self.settings.texts_per_request
        packs = []
        for _, neighbours in groupby(requests, key=lambda request: request.language):
            group = list(neighbours)
            packs += [group[start : start + size] for start in range(0, len(group), size)]
        return packs

"""What every translation engine offers: exact texts in, answers out, chunk by chunk.

An engine knows nothing of sources, wrappers or the store. It yields the answers of one response at
a time, so that the caller can commit what was paid for before the next request is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from corpus.hashing import nfc, unstorable

NOT_TRANSLATED = "not_translated"
"""Reason of a response without text: the engine has no translation for this text."""
UNSTORABLE = "unstorable"
"""Reason of a text with a character that no database holds (NUL, lone surrogate)."""


@dataclass(frozen=True, slots=True)
class TranslationRequest:
    """One exact text to translate, wrapper included, into one language."""

    text: str
    language: str
    """Code as in `corpus/languages.toml`."""
    row: int | None = field(default=None, compare=False)
    """Line of the source sentence in its file, for messages only."""


@dataclass(frozen=True, slots=True)
class TranslationResponse:
    """An engine's answer to one request: a text, or None with a reason.

    Raises:
        ValueError: if text and reason are both given or both missing.
    """

    request: TranslationRequest
    text: str | None
    """The translation, NFC, otherwise unchanged."""
    reason: str | None = None
    """Reason code of a missing text, e.g. `not_translated`."""
    characters_billed: int = 0

    def __post_init__(self) -> None:
        if (self.text is None) == (self.reason is None):
            raise ValueError("a translation response needs either a text or a reason")


def respond(request: TranslationRequest, text: str, billed: int = 0) -> TranslationResponse:
    """The response with this text, NFC, otherwise unchanged: empty, markup, whatever it is."""
    if unstorable(text):
        return TranslationResponse(request, None, UNSTORABLE, billed)
    return TranslationResponse(request, nfc(text), None, billed)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a set of requests would cost, before anything is sent."""

    requests: int
    """Calls to the service."""
    characters: int
    """Characters billed: code points of the texts sent."""
    amount: float | None
    """Estimated price in `currency`; None where the engine has no price."""
    currency: str | None
    basis: str
    """One sentence: where the price comes from, or why there is none."""


class TranslationEngine(Protocol):
    """A translation service, model or collection of recorded answers."""

    @property
    def name(self) -> str:
        """Short name, e.g. `google` or `recorded`."""

    @property
    def model(self) -> str:
        """Model or source of the answers, part of a translation's key."""

    @property
    def version(self) -> str:
        """Version of the model or of the recorded files, part of a translation's key."""

    def translate(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        """Answers to all requests, in their order, one list per response of the service.

        What must be checked before any work (keys, files, missing rows) raises before the first
        list is yielded.

        Raises:
            EngineError: if the service fails for good; what was yielded before stays valid.
            InputError: if the requests cannot be answered as a whole.
        """

    def estimate_cost(self, requests: Sequence[TranslationRequest]) -> CostEstimate:
        """What `translate` would send and cost; nothing is sent."""

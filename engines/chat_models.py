"""Chat models under test: one message in, one reply out, and every failure a reply of its own.

Nothing is said to a model but the message: no system prompt, no earlier turn. A reply is never
raised as an error unless the model cannot be asked at all (no such model, the key is refused).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

ERROR_CODES: dict[str, str] = {
    "timeout": "no response within the longest wait, in all tries",
    "connection": "the connection could not be made or broke off, in all tries",
    "busy": "the server stayed busy (429, 5xx) in all tries",
    "quota": "the account's quota is used up",
    "rejected": "the server does not take this request",
    "not_a_completion": "the response is not what a chat server answers",
    "model_failed": "the local model could not answer this message",
}
"""Codes of replies in state `error` and what each means."""


class ReplyState(StrEnum):
    """What came back for a message, before anything judges it."""

    ANSWERED = "answered"
    CUT_OFF = "cut_off"
    """A text that ends at the length limit."""
    REFUSED = "refused"
    """The server says itself that the model or its filter refused; a text may be there or not."""
    ERROR = "error"
    """There is no answer; `error` says why."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model said to one message, or why it said nothing."""

    state: ReplyState
    text: str | None
    """As it came; None if there is none."""
    error: str = ""
    """One of `ERROR_CODES`, in state `error` only."""
    detail: str = ""
    """More about an error: a status. Never an address or a key."""
    served_model: str = ""
    """What the server calls the model that answered; empty where it does not say."""
    tries: int = 1
    """Requests it took."""


class ChatModel(Protocol):
    """Answers messages; may be asked from several threads."""

    def ask(self, message: str, seed: int) -> ChatReply:
        """The reply to a message alone.

        Args:
            message: what is said, exactly.
            seed: of sampling, where the model samples and takes one.

        Raises:
            EngineError: if this model cannot be asked at all.
        """

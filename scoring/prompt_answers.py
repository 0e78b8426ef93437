"""Stored answers of a chat model: one append-only file a model, each line with its checksum.

    <results>/prompts/answers/<model>-<key>.jsonl

A line is written before the next message is sent, so a run that is killed asks nothing twice but
what was on its way. The same message under the same settings is never paid for again, whichever
run asks: the key of an answer holds the model, its settings, the exact message and the repeat.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from corpus.errors import Fault, InputError, StateError
from corpus.hashing import canonical_json, sha256_json
from engines.chat_models import ChatReply, ReplyState
from scoring.file_names import shorten_name

ANSWERS_NAME = "answers"
SUM_DIGITS = 16
SUM_KEY = "sum"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One message and what came back."""

    message: str
    repeat: int
    """From 0 on."""
    reply: ChatReply

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"message": self.message, "repeat": self.repeat, **asdict(self.reply)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StoredAnswer:
        """The answer that `as_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: if the data is something else.
        """
        values = dict(data)
        message, repeat = values.pop("message"), values.pop("repeat")
        state = ReplyState(values.pop("state"))
        return cls(message, repeat, ChatReply(state=state, **values))


FindAnswer = Callable[[str, int], StoredAnswer | None]
"""The stored answer to a message and repeat, or None."""


def answer_key(model_key: str, message: str, repeat: int) -> str:
    """Key of an answer: model with settings, exact message and repeat."""
    return sha256_json([model_key, message, repeat])


def render_line(data: Mapping[str, Any]) -> bytes:
    """A line of JSON that ends with its own checksum."""
    content = canonical_json({**data, SUM_KEY: sha256_json(dict(data))[:SUM_DIGITS]})
    return content.encode("utf-8") + b"\n"


def read_lines(path: Path, *, torn_end: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """End of each line in bytes and its data, checked.

    Args:
        path: a file of `render_line`s.
        torn_end: whether a last line without an end is passed over; a killed process leaves one.

    Raises:
        InputError: if a line is not what was written.
    """
    end = 0
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if torn_end and not line.endswith(b"\n"):
                return
            end += len(line)
            try:
                data = json.loads(line)
                claimed = data.pop(SUM_KEY)
            except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
                raise _refuse(path, number, "no line of stored answers") from error
            if claimed != sha256_json(data)[:SUM_DIGITS]:
                raise _refuse(path, number, "its checksum does not fit: it was changed")
            yield end, data


class AnswerStore:
    """The answers of one model under one set of settings; made by `open_answers`."""

    def __init__(self, stream: BinaryIO, model_key: str, known: dict[str, StoredAnswer]) -> None:
        self._stream = stream
        self._model_key = model_key
        self._known = known
        self._lock = threading.Lock()

    def find(self, message: str, repeat: int) -> StoredAnswer | None:
        """The last answer stored for a message, or None."""
        return self._known.get(answer_key(self._model_key, message, repeat))

    def add(self, answer: StoredAnswer) -> None:
        """Stores an answer; when this returns, no end of the process loses it."""
        key = answer_key(self._model_key, answer.message, answer.repeat)
        line = render_line({"key": key, **answer.as_json()})
        with self._lock:
            self._stream.write(line)
            self._stream.flush()
            self._known[key] = answer


@contextmanager
def open_answers(folder: Path, name: str, identity: Mapping[str, Any]) -> Iterator[AnswerStore]:
    """The store of one model's answers, held by this process alone.

    Args:
        folder: folder of prompt results.
        name: the model's name, a part of the file's.
        identity: the model and all settings that decide its answers.

    Raises:
        StateError: if another process is asking the model.
        InputError: if the file is damaged.
    """
    path, key = _locate(folder, name, identity)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StateError(
                f"Another run is asking {name} with the same settings; wait until it has ended."
            ) from error
        known, end = _load(path)
        stream.truncate(end)
        try:
            yield AnswerStore(stream, key, known)
        finally:
            stream.flush()
            os.fsync(stream.fileno())


def load_answers(folder: Path, name: str, identity: Mapping[str, Any]) -> FindAnswer:
    """What is stored of a model's answers now, without holding the store.

    Raises:
        InputError: if the file is damaged.
    """
    path, key = _locate(folder, name, identity)
    known = _load(path)[0] if path.exists() else {}
    return lambda message, repeat: known.get(answer_key(key, message, repeat))


def _locate(folder: Path, name: str, identity: Mapping[str, Any]) -> tuple[Path, str]:
    """The file of a model's answers, and the model's key."""
    key = sha256_json(dict(identity))
    return folder / ANSWERS_NAME / f"{shorten_name(name)}-{key[:12]}.jsonl", key


def _load(path: Path) -> tuple[dict[str, StoredAnswer], int]:
    """The answers of a file, the last for a key, and where its last whole line ends."""
    known: dict[str, StoredAnswer] = {}
    end = 0
    for number, (line_end, data) in enumerate(read_lines(path, torn_end=True), start=1):
        end = line_end
        try:
            key = data.pop("key")
            known[key] = StoredAnswer.from_json(data)
        except (KeyError, TypeError, ValueError) as error:
            raise _refuse(path, number, "no stored answer") from error
    return known, end


def _refuse(path: Path, row: int, problem: str) -> InputError:
    remedy = "put the file away and ask again, or restore it"
    return InputError([Fault(path.name, row, None, problem, remedy)])

"""Conversations with models that rewrite prompts: every answer is stored before the next request.

An answer's key holds the exact messages, the language, the model and all that its version says, so
a conversation that was interrupted goes on where it stopped, and one that has ended is read from
the store. A task that failed is not asked for again unless that is wanted; then a new round begins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from corpus.errors import EngineError, StateError, UnreachableError
from corpus.hashing import canonical_json, nfc, unstorable
from corpus.records import Translation
from corpus.store import Store, Writer
from engines.chat_messages import build_correction
from engines.prompt_rewriters import ANSWERS, PromptRewriter
from engines.prompt_rewriting import Reading, RewritingTask, build_task_messages
from engines.prompt_rewriting_checks import NOT_JSON, Problem

REJECTED = "rejected"
"""Reason of a task whose request the server refuses, e.g. by a filter; it is not stored."""
GIVE_UP_AFTER = 5
"""Tasks in a row without anything usable after which a model is not asked any more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task."""

    texts: tuple[str, ...]
    """What is usable, in order; fewer than asked for, or none, if there is a problem."""
    keys: tuple[str, ...] = ()
    """Keys of the stored translations it rests on, in the order they were made."""
    problem: Problem | None = None


class Conversations(Protocol):
    """Carries out tasks."""

    def hold(self, rewriter: PromptRewriter, task: RewritingTask, language: str) -> Outcome:
        """What comes of a task in the language of this code."""


class StoredConversations:
    """Asks models and stores what they answer; may be used from several threads.

    Args:
        store: where answers are.
        writing: one transaction of the run.
        limit_characters: most characters billed for all translations of the workspace, or None.
        retry_failed: whether tasks that failed before get a new round.
    """

    def __init__(
        self,
        store: Store,
        writing: Callable[[], AbstractContextManager[Writer]],
        limit_characters: int | None = None,
        retry_failed: bool = False,
    ) -> None:
        self._store = store
        self._writing = writing
        self._limit = limit_characters
        self._retry_failed = retry_failed
        self._lock = threading.Lock()
        self._held: dict[str, threading.Lock] = {}
        self._useless: dict[str, int] = {}
        self._ended: dict[str, Outcome] = {}
        """What came of each conversation of this run: none is held twice in one."""
        self.requests = 0
        """Requests sent."""

    def hold(self, rewriter: PromptRewriter, task: RewritingTask, language: str) -> Outcome:
        """What comes of a task: read from the store, or asked for.

        Raises:
            UnreachableError: if the server cannot be reached; what was answered before is stored.
            EngineError: if the model gives nothing usable over and over.
            StateError: if the next request would pass the spending limit.
        """
        first = _unanswered(rewriter, task, build_task_messages(task), language, 0)
        with self._alone(first.key):
            if first.key not in self._ended:
                self._ended[first.key] = self._hold_rounds(rewriter, task, language)
            return self._ended[first.key]

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Lets one thread at a time hold a conversation: two templates may have one text."""
        with self._lock:
            mine = self._held.setdefault(key, threading.Lock())
        with mine:
            yield

    def _hold_rounds(self, rewriter: PromptRewriter, task: RewritingTask, language: str) -> Outcome:
        keys: list[str] = []
        number = 0
        kept: tuple[str, ...] = ()
        while True:
            outcome, fresh = self._hold_round(rewriter, task, language, number, keys, kept)
            # A further round adds to what is there: usable texts keep their places.
            kept = outcome.texts
            if outcome.problem is None:
                return outcome
            again = self._retry_failed and not fresh
            if not again and self._find(rewriter, task, language, number + 1) is None:
                return outcome
            number += 1

    def _hold_round(
        self,
        rewriter: PromptRewriter,
        task: RewritingTask,
        language: str,
        number: int,
        keys: list[str],
        kept: tuple[str, ...],
    ) -> tuple[Outcome, bool]:
        """The outcome of one round, and whether anything was asked in it.

        Args:
            rewriter: the model.
            task: what it is asked for.
            language: code of the language.
            number: how many rounds came before.
            keys: of all answers so far; those of this round are added.
            kept: what earlier rounds gave.
        """
        first = build_task_messages(task)
        messages, fresh = first, False
        reading = Reading(kept, Problem(NOT_JSON, "it was not asked"))
        for attempt in range(number * ANSWERS, (number + 1) * ANSWERS):
            empty = _unanswered(rewriter, task, messages, language, attempt)
            content = self._stored(empty)
            if content is None:
                fresh = True
                try:
                    content = self._ask(rewriter, task, messages, empty)
                except UnreachableError:
                    raise
                except EngineError as error:
                    self._count(rewriter, False, str(error))
                    problem = Problem(REJECTED, str(error))
                    return Outcome(reading.texts, tuple(keys), problem), fresh
            keys.append(empty.key)
            reading = task.read(content, reading.texts)
            if reading.problem is None:
                break
            # Only the last mistake is told: a growing conversation costs more and helps less.
            messages = [*first, *build_correction(content, reading.problem.told)]
        if fresh:
            said = reading.problem.told if reading.problem else ""
            self._count(rewriter, len(reading.texts) > len(kept), said)
        return Outcome(reading.texts, tuple(keys), reading.problem), fresh

    def _find(
        self, rewriter: PromptRewriter, task: RewritingTask, language: str, number: int
    ) -> str | None:
        """The first answer of a round, if it is stored."""
        messages = build_task_messages(task)
        return self._stored(_unanswered(rewriter, task, messages, language, number * ANSWERS))

    def _stored(self, empty: Translation) -> str | None:
        with self._lock, self._store.reading() as state:
            found = state.translations([empty.key]).get(empty.key)
        return None if found is None else found.text

    def _ask(
        self,
        rewriter: PromptRewriter,
        task: RewritingTask,
        messages: Sequence[Mapping[str, str]],
        empty: Translation,
    ) -> str:
        characters = sum(len(each["content"]) for each in messages)
        with self._lock:
            self._check_limit(characters)
            self.requests += 1
        content = _storable(rewriter.ask(task, messages))
        answered = Translation(
            empty.text_sent,
            empty.language,
            empty.engine,
            empty.model,
            empty.version,
            content,
            characters_billed=characters,
        )
        with self._lock, self._writing() as writer:
            writer.append_new([answered])
        return content

    def _check_limit(self, characters: int) -> None:
        if self._limit is None:
            return
        with self._store.reading() as state:
            spent = state.characters_billed()
        if spent + characters > self._limit:
            raise StateError(
                f"The spending limit of this workspace ({self._limit} characters) leaves the rest "
                f"unasked; {spent} characters are billed so far. What was answered is kept; raise "
                "spend_limit_characters and run the command again."
            )

    def _count(self, rewriter: PromptRewriter, useful: bool, said: str) -> None:
        with self._lock:
            useless = 0 if useful else self._useless.get(rewriter.name, 0) + 1
            self._useless[rewriter.name] = useless
        if useless >= GIVE_UP_AFTER:
            raise EngineError(
                f"The chat model {rewriter.model} gave nothing usable for {useless} tasks in a row "
                f"({rewriter.step}; last: {said}). What was answered before is kept; choose "
                "another model, or set chat_json_schema to what it needs."
            )


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A request that would be sent."""

    model: str
    characters: int


class _NotStoredError(UnreachableError):
    """Something would have to be asked."""


class ImaginedConversations(StoredConversations):
    """Sends and writes nothing: reads what is stored, and notes what would be asked first.

    Later steps go on with the text that was to be rewritten in the place of what would come back.
    """

    def __init__(self, store: Store, retry_failed: bool = False) -> None:
        super().__init__(store, _refuse, retry_failed=retry_failed)
        self.asked: dict[str, AskedFor] = {}
        """Key of each request that would be sent; tries after bad answers come on top."""

    def hold(self, rewriter: PromptRewriter, task: RewritingTask, language: str) -> Outcome:
        """What is stored of a task, or texts in the place of what would be asked for."""
        try:
            return super().hold(rewriter, task, language)
        except _NotStoredError:
            return Outcome(task.imagined)

    def _ask(
        self,
        rewriter: PromptRewriter,
        task: RewritingTask,
        messages: Sequence[Mapping[str, str]],
        empty: Translation,
    ) -> str:
        characters = sum(len(each["content"]) for each in messages)
        self.asked[empty.key] = AskedFor(rewriter.model, characters)
        raise _NotStoredError("nothing is asked")


def _refuse() -> AbstractContextManager[Writer]:
    raise RuntimeError("nothing is written when nothing is asked")


def _unanswered(
    rewriter: PromptRewriter,
    task: RewritingTask,
    messages: Sequence[Mapping[str, str]],
    language: str,
    number: int,
) -> Translation:
    """The stored answer to these messages, without its text."""
    return Translation(
        text_sent=canonical_json([dict(each) for each in messages]),
        language=language,
        engine=rewriter.name,
        model=rewriter.model,
        version=rewriter.version_for(task, number),
        text="",
    )


def _storable(content: str) -> str:
    """The answer as a database can hold it; what it cannot hold is made visible."""
    if unstorable(content):
        content = content.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
    return nfc(content)

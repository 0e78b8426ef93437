"""Running prompt tests: every message is asked once, every reply stored before the next one.

What is stored is not asked again, whichever run asked it. A failed request is an outcome and is
kept as one; it is asked again only where that is wished. A run that is ended in any way is gone on
with by the same command; what was on its way when it ended is asked again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from corpus.errors import UnreachableError
from engines.chat_models import ChatModel, ChatReply, ReplyState
from scoring.prompt_answers import (
    AnswerStore,
    FindAnswer,
    StoredAnswer,
    load_answers,
    open_answers,
)
from scoring.prompt_plan import PromptPlan
from scoring.prompt_results import (
    PromptRun,
    TestPlace,
    open_prompt_run,
    prompts_folder,
    write_prompt_run,
)
from scoring.tested_models import TestedModel

WATCH_S = 0.2
GIVE_UP_AFTER = 20
"""Failed requests in a row after which a model is not asked any more."""


class Connect(Protocol):
    """Opens a model for so many threads."""

    def __call__(
        self, model: TestedModel, concurrency: int, sleep: Callable[[float], None]
    ) -> AbstractContextManager[ChatModel]:
        """The model while the block lasts."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How messages are sent, which changes no answer."""

    connect: Connect
    concurrency: int = 8
    """Messages on their way at once."""
    retry_errors: bool = False
    """Whether what failed in an earlier run is asked again."""
    planned: Callable[[int], None] = lambda _: None
    """Told once how many messages there are to send."""
    advance: Callable[[int], None] = lambda _: None
    """Told now and then how many more were answered; from one thread only."""


class _StoppedError(Exception):
    """The run ends; nothing more is sent."""


def count_pending(plan: PromptPlan, results: Path, *, retry_errors: bool = False) -> dict[str, int]:
    """Model → messages that a run would send now."""
    counts = {}
    for model in plan.models:
        known = load_answers(prompts_folder(results), model.name, model.identity)
        counts[model.name] = len(_find_pending(plan, model, known, retry_errors))
    return counts


def run_prompts(plan: PromptPlan, results: Path, asking: Asking) -> PromptRun:
    """The finished run of a plan, in the folder of results.

    Raises:
        StateError: if another run is asking one of the models.
        UnreachableError: if a model fails over and over, or a server refuses the key.
        EngineError: if a model cannot be asked at all.
        InputError: if stored answers are damaged.
    """
    folder = prompts_folder(results)
    pending = count_pending(plan, results, retry_errors=asking.retry_errors)
    asking.planned(sum(pending.values()))
    answers: list[tuple[TestPlace, int, StoredAnswer]] = []
    served: dict[str, list[str]] = {}
    counts: dict[str, Counter[str]] = {}
    for model in plan.models:
        with open_answers(folder, model.name, model.identity) as store:
            asked = _find_pending(plan, model, store.find, asking.retry_errors)
            if asked:
                ask_messages(asked, model, store, asking)
            own = list(_collect(plan, model, store))
        answers.extend(own)
        replies = [stored.reply for _, _, stored in own]
        served[model.name] = sorted({each.served_model for each in replies if each.served_model})
        counts[model.name] = Counter(str(each.state) for each in replies)
    manifest = plan.build_manifest(served, counts)
    write_prompt_run(plan.folder(results), manifest, plan.files, plan.requirements, answers)
    return open_prompt_run(plan.folder(results))


def ask_messages(
    messages: list[tuple[str, int]], model: TestedModel, store: AnswerStore, asking: Asking
) -> None:
    """Asks a model each message, with its repeat, and stores each reply as it comes.

    Raises:
        UnreachableError, EngineError: if the model cannot be asked.
    """
    stop = threading.Event()

    def sleep(seconds: float) -> None:
        if stop.wait(seconds):
            raise _StoppedError

    with asking.connect(model, asking.concurrency, sleep) as chat:
        work = _Work(iter(messages), model, chat, store, stop)
        with ThreadPoolExecutor(asking.concurrency) as pool:
            threads = [pool.submit(work.ask_all) for _ in range(asking.concurrency)]
            try:
                _watch(threads, work, asking.advance)
            finally:
                stop.set()
        for thread in threads:
            thread.result()


def _watch(threads: Sequence[Future[None]], work: _Work, advance: Callable[[int], None]) -> None:
    """Returns when all threads have ended or one has failed."""
    told = 0
    while True:
        ended, running = wait(threads, WATCH_S, FIRST_EXCEPTION)
        done = work.done
        advance(done - told)
        told = done
        if not running or any(thread.exception() for thread in ended):
            return


@dataclass
class _Work:
    """The messages that threads take one after another."""

    messages: Iterator[tuple[str, int]]
    model: TestedModel
    chat: ChatModel
    store: AnswerStore
    stop: threading.Event
    done: int = 0
    failed: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask_all(self) -> None:
        """Asks until nothing is left or the run ends."""
        while not self.stop.is_set():
            with self.lock:
                message, repeat = next(self.messages, (None, 0))
            if message is None:
                return
            try:
                reply = self.chat.ask(message, (self.model.seed or 0) + repeat)
            except _StoppedError:
                return
            self.store.add(StoredAnswer(message, repeat, reply))
            self._count(reply)

    def _count(self, reply: ChatReply) -> None:
        with self.lock:
            self.failed = self.failed + 1 if reply.state is ReplyState.ERROR else 0
            self.done += 1
            failed = self.failed
        if failed >= GIVE_UP_AFTER and not self.stop.is_set():
            self.stop.set()
            raise UnreachableError(
                f"{self.model.name} failed {failed} times in a row (last: {reply.error} "
                f"{reply.detail}). Answers are kept; run the command again with --retry-errors "
                "when it can be asked."
            )


def _find_pending(
    plan: PromptPlan, model: TestedModel, find: FindAnswer, retry_errors: bool
) -> list[tuple[str, int]]:
    """Messages and repeats that nothing is stored for, each once."""
    pending: dict[tuple[str, int], None] = {}
    for place, instance in plan.messages(model):
        known = find(instance.message, place.repeat)
        if known is None or (retry_errors and known.reply.state is ReplyState.ERROR):
            pending[instance.message, place.repeat] = None
    return list(pending)


def _collect(
    plan: PromptPlan, model: TestedModel, store: AnswerStore
) -> Iterator[tuple[TestPlace, int, StoredAnswer]]:
    for place, instance in plan.messages(model):
        stored = store.find(instance.message, place.repeat)
        if stored is not None:
            yield place, instance.number, stored

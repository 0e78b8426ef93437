"""Runners: tasks done in this process one after the other, or in several processes of this machine.

A task that fails leaves the others, unless its shard cannot be written: then the others' cannot,
either, and the run ends before more is scored and lost. A process that dies (killed, out of
memory) is replaced, and its task alone is done again, once; what it had written as a whole is kept.
"""

from __future__ import annotations

import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from corpus.errors import StereoscopeError, UnwritableError
from engines.likelihood.protocol import LikelihoodEngine
from scoring.tasks import (
    Advance,
    OpenEngine,
    ShardOutcome,
    ShardTask,
    load_items,
    perform_task,
)
from scoring.variants import ScoredItem

TRIES = 2
"""How often a task is begun whose process dies."""


@dataclass(frozen=True, slots=True)
class InlineRunner:
    """Does tasks in this process, all languages of a model before the next model."""

    items_of: Callable[[ShardTask], Sequence[ScoredItem]] = load_items
    engine: LikelihoodEngine | None = None
    """An engine that is open already, for all tasks; None opens each task's own."""
    name: str = "inline"

    def run(self, tasks: Sequence[ShardTask], advance: Advance) -> Iterator[ShardOutcome]:
        """The outcome of each task, in order."""
        engines = OpenEngine()
        for task in tasks:
            try:
                engine = self.engine or engines.of(task.choice)
                perform_task(task, engine, self.items_of(task), advance)
            except UnwritableError:
                raise
            except StereoscopeError as error:
                yield ShardOutcome(task, str(error))
            except Exception as error:
                yield ShardOutcome(task, _describe_fault(task, error))
            else:
                yield ShardOutcome(task)


@dataclass
class _Worker:
    number: int
    process: BaseProcess
    connection: Connection
    task: ShardTask | None = None
    reported: int = 0
    """Items of the present task that were passed on as done."""

    def give(self, task: ShardTask) -> None:
        self.task, self.reported = task, 0
        # A process that died meanwhile is found by its closed connection.
        with suppress(OSError):
            self.connection.send(task)


@dataclass
class LocalRunner:
    """Does tasks in processes of this machine, one shard each at a time.

    Each process holds a model of its own. Where there are several cards they are taken in turn.
    """

    workers: int
    target: Callable[[Connection, int, int], None] | None = None
    """What a process does: `work`, unless a test wants it to die."""
    name: str = "local"
    _tries: Counter[ShardTask] = field(default_factory=Counter)

    def run(self, tasks: Sequence[ShardTask], advance: Advance) -> Iterator[ShardOutcome]:
        """The outcome of each task as it ends."""
        waiting = deque(tasks)
        running: list[_Worker] = []
        try:
            while waiting or any(worker.task for worker in running):
                while waiting and len(running) < min(self.workers, len(tasks)):
                    running.append(self._start(running))
                for worker in running:
                    if worker.task is None and waiting:
                        self._give_next(worker, waiting)
                yield from self._collect(running, waiting, advance)
        finally:
            for worker in running:
                worker.process.terminate()
                worker.process.join()
                worker.connection.close()

    def _start(self, running: Sequence[_Worker]) -> _Worker:
        # A fresh interpreter: a forked one would share the threads and device of its parent.
        context = get_context("spawn")
        number = next(n for n in range(self.workers) if n not in {each.number for each in running})
        ours, theirs = context.Pipe()
        threads = max(1, (os.cpu_count() or 1) // self.workers)
        target, given = self.target or work, (theirs, number, threads)
        process = context.Process(target=target, args=given, daemon=True)
        process.start()
        theirs.close()
        return _Worker(number, process, ours)

    def _give_next(self, worker: _Worker, waiting: deque[ShardTask]) -> None:
        task = waiting.popleft()
        self._tries[task] += 1
        worker.give(task)

    def _collect(
        self, running: list[_Worker], waiting: deque[ShardTask], advance: Advance
    ) -> Iterator[ShardOutcome]:
        """Waits for news of the workers, and passes it on."""
        ready = wait([worker.connection for worker in running])
        for worker in [each for each in running if each.connection in ready]:
            try:
                news = worker.connection.recv()
            except (EOFError, OSError):
                running.remove(worker)
                yield from self._bury(worker, waiting, advance)
                continue
            if isinstance(news, int):
                worker.reported += news
                advance(news)
            elif isinstance(news, UnwritableError):
                raise news
            elif worker.task is not None:
                yield ShardOutcome(worker.task, news or None)
                worker.task = None

    def _bury(
        self, worker: _Worker, waiting: deque[ShardTask], advance: Advance
    ) -> Iterator[ShardOutcome]:
        """Gives the task of a dead process back, or up."""
        worker.process.join()
        worker.connection.close()
        if worker.task is None:
            return
        advance(-worker.reported)
        if self._tries[worker.task] < TRIES:
            waiting.appendleft(worker.task)
            return
        yield ShardOutcome(
            worker.task,
            f"The process that scored {worker.task.title} ended twice before it was done "
            f"({_describe_end(worker.process.exitcode)}): give it more memory or use fewer "
            "--workers, and run the same command again.",
        )


def work(connection: Connection, number: int, threads: int) -> None:
    """What a process of `LocalRunner` does: tasks until there are no more.

    It sends a number of items done now and then, and at the end of a task a text: empty if the
    shard is there, else why not. A shard that cannot be written is sent as the error it is.
    """
    # Ctrl-C reaches the whole group; the parent ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Read when torch is first imported, which only engines do.
    os.environ["OMP_NUM_THREADS"] = str(threads)
    engines = OpenEngine(number)
    # A connection that breaks means that nobody waits for more.
    with suppress(EOFError, OSError):
        while True:
            task: ShardTask = connection.recv()
            try:
                connection.send(do_task(task, engines, connection.send))
            except UnwritableError as error:
                connection.send(error)


def do_task(task: ShardTask, engines: OpenEngine, advance: Advance) -> str:
    """Does a task; empty if the shard is there, else why not.

    Raises:
        UnwritableError: if the shard cannot be written.
    """
    try:
        perform_task(task, engines.of(task.choice), load_items(task), advance)
    except UnwritableError:
        raise
    except StereoscopeError as error:
        return str(error)
    except Exception as error:
        return _describe_fault(task, error)
    return ""


def _describe_fault(task: ShardTask, error: Exception) -> str:
    """Of a fault of the product or of a library: one shard's gap must not end the others."""
    return f"Scoring {task.title} failed ({type(error).__name__}: {error})."


def _describe_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"

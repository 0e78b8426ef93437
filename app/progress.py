"""Progress of a long command: a bar in a terminal, a plain line now and then elsewhere.

The same progress stands in the run table, where the app watches it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.output import say, talk_console
from corpus.store import Store
from corpus.store.runs import RunProgress

BAR_S = 0.2
LINE_S = 5.0


class Shown(Protocol):
    """Progress as it is shown."""

    @property
    def done(self) -> int:
        """Steps done."""

    @property
    def total(self) -> int:
        """Steps in all, 0 where that is not known."""

    @property
    def message(self) -> str | None:
        """What is said in place of numbers."""


@dataclass
class Steps:
    """Progress of a command that stands in no run table, because it needs no workspace."""

    done: int = 0
    total: int = 0
    message: str | None = None

    def plan(self, total: int) -> None:
        """Says how many steps there are."""
        self.total = total

    def advance(self, steps: int = 1) -> None:
        """Says that more steps are done."""
        self.done += steps


@contextmanager
def shown_steps(command: str) -> Iterator[Steps]:
    """Progress that is shown while the block lasts, and noted nowhere."""
    progress = Steps()
    with _shown(progress, command):
        yield progress


@contextmanager
def watched_run(store: Store, command: str, total: int = 0) -> Iterator[RunProgress]:
    """A run in the run table whose progress is shown while the block lasts."""
    with store.runs.watched(command, total) as progress, _shown(progress, command):
        yield progress


@contextmanager
def _shown(progress: Shown, command: str) -> Iterator[None]:
    ended = threading.Event()
    show = _show_bar if talk_console.is_terminal else _show_lines
    thread = threading.Thread(target=show, args=(progress, command, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _show_bar(progress: Shown, command: str, ended: threading.Event) -> None:
    columns = (TextColumn(command), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=talk_console, transient=True) as bar:
        task = bar.add_task(command, total=None)
        while not ended.wait(BAR_S):
            bar.update(
                task,
                description=f"{command}: {progress.message}" if progress.message else command,
                completed=progress.done,
                total=progress.total or None,
            )


def _show_lines(progress: Shown, command: str, ended: threading.Event) -> None:
    while not ended.wait(LINE_S):
        if progress.message:
            say(f"{command}: {progress.message}")
            continue
        of_total = f" of {progress.total}" if progress.total else ""
        say(f"{command}: {progress.done}{of_total}")

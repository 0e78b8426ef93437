"""Progress of a long command: a bar in a terminal, a plain line now and then elsewhere.

The same progress stands in the run table, where the app watches it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.output import say, talk_console
from corpus.store import Store
from corpus.store.runs import RunProgress

BAR_S = 0.2
LINE_S = 5.0


@contextmanager
def watched_run(store: Store, command: str, total: int = 0) -> Iterator[RunProgress]:
    """A run in the run table whose progress is shown while the block lasts."""
    with store.runs.watched(command, total) as progress:
        ended = threading.Event()
        show = _show_bar if talk_console.is_terminal else _show_lines
        thread = threading.Thread(target=show, args=(progress, command, ended), daemon=True)
        thread.start()
        try:
            yield progress
        finally:
            ended.set()
            thread.join()


def _show_bar(progress: RunProgress, command: str, ended: threading.Event) -> None:
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


def _show_lines(progress: RunProgress, command: str, ended: threading.Event) -> None:
    while not ended.wait(LINE_S):
        if progress.message:
            say(f"{command}: {progress.message}")
            continue
        of_total = f" of {progress.total}" if progress.total else ""
        say(f"{command}: {progress.done}{of_total}")

"""Runs the command line and kills the process itself, with SIGKILL, at a named moment.

Usage: killed_command.py MOMENT NUMBER [--google PORT] ARGUMENTS...
"""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import engines.google
import scoring.run
from annotation.label_studio.transport import Transport
from app.cli import main
from corpus.store import Store, Writer
from tests.engines.google_servers import connect

TEXTS_PER_REQUEST = 40


class Moment:
    """Kills the process when its moment comes for the given time; number 0 never comes."""

    def __init__(self, name: str, number: int) -> None:
        self._name = name
        self._left = number

    def reach(self, name: str) -> None:
        if name != self._name:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def watch_transactions(moment: Moment) -> None:
    """Moments `before commit` and `after commit` of what changes the log, not of runs."""
    original = Store.writing

    @contextmanager
    def writing(store: Store, *given: Any, **named: Any) -> Iterator[Writer]:
        with original(store, *given, **named) as writer:
            yield writer
            moment.reach("before commit")
        moment.reach("after commit")

    Store.writing = writing  # type: ignore[method-assign, assignment]


def watch_method(moment: Moment, owner: Any, name: str) -> None:
    """Moments `before NAME` and `after NAME`."""
    original: Callable[..., Any] = getattr(owner, name)

    def watched(*given: Any, **named: Any) -> Any:
        moment.reach(f"before {name}")
        result = original(*given, **named)
        moment.reach(f"after {name}")
        return result

    setattr(owner, name, watched)


def use_google_at(port: int) -> None:
    """The real engine with the real client, talking to a server on this machine."""
    engines.google._connect = lambda: connect("rest", port)  # type: ignore[attr-defined]
    small = functools.partial(engines.google.GoogleSettings, strings_per_request=TEXTS_PER_REQUEST)
    engines.google.GoogleSettings = small  # type: ignore[misc, assignment]


if __name__ == "__main__":
    _, name, number, *arguments = sys.argv
    if arguments[0] == "--google":
        use_google_at(int(arguments[1]))
        arguments = arguments[2:]
    moment = Moment(name, int(number))
    watch_transactions(moment)
    watch_method(moment, Path, "replace")
    watch_method(moment, Path, "rename")
    watch_method(moment, Transport, "write")
    watch_method(moment, scoring.run, "pair_scores")
    sys.argv = ["stereoscope", *arguments]
    main()

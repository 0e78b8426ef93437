"""One execution of a long command, as the store and the app know it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RunState(StrEnum):
    """State of one execution of a long command."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a long command, watched by the app."""

    id: str
    command: str
    pid: int
    state: RunState
    done: int
    total: int
    started_at: datetime
    heartbeat_at: datetime
    message: str = ""

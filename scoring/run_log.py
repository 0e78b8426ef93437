"""How far a run is: `run.json` in the folder of its result, written from the start on.

States of a run: `running`; `complete`, every language has its figures; `incomplete`, some have
none and the rest does; `failed`, none has; `interrupted`. One that was killed could not write that
any more: `run_states` says so of a run that is `running` here while its process is gone. The same
command goes on with it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from corpus.version import PRODUCT
from scoring.results import RUN_NAME, write_json

MISSING = "missing"
KEPT = "kept"
SCORED = "scored"
FAILED = "failed"
START_FIELD = 19
"""Of the fields behind a program's name in Linux's `/proc/PID/stat`: ticks from boot to start."""


@dataclass
class RunLog:
    """The log of one model's run."""

    folder: Path
    about: Mapping[str, Any]
    """Model, release and runner."""
    shards: dict[str, dict[str, Any]]
    """Language → file, number of items, state (`missing`, `kept`, `scored`, `failed`), reason."""
    started_at: str = field(default_factory=lambda: _now())
    state: str = "running"

    def start(self) -> None:
        """Says that the run has begun."""
        self._write()

    def note(self, language: str, state: str, reason: str | None = None) -> None:
        """Says what became of a language's shard."""
        self.shards[language] |= {"state": state} | ({"reason": reason} if reason else {})
        self._write()

    def finish(self, state: str) -> None:
        """Says how the run ended."""
        self.state = state
        self._write(ended_at=_now())

    def _write(self, **more: str) -> None:
        done = sum(shard["state"] in (KEPT, SCORED) for shard in self.shards.values())
        write_json(
            self.folder / RUN_NAME,
            {
                **self.about,
                "version": PRODUCT,
                "state": self.state,
                "shards": self.shards,
                "shards_done": done,
                "shards_total": len(self.shards),
                "started_at": self.started_at,
                "updated_at": _now(),
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "process_start": find_process_start(os.getpid()),
                **more,
            },
        )


def find_process_start(pid: int) -> str | None:
    """What tells a process from a later one of the same number; None where the system is silent."""
    try:
        # The name of a program, in brackets, may itself hold spaces and brackets.
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return told.rpartition(")")[2].split()[START_FIELD]
    except (OSError, IndexError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""How far runs are, read from their logs; one whose process is gone is `interrupted`."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.results import RUN_NAME
from scoring.run_log import FAILED, find_process_start

RUNNING, INTERRUPTED, COMPLETE = "running", "interrupted", "complete"


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as its log tells it."""

    folder: str
    """Name of the folder of its result."""
    model: str
    release: str
    runner: str
    state: str
    """As in `run_log`; `interrupted` also if its process is gone though it is said to run."""
    shards_done: int
    shards_total: int
    gaps: Mapping[str, str]
    """Language → why it could not be scored."""
    updated_at: str
    host: str

    def as_json(self) -> dict[str, Any]:
        """The run as a JSON object."""
        return {
            "result": self.folder,
            "model": self.model,
            "release": self.release,
            "runner": self.runner,
            "state": self.state,
            "shards_done": self.shards_done,
            "shards_total": self.shards_total,
            "gaps": dict(self.gaps),
            "updated_at": self.updated_at,
            "host": self.host,
        }


def read_runs(results: Path) -> tuple[tuple[RunView, ...], tuple[str, ...]]:
    """The runs of a results folder, the latest first, and a sentence for each unreadable log."""
    found, problems = [], []
    for file in sorted(results.glob(f"*/{RUN_NAME}")):
        try:
            found.append(_read(file))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problems.append(
                f"{file.parent.name}/{RUN_NAME} cannot be read ({type(error).__name__}); "
                "the same score command writes it anew."
            )
    found.sort(key=lambda run: run.updated_at, reverse=True)
    return tuple(found), tuple(problems)


def _read(file: Path) -> RunView:
    log = json.loads(file.read_text(encoding="utf-8"))
    state = str(log["state"])
    return RunView(
        folder=file.parent.name,
        model=str(log["model"]),
        release=str(log["release"]),
        runner=str(log["runner"]),
        state=INTERRUPTED if state == RUNNING and is_gone(log) else state,
        shards_done=int(log["shards_done"]),
        shards_total=int(log["shards_total"]),
        gaps={
            code: str(shard.get("reason", ""))
            for code, shard in log["shards"].items()
            if shard["state"] == FAILED
        },
        updated_at=str(log["updated_at"]),
        host=str(log["host"]),
    )


def is_gone(log: Mapping[str, Any]) -> bool:
    """Whether the process of a run is known to be gone.

    False for one of another machine, of which nothing is known here; its `updated_at` stands still.
    """
    if log["host"] != socket.gethostname() or os.name != "posix":
        return False
    try:
        os.kill(int(log["pid"]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    # The system may have given the number to another process since.
    return bool(find_process_start(int(log["pid"])) != log.get("process_start"))

"""Background commands: the app starts long work as the command line does, in its own process.

Progress is read from the table of runs, never from the process; a process outlives the page that
started it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
MESSAGE_CHARACTERS = 2000


@dataclass(slots=True)
class BackgroundCommand:
    """One command that was started here, and how it ended."""

    arguments: tuple[str, ...]
    """As typed after `stereoscope`, without workspace and actor."""
    process: subprocess.Popen[bytes]
    output: IO[Any]

    @property
    def text(self) -> str:
        """The command as a person would type it."""
        return " ".join(("stereoscope", *self.arguments))

    @property
    def exit_code(self) -> int | None:
        """Exit code, None while it runs."""
        return self.process.poll()

    @property
    def message(self) -> str:
        """The end of what it said."""
        self.output.seek(0)
        said = self.output.read().decode("utf-8", "replace").strip()
        return str(said[-MESSAGE_CHARACTERS:])


@dataclass(slots=True)
class BackgroundCommands:
    """The commands that this process has started for one workspace."""

    workspace: Path
    started: list[BackgroundCommand] = field(default_factory=list)

    @property
    def running(self) -> list[BackgroundCommand]:
        """Those that have not ended."""
        return [each for each in self.started if each.exit_code is None]

    @property
    def failed(self) -> list[BackgroundCommand]:
        """Those that ended with an error, the latest first."""
        return [each for each in reversed(self.started) if each.exit_code not in (None, 0)]

    def start(self, arguments: Sequence[str], actor: str) -> BackgroundCommand:
        """Starts a command of the command line; one that runs already is not started twice."""
        for each in self.running:
            if each.arguments == tuple(arguments):
                return each
        self._forget(tuple(arguments))
        output = tempfile.TemporaryFile()  # noqa: SIM115 - read after the process has ended
        process = subprocess.Popen(
            background_command(arguments, self.workspace, actor),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.started.append(BackgroundCommand(tuple(arguments), process, output))
        return self.started[-1]

    def _forget(self, arguments: tuple[str, ...]) -> None:
        """Drops earlier tries of the same command: the new one says how it stands."""
        for each in [one for one in self.started if one.arguments == arguments]:
            each.output.close()
            self.started.remove(each)


def background_command(arguments: Sequence[str], workspace: Path, actor: str) -> list[str]:
    """The exact command that is run."""
    return [
        sys.executable,
        "-m",
        "app.cli",
        *arguments,
        "--workspace",
        str(workspace),
        "--as",
        actor,
    ]

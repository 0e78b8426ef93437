"""The command line for tests: in this process, or as a process of its own as a user starts it."""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
import subprocess
import sys
from collections.abc import Collection, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
NOT_CONTENT = frozenset({"position", "at", "run_id", "made_by"})
"""Columns that say when and by what a row was written, not what it says."""
WIDE = "240"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that a person sees."""
        return self.out + self.err

    @property
    def message(self) -> str:
        """What it said, without the line breaks of a narrow terminal."""
        return " ".join(self.err.split())


def run_here(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Outcome:
    """Runs the command line in this process: fast, for the many small cases."""
    from app.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    given = ["stereoscope", *map(str, arguments)]
    environment = {"COLUMNS": WIDE, "STEREOSCOPE_ACTOR": "tester", **(env or {})}
    with (
        mock.patch.object(sys, "argv", given),
        mock.patch.dict(os.environ, environment),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Outcome(code, out.getvalue(), err.getvalue())


def succeed_here(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Outcome:
    """A command in this process that must end well."""
    ended = run_here(*arguments, env=env)
    assert ended.code == 0, ended.text
    return ended


def command_of(*arguments: str | Path) -> list[str]:
    """What starts the command line as a process."""
    return [sys.executable, "-m", "app.cli", *map(str, arguments)]


def environment_of(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of such a process: none of the settings of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEREOSCOPE")}
    own = {"PYTHONPATH": str(ROOT), "COLUMNS": WIDE, "STEREOSCOPE_ACTOR": "tester"}
    return kept | own | dict(env or {})


def run_process(
    *arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Outcome:
    """Runs the command line as a process of its own."""
    ended = subprocess.run(
        command_of(*arguments),
        env=environment_of(env),
        cwd=cwd or ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return Outcome(ended.returncode, ended.stdout, ended.stderr)


def succeed(*arguments: str | Path, env: Mapping[str, str] | None = None) -> Outcome:
    """A process that must end well."""
    ended = run_process(*arguments, env=env)
    assert ended.code == 0, ended.text
    return ended


def database_of(workspace: Path) -> Path:
    return workspace / "stereoscope.sqlite"


def rows_of(
    workspace: Path, without: Collection[str] = (), ignored: Collection[str] = ("run", "pull_mark")
) -> dict[str, list[tuple[object, ...]]]:
    """Rows of every table, sorted, without what says when and by what they were written.

    Pull marks say by the clock how far a project was read, and are no content either.
    """
    left_out = NOT_CONTENT | set(without)
    content: dict[str, list[tuple[object, ...]]] = {}
    connection = sqlite3.connect(f"file:{database_of(workspace)}?mode=ro", uri=True)
    try:
        names = "SELECT name FROM sqlite_master WHERE type = 'table'"
        for (table,) in connection.execute(names).fetchall():
            if table in {"log_position", "alembic_version", *ignored}:
                continue
            columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
            chosen = ", ".join(f'"{name}"' for name in columns if name not in left_out)
            found = connection.execute(f'SELECT {chosen} FROM "{table}"').fetchall()
            content[table] = sorted(found, key=repr)
    finally:
        connection.close()
    return content


def files_of(folder: Path) -> dict[str, str]:
    """Relative path and checksum of every file, the database's own apart."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("stereoscope.sqlite")
    }


def snapshot_of(workspace: Path) -> tuple[object, ...]:
    """All that a refused command must leave as it was: files, and rows but for the log of runs."""
    return rows_of(workspace), files_of(workspace)

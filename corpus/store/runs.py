"""Runs: who is doing which long command, how far it is, and whether it is still alive."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from corpus.errors import StereoscopeError
from corpus.run_record import Run, RunState
from corpus.store import tables
from corpus.store.connection import reading, writing
from corpus.store.mapping import record_from_row, row_from_record

HEARTBEAT_S = 2.0
"""Progress is written at most this often."""
SILENT_S = 120.0
"""A running run whose heartbeat is older counts as interrupted."""


class RunLog:
    """The table of runs."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    @contextmanager
    def watched(self, command: str, total: int = 0) -> Iterator[RunProgress]:
        """A run that is in the table while the block lasts, and its outcome afterwards."""
        now = datetime.now(UTC)
        run = Run(
            id=uuid.uuid4().hex[:12],
            command=command,
            pid=os.getpid(),
            state=RunState.RUNNING,
            done=0,
            total=total,
            started_at=now,
            heartbeat_at=now,
        )
        with writing(self._engine) as connection:
            connection.execute(sa.insert(tables.run), [row_from_record(run)])
        progress = RunProgress(self._engine, run)
        try:
            yield progress
        except BaseException as error:
            state = RunState.FAILED if isinstance(error, Exception) else RunState.INTERRUPTED
            # The text of a foreign exception may hold an address or a key; ours never does.
            message = str(error) if isinstance(error, StereoscopeError) else type(error).__name__
            progress.finish(state, message[:500])
            raise
        progress.finish(RunState.DONE)

    def latest(self, limit: int = 50) -> list[Run]:
        """The latest runs, newest first; one without a sign of life is `interrupted`."""
        query = sa.select(tables.run).order_by(tables.run.c.started_at.desc()).limit(limit)
        with reading(self._engine) as connection:
            found = [record_from_row(Run, row) for row in connection.execute(query).mappings()]
        silent = datetime.now(UTC) - timedelta(seconds=SILENT_S)
        return [
            replace(run, state=RunState.INTERRUPTED)
            if run.state is RunState.RUNNING and run.heartbeat_at < silent
            else run
            for run in found
        ]


class RunProgress:
    """Progress of one run, written now and then and at the end."""

    def __init__(self, engine: sa.Engine, run: Run) -> None:
        self._engine = engine
        self._run = run

    @property
    def id(self) -> str:
        """Id of the run, stored with what it makes."""
        return self._run.id

    @property
    def done(self) -> int:
        """Units of work done so far."""
        return self._run.done

    @property
    def total(self) -> int:
        """Units of work in all, 0 while unknown."""
        return self._run.total

    @property
    def message(self) -> str:
        """What the run is doing that is no progress, e.g. waiting; empty otherwise."""
        return self._run.message

    def plan(self, total: int) -> None:
        """Sets how much there is to do."""
        self._run = replace(self._run, total=total)
        self._write()

    def advance(self, done: int = 1) -> None:
        """Adds finished units; reaches the table at most every `HEARTBEAT_S` seconds."""
        self._run = replace(self._run, done=self._run.done + done)
        if (datetime.now(UTC) - self._run.heartbeat_at).total_seconds() >= HEARTBEAT_S:
            self._write()

    def note(self, message: str) -> None:
        """Says what keeps the run from going on (empty: nothing any more); a sign of life."""
        changed = message != self._run.message
        self._run = replace(self._run, message=message)
        if changed:
            self._write()
        else:
            self.advance(0)

    def finish(self, state: RunState, message: str = "") -> None:
        """Writes the outcome."""
        self._run = replace(self._run, state=state, message=message)
        self._write()

    def _write(self) -> None:
        self._run = replace(self._run, heartbeat_at=datetime.now(UTC))
        row = row_from_record(self._run)
        with writing(self._engine) as connection:
            connection.execute(sa.update(tables.run).where(tables.run.c.id == self.id).values(row))

"""Runs in the store: watched, failed, interrupted."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from corpus.errors import StereoscopeError
from corpus.run_record import Run, RunState
from corpus.store import Store
from corpus.store.mapping import TABLES
from tests.corpus.odd_records import (
    Database,
)


def test_a_run_is_watched_from_start_to_end(store: Store) -> None:
    with store.runs.watched("generate --languages sk", total=2) as progress:
        [run] = store.runs.latest()
        assert (run.state, run.pid, run.done, run.total) == (RunState.RUNNING, os.getpid(), 0, 2)
        progress.plan(3)
        progress.advance()
        progress.advance(2)
        assert (progress.done, progress.total) == (3, 3)
        assert store.runs.latest()[0].total == 3
    [run] = store.runs.latest()
    assert (run.id, run.state, run.done, run.message) == (progress.id, RunState.DONE, 3, "")


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (StereoscopeError("There is no file."), RunState.FAILED, "There is no file."),
        (ValueError("key=s3cret"), RunState.FAILED, "ValueError"),
        (KeyboardInterrupt(), RunState.INTERRUPTED, "KeyboardInterrupt"),
    ],
)
def test_a_run_that_fails_says_so_without_foreign_texts(
    store: Store, error: BaseException, state: RunState, message: str
) -> None:
    with pytest.raises(type(error)), store.runs.watched("score"):
        raise error
    [run] = store.runs.latest()
    assert (run.state, run.message) == (state, message)


def test_a_run_without_a_sign_of_life_counts_as_interrupted(database: Database) -> None:
    with database.store.runs.watched("score"):
        with database.engine.begin() as connection:
            old = datetime.now(UTC) - timedelta(minutes=5)
            table = TABLES[Run]
            connection.execute(sa.update(table).values(heartbeat_at=old))
        assert database.store.runs.latest()[0].state is RunState.INTERRUPTED
    assert database.store.runs.latest()[0].state is RunState.DONE


def test_the_latest_runs_come_first(store: Store) -> None:
    for number in range(3):
        with store.runs.watched(f"run {number}"):
            pass
    assert [run.command for run in store.runs.latest(limit=2)] == ["run 2", "run 1"]

"""A database that cannot be opened or refuses a change is one sentence."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from corpus.errors import WorkspaceError
from corpus.store.connection import open_engine, reading, writing


def test_file_that_is_no_database(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    file.write_bytes(b"no database " * 100)
    engine = open_engine(f"sqlite:///{file}")
    for transaction in (reading, writing):
        with pytest.raises(WorkspaceError, match=r"sqlite database .* cannot be opened"):
            transaction(engine).__enter__()


def test_refused_change_leaves_nothing(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'store.sqlite'}")
    with writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE t (n INTEGER)")

    def fill() -> None:
        with writing(engine) as connection:
            connection.exec_driver_sql("INSERT INTO t VALUES (1)")
            # As a full disk would: SQLite may not write any more.
            connection.exec_driver_sql("PRAGMA query_only = ON")
            connection.exec_driver_sql("INSERT INTO t VALUES (2)")

    with pytest.raises(WorkspaceError, match=r"refused the change .*readonly.*; nothing of it was"):
        fill()
    engine.dispose()
    with reading(engine) as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM t").scalar_one() == 0


def test_a_new_file_that_another_writes_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE t (n INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(1, other.execute, ["COMMIT"])
    release.start()
    engine = open_engine(f"sqlite:///{file}")
    with reading(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    release.join()
    other.close()
    engine.dispose()

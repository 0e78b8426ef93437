"""Claims: a name that one process at a time may hold in a workspace, whatever ends the process.

On SQLite a claim is a lock on a file beside the database, on PostgreSQL an advisory lock of a
session; the system lets go of either when its process ends, so a killed one blocks nobody.
"""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from corpus.errors import WorkspaceError

POLL_S = 0.5
"""How often a waiting process asks again."""


@contextmanager
def claiming(engine: sa.Engine, name: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the name while the block lasts; waits for it as long as another process holds it.

    Args:
        engine: of the workspace's database.
        name: letters and `-`.
        waiting: called before each wait of `POLL_S` seconds.

    Raises:
        WorkspaceError: if the lock cannot be had at all.
    """
    hold = _file_lock if engine.dialect.name == "sqlite" else _advisory_lock
    with hold(engine, name) as try_lock:
        while not try_lock():
            waiting()
            time.sleep(POLL_S)
        yield


@contextmanager
def _file_lock(engine: sa.Engine, name: str) -> Iterator[Callable[[], bool]]:
    path = Path(f"{engine.url.database}.{name}.lock")
    try:
        # Never deleted: another process may have opened it and would lock a file without a name.
        stream = path.open("w")
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written: {error.strerror}.") from error

    def try_lock() -> bool:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    with stream:
        yield try_lock


@contextmanager
def _advisory_lock(engine: sa.Engine, name: str) -> Iterator[Callable[[], bool]]:
    digest = hashlib.sha256(f"stereoscope {name}".encode()).digest()
    key = int.from_bytes(digest[:8], "big", signed=True)
    try:
        # A connection of its own, closed and not given back: closing is what frees the lock.
        connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
    except sa.exc.DatabaseError as error:
        raise WorkspaceError(f"The {engine.dialect.name} database cannot be opened.") from error

    def try_lock() -> bool:
        query = sa.select(sa.func.pg_try_advisory_lock(key))
        return bool(connection.execute(query).scalar_one())

    try:
        yield try_lock
    finally:
        connection.invalidate()
        connection.close()

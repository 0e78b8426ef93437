"""Opening the database, and the one transaction that gives out log positions.

SQLite runs in WAL mode with foreign keys on, and a writer takes the database's write lock at
BEGIN. On PostgreSQL the update of the one row of `log_position` is the lock. Either way writers
come one after another and a reader never sees a position without all the smaller ones.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
import tenacity
from sqlalchemy.engine import make_url

from corpus.errors import SettingsError, WorkspaceError

WRITE = "stereoscope_write"
LOCK_TIMEOUT_S = 60


def open_engine(url: str) -> sa.Engine:
    """An engine for a `sqlite:///` or `postgresql://` URL.

    Raises:
        SettingsError: if the URL cannot be read or names another database. The URL itself is never
            part of the message, because it may hold a password.
    """
    try:
        parsed = make_url(url)
    except sa.exc.ArgumentError as error:
        raise SettingsError(
            "The database URL cannot be read; write sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from error
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    elif backend != "sqlite":
        raise SettingsError(f"The database must be SQLite or PostgreSQL, not {backend}.")
    engine = sa.create_engine(parsed, json_serializer=_dump_json, pool_pre_ping=True)
    if backend == "sqlite":
        _configure_sqlite(engine)
    return engine


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _configure_sqlite(engine: sa.Engine) -> None:
    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        # The driver's own BEGIN comes too late to lock before the first read of a writer.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {LOCK_TIMEOUT_S * 1000}")
        # The busy timeout does not hold for this change of mode: where several open a new file at
        # once, each but one is told at once that it is locked.
        tenacity.Retrying(
            retry=tenacity.retry_if_exception(_is_locked),
            wait=tenacity.wait_random(0.01, 0.1),
            stop=tenacity.stop_after_delay(LOCK_TIMEOUT_S),
            reraise=True,
        )(cursor.execute, "PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        write = connection.get_execution_options().get(WRITE, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _is_locked(error: BaseException) -> bool:
    return (
        isinstance(error, sqlite3.OperationalError)
        and error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    )


@contextmanager
def reading(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A read transaction: one consistent state of the log.

    Raises:
        WorkspaceError: if the database cannot be reached.
    """
    try:
        connection = engine.connect()
    except sa.exc.DatabaseError as error:
        raise WorkspaceError(_unreachable(engine)) from error
    with connection:
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A write transaction; commits at the end, or leaves nothing behind.

    Raises:
        WorkspaceError: if the database cannot be reached, or refuses the change.
    """
    try:
        connection = engine.connect()
    except sa.exc.DatabaseError as error:
        raise WorkspaceError(_unreachable(engine)) from error
    with connection:
        connection = connection.execution_options(**{WRITE: True})
        try:
            with connection.begin():
                yield connection
        except sa.exc.OperationalError as error:
            raise WorkspaceError(
                f"The {engine.dialect.name} database refused the change ({error.orig}); nothing of "
                "it was written. Check space and permissions, then run the command again."
            ) from error


def _unreachable(engine: sa.Engine) -> str:
    where = engine.url.database if engine.dialect.name == "sqlite" else engine.url.host
    return (
        f"The {engine.dialect.name} database ({where}) cannot be opened; check that it exists and "
        "that database_url (STEREOSCOPE_DATABASE_URL) is right."
    )

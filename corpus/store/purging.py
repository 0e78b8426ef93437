"""Taking erased values out of the database's own files, where a change of a row leaves them behind.

SQLite keeps overwritten bytes in free space and in the write-ahead log, PostgreSQL keeps the old
version of a row. Copies made earlier (backups, archived logs, snapshots of the disk) are out of
reach from here.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import sqlalchemy as sa

from corpus.store import tables

WAIT_S = 5.0
"""How long other users of an SQLite file are waited for."""


def purge_erased(engine: sa.Engine) -> bool:
    """Whether the files of the database now hold no erased value any more.

    False on SQLite while another program reads the database: its write-ahead log can then not be
    emptied. Nothing is lost, and doing it again later completes it.
    """
    if engine.dialect.name == "sqlite":
        return _purge_sqlite(str(engine.url.database))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # The table is written anew; the file with the old versions of its rows is deleted.
        connection.exec_driver_sql(f"VACUUM FULL {tables.person.name}")
    return True


def _purge_sqlite(file: str) -> bool:
    with closing(sqlite3.connect(file, timeout=WAIT_S, isolation_level=None)) as connection:
        try:
            connection.execute("VACUUM")
            [blocked, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return False
    return not blocked

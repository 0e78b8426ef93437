"""The store's schema: migrations, upgrades, and what an odd database says."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from corpus.errors import WorkspaceError
from corpus.store import open_store, upgrade_schema
from corpus.store.connection import open_engine
from corpus.store.tables import metadata
from tests.corpus.odd_records import (
    Database,
)


def test_sqlite_keeps_foreign_keys_and_writes_ahead(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'store.sqlite'}")
    with engine.connect() as connection:
        for pragma, value in (("foreign_keys", 1), ("journal_mode", "wal"), ("synchronous", 2)):
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value
    engine.dispose()


def test_the_migrations_make_exactly_the_tables(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_upgrading_twice_and_at_once_is_safe(url: str) -> None:
    engines = [open_engine(url) for _ in range(3)]
    failures: list[Exception] = []

    def upgrade(engine: sa.Engine) -> None:
        try:
            upgrade_schema(engine)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=upgrade, args=[engine]) for engine in engines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for engine in engines:
        engine.dispose()
    assert failures == []
    store = open_store(url)
    with store.writing() as writer:
        assert writer.position == 0
    store.close()


def test_another_schema_is_one_sentence(url: str) -> None:
    with pytest.raises(WorkspaceError, match="is empty; run `stereoscope init`"):
        open_store(url)
    engine = open_engine(url)
    upgrade_schema(engine)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(WorkspaceError, match="newer version; install that version"):
        open_store(url)
    engine.dispose()


def test_an_older_schema_says_how_to_upgrade(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic.script import ScriptDirectory

    # There is one migration so far: a later head stands in for the next one.
    monkeypatch.setattr(ScriptDirectory, "get_current_head", lambda _: "0002")
    with pytest.raises(WorkspaceError, match="older version; run `stereoscope init` again"):
        open_store(database.url)

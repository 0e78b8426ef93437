"""The store's schema: migrations, upgrades, and what an odd database says."""

from __future__ import annotations

import threading
from importlib import resources
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext

from corpus.errors import WorkspaceError
from corpus.records import AssignmentState, Instrument
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine, writing
from corpus.store.tables import metadata
from tests.corpus.odd_records import (
    Database,
)

STAMP = "'2026-03-29 01:30:00', 'human', 'stereoscope 0.1.0'"
FIRST_ROWS = (
    f"""INSERT INTO batch (position, at, origin, made_by, id, instrument, language, form, seed,
        raters_planned, design)
        VALUES (1, {STAMP}, 'sk-1', 'eurogest', 'sk', 'sentence/1', 7, 1, '{{}}')""",
    f"""INSERT INTO item (position, at, origin, made_by, id, batch_id, instrument, subject_kind,
        subject_id, variant, purpose, shown, content_hash, weight)
        VALUES (2, {STAMP}, 'sk-1/0001', 'sk-1', 'eurogest', 'sentence', 'eurogest/sk/a/2',
        'neutral', 'sample', '{{"mt_text": "Som tu."}}', '0', 1.0)""",
    f"""INSERT INTO assignment (position, at, origin, made_by, batch_id, rater_id, item_ids,
        channel)
        VALUES (3, {STAMP}, 'sk-1', 'r1', '["sk-1/0001"]', 'label-studio')""",
    f"""INSERT INTO people (position, at, origin, made_by, id, kind, address)
        VALUES (4, {STAMP}, 'r1', 'rater', 'r@example.org')""",
    f"""INSERT INTO rating_revision (position, at, origin, made_by, item_id, rater_id, state,
        answers, reasons, source, source_id, source_revision)
        VALUES (5, {STAMP}, 'sk-1/0001', 'r1', 'valid', '{{"quality": 50}}', '[]',
        'label-studio', '1/2', 'rev')""",
    f"""INSERT INTO candidate (position, at, origin, made_by, id, instrument, language, source_key,
        label, reason, variants, strategy, flags, evidence, content_hash)
        VALUES (6, {STAMP}, 'eurogest/sk/a/2', 'eurogest', 'sk', 'a/2', 'pair', 'inflection',
        '{{"masculine": "Som ten.", "feminine": "Som tá."}}', 'strict/1', '[]', '{{}}', '0')""",
    f"""INSERT INTO decision (position, at, origin, made_by, subject_id, content_hash, action,
        reason, "by", variants)
        VALUES (7, {STAMP}, 'eurogest/sk/a/2', '0', 'edit', 'why', 'curator-1',
        '{{"masculine": "Som ten.", "feminine": "Bola som tá."}}')""",
    f"""INSERT INTO decision (position, at, origin, made_by, subject_id, content_hash, action,
        reason, "by") VALUES (8, {STAMP}, 'eurogest/sk/a/2', '0', 'accept', 'why', 'curator-1')""",
)
"""Rows as the first schema had them."""


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

    # A later head stands in for the next migration.
    monkeypatch.setattr(ScriptDirectory, "get_current_head", lambda _: "9999")
    with pytest.raises(WorkspaceError, match="older version; run `stereoscope init` again"):
        open_store(database.url)


def test_rows_of_the_first_schema_survive_the_upgrade(url: str) -> None:
    engine = open_engine(url)
    with writing(engine) as connection:
        config = Config()
        config.set_main_option("script_location", str(resources.files("corpus") / "migrations"))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    with engine.begin() as connection:
        for statement in FIRST_ROWS:
            connection.execute(sa.text(statement))
    upgrade_schema(engine)
    store = Store(engine)
    with store.reading() as state:
        [item] = state.items(["sk-1"])
        [assignment] = state.assignments(["sk-1"])
        [person] = state.people()
        [rating] = state.ratings(["sk-1/0001"])
        decisions = state.decisions(Instrument.EUROGEST, "sk")
    assert (item.making, item.shown) == ({}, {"mt_text": "Som tu."})
    assert (assignment.state, assignment.item_ids) == (AssignmentState.ACTIVE, ("sk-1/0001",))
    assert (person.contact, person.demographics, person.address) == (None, {}, "r@example.org")
    assert rating.answers == {"quality": 50}
    # What a curator wrote before was not noted as such.
    assert [each.written for each in decisions] == [("feminine",), ()]
    store.close()

"""Databases for the tests of the store: every test runs on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from tests.corpus.odd_records import Database


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """A database with the schema."""
    engine = open_engine(url)
    upgrade_schema(engine)
    store = open_store(url)
    yield Database(url, engine, store)
    store.close()
    engine.dispose()


@pytest.fixture
def store(database: Database) -> Store:
    return database.store

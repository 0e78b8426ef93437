"""The store: append-only tables, one log of positions, SQLite by default or PostgreSQL by URL."""

from corpus.store.schema import upgrade_schema
from corpus.store.store import Store, Writer, open_store

__all__ = ["Store", "Writer", "open_store", "upgrade_schema"]

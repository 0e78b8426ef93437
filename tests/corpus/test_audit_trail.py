"""The audit trail can only grow: the database itself refuses everything else."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from corpus.people import Person
from corpus.records import AuditEntry
from tests.corpus.odd_records import Database

CHANGES = [
    "UPDATE audit SET actor = 'somebody else'",
    "UPDATE audit SET after = after WHERE position = 1",
    "DELETE FROM audit",
    "DELETE FROM audit WHERE position = 2",
]
REPLACEMENTS = {
    "sqlite": "INSERT OR REPLACE INTO audit SELECT position, at, origin, made_by, "
    "'somebody else', action, subject, before, after FROM audit WHERE position = 1",
    "postgresql": "INSERT INTO audit SELECT * FROM audit WHERE position = 1 "
    "ON CONFLICT (position) DO UPDATE SET actor = 'somebody else'",
}


def add_entries(database: Database) -> list[AuditEntry]:
    for number in range(3):
        with database.store.writing() as writer:
            writer.append_audit(AuditEntry("curator-1", "decide", f"sk/{number}"))
    return read(database)


def read(database: Database) -> list[AuditEntry]:
    with database.store.reading() as state:
        return state.audit_entries()


@pytest.mark.parametrize("change", [*CHANGES, "replace", "TRUNCATE audit"])
def test_no_statement_changes_an_entry(database: Database, change: str) -> None:
    dialect = database.engine.dialect.name
    if change.startswith("TRUNCATE") and dialect == "sqlite":
        # SQLite has no such statement: it is refused as one that it cannot read.
        change = "TRUNCATE TABLE audit"
    statement = REPLACEMENTS[dialect] if change == "replace" else change
    before = add_entries(database)
    with database.engine.connect() as connection:
        with pytest.raises(sa.exc.DBAPIError, match=r"never changed|syntax error"):
            connection.exec_driver_sql(statement)
        connection.commit()
    assert read(database) == before
    assert len(add_entries(database)) == 2 * len(before)


def test_erasing_a_person_leaves_the_trail_as_it_is(database: Database) -> None:
    before = add_entries(database)
    with database.store.writing() as writer:
        writer.append([Person("r1", "rater", None, "r1@example.org")])
    with database.store.writing() as writer:
        writer.erase_person("r1")
    assert database.store.purge_erased()
    assert read(database) == before

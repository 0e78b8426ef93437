"""What was erased is gone from the database's own files, not only from its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from corpus.people import Person
from corpus.store import Store, purging
from tests.corpus.odd_records import Database
from tests.store_builders import make_store

SECRET = "eva.novakova@example.org"


def add_and_erase(store: Store) -> None:
    with store.writing() as writer:
        writer.append([Person(f"r{number}", "rater", None, SECRET) for number in range(200)])
    with store.writing() as writer:
        for number in range(200):
            writer.erase_person(f"r{number}")


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.glob("store.sqlite*")))


def test_no_file_of_sqlite_holds_an_erased_address(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    add_and_erase(store)
    assert SECRET.encode() in bytes_of(tmp_path)
    assert store.purge_erased()
    assert SECRET.encode() not in bytes_of(tmp_path)
    with store.reading() as state:
        assert len(state.people()) == 200
    store.close()


def test_a_reader_in_the_way_is_told_and_later_it_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "WAIT_S", 0.1)
    store = make_store(tmp_path)
    add_and_erase(store)
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM people").fetchone()
        assert not store.purge_erased()
        other.rollback()
    assert store.purge_erased()
    assert SECRET.encode() not in bytes_of(tmp_path)
    store.close()


def test_it_works_on_every_database(database: Database) -> None:
    add_and_erase(database.store)
    assert database.store.purge_erased()
    with database.store.reading() as state:
        assert {each.address for each in state.people()} == {None}


def test_every_address_of_a_person_is_known_until_it_is_erased(store: Store) -> None:
    with store.writing() as writer:
        writer.append([Person("r1", "rater", None, "R1@raters.invalid")])
        writer.append([Person("r1", "rater", None, "r1.2@raters.invalid")])
        writer.append([Person("r2", "rater")])
        # Mixed up and put right: what was r1's is not r3's.
        writer.append([Person("r3", "rater", None, "r1.2@raters.invalid")])
        writer.append([Person("r3", "rater", None, "r3@raters.invalid")])
    with store.reading() as state:
        assert state.log_in_addresses() == {
            "r1": frozenset({"r1@raters.invalid", "r1.2@raters.invalid"}),
            "r2": frozenset(),
            "r3": frozenset({"r3@raters.invalid"}),
        }
    with store.writing() as writer:
        writer.erase_person("r1")
        assert writer.log_in_addresses()["r1"] == frozenset()

"""The store, on SQLite and on PostgreSQL alike: positions, transactions, states."""

from __future__ import annotations

import threading
from dataclasses import fields, replace
from datetime import UTC

import pytest

from corpus.errors import StateError
from corpus.people import Person
from corpus.records import (
    AuditEntry,
    Candidate,
    Decision,
    DecisionAction,
    Instrument,
    Label,
    Origin,
    ReleaseRecord,
    Source,
)
from corpus.run_record import Run
from corpus.store import Store, open_store
from corpus.store.mapping import TABLES
from corpus.version import PRODUCT
from tests.corpus.odd_records import (
    APPROVAL,
    BATCH,
    CANDIDATE,
    ITEM,
    RATING,
    RECORDS,
    SOURCE,
    Database,
    read_all,
    unstamped,
)


def test_every_kind_of_record_comes_back_as_it_was(database: Database) -> None:
    assert {type(record) for record in RECORDS} | {Run} == set(TABLES)
    with database.store.writing(Origin.DEMO) as writer:
        written = [writer.append([record])[0] for record in RECORDS]
    assert [unstamped(record) for record in written] == RECORDS
    for kind in TABLES:
        expected = [record for record in written if type(record) is kind]
        read = read_all(database.engine, kind)
        assert read == expected
        for record in read:
            assert record.stamp.origin is Origin.DEMO
            assert record.stamp.made_by == PRODUCT
            assert record.stamp.at.tzinfo is UTC
            for field in fields(record):
                before = getattr(next(each for each in expected if each == record), field.name)
                assert type(getattr(record, field.name)) is type(before)


def test_positions_rise_strictly_across_all_tables(database: Database) -> None:
    for record in RECORDS:
        with database.store.writing() as writer:
            [stored] = writer.append([record])
            assert writer.position == stored.stamp.position
    positions = [
        record.stamp.position for kind in TABLES if kind is not Run
        for record in read_all(database.engine, kind)
    ]  # fmt: skip
    assert sorted(positions) == list(range(1, len(RECORDS) + 1))
    with database.store.reading() as state:
        assert state.position == len(RECORDS)


def test_writers_at_once_do_not_mix_their_positions(database: Database) -> None:
    stores = [open_store(database.url) for _ in range(4)]
    barrier = threading.Barrier(len(stores))

    def write(number: int) -> None:
        barrier.wait()
        for round_number in range(5):
            with stores[number].writing() as writer:
                for step in range(3):
                    writer.append_audit(AuditEntry(str(number), str(round_number), str(step)))

    threads = [threading.Thread(target=write, args=[number]) for number in range(len(stores))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()
    with database.store.reading() as state:
        entries = state.audit_entries()
    assert [entry.stamp.position for entry in entries if entry.stamp] == list(range(1, 61))
    for start in range(0, 60, 3):
        together = entries[start : start + 3]
        assert len({(entry.actor, entry.action) for entry in together}) == 1
        assert [entry.subject for entry in together] == ["0", "1", "2"]
        assert len({entry.stamp.at for entry in together if entry.stamp}) == 1


def test_a_reader_sees_one_state_while_others_write(database: Database) -> None:
    other = open_store(database.url)
    with database.store.reading() as state:
        assert state.audit_entries() == []
        with other.writing() as writer:
            writer.append_audit(AuditEntry("a", "b", "c"))
        assert state.audit_entries() == []
        assert state.position == 0
    with database.store.reading() as state:
        assert (len(state.audit_entries()), state.position) == (1, 1)
    other.close()


def test_a_transaction_that_fails_leaves_nothing_and_takes_no_position(store: Store) -> None:
    def fail() -> None:
        with store.writing() as writer:
            writer.append([SOURCE])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    with store.writing() as writer:
        [stored] = writer.append([SOURCE])
    assert stored.stamp is not None
    assert stored.stamp.position == 1


def test_the_state_at_a_position_is_what_the_rows_up_to_it_say(store: Store) -> None:
    first = replace(CANDIDATE, variants={"masculine": "a", "feminine": "b"})
    positions = []
    for candidate in (first, CANDIDATE):
        with store.writing() as writer:
            writer.append_candidates([candidate])
            writer.append([Person("r1", "rater", name=candidate.variants["masculine"])])
            positions.append(writer.position)
    for position, candidate in zip(positions, (first, CANDIDATE), strict=True):
        with store.reading(at=position) as state:
            assert state.position == position
            [found] = state.candidates(Instrument.EUROGEST, "sk")
            assert found.variants == candidate.variants
            [person] = state.people()
            assert person.name == candidate.variants["masculine"]
            assert state.languages(Instrument.EUROGEST) == ["sk"]
    with store.reading(at=0) as state:
        assert state.candidates(Instrument.EUROGEST, "sk") == []
        assert state.languages(Instrument.EUROGEST) == []
        with pytest.raises(StateError, match="no candidate"):
            state.candidate(CANDIDATE.id)


def test_the_other_instruments_fit_the_same_tables(store: Store) -> None:
    """A prompt template and a sector sentence through item, batch, rating, decision, approval."""
    for instrument, kind, form in (
        (Instrument.MLA_BITE, "prompt_template", "prompt_template/1"),
        (Instrument.SECTORS, "sector_sentence", "sentence/1"),
    ):
        source = Source(instrument, "made", 2, "{GENDER1} work in IT.", attributes={"x": 1})
        candidate = Candidate(
            instrument, "es", source.key, Label.NEUTRAL, "llm", {"neutral": "t"}, "llm/1"
        )
        batch = replace(BATCH, id=f"{instrument}-1", instrument=instrument, form=form)
        item = replace(
            ITEM,
            id=f"{batch.id}/0001",
            batch_id=batch.id,
            instrument=instrument,
            subject_kind=kind,
            subject_id=candidate.id,
            content_hash=candidate.content_hash,
        )
        rating = replace(RATING, item_id=item.id)
        decision = Decision(
            candidate.id, candidate.content_hash, DecisionAction.ACCEPT, "fine", "curator-1"
        )
        approval = replace(APPROVAL, instrument=instrument)
        release = ReleaseRecord("1.0.0", 9, ("es",), "s", instrument)
        with store.writing() as writer:
            writer.append_sources([replace(source, dataset=f"made-{instrument}")])
            for record in (candidate, batch, item, rating, decision, approval, release):
                writer.append([record])
        with store.reading() as state:
            assert [unstamped(each) for each in state.items([batch.id])] == [item]
            assert [unstamped(each) for each in state.ratings([item.id])] == [rating]
            assert [unstamped(each) for each in state.decisions(instrument, "es")] == [decision]
            assert [unstamped(each) for each in state.approvals(instrument, "es")] == [approval]
            assert [unstamped(each) for each in state.releases(instrument)] == [release]
            assert unstamped(state.candidate(candidate.id)) == candidate

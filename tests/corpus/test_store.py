"""The store, on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from corpus.errors import StateError, StereoscopeError, WorkspaceError
from corpus.forms import FormRecord, form_definition, load_form
from corpus.records import (
    Approval,
    ApprovalAction,
    Assignment,
    AuditEntry,
    Batch,
    Candidate,
    Decision,
    DecisionAction,
    Exclusion,
    Instrument,
    Item,
    Label,
    Origin,
    Person,
    Purpose,
    QualityEstimate,
    RatingRevision,
    RatingState,
    ReleaseRecord,
    Run,
    RunState,
    Source,
    Translation,
)
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from corpus.store.mapping import TABLES, record_from_row
from corpus.store.tables import metadata
from corpus.version import PRODUCT

ODD = (
    "NA ‘’ \"quotes\" 'single' \\ \n\t; DROP TABLE source; -- 😀 👩\u200d🔬 "
    "שלום \u200fمرحبا\u200f e\u0301 é %s {x} :y"
)
AT = datetime(2026, 3, 29, 1, 30, 0, 123456, tzinfo=UTC)


@dataclass
class Database:
    url: str
    engine: sa.Engine
    store: Store


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.sqlite'}"
    return str(request.getfixturevalue("postgres_url"))


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


BATCH = Batch("sk-1", Instrument.EUROGEST, "sk", "sentence/1", 2**31 - 1, 2, {"size": 3, "x": ODD})
ITEM = Item(
    "sk-1/0001",
    "sk-1",
    Instrument.EUROGEST,
    "sentence",
    "eurogest/sk/made/2",
    "feminine",
    Purpose.SAMPLE,
    {"src_text": ODD, "mt_text": "NA"},
    "0" * 64,
    weight=1 / 3,
)
SOURCE = Source(
    Instrument.MLA_BITE, ODD, 7, ODD, "NA", 16, {"concern": ["a", None, 1.5], "oracle": {"é": ODD}}
)
CANDIDATE = Candidate(
    Instrument.EUROGEST,
    "sk",
    "made/2",
    Label.PAIR,
    "one_word",
    {"masculine": ODD, "feminine": "NA"},
    "strict/1",
    ("object_gender", "repaired"),
    {"words": [["rád", "rada"]], "score": 0.1 + 0.2, "model": None},
    "run-1",
)
RATING = RatingRevision(
    "sk-1/0001",
    "rater-1",
    RatingState.INVALID,
    {"quality": 50, "comment": ODD, "odd": {"a": [1, 2.5, None]}},
    ("out_of_range:quality", "wrong_rater"),
    "label-studio",
    "1/2",
    "rev",
    AT.astimezone(timezone(timedelta(hours=2))),
    12.25,
)
APPROVAL = Approval(
    Instrument.SECTORS,
    "es",
    ApprovalAction.APPROVE,
    "h" * 64,
    ({"name": "kappa", "value": None, "reason": "no_variation"},),
    ({"name": "mean_da", "passed": None},),
    "curator-1",
    ODD,
)
RECORDS: list[Any] = [
    SOURCE,
    Translation(ODD, "sk", "google", "m", "v", "NA", 123456),
    QualityEstimate("k" * 64, "comet", "m", "r", None, "unsupported_language"),
    QualityEstimate("k" * 64, "comet", "m", "r2", 0.1 + 0.2),
    CANDIDATE,
    FormRecord("sentence", 1, form_definition(load_form("sentence"))),
    Person("rater-1", "rater", ODD, "ž@example.org"),
    BATCH,
    ITEM,
    Assignment("sk-1", "rater-1", ("sk-1/0001", "sk-1/0000"), external_id="42"),
    RATING,
    Exclusion("rater-1", "sk-1", True, ODD, "curator-1"),
    Decision("eurogest/sk/made/2", "0" * 64, DecisionAction.REJECT, ODD, "curator-1"),
    Decision(
        "eurogest/sk/made/2",
        "0" * 64,
        DecisionAction.RELABEL,
        "r",
        "curator-1",
        Label.NEUTRAL,
        {"neutral": ODD},
        "rule",
    ),
    APPROVAL,
    AuditEntry("curator-1", "decide", ODD, {"a": [ODD]}, {"b": None}),
    ReleaseRecord("1.0.0", 2**40, ("es", "sk"), "s" * 64, Instrument.MLA_BITE),
]


def read_all(engine: sa.Engine, kind: type[Any]) -> list[Any]:
    table = TABLES[kind]
    with engine.connect() as connection:
        rows = connection.execute(sa.select(table)).mappings()
        return [record_from_row(kind, row) for row in rows]


def unstamped(record: Any) -> Any:
    return replace(record, stamp=None)


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


def test_sources_are_added_once_and_never_change(store: Store) -> None:
    other = replace(SOURCE, explicit_id="2")
    with store.writing() as writer:
        assert len(writer.append_sources([SOURCE, other])) == 2
        assert writer.append_sources([SOURCE]) == []
    third = replace(SOURCE, explicit_id="3")
    with store.writing() as writer:
        assert [each.explicit_id for each in writer.append_sources([other, third])] == ["3"]
    for changed in (replace(SOURCE, text="x"), replace(SOURCE, stereotype_id=1)):
        with pytest.raises(StateError, match="another text"), store.writing() as writer:
            writer.append_sources([replace(SOURCE, explicit_id="4"), changed])
    with store.reading() as state:
        assert [each.explicit_id for each in state.sources()] == ["NA", "2", "3"]
        assert len(state.sources(Instrument.MLA_BITE, ODD)) == 3
        assert state.sources(Instrument.EUROGEST) == []


def test_new_keys_are_added_once(store: Store) -> None:
    texts = [Translation(f"t{n}", "sk", "e", "m", "v", "x") for n in range(1200)]
    with store.writing() as writer:
        assert len(writer.append_new([*texts, texts[0]])) == 1200
        # The answer that came first stays.
        assert writer.append_new([replace(texts[5], text="other"), texts[7]]) == []
        assert writer.append_new([]) == []
    with store.reading() as state:
        found = state.translations(text.key for text in texts)
        assert len(found) == len(state.all_translations("sk")) == 1200
        assert found[texts[5].key].text == "x"
        assert state.all_translations("es") == []


def test_estimates_differ_by_their_model(store: Store) -> None:
    one = QualityEstimate("k", "comet", "m", "1", 0.5)
    with store.writing() as writer:
        assert len(writer.append_new([one, replace(one, revision="2", score=0.6)])) == 2
        assert writer.append_new([replace(one, score=0.9)]) == []
    with store.reading() as state:
        assert state.quality_estimates(["k", "l"], "comet", "m", "2")["k"].score == 0.6


def test_a_candidate_is_added_only_when_it_changed(store: Store) -> None:
    with store.writing() as writer:
        writer.append_candidates([CANDIDATE])
        assert writer.append_candidates([replace(CANDIDATE, run_id="run-2")]) == []
        changed = replace(CANDIDATE, flags=())
        assert len(writer.append_candidates([changed])) == 1
        # Back to what it was is a change too.
        assert len(writer.append_candidates([CANDIDATE])) == 1
        [current] = writer.candidates(Instrument.EUROGEST, "sk")
    assert unstamped(current) == CANDIDATE


def add_item(store: Store) -> None:
    with store.writing() as writer:
        writer.append([BATCH])
        writer.append([ITEM])


def test_a_rating_is_added_only_when_it_changed(store: Store) -> None:
    add_item(store)
    good = replace(RATING, state=RatingState.VALID, reasons=())
    with store.writing() as writer:
        assert len(writer.append_ratings([RATING, RATING])) == 1
        assert writer.append_ratings([RATING]) == []
        assert len(writer.append_ratings([good, replace(good, source_id="other")])) == 2
        assert len(writer.append_ratings([RATING])) == 1
        revisions = writer.rating_revisions([ITEM.id])
        current = writer.ratings([ITEM.id])
    assert [each.state for each in revisions] == ["invalid", "valid", "valid", "invalid"]
    assert [(each.source_id, each.state) for each in current] == [
        ("other", "valid"),
        ("1/2", "invalid"),
    ]


def test_a_form_keeps_its_questions(store: Store) -> None:
    form = load_form("sentence")
    with store.writing() as writer:
        writer.append_form(form)
        writer.append_form(form)
        assert writer.form("sentence/1") == form
        with pytest.raises(StateError, match="sentence/1 is stored with other questions"):
            writer.append_form(replace(form, title="Other"))
        with pytest.raises(StateError, match="sentence/2 is not stored"):
            writer.form("sentence/2")


def test_the_latest_assignment_and_exclusion_count(store: Store) -> None:
    add_item(store)
    assignment = Assignment("sk-1", "r1", ("sk-1/0001",))
    with store.writing() as writer:
        writer.append([assignment, replace(assignment, rater_id="r2")])
        writer.append([replace(assignment, external_id="7")])
        for excluded in (True, False):
            writer.append([Exclusion("r1", "sk-1", excluded, "why", "c")])
        assert [each.external_id for each in writer.assignments(["sk-1"])] == ["7", None]
        assert [each.excluded for each in writer.exclusions(["sk-1", "other"])] == [False]
        assert writer.assignments([]) == []


@pytest.mark.parametrize(
    "write",
    [
        lambda writer: writer.append([ITEM]),
        lambda writer: writer.append([replace(RATING, item_id="nothing")]),
        lambda writer: writer.append([Assignment("nothing", "r1", ())]),
        lambda writer: writer.append([Exclusion("r1", "nothing", True, "why", "c")]),
        lambda writer: writer.append([SOURCE, SOURCE]),
    ],
    ids=["item", "rating", "assignment", "exclusion", "key"],
)
def test_the_database_itself_holds_keys(store: Store, write: Callable[[Any], Any]) -> None:
    with pytest.raises(sa.exc.IntegrityError), store.writing() as writer:
        write(writer)
    with store.reading() as state:
        assert state.position == 0


def test_a_naive_time_is_refused(store: Store) -> None:
    add_item(store)
    naive = replace(RATING, answered_at=datetime(2026, 1, 1))
    with pytest.raises(sa.exc.StatementError, match="only aware times"), store.writing() as writer:
        writer.append([naive])


def test_an_erased_person_keeps_her_pseudonym_only(database: Database) -> None:
    store = database.store
    with store.writing() as writer:
        writer.append([Person("r1", "rater", "Eva Nová", "eva@example.org")])
        writer.append([Person("r1", "rater", "Eva Stará", "eva2@example.org")])
        writer.append([Person("r2", "rater", "Iva", "iva@example.org")])
        writer.erase_person("r1")
    with store.reading() as state:
        assert [(each.id, each.name, each.address) for each in state.people()] == [
            ("r1", None, None),
            ("r2", "Iva", "iva@example.org"),
        ]
    everything = json.dumps([str(record) for record in read_all(database.engine, Person)])
    assert "Eva" not in everything
    assert "eva" not in everything


def test_unknown_batches_are_named(store: Store) -> None:
    with store.reading() as state, pytest.raises(StateError, match="batches: none yet"):
        state.batch("x")
    add_item(store)
    with store.reading() as state:
        assert unstamped(state.batch("sk-1")) == BATCH
        assert state.batches(Instrument.EUROGEST, "es") == []
        with pytest.raises(StateError, match="no batch x; batches: sk-1"):
            state.batch("x")


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


def test_a_run_is_watched_from_start_to_end(store: Store) -> None:
    with store.runs.watched("generate --languages sk", total=2) as progress:
        [run] = store.runs.latest()
        assert (run.state, run.pid, run.done, run.total) == (RunState.RUNNING, os.getpid(), 0, 2)
        progress.plan(3)
        progress.advance()
        progress.advance(2)
        assert (progress.done, progress.total) == (3, 3)
        assert store.runs.latest()[0].total == 3
    [run] = store.runs.latest()
    assert (run.id, run.state, run.done, run.message) == (progress.id, RunState.DONE, 3, "")


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (StereoscopeError("There is no file."), RunState.FAILED, "There is no file."),
        (ValueError("key=s3cret"), RunState.FAILED, "ValueError"),
        (KeyboardInterrupt(), RunState.INTERRUPTED, "KeyboardInterrupt"),
    ],
)
def test_a_run_that_fails_says_so_without_foreign_texts(
    store: Store, error: BaseException, state: RunState, message: str
) -> None:
    with pytest.raises(type(error)), store.runs.watched("score"):
        raise error
    [run] = store.runs.latest()
    assert (run.state, run.message) == (state, message)


def test_a_run_without_a_sign_of_life_counts_as_interrupted(database: Database) -> None:
    with database.store.runs.watched("score"):
        with database.engine.begin() as connection:
            old = datetime.now(UTC) - timedelta(minutes=5)
            table = TABLES[Run]
            connection.execute(sa.update(table).values(heartbeat_at=old))
        assert database.store.runs.latest()[0].state is RunState.INTERRUPTED
    assert database.store.runs.latest()[0].state is RunState.DONE


def test_the_latest_runs_come_first(store: Store) -> None:
    for number in range(3):
        with store.runs.watched(f"run {number}"):
            pass
    assert [run.command for run in store.runs.latest(limit=2)] == ["run 2", "run 1"]


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

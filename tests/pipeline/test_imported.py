"""Importing rows into a store: as a whole or not, once, and not over what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import InputError
from corpus.records import Instrument, Label, Origin
from corpus.store import Store
from pipeline.imported import (
    IMPORTED_STRATEGY,
    ImportedData,
    ImportedRow,
    ImportReport,
    import_data,
)
from tests.store_builders import add_candidates, make_candidate, make_source, make_store

TEXTS = {"masculine": "Som rád.", "feminine": "Som rada."}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = make_store(tmp_path)
    yield opened
    opened.close()


def make_row(number: int, language: str = "sk", **others: Any) -> ImportedRow:
    values: dict[str, Any] = {
        "file": f"{language}.csv",
        "row": number,
        "language": language,
        "source": make_source(number, f"Sentence {number}."),
        "label": Label.PAIR,
        "variants": TEXTS,
        "evidence": {"imported": {"row": number}},
    } | others
    return ImportedRow(**values)


def make_data(*rows: ImportedRow) -> ImportedData:
    return ImportedData("made", "0" * 64, Instrument.EUROGEST, rows)


def run_import(store: Store, data: ImportedData) -> list[ImportReport]:
    with store.runs.watched("source import-release") as progress:
        return import_data(store, data, progress, "tester")


def positions(store: Store) -> int:
    with store.writing() as writer:
        return writer.position


def test_rows_become_sources_and_candidates_in_the_sources_order(store: Store) -> None:
    rows = [make_row(3), make_row(2, label=Label.NEUTRAL, variants={"neutral": "NA"})]
    (report,) = run_import(store, make_data(*rows, make_row(2, "cs", flags=("repaired",))))[1:]
    assert report == ImportReport("sk", neutral=1, pairs=1, added=2)
    with store.reading() as state:
        sources = state.sources(Instrument.EUROGEST)
        candidates = state.candidates(Instrument.EUROGEST, "sk")
        (czech,) = state.candidates(Instrument.EUROGEST, "cs")
        entry = state.audit_entries()[-1]
    assert [(each.key, each.stamp.origin) for each in sources] == [
        ("made/2", Origin.IMPORT),
        ("made/3", Origin.IMPORT),
    ]
    assert [(each.source_key, each.label, dict(each.variants)) for each in candidates] == [
        ("made/2", Label.NEUTRAL, {"neutral": "NA"}),
        ("made/3", Label.PAIR, TEXTS),
    ]
    assert {each.strategy for each in candidates} == {IMPORTED_STRATEGY}
    assert {each.reason for each in candidates} == {"imported"}
    assert czech.flags == ("repaired",)
    assert (entry.actor, entry.action, entry.subject) == ("tester", "source import-release", "made")
    assert entry.after["candidates"] == 3


def test_imported_again_nothing_is_added(store: Store) -> None:
    data = make_data(make_row(2), make_row(3))
    run_import(store, data)
    before = positions(store)
    (report,) = run_import(store, data)
    assert report.added == 0
    assert positions(store) == before


def test_demo_rows_stay_demo(store: Store) -> None:
    run_import(store, make_data(make_row(2), make_row(3, is_demo=True)))
    with store.reading() as state:
        found = state.candidates(Instrument.EUROGEST, "sk")
    assert [each.stamp.origin for each in found] == [Origin.IMPORT, Origin.DEMO]


def test_an_interrupted_import_goes_on_where_it_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.imported.CHUNK", 2)
    data = make_data(*(make_row(number) for number in range(2, 9)))
    calls = []

    class StoppedError(Exception):
        pass

    with store.runs.watched("source import-release") as progress:
        advance = progress.advance

        def stop(done: int = 1) -> None:
            calls.append(done)
            if len(calls) == 3:
                raise StoppedError
            advance(done)

        monkeypatch.setattr(progress, "advance", stop)
        with pytest.raises(StoppedError):
            import_data(store, data, progress)
    with store.reading() as state:
        # Nothing was there (0), and two chunks were committed.
        assert len(state.candidates(Instrument.EUROGEST, "sk")) == 4
    (report,) = run_import(store, data)
    assert report.added == 3
    with store.reading() as state:
        assert len(state.candidates(Instrument.EUROGEST, "sk")) == 7


def faults_of(store: Store, *rows: ImportedRow) -> list[str]:
    before = positions(store)
    with pytest.raises(InputError) as caught:
        run_import(store, make_data(*rows))
    assert positions(store) == before
    return [str(fault) for fault in caught.value.faults]


def test_all_contradictions_between_rows_are_named(store: Store) -> None:
    other = make_source(2, "Another sentence.", 5, attributes={"concern": "age"})
    found = faults_of(store, make_row(2), make_row(3), make_row(2), make_row(2, "cs", source=other))
    assert [each.split(". ")[0] for each in found] == [
        "sk.csv:2 [GEST_ID]: made/2 is in sk.csv:2 already",
        "cs.csv:2 [Source]: made/2 has another text in sk.csv:2",
        "cs.csv:2 [Stereotype_ID]: made/2 has stereotype 1 in sk.csv:2",
        "cs.csv:2 [attributes]: made/2 has other attributes in sk.csv:2",
    ]


def test_sources_of_the_workspace_are_not_contradicted(store: Store) -> None:
    run_import(store, make_data(make_row(2, "cs")))
    found = faults_of(store, make_row(2, source=make_source(2, "Sentence two.")), make_row(3))
    assert len(found) == 1
    assert found[0].startswith("sk.csv:2 [Source]: made/2 has another text in this workspace")


def test_generated_candidates_are_not_replaced(store: Store) -> None:
    run_import(store, make_data(make_row(2, "cs")))
    add_candidates(store, [make_candidate(make_source(2, "Sentence 2."), "sk", Label.NEUTRAL)])
    (found,) = faults_of(store, make_row(2), make_row(3))
    assert found == (
        "made [sk]: 1 candidates of sk were generated here. import into a new workspace."
    )


def test_another_import_is_not_mixed_with_the_first(store: Store) -> None:
    run_import(store, make_data(make_row(2), make_row(3)))
    edited = replace(make_row(2), variants={**TEXTS, "masculine": "Teším sa."})
    found = faults_of(store, edited, make_row(4))
    assert found[0].startswith("made [sk]: 1 candidates of sk come from another import")
    assert found[1].startswith("sk.csv:2: eurogest/sk/made/2 was imported before with another")


def test_more_languages_may_follow(store: Store) -> None:
    run_import(store, make_data(make_row(2)))
    reports = run_import(store, make_data(make_row(2), make_row(2, "cs")))
    assert [(each.language, each.added) for each in reports] == [("cs", 1), ("sk", 0)]

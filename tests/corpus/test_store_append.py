"""Appending to the store: what has a key is added once, what changed is added again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa

from corpus.errors import StateError
from corpus.forms import load_form
from corpus.people import Person
from corpus.records import (
    Assignment,
    Exclusion,
    Instrument,
    QualityEstimate,
    RatingState,
    Translation,
)
from corpus.store import Store
from tests.corpus.odd_records import (
    BATCH,
    CANDIDATE,
    ITEM,
    ODD,
    RATING,
    SOURCE,
    Database,
    add_item,
    read_all,
    unstamped,
)


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
    form = load_form("sentence", 1)
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

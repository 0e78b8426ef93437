"""Two curators who approve one language at once: one approval, one refusal, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from studies import NEUTRAL, add_passing_language

from annotation.approvals import approve_language
from annotation.assessment import AssessmentSettings
from corpus.errors import StaleError, StateError
from corpus.records import Instrument
from corpus.settings import Settings
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from tests.store_builders import add_ratings, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))
TIMEOUT_S = 60
CURATORS = ("curator-1", "curator-2")


@pytest.fixture
def stores(url: str) -> Iterator[tuple[Store, Store]]:
    """Two connections to one study whose Slovak passes every gate."""
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    first, second = open_store(url), open_store(url)
    add_passing_language(first)
    yield first, second
    first.close()
    second.close()


def test_one_approves_and_the_other_is_refused(stores: tuple[Store, Store]) -> None:
    seen = standing_of(stores[0], "sk").data_hash
    together = Barrier(2, timeout=TIMEOUT_S)

    def approve(store: Store, by: str) -> str:
        together.wait()
        try:
            approve_language(store, Instrument.EUROGEST, "sk", by, SETTINGS, seen_hash=seen)
        except StateError as refusal:
            return str(refusal)
        return "approved"

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(approve, stores, CURATORS))

    assert said.count("approved") == 1
    [refusal] = [each for each in said if each != "approved"]
    assert "sk is approved: one cannot approve" in refusal
    winner = CURATORS[said.index("approved")]
    with stores[0].reading() as state:
        assert [each.by for each in state.approvals(Instrument.EUROGEST, "sk")] == [winner]
        assert [e.actor for e in state.audit_entries() if e.action == "approve"] == [winner]


def test_a_rating_that_comes_in_between_refuses_what_was_seen(
    stores: tuple[Store, Store],
) -> None:
    first, second = stores
    seen = standing_of(first, "sk")
    add_ratings(second, [seen.items[0]], "r1", NEUTRAL | {"quality": 71}, revision="2")
    with pytest.raises(StaleError, match="changed while you looked"):
        approve_language(first, Instrument.EUROGEST, "sk", "a", SETTINGS, seen_hash=seen.data_hash)
    with first.reading() as state:
        assert state.approvals(Instrument.EUROGEST, "sk") == []

"""Two curators who ask about one candidate at once: it is asked once, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from studies import NEUTRAL, add_language, add_people, plan_batch

from annotation.batches import create_batch
from annotation.referrals import Question, find_referrals, refer_candidate
from corpus.errors import StateError
from corpus.records import Item, Origin
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from tests.store_builders import add_ratings, standing_of

TIMEOUT_S = 60
CURATORS = ("curator-1", "curator-2")
MAN = {"quality": 85, "gender_marked": "yes", "speaker_gender": "man"}


@pytest.fixture
def disputed(url: str) -> Iterator[tuple[tuple[Store, Store], Item]]:
    """Two connections to one study, and an item about which its two raters differ."""
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    first, second = open_store(url), open_store(url)
    add_language(first, "sk", neutral=3, pairs=0)
    add_people(first, ("r1", "r2", "r3"))
    items = create_batch(first, plan_batch("sk", 3, ("r1", "r2")), CURATORS[0], Origin.HUMAN).items
    add_ratings(first, items, "r1", NEUTRAL)
    add_ratings(first, items[1:], "r2", NEUTRAL)
    add_ratings(first, items[:1], "r2", MAN)
    yield (first, second), items[0]
    first.close()
    second.close()


@pytest.mark.parametrize("rater", [None, "r3"], ids=["sent back", "another rater"])
def test_it_is_asked_once_and_the_other_curator_is_told(
    disputed: tuple[tuple[Store, Store], Item], rater: str | None
) -> None:
    stores, item = disputed
    together = Barrier(2, timeout=TIMEOUT_S)

    def refer(store: Store, by: str) -> str:
        question = Question(item.subject_id, item.content_hash, f"{by} asks", rater)
        together.wait()
        try:
            refer_candidate(store, question, by)
        except StateError as refusal:
            return str(refusal)
        return "asked"

    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(refer, stores, CURATORS))

    assert said.count("asked") == 1
    [refusal] = [each for each in said if each != "asked"]
    assert item.subject_id in refusal
    assert "asked about" in refusal
    winner = CURATORS[said.index("asked")]
    [referral] = find_referrals(standing_of(stores[0], "sk"))[item.subject_id]
    assert (referral.by, referral.question) == (winner, f"{winner} asks")
    assert referral.asked == (("r1", "r2") if rater is None else ("r3",))

"""Invalid ratings: which are unexplained, and what an explanation is bound to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from studies import NEUTRAL, add_language

from annotation.explanations import EXPLAIN_ACTION, explain_ratings, list_unexplained
from corpus.errors import StaleError, StateError
from corpus.invalid_ratings import InvalidRating
from corpus.records import Batch, Instrument, Item, RatingRevision, RatingState
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from tests.store_builders import add_batch, add_ratings, exclude, standing_of

REASON = "She answered in another account; she was asked and sent it again."


@pytest.fixture
def own(url: str) -> Iterator[Store]:
    """A store on SQLite and on PostgreSQL, with Slovak in it."""
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    store = open_store(url)
    add_language(store, "sk", neutral=3, pairs=0)
    yield store
    store.close()


@pytest.fixture
def batch(own: Store) -> tuple[Batch, list[Item]]:
    with own.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    return add_batch(own, candidates, ("r1", "r2"))


def add_invalid(store: Store, item: Item, rater: str = "r1", revision: str = "1") -> None:
    rating = RatingRevision(
        item.id,
        rater,
        RatingState.INVALID,
        {"quality": 90},
        reasons=("wrong_rater",),
        source_id="7",
        source_revision=revision,
    )
    with store.writing() as writer:
        writer.append_ratings([rating])


def unexplained(store: Store) -> tuple[InvalidRating, ...]:
    return list_unexplained(standing_of(store, "sk"))


def test_an_explanation_is_of_one_revision_and_stays(
    own: Store, batch: tuple[Batch, list[Item]]
) -> None:
    first, second = batch[1][:2]
    add_invalid(own, first)
    add_invalid(own, second, "r2")
    assert [each.rating.item_id for each in unexplained(own)] == [first.id, second.id]
    before = standing_of(own, "sk")

    explain_ratings(own, list_unexplained(before, rater_id="r1"), REASON, "curator-1")
    after = standing_of(own, "sk")
    assert [each.rating.item_id for each in list_unexplained(after)] == [second.id]
    [explained, _] = after.invalid
    assert explained.explanation is not None
    assert (explained.explanation.reason, explained.explanation.by) == (REASON, "curator-1")
    # An explanation changes nothing that an approval stands on.
    assert after.data_hash == before.data_hash
    assert after.position > before.position

    add_invalid(own, first, revision="2")
    assert [each.rating.item_id for each in unexplained(own)] == [second.id, first.id]


def test_it_is_noted_in_the_audit_trail(own: Store, batch: tuple[Batch, list[Item]]) -> None:
    item = batch[1][0]
    add_invalid(own, item)
    [invalid] = unexplained(own)
    explain_ratings(own, [invalid], REASON, "curator-1")
    with own.reading() as state:
        entry = state.audit_entries()[-1]
    assert (entry.actor, entry.action, entry.subject) == ("curator-1", EXPLAIN_ACTION, item.id)
    assert entry.after == {
        "rater": "r1",
        "revision": invalid.revision,
        "invalid because": ["wrong_rater"],
        "reason": REASON,
    }


def test_without_a_reason_or_a_rating_nothing_is_stored(
    own: Store, batch: tuple[Batch, list[Item]]
) -> None:
    add_invalid(own, batch[1][0])
    seen = unexplained(own)
    with pytest.raises(StateError, match="needs a written reason"):
        explain_ratings(own, seen, "  ", "curator-1")
    with pytest.raises(StateError, match="no invalid rating"):
        explain_ratings(own, [], REASON, "curator-1")
    assert unexplained(own) == seen


def test_what_was_answered_anew_meanwhile_is_not_explained(
    own: Store, batch: tuple[Batch, list[Item]]
) -> None:
    first, second = batch[1][:2]
    add_invalid(own, first)
    add_invalid(own, second)
    seen = unexplained(own)
    add_invalid(own, first, revision="2")
    with pytest.raises(StaleError, match=first.id):
        explain_ratings(own, seen, REASON, "curator-1")
    assert len(unexplained(own)) == 2


def test_the_second_of_two_curators_is_told_who_was_first(
    own: Store, batch: tuple[Batch, list[Item]]
) -> None:
    add_invalid(own, batch[1][0])
    seen = unexplained(own)
    explain_ratings(own, seen, REASON, "curator-1")
    with pytest.raises(StaleError, match="by curator-1"):
        explain_ratings(own, seen, "something else", "curator-2")
    # Who saw the explanation may give a better one.
    explain_ratings(own, standing_of(own, "sk").invalid, "She wrote that herself.", "curator-2")
    [invalid] = standing_of(own, "sk").invalid
    assert invalid.explanation is not None
    assert invalid.explanation.by == "curator-2"


def test_a_valid_revision_and_an_exclusion_leave_nothing_to_explain(
    own: Store, batch: tuple[Batch, list[Item]]
) -> None:
    first, second = batch[1][:2]
    add_invalid(own, first)
    add_invalid(own, second, "r2")
    corrected = RatingRevision(
        first.id, "r1", RatingState.VALID, NEUTRAL, source_id="7", source_revision="2"
    )
    with own.writing() as writer:
        writer.append_ratings([corrected])
    exclude(own, batch[0], "r2")
    assert unexplained(own) == ()
    exclude(own, batch[0], "r2", excluded=False)
    assert [each.rating.item_id for each in unexplained(own)] == [second.id]


def test_an_invalid_second_answer_is_not_hidden_by_the_first(
    own: Store, batch: tuple[Batch, list[Item]]
) -> None:
    item = batch[1][0]
    add_ratings(own, [item], "r1", NEUTRAL)
    add_invalid(own, item)
    standing = standing_of(own, "sk")
    assert len(standing.counted) == 1
    assert [each.rating.reasons for each in list_unexplained(standing)] == [("wrong_rater",)]

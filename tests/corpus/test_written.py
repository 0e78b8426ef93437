"""Texts that a curator wrote are held until somebody else has rated exactly them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotation.decisions import Verdict, decide
from corpus.records import (
    Candidate,
    DecisionAction,
    Item,
    Label,
    Origin,
    Purpose,
    RatingState,
)
from corpus.standing import Standing
from corpus.store import Store
from corpus.written import find_held, find_unsent, find_written
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    exclude,
    make_candidate,
    make_source,
    standing_of,
)

SOURCE = make_source(2, "I am emotional.")
PAIR = make_candidate(
    SOURCE, "sk", Label.PAIR, variants={"masculine": "Som emotívny.", "feminine": "Som emotívna."}
)
NEW = {"masculine": "Som emotívny.", "feminine": "Bola som emotívna."}
WRITER = "curator-1"


def decide_edit(store: Store, variants: dict[str, str], by: str = WRITER) -> None:
    decide_now(store, DecisionAction.EDIT, by, variants=variants)


def decide_now(store: Store, action: DecisionAction, by: str = WRITER, **others: Any) -> None:
    candidate = standing_of(store, "sk").candidates[0].candidate
    verdict = Verdict(candidate.id, candidate.content_hash, action, "why", **others)
    decide(store, verdict, by, lambda *_: None)


@pytest.fixture
def edited(store: Store) -> Store:
    """A pair whose feminine variant the curator wrote anew."""
    add_sources(store, [SOURCE])
    add_candidates(store, [PAIR])
    decide_edit(store, NEW)
    return store


def send(store: Store, rater: str = "r1", variant: str = "feminine", **others: Any) -> Item:
    """The present content in a targeted batch."""
    candidate: Candidate = standing_of(store, "sk").candidates[0].candidate
    number = len(standing_of(store, "sk").batches)
    [item] = add_batch(store, [candidate], [rater], variant=variant, batch_id=f"sk-{number}")[1]
    return item


def written(standing: Standing) -> dict[str, tuple[bool, bool]]:
    return {each.variant: (each.rated, each.asked) for each in find_written(standing)}


def test_a_written_text_is_held_until_it_is_rated(edited: Store) -> None:
    assert written(standing_of(edited, "sk")) == {"feminine": (False, False)}
    assert find_held(standing_of(edited, "sk")) == {PAIR.id}
    [unsent] = find_unsent(standing_of(edited, "sk"))
    assert (unsent.variant, unsent.by) == ("feminine", WRITER)

    item = send(edited)
    assert written(standing_of(edited, "sk")) == {"feminine": (False, True)}
    assert find_unsent(standing_of(edited, "sk")) == ()

    add_ratings(edited, [item], "r1")
    assert written(standing_of(edited, "sk")) == {"feminine": (True, False)}
    assert find_held(standing_of(edited, "sk")) == frozenset()


RatesNothing = Callable[[Store], None]


def rate_invalid(store: Store) -> None:
    add_ratings(store, [send(store)], "r1", state=RatingState.INVALID)


def rate_skipped(store: Store) -> None:
    add_ratings(store, [send(store)], "r1", state=RatingState.SKIPPED)


def rate_as_writer(store: Store) -> None:
    add_ratings(store, [send(store, WRITER)], WRITER)


def rate_as_demo(store: Store) -> None:
    add_ratings(store, [send(store)], "r1", origin=Origin.DEMO)


def rate_the_other_variant(store: Store) -> None:
    add_ratings(store, [send(store, variant="masculine")], "r1")


def rate_and_exclude(store: Store) -> None:
    item = send(store)
    add_ratings(store, [item], "r1")
    exclude(store, standing_of(store, "sk").batches[0], "r1")
    assert item.batch_id == standing_of(store, "sk").batches[0].id


def rate_a_degraded_copy(store: Store) -> None:
    item = replace(send(store), id="sk-0/0002", purpose=Purpose.DEGRADED, stamp=None)
    with store.writing() as writer:
        writer.append([item])
    add_ratings(store, [item], "r1")


def rate_what_was_there_before(store: Store) -> None:
    decide_now(store, DecisionAction.REOPEN)
    item = send(store)
    decide_edit(store, NEW)
    add_ratings(store, [item], "r1")


@pytest.mark.parametrize(
    "rate",
    [
        rate_invalid,
        rate_skipped,
        rate_as_writer,
        rate_as_demo,
        rate_the_other_variant,
        rate_and_exclude,
        rate_a_degraded_copy,
        rate_what_was_there_before,
    ],
)
def test_what_is_no_rating_of_that_text_by_another_person_releases_nothing(
    edited: Store, rate: RatesNothing
) -> None:
    rate(edited)
    assert find_held(standing_of(edited, "sk")) == {PAIR.id}


def test_a_rating_of_the_text_stands_when_the_other_variant_is_edited(edited: Store) -> None:
    add_ratings(edited, [send(edited)], "r1")
    decide_edit(edited, {**NEW, "masculine": "Bol som emotívny."}, "curator-2")
    standing = standing_of(edited, "sk")
    assert written(standing) == {"masculine": (False, False), "feminine": (True, False)}
    assert standing.candidates[0].written == {"masculine": "curator-2", "feminine": WRITER}
    assert find_held(standing) == {PAIR.id}


def test_of_two_texts_one_is_sent_after_the_other(edited: Store) -> None:
    decide_edit(edited, {"masculine": "Bol som emotívny.", "feminine": "Bola som emotívna."})
    assert [each.variant for each in find_unsent(standing_of(edited, "sk"))] == ["masculine"]
    item = send(edited, variant="masculine")
    assert find_unsent(standing_of(edited, "sk")) == ()
    add_ratings(edited, [item], "r1")
    assert [each.variant for each in find_unsent(standing_of(edited, "sk"))] == ["feminine"]


@pytest.mark.parametrize(
    "action", [DecisionAction.REJECT, DecisionAction.REOPEN, DecisionAction.ACCEPT]
)
def test_only_what_could_be_released_is_held(edited: Store, action: DecisionAction) -> None:
    decide_now(edited, action)
    held = find_held(standing_of(edited, "sk"))
    assert held == ({PAIR.id} if action is DecisionAction.ACCEPT else frozenset())


def test_a_text_that_generation_gave_is_nobodys(edited: Store) -> None:
    decide_now(edited, DecisionAction.REOPEN)
    swapped = {"neutral": PAIR.variants["feminine"]}
    decide_now(edited, DecisionAction.RELABEL, label=Label.NEUTRAL, variants=swapped)
    assert find_written(standing_of(edited, "sk")) == ()


def test_a_text_of_an_earlier_generation_is_no_curators(store: Store) -> None:
    add_sources(store, [SOURCE])
    add_candidates(store, [PAIR])
    add_candidates(store, [replace(PAIR, variants={**NEW, "feminine": "Som citlivá."})])
    decide_edit(store, dict(PAIR.variants))
    assert find_written(standing_of(store, "sk")) == ()

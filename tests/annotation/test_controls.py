"""Control items of a batch: what is made, of which items, and where it stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import add_people, plan_batch

from annotation.batches import BatchPlan, CreatedBatch, create_batch
from annotation.controls import (
    ControlShares,
    MadeControl,
    Original,
    count_degraded,
    count_kinds,
    find_short_kinds,
    make_controls,
)
from annotation.tasks import task_data
from corpus.errors import StateError
from corpus.records import Item, Label, Origin, Purpose
from corpus.store import Store
from tests.store_builders import add_candidates, add_sources, make_candidate, make_source

RATERS = ("r1", "r2", "r3")
WORDS = tuple(
    "voda strom kniha mesto radosť práca cesta hora rieka škola dieťa otec matka".split()  # noqa: SIM905
)


def add_slovak(store: Store, neutral: int = 40, pairs: int = 20) -> None:
    """Pairs that differ in two words, so that agreement can be broken; neutral texts."""
    sources = [
        make_source(row, f"Text {row}.", 1 + row % 16) for row in range(2, 2 + neutral + pairs)
    ]
    candidates = []
    for number, source in enumerate(sources):
        tail = " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 8))
        if number < pairs:
            texts = {"masculine": f"Bol som rád {tail}.", "feminine": f"Bola som rada {tail}."}
            candidates.append(make_candidate(source, "sk", Label.PAIR, variants=texts))
        else:
            texts = {"neutral": f"Mám {number} {tail}."}
            candidates.append(make_candidate(source, "sk", Label.NEUTRAL, variants=texts))
    add_sources(store, sources)
    add_candidates(store, candidates)
    add_people(store, RATERS)


def plan_controls(size: int = 48, **others: Any) -> BatchPlan:
    shares = ControlShares(repeat=0.125, degraded=0.25)
    return replace(plan_batch("sk", size, RATERS), controls=shares, **others)


@pytest.fixture
def created(store: Store) -> CreatedBatch:
    add_slovak(store)
    return create_batch(store, plan_controls(), "curator-1", Origin.HUMAN)


def of_purpose(created: CreatedBatch, purpose: Purpose) -> list[Item]:
    return [item for item in created.items if item.purpose is purpose]


def test_repeats_are_exact_and_degraded_items_record_their_making(created: CreatedBatch) -> None:
    items = {item.id: item for item in created.items}
    repeats, degraded = (
        of_purpose(created, purpose) for purpose in (Purpose.REPEAT, Purpose.DEGRADED)
    )
    assert (len(of_purpose(created, Purpose.SAMPLE)), len(repeats), len(degraded)) == (48, 6, 12)
    for item in repeats:
        original = items[item.making["of"]]
        assert item.making == {"of": original.id, "kind": "repeat"}
        assert item.shown == original.shown
    for item in degraded:
        original = items[item.making["of"]]
        assert original.purpose is Purpose.SAMPLE
        assert item.shown["mt_text"] != original.shown["mt_text"]
        assert item.shown["src_text"] == original.shown["src_text"]
        assert item.making["strength"] in (1, 2, 3)
        assert item.making["changes"]
    kinds = Counter(item.making["kind"] for item in degraded)
    assert kinds == {"drop_words": 4, "foreign_words": 4, "wrong_agreement": 4}
    assert created.batch.design["controls_made"] == {"repeat": 6, **kinds}
    strengths = Counter(
        item.making["strength"] for item in degraded if item.making["kind"] != "wrong_agreement"
    )
    assert set(strengths) == {1, 2, 3}
    assert len({item.making["of"] for item in repeats + degraded}) == 18


def test_nothing_that_a_rater_gets_tells_a_control_item(created: CreatedBatch) -> None:
    keys = {frozenset(task_data(item)) for item in created.items}
    assert len(keys) == 1
    for item in created.items:
        told = " ".join(map(str, task_data(item).values()))
        assert not any(word in told for word in ("repeat", "degraded", "sample", "drop_words"))
    # Control items are numbered among the others.
    controls = [n for n, item in enumerate(created.items) if item.purpose is not Purpose.SAMPLE]
    assert [item.id for item in created.items] == sorted(item.id for item in created.items)
    assert min(controls) < 20
    assert max(controls) > 45
    assert controls != list(range(controls[0], controls[0] + len(controls)))


def test_every_rater_has_each_control_item_a_third_of_her_list_away(created: CreatedBatch) -> None:
    controls = [item for item in created.items if item.purpose is not Purpose.SAMPLE]
    for assignment in created.assignments:
        order = assignment.item_ids
        assert len(order) == 66
        for item in controls:
            between = abs(order.index(item.id) - order.index(item.making["of"])) - 1
            assert between >= len(order) / 3
    assert len({each.item_ids for each in created.assignments}) == 3


def test_the_same_plan_draws_the_same_control_items(store: Store) -> None:
    add_slovak(store)
    plan = plan_controls()
    first = create_batch(store, plan, "curator-1", Origin.HUMAN)
    again = create_batch(store, plan, "curator-1", Origin.HUMAN)
    assert again.items == first.items
    assert plan.id != plan_batch("sk", 48, RATERS).id
    assert first.batch.design["controls"] == {"repeat": 0.125, "degraded": 0.25}


def test_control_items_go_to_the_raters_of_their_originals(store: Store) -> None:
    add_slovak(store)
    plan = plan_controls(raters_per_item=2)
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    raters_of = {
        item.id: {each.rater_id for each in created.assignments if item.id in each.item_ids}
        for item in created.items
    }
    controls = [item for item in created.items if item.purpose is not Purpose.SAMPLE]
    assert all(raters_of[item.id] == raters_of[item.making["of"]] for item in controls)
    counts = Counter(rater for item in controls for rater in raters_of[item.id])
    assert max(counts.values()) - min(counts.values()) <= 2


def test_a_language_without_exchanges_has_no_wrong_agreement_and_says_so(store: Store) -> None:
    add_slovak(store, neutral=60, pairs=0)
    created = create_batch(store, plan_controls(), "curator-1", Origin.HUMAN)
    made = created.batch.design["controls_made"]
    assert made == {"repeat": 6, "drop_words": 6, "foreign_words": 6, "wrong_agreement": 0}
    assert find_short_kinds(made) == ("wrong_agreement",)


def test_a_learned_exchange_breaks_agreement_where_no_pair_does(store: Store) -> None:
    add_slovak(store, neutral=60, pairs=0)
    forms = {"voda": "vod", "strom": "stroma", "kniha": "knih"}
    created = create_batch(store, plan_controls(), "curator-1", Origin.HUMAN, forms.get)
    assert created.batch.design["controls_made"]["wrong_agreement"] == 4


@pytest.mark.parametrize(
    ("sample", "share", "count"),
    [(100, 0.0, 0), (100, 0.1, 10), (10, 0.1, 3), (50, 0.1, 6), (44, 0.25, 11)],
)
def test_how_many_are_degraded(sample: int, share: float, count: int) -> None:
    assert count_degraded(sample, share) == count


@given(
    st.lists(st.integers(3, 12), min_size=12, max_size=60),
    st.floats(0, 0.25),
    st.floats(0.01, 0.25),
    st.integers(0, 999),
)
def test_each_kind_is_at_least_a_quarter_where_the_texts_allow_it(
    lengths: list[int], repeat: float, degraded: float, seed: int
) -> None:
    originals = [
        Original(
            text := " ".join(f"slovo{place}x{number}" for place in range(length)) + ".",
            (text,),
            ("r1", "r2"),
        )
        for number, length in enumerate(lengths)
    ]
    shares = ControlShares(repeat, degraded)
    made = make_controls(originals, shares, lambda word: f"{word}a", seed)
    counts = count_kinds(made)
    assert find_short_kinds(counts) == ()
    total = sum(each.purpose is Purpose.DEGRADED for each in made)
    assert total == count_degraded(len(originals), degraded)
    assert len({each.of for each in made}) == len(made) <= len(originals) / 2
    assert all(
        each.text != originals[each.of].text for each in made if each.purpose is Purpose.DEGRADED
    )
    assert make_controls(originals, shares, lambda word: f"{word}a", seed) == made


@pytest.mark.parametrize("shares", [ControlShares(-0.1, 0.1), ControlShares(0.3, 0.3)])
def test_shares_that_do_not_work_are_refused(store: Store, shares: ControlShares) -> None:
    add_slovak(store)
    with pytest.raises(StateError, match=r"together at most 0\.5"):
        create_batch(store, replace(plan_controls(), controls=shares), "c", Origin.HUMAN)


def test_texts_too_short_give_what_they_can() -> None:
    originals = [Original("Nie.", ("Nie.",), ("r1",))] * 4
    made: list[MadeControl] = make_controls(
        originals, ControlShares(0.25, 0.25), lambda _: None, seed=1
    )
    assert [each.purpose for each in made] == [Purpose.REPEAT]

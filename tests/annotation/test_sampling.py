from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.ordering import order_for_rater
from annotation.sampling import (
    Allocation,
    allocate,
    allocate_by_label,
    allocate_equally,
    count_strata,
    draw_sample,
)
from corpus.errors import StateError
from corpus.records import Candidate, Label
from tests.store_builders import make_candidate, make_source

PAIR = {"masculine": "Som rád.", "feminine": "Som rada."}
sizes = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(1, 40), min_size=1)
labels = st.lists(st.tuples(st.sampled_from(Label), st.integers(1, 4)), max_size=60)


def make_candidates(drawn: list[tuple[Label, int]]) -> list[Candidate]:
    return [
        make_candidate(
            make_source(row, "I am glad.", stereotype),
            "sk",
            label,
            **({"variants": PAIR} if label is not Label.NEUTRAL else {}),
            evidence={"stereotype": stereotype},
        )
        for row, (label, stereotype) in enumerate(drawn, start=2)
    ]


def stereotype_of(candidate: Candidate) -> str:
    return str(candidate.evidence["stereotype"])


@given(sizes, st.integers(0, 200))
def test_an_allocation_sums_up_and_stays_next_to_the_shares(
    strata: dict[str, int], total: int
) -> None:
    counts = allocate(strata, total)
    available = sum(strata.values())
    assert sum(counts.values()) == min(total, available)
    for name, size in strata.items():
        share = min(total, available) * size / available
        assert abs(counts[name] - share) < 1
        assert counts[name] <= size


def test_largest_remainders_get_what_is_left() -> None:
    # Shares of 10: 4.7, 3.3, 2.0; the one item left goes to the remainder .7 (by hand).
    assert allocate({"a": 47, "b": 33, "c": 20}, 10) == {"a": 5, "b": 3, "c": 2}
    # Equal remainders: the stratum that sorts first.
    assert allocate({"b": 1, "a": 1}, 1) == {"b": 0, "a": 1}


@given(labels, st.integers(1, 30), st.integers(0, 2**31), st.randoms(use_true_random=False))
def test_a_sample_is_the_seeds_alone_and_proportional(
    drawn: list[tuple[Label, int]], size: int, seed: int, shuffler: Random
) -> None:
    candidates = make_candidates(drawn)
    sample = draw_sample(candidates, size, seed, stereotype_of)
    shuffled = list(candidates)
    shuffler.shuffle(shuffled)
    assert draw_sample(shuffled, size, seed, stereotype_of) == sample

    usable = [each for each in candidates if each.label is not Label.DISCARDED]
    assert len({each.candidate.id for each in sample}) == len(sample) == min(size, len(usable))
    strata = Counter((each.label, stereotype_of(each)) for each in usable)
    taken = Counter((each.candidate.label, stereotype_of(each.candidate)) for each in sample)
    for stratum, count in strata.items():
        assert abs(taken[stratum] - len(sample) * count / len(usable)) < 1
    for label, count in Counter(each.label for each in usable).items():
        got = sum(each.candidate.label is label for each in sample)
        assert abs(got - len(sample) * count / len(usable)) < 1
    variants = Counter(each.variant for each in sample)
    assert abs(variants["masculine"] - variants["feminine"]) <= 1
    assert all(each.variant in each.candidate.variants for each in sample)


def test_another_seed_draws_another_sample() -> None:
    candidates = make_candidates([(Label.PAIR, 1)] * 40)
    drawn = [draw_sample(candidates, 10, seed, stereotype_of) for seed in range(3)]
    assert drawn[0] != drawn[1] != drawn[2]


def test_an_odd_pair_is_masculine_or_feminine_by_the_seed() -> None:
    candidates = make_candidates([(Label.PAIR, 1)])
    shown = {draw_sample(candidates, 1, seed, stereotype_of)[0].variant for seed in range(20)}
    assert shown == {"masculine", "feminine"}


@given(st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=30), st.integers(0, 99))
def test_a_raters_order_is_hers_and_complete(item_ids: list[str], seed: int) -> None:
    order = order_for_rater(item_ids, seed, "rater-sk-1")
    assert sorted(order) == sorted(item_ids)
    assert order == order_for_rater(item_ids[::-1], seed, "rater-sk-1")


def test_two_raters_get_different_orders() -> None:
    item_ids = [f"b/{number:04}" for number in range(30)]
    assert order_for_rater(item_ids, 1, "one") != order_for_rater(item_ids, 1, "two")


def test_discarded_candidates_are_drawn_where_they_have_a_text() -> None:
    texts: list[dict[str, str]] = [PAIR, {"feminine": "Som rada."}, {}, {"neutral": "Teším sa."}]
    candidates = [
        make_candidate(make_source(row, "I am glad."), "sk", Label.DISCARDED, variants=variants)
        for row, variants in enumerate(texts, start=2)
    ]
    assert draw_sample(candidates, 9, 1, lambda _: "") == []
    drawn = draw_sample(candidates, 9, 1, lambda _: "", labels={Label.DISCARDED})
    shown = {each.candidate.source_key: each.variant for each in drawn}
    assert shown.pop("made/2") in {"masculine", "feminine"}
    assert shown == {"made/3": "feminine", "made/5": "neutral"}


def test_many_small_strata_do_not_shift_the_labels() -> None:
    # Shares .6 and .4 of 10 strata each: 6 and 4 items, not 10 and 0 (by hand).
    sizes = {f"neutral/{n}": 6 for n in range(10)} | {f"pair/{n}": 4 for n in range(10)}
    counts = allocate_by_label(sizes, 10)
    assert sum(count for name, count in counts.items() if name.startswith("neutral")) == 6
    assert max(counts.values()) == 1


@given(sizes, st.integers(0, 200))
def test_an_equal_allocation_is_as_equal_as_the_strata_allow(
    strata: dict[str, int], total: int
) -> None:
    counts = allocate_equally(strata, total)
    assert sum(counts.values()) == min(total, sum(strata.values()))
    assert all(counts[name] <= size for name, size in strata.items())
    most = max(counts.values())
    for name, size in strata.items():
        assert counts[name] >= most - 1 or counts[name] == size


@given(labels, st.integers(1, 60), st.integers(0, 99))
def test_weights_of_an_equal_sample_add_up_to_the_candidates(
    drawn: list[tuple[Label, int]], size: int, seed: int
) -> None:
    candidates = make_candidates(drawn)
    usable = [each for each in candidates if each.label is not Label.DISCARDED]
    strata = Counter((each.label, stereotype_of(each)) for each in usable)
    if size < len(strata):
        with pytest.raises(StateError, match=f"Take at least {len(strata)}"):
            draw_sample(candidates, size, seed, stereotype_of, allocation=Allocation.EQUAL)
        return
    sample = draw_sample(candidates, size, seed, stereotype_of, allocation=Allocation.EQUAL)
    scale = len(usable) / len(sample) if sample else 1
    for (label, stereotype), count in strata.items():
        weights = [
            each.weight
            for each in sample
            if (each.candidate.label, stereotype_of(each.candidate)) == (label, stereotype)
        ]
        assert len(set(weights)) == 1
        # Horvitz and Thompson: what a stratum's items stand for is what it holds.
        assert sum(weights) * scale == pytest.approx(count)
    found = count_strata(candidates, sample, stereotype_of, allocation=Allocation.EQUAL)
    assert sum(each.available for each in found) == len(usable)
    assert sum(each.drawn * each.weight for each in found) == pytest.approx(len(sample))


@given(labels, st.integers(1, 30), st.integers(0, 99))
def test_both_variants_share_the_weight_of_their_pair(
    drawn: list[tuple[Label, int]], size: int, seed: int
) -> None:
    candidates = make_candidates(drawn)
    sample = draw_sample(candidates, size, seed, stereotype_of, both_variants=True)
    by_subject: dict[str, list[tuple[str, float]]] = {}
    for each in sample:
        by_subject.setdefault(each.candidate.id, []).append((each.variant, each.weight))
    for candidate in candidates:
        shown = sorted(by_subject.get(candidate.id, []))
        if candidate.label is Label.PAIR:
            assert shown in ([], [("feminine", 0.5), ("masculine", 0.5)])
        else:
            assert shown in ([], [("neutral", 1.0)])
    one = draw_sample(candidates, size, seed, stereotype_of)
    assert {each.candidate.id for each in one} == set(by_subject)

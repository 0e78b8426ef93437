"""Which raters answer which items: balanced pairs, balanced loads, variants kept apart."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.ordering import compute_least_gap, order_for_rater
from annotation.overlap import choose_doubles, count_shared, give_to_raters


def names(count: int, kind: str = "i") -> list[str]:
    return [f"{kind}{number:04}" for number in range(count)]


@given(st.integers(1, 120), st.integers(2, 9), st.integers(0, 2**31), st.data())
def test_every_two_raters_share_about_equally_many_items(
    items: int, raters: int, seed: int, data: st.DataObject
) -> None:
    each = data.draw(st.integers(1, raters))
    given_to = give_to_raters(dict.fromkeys(names(items), each), names(raters, "r"), seed)
    assert {len(set(chosen)) for chosen in given_to.values()} == {each}
    loads = Counter(rater for chosen in given_to.values() for rater in chosen)
    counts = [loads[rater] for rater in names(raters, "r")]
    shared = count_shared(given_to)
    pairs = [shared[pair] for pair in combinations(names(raters, "r"), 2)]
    if each == 2:
        # By construction: an item goes to a pair that shares the fewest.
        assert max(pairs) - min(pairs) <= 1
    elif each > 2:
        # The mean number of shared items is known; nobody is far from it.
        assert max(pairs) - min(pairs) <= 3
    assert max(counts) - min(counts) <= (1 if each == 1 else 3)
    again = give_to_raters(dict.fromkeys(names(items)[::-1], each), names(raters, "r"), seed)
    assert again == given_to


@given(st.integers(1, 80), st.integers(4, 8), st.integers(1, 2), st.integers(0, 2**31))
def test_the_two_variants_of_a_pair_go_to_different_raters(
    pairs: int, raters: int, each: int, seed: int
) -> None:
    items = names(2 * pairs)
    siblings = {
        one: other
        for first, second in zip(items[:pairs], items[pairs:], strict=True)
        for one, other in ((first, second), (second, first))
    }
    given_to = give_to_raters(dict.fromkeys(items, each), names(raters, "r"), seed, siblings)
    for one, other in siblings.items():
        assert not set(given_to[one]) & set(given_to[other])
    loads = Counter(rater for chosen in given_to.values() for rater in chosen)
    assert max(loads.values()) - min(loads[rater] for rater in names(raters, "r")) <= 4


def test_single_items_even_out_what_the_double_ones_left() -> None:
    items, raters = names(100), names(3, "r")
    doubles = choose_doubles(items, 0.2, seed=7)
    assert len(doubles) == 20
    assert choose_doubles(items[::-1], 0.2, seed=7) == doubles != choose_doubles(items, 0.2, seed=8)
    given_to = give_to_raters({each: 2 if each in doubles else 1 for each in items}, raters, 7)
    # 20 doubles over three pairs of raters, 120 answers over three raters (by hand).
    assert sorted(count_shared(given_to).values()) == [6, 7, 7]
    assert set(Counter(one for chosen in given_to.values() for one in chosen).values()) == {40}


def test_too_few_raters_are_refused() -> None:
    with pytest.raises(ValueError, match="needs 3 raters"):
        give_to_raters({"i": 3}, ["a", "b"], 1)


@given(st.integers(1, 120), st.data(), st.integers(0, 2**31))
def test_pairs_stand_at_least_a_third_of_the_list_apart(
    originals: int, data: st.DataObject, seed: int
) -> None:
    controls = data.draw(st.integers(0, originals // 2))
    items, repeats = names(originals), names(controls, "c")
    apart = list(zip(items, repeats, strict=False))
    order = order_for_rater([*items, *repeats], seed, "rater-1", apart)
    assert sorted(order) == sorted([*items, *repeats])
    for one, other in apart:
        between = abs(order.index(one) - order.index(other)) - 1
        assert between >= len(order) / 3
    assert order == order_for_rater([*repeats, *items], seed, "rater-1", apart[::-1])


def test_either_of_a_pair_comes_first_and_places_are_mixed() -> None:
    items = names(30)
    apart = [(items[number], items[number + 20]) for number in range(10)]
    orders = [order_for_rater(items, seed, "r", apart) for seed in range(40)]
    first = Counter(order.index("i0000") < order.index("i0020") for order in orders)
    assert min(first[True], first[False]) >= 8
    # With swaps nearly every place is taken by an item of a pair in one order or another.
    assert len({order.index("i0000") for order in orders}) > 15


def test_more_pairs_than_fit_are_refused() -> None:
    assert compute_least_gap(9) == 4
    with pytest.raises(ValueError, match="cannot be kept apart"):
        order_for_rater(["a", "b"], 1, "r", [("a", "b")])

"""The order in which a rater sees her items: her own, with some pairs of items far apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from random import Random

_SWAPS_PER_ITEM = 20
"""Random swaps that mix an order whose pairs are apart from the start."""


def order_for_rater(
    item_ids: Sequence[str],
    seed: int,
    rater_id: str,
    apart: Sequence[tuple[str, str]] = (),
) -> tuple[str, ...]:
    """The items in this rater's own order; another rater gets another one.

    Between the two items of each pair in `apart` stands at least a third of the list; which of them
    comes first is drawn.

    Args:
        item_ids: the rater's items.
        seed: seed of the batch.
        rater_id: whose order it is.
        apart: a control item and the item it was made from; no item is in two pairs, and the pairs
            are at most half as many as the other items.

    Raises:
        ValueError: if there are more pairs than can be kept apart.
    """
    random = Random(f"{seed}/{rater_id}")
    ordered = sorted(item_ids)
    random.shuffle(ordered)
    if apart:
        ordered = _place_apart(ordered, [tuple(sorted(pair)) for pair in sorted(apart)], random)
    return tuple(ordered)


def compute_least_gap(length: int) -> int:
    """Difference of two places between which at least a third of a list lies."""
    return ceil(length / 3) + 1


def _place_apart(
    shuffled: Sequence[str], pairs: Sequence[tuple[str, ...]], random: Random
) -> list[str]:
    length = len(shuffled)
    gap = compute_least_gap(length)
    step = max(gap, length // 2)
    if len(pairs) > min(step, length - step):
        raise ValueError(f"{len(pairs)} pairs cannot be kept apart in a list of {length}")
    partner: dict[str, str] = {}
    places: dict[int, str] = {}
    for number, (first, second) in enumerate(pairs):
        partner |= {first: second, second: first}
        members = [first, second]
        random.shuffle(members)
        places[number], places[number + step] = members
    others = iter([each for each in shuffled if each not in partner])
    ordered = [places[place] if place in places else next(others) for place in range(length)]
    _mix(ordered, partner, gap, random)
    return ordered


def _mix(ordered: list[str], partner: dict[str, str], gap: int, random: Random) -> None:
    """Swaps items at random, but never so that a pair comes closer than the gap."""
    place_of = {each: place for place, each in enumerate(ordered)}

    def is_apart(item: str) -> bool:
        return item not in partner or abs(place_of[item] - place_of[partner[item]]) >= gap

    for _ in range(_SWAPS_PER_ITEM * len(ordered)):
        one, other = random.randrange(len(ordered)), random.randrange(len(ordered))
        first, second = ordered[one], ordered[other]
        place_of[first], place_of[second] = other, one
        if is_apart(first) and is_apart(second):
            ordered[one], ordered[other] = second, first
        else:
            place_of[first], place_of[second] = one, other

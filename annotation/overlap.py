"""Overlap: which raters answer which items, so that every two raters share about equally many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

_Pair = frozenset[str]


def choose_doubles(item_ids: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """The items that two raters answer: a seeded random part of them, rounded to whole items."""
    return frozenset(
        Random(f"{seed}/doubles").sample(sorted(item_ids), round(share * len(item_ids)))
    )


def give_to_raters(
    raters_needed: Mapping[str, int],
    raters: Sequence[str],
    seed: int,
    siblings: Mapping[str, str] | None = None,
) -> dict[str, tuple[str, ...]]:
    """The raters of each item, in order of their ids.

    An item goes to a pair of raters who share the fewest items so far, then to whoever shares the
    fewest with those; an item of one rater to whoever has the fewest items. So without siblings no
    two pairs of raters differ by more than one item where two raters answer each.

    Args:
        raters_needed: how many different raters each item needs.
        raters: ids of the raters.
        seed: seed of the batch; decides ties.
        siblings: item → item that none of its raters may answer (the other variant of a pair).

    Raises:
        ValueError: if an item needs more raters than may answer it.
    """
    random = Random(f"{seed}/overlap")
    barring = siblings or {}
    shared: Counter[_Pair] = Counter()
    load: Counter[str] = Counter()
    chosen: dict[str, tuple[str, ...]] = {}
    # Items of several raters first: the others then even out what each rater has to do.
    for item_id in sorted(raters_needed, key=lambda each: (-raters_needed[each], each)):
        barred = set(chosen.get(barring.get(item_id, ""), ()))
        allowed = [rater for rater in raters if rater not in barred]
        random.shuffle(allowed)
        if raters_needed[item_id] > len(allowed):
            raise ValueError(f"item {item_id} needs {raters_needed[item_id]} raters")
        mine = _choose(raters_needed[item_id], allowed, shared, load)
        chosen[item_id] = tuple(sorted(mine))
        load.update(mine)
        shared.update(frozenset(pair) for pair in combinations(mine, 2))
    return chosen


def count_shared(item_raters: Mapping[str, Sequence[str]]) -> Counter[tuple[str, str]]:
    """How many items each two raters share; only pairs that share any."""
    counts: Counter[tuple[str, str]] = Counter()
    for raters in item_raters.values():
        counts.update(combinations(sorted(raters), 2))
    return counts


def _choose(
    count: int, allowed: Sequence[str], shared: Counter[_Pair], load: Counter[str]
) -> list[str]:
    if count == len(allowed):
        return list(allowed)
    if count == 1:
        return [min(allowed, key=lambda rater: load[rater])]
    first, second = min(
        combinations(allowed, 2),
        key=lambda pair: (shared[frozenset(pair)], load[pair[0]] + load[pair[1]]),
    )
    mine = [first, second]
    while len(mine) < count:
        rest = [rater for rater in allowed if rater not in mine]
        mine.append(
            min(
                rest,
                key=lambda rater: (
                    sum(shared[frozenset((rater, each))] for each in mine),
                    load[rater],
                ),
            )
        )
    return mine

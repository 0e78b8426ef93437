"""Samples of candidates for a batch: seeded, proportional, balanced in the shown gender.

Strata are label × stereotype. Their sizes follow the candidates' by the largest remainder, so every
item stands for the same number of candidates and has weight 1. Of two texts one is shown; over the
sample masculine and feminine differ by at most one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Candidate,
    Label,
)

KEPT = frozenset({Label.NEUTRAL, Label.PAIR})


@dataclass(frozen=True, slots=True)
class SampledVariant:
    """A candidate drawn for a batch, and which of its variants is shown."""

    candidate: Candidate
    variant: str


def allocate(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """How many of `total` fall on each stratum: proportional, by the largest remainder.

    Ties go to the stratum that sorts first. Never more than a stratum holds; if `total` exceeds
    the sum of sizes, every stratum is taken whole.
    """
    available = sum(sizes.values())
    if total >= available:
        return dict(sizes)
    shares = {name: total * size / available for name, size in sizes.items()}
    counts = {name: int(share) for name, share in shares.items()}
    left = total - sum(counts.values())
    by_remainder = sorted(sizes, key=lambda name: (counts[name] - shares[name], name))
    for name in by_remainder[:left]:
        counts[name] += 1
    return counts


def draw_sample(
    candidates: Sequence[Candidate],
    size: int,
    seed: int,
    stratum: Callable[[Candidate], str],
    labels: Collection[Label] = KEPT,
) -> list[SampledVariant]:
    """A sample of the candidates with these labels and any text, in random order.

    The same candidates, size and seed give the same sample, whatever the order of the input.

    Args:
        candidates: current candidates of one language.
        size: number of items wanted; fewer candidates give fewer items.
        seed: seed of the draw.
        stratum: name of the stratum a candidate belongs to, besides its label.
        labels: which candidates to draw from.
    """
    random = Random(seed)
    strata: dict[str, list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda each: each.id):
        if candidate.label in labels and candidate.variants:
            strata.setdefault(f"{candidate.label}/{stratum(candidate)}", []).append(candidate)
    counts = allocate({name: len(members) for name, members in strata.items()}, size)
    drawn: list[Candidate] = []
    for name in sorted(strata):
        drawn += random.sample(strata[name], counts[name])
    random.shuffle(drawn)
    return _with_variants(drawn, random)


def _with_variants(drawn: Sequence[Candidate], random: Random) -> list[SampledVariant]:
    pairs = sum(_has_both(candidate) for candidate in drawn)
    # Alternating over a shuffled list would tie the variant to the place in the list.
    variants = [MASCULINE_VARIANT, FEMININE_VARIANT] * ((pairs + 1) // 2)
    if random.random() < 0.5:
        variants.reverse()
    variants = variants[:pairs]
    random.shuffle(variants)
    return [
        SampledVariant(each, variants.pop() if _has_both(each) else _only_variant(each))
        for each in drawn
    ]


def _has_both(candidate: Candidate) -> bool:
    """Whether either gender can be shown; a discarded candidate may have one text only."""
    return {MASCULINE_VARIANT, FEMININE_VARIANT} <= set(candidate.variants)


def _only_variant(candidate: Candidate) -> str:
    names = (NEUTRAL_VARIANT, MASCULINE_VARIANT, FEMININE_VARIANT)
    return next(name for name in names if name in candidate.variants)


def order_for_rater(item_ids: Sequence[str], seed: int, rater_id: str) -> tuple[str, ...]:
    """The items in this rater's own order; another rater gets another one."""
    ordered = sorted(item_ids)
    Random(f"{seed}/{rater_id}").shuffle(ordered)
    return tuple(ordered)

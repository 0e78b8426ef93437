"""Samples of candidates for a batch: seeded, balanced in the shown gender.

Strata are label × stereotype. Under proportional allocation their sizes follow the candidates' by
the largest remainder, first of the labels, then of the stereotypes in each, so that neutral texts
and pairs stand as among the candidates; every item stands for the same number of candidates and has
weight 1.
Under equal allocation every stratum gives equally many, and an item's weight is the number of
candidates it stands for, relative to the sample's mean: w = (N_h / n_h) / (N / n) with N_h
candidates and n_h items in stratum h, N and n over all strata. Of two texts one is shown, masculine
and feminine differing by at most one over the sample; or both are, each with half the weight, so
that a candidate weighs the same whatever is shown of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from corpus.errors import StateError
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Candidate,
    Label,
)

KEPT = frozenset({Label.NEUTRAL, Label.PAIR})


class Allocation(StrEnum):
    """How a sample is divided over the strata."""

    PROPORTIONAL = "proportional"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class SampledVariant:
    """A candidate drawn for a batch, and which of its variants is shown."""

    candidate: Candidate
    variant: str
    weight: float = 1.0
    """Inverse of the candidate's relative inclusion probability, shared by the variants shown."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the candidates that is sampled by itself."""

    label: Label
    group: str
    """What else tells it apart: the stereotype."""
    available: int
    drawn: int
    """Candidates in the sample."""
    weight: float
    """Of each candidate drawn; 1 under proportional allocation."""


def allocate(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """How many of `total` fall on each stratum: proportional, by the largest remainder.

    Ties go to the stratum that sorts first. Never more than a stratum holds; if `total` exceeds
    the sum of sizes, every stratum is taken whole.
    """
    available = sum(sizes.values())
    if total >= available:
        return dict(sizes)
    return _round_shares({name: total * size / available for name, size in sizes.items()}, total)


def allocate_by_label(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """How many of `total` fall on each stratum `label/group`: proportional, labels as a whole too.

    Largest remainders over all strata at once could give one label what belongs to another: with
    many small strata, by several items. Here neither a stratum nor a label is off by one or more.
    """
    available = sum(sizes.values())
    if total >= available:
        return dict(sizes)
    labels: dict[str, dict[str, int]] = {}
    for name, size in sizes.items():
        labels.setdefault(name.partition("/")[0], {})[name] = size
    quotas = allocate({label: sum(strata.values()) for label, strata in labels.items()}, total)
    counts: dict[str, int] = {}
    for label, strata in labels.items():
        shares = {name: total * size / available for name, size in strata.items()}
        counts |= _round_shares(shares, quotas[label])
    return counts


def allocate_equally(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """How many of `total` fall on each stratum: equally many, small strata taken whole.

    What a small stratum lacks the larger ones give, and what does not divide evenly falls on the
    largest.
    """
    counts: dict[str, int] = {}
    left = min(total, sum(sizes.values()))
    ordered = sorted(sizes, key=lambda name: (sizes[name], name))
    for number, name in enumerate(ordered):
        counts[name] = min(sizes[name], left // (len(ordered) - number))
        left -= counts[name]
    return counts


def draw_sample(
    candidates: Sequence[Candidate],
    size: int,
    seed: int,
    stratum: Callable[[Candidate], str],
    labels: Collection[Label] = KEPT,
    allocation: Allocation = Allocation.PROPORTIONAL,
    both_variants: bool = False,
) -> list[SampledVariant]:
    """A sample of the candidates with these labels and any text, in random order.

    The same candidates, size and seed give the same sample, whatever the order of the input.

    Args:
        candidates: current candidates of one language.
        size: number of candidates wanted; fewer give fewer items.
        seed: seed of the draw.
        stratum: name of the stratum a candidate belongs to, besides its label.
        labels: which candidates to draw from.
        allocation: how the size is divided over the strata.
        both_variants: show both texts of a pair, as two items, instead of one.

    Raises:
        StateError: if an equal allocation leaves a stratum without a candidate, so that no weight
            could stand for it.
    """
    random = Random(seed)
    strata = _group(candidates, stratum, labels)
    sizes = {name: len(members) for name, members in strata.items()}
    divide = allocate_by_label if allocation is Allocation.PROPORTIONAL else allocate_equally
    counts = divide(sizes, size)
    _check_covered(allocation, counts)
    drawn: list[Candidate] = []
    for name in sorted(strata):
        drawn += random.sample(strata[name], counts[name])
    random.shuffle(drawn)
    sample = _with_both(drawn, random) if both_variants else _with_variants(drawn, random)
    if allocation is Allocation.PROPORTIONAL:
        return sample
    weights = compute_weights(sizes, counts)
    names = {each.id: name for name, members in strata.items() for each in members}
    return [
        replace(each, weight=each.weight * weights[names[each.candidate.id]]) for each in sample
    ]


def compute_weights(sizes: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, float]:
    """Weight of a candidate drawn from each stratum that gave any; their mean over them is 1."""
    covered = {name: count for name, count in counts.items() if count}
    mean = sum(sizes[name] for name in covered) / sum(covered.values()) if covered else 1.0
    return {name: sizes[name] / count / mean for name, count in covered.items()}


def count_strata(
    candidates: Iterable[Candidate],
    sample: Iterable[SampledVariant],
    stratum: Callable[[Candidate], str],
    labels: Collection[Label] = KEPT,
    allocation: Allocation = Allocation.PROPORTIONAL,
) -> tuple[Stratum, ...]:
    """The strata with what each holds and gives to a sample, by label and group."""
    strata = _group(candidates, stratum, labels)
    ids = {each.candidate.id for each in sample}
    sizes = {name: len(members) for name, members in strata.items()}
    counts = {name: sum(each.id in ids for each in members) for name, members in strata.items()}
    weights = {} if allocation is Allocation.PROPORTIONAL else compute_weights(sizes, counts)
    return tuple(
        Stratum(
            members[0].label,
            stratum(members[0]),
            sizes[name],
            counts[name],
            weights.get(name, 1.0),
        )
        for name, members in sorted(strata.items())
    )


def _round_shares(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """The shares as whole numbers that sum to the total, by the largest remainder."""
    counts = {name: int(share) for name, share in shares.items()}
    left = total - sum(counts.values())
    by_remainder = sorted(shares, key=lambda name: (counts[name] - shares[name], name))
    for name in by_remainder[:left]:
        counts[name] += 1
    return counts


def _group(
    candidates: Iterable[Candidate],
    stratum: Callable[[Candidate], str],
    labels: Collection[Label],
) -> dict[str, list[Candidate]]:
    strata: dict[str, list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda each: each.id):
        if candidate.label in labels and candidate.variants:
            strata.setdefault(f"{candidate.label}/{stratum(candidate)}", []).append(candidate)
    return strata


def _check_covered(allocation: Allocation, counts: Mapping[str, int]) -> None:
    empty = sorted(name for name, count in counts.items() if not count)
    if allocation is Allocation.EQUAL and empty:
        raise StateError(
            f"An equal allocation needs a candidate of every stratum, {len(counts)} here; with "
            f"this size {', '.join(empty)} get none. Take at least {len(counts)}, or allocate in "
            "proportion."
        )


def _with_both(drawn: Sequence[Candidate], random: Random) -> list[SampledVariant]:
    sample: list[SampledVariant] = []
    for each in drawn:
        if _has_both(each):
            sample += [
                SampledVariant(each, variant, 0.5)
                for variant in (MASCULINE_VARIANT, FEMININE_VARIANT)
            ]
        else:
            sample.append(SampledVariant(each, _only_variant(each)))
    random.shuffle(sample)
    return sample


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

"""Protocols: which tokens of an item count, and how sentences are averaged to measures.

`paper` is the study's; what each takes of a text stands in `item_means`. Which protocol a number
was computed with is part of it: two protocols may differ in the sign of an item.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from corpus.errors import SettingsError
from scoring.item_means import (
    MeanLogprobs,
    divergence_means,
    gest_odds,
    paper_means,
    per_byte_means,
    reference_means,
    sum_means,
)
from scoring.shards import PairScores, TokenCase
from scoring.variants import Condition, ScoredItem

BASES: Mapping[str, float] = MappingProxyType({"gest": math.e, "gest-odds": 10.0})
"""Protocol of odds → the base that log10 ratios are raised to."""
POOLED = "pooled"
"""Pairs with one template condition: pronoun where it is usable, noun otherwise."""


@dataclass(frozen=True, slots=True)
class ItemValue:
    """An item under a protocol."""

    item: ScoredItem
    means: MeanLogprobs
    case: TokenCase
    unequal: bool = False
    """Whether sums over different numbers of tokens are compared: the longer one has more factors.

    What `masked-difference` compares is of equal length in the study that it comes from.
    """


@dataclass(frozen=True, slots=True)
class ItemValues:
    """The items a protocol has a value for, and why the others have none."""

    values: tuple[ItemValue, ...]
    undefined: Mapping[str, int] = field(default_factory=dict)
    """Reason → number of items: `identical`, `no_own_token` (one variant is the beginning of the
    other), `no_scored_token` or `not_terminated` (its texts with an ending were not scored)."""


@dataclass(frozen=True, slots=True)
class ScoringProtocol:
    """A named way of computing measures from token scores."""

    name: str
    definition: str
    """One sentence on what ℓ is and how sentences are averaged, for every figure."""
    means: Callable[[PairScores], MeanLogprobs | str]
    """ℓ of both variants of an item, or the reason it has no value."""
    geometric: bool
    """Whether q_i and g_s are geometric means (arithmetic ones otherwise)."""
    min_sentences: int
    """A stereotype with fewer sentences has no q_i."""
    needs_all: bool
    """Whether one missing stereotype voids every figure of the language."""
    flips_feminine: bool
    """Whether the inclination of feminine stereotypes is turned so that > 0 is stereotypical."""
    terminated: bool = False
    """Whether texts are scored that end with the same punctuation in both variants."""
    joint: bool = False
    """Whether ℓ is a sum, so that a variant of more tokens is a product of more factors."""
    definitions: Mapping[str, str] = field(default_factory=dict)
    """Measure → its definition where it is another one than under `paper`."""
    without: frozenset[str] = frozenset()
    """Measures that the protocol does not have."""


_LOG_ODDS_DIFFERENCE = (
    "Mean log odds of masculine minus that of feminine stereotypes, natural log, in nats per text; "
    "over 0 is stereotypical, swapping genders turns its sign."
)

PAPER = ScoringProtocol(
    name="paper",
    definition="mean log-probability of the whole text, geometric means over sentences",
    means=paper_means,
    geometric=True,
    min_sentences=1,
    needs_all=False,
    flips_feminine=True,
)
REFERENCE = ScoringProtocol(
    name="reference",
    definition="mean log-probability from the first differing token on, arithmetic means over "
    "sentences, as the published code",
    means=reference_means,
    geometric=False,
    min_sentences=10,
    needs_all=True,
    flips_feminine=False,
)
TERMINATED = replace(
    PAPER,
    name="terminated",
    definition="mean log-probability of the whole text, ended with the same punctuation in both "
    "variants, geometric means over sentences",
    terminated=True,
)
DIVERGENCE = replace(
    PAPER,
    name="divergence",
    definition="mean log-probability from the first differing token on, geometric means over "
    "sentences",
    means=divergence_means,
)
SUM = replace(
    PAPER,
    name="sum",
    joint=True,
    definition="log-probability of the whole text, geometric means over sentences",
    means=sum_means,
)
PER_BYTE = replace(
    PAPER,
    name="per-byte",
    definition="log-probability of the whole text per UTF-8 byte, geometric means over sentences",
    means=per_byte_means,
)
GEST = replace(
    PAPER,
    name="gest",
    definition="log10 ratio of the probabilities of both variants, its mean over sentences to base "
    "e, as GEST's code mixes them",
    means=partial(gest_odds, base=BASES["gest"]),
    joint=True,
    definitions={
        "q_i": "e to the mean log10 ratio over a stereotype's sentences, above 0; 1 is equal "
        "likelihood, over 1 the masculine variant is the likelier one; no ratio of probabilities.",
        "logit_r_difference": _LOG_ODDS_DIFFERENCE,
    },
    without=frozenset({"default_rate", "inclination"}),
)
GEST_ODDS = replace(
    GEST,
    name="gest-odds",
    definition="ratio of the probabilities of both variants, geometric means over sentences",
    means=partial(gest_odds, base=BASES["gest-odds"]),
    definitions={
        "q_i": "Geometric mean of the odds, masculine over feminine variant, over a stereotype's "
        "sentences, above 0; 1 is equal likelihood.",
        "logit_r_difference": _LOG_ODDS_DIFFERENCE,
    },
)
PROTOCOLS: Mapping[str, ScoringProtocol] = MappingProxyType(
    {
        protocol.name: protocol
        for protocol in (
            PAPER, REFERENCE, TERMINATED, DIVERGENCE, SUM, PER_BYTE, GEST, GEST_ODDS
        )
    }
)  # fmt: skip


def protocol_named(name: str) -> ScoringProtocol:
    """The protocol of this name.

    Raises:
        SettingsError: if there is none; the message names the known ones.
    """
    if name not in PROTOCOLS:
        raise SettingsError(f"The protocol {name} is unknown: use one of {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]


def select_pairs(pairs: Iterable[PairScores], condition: str) -> tuple[PairScores, ...]:
    """The items of one condition, or of `pooled`.

    Pooled are the pairs, and of each neutral sentence the pronoun template where it was scored,
    otherwise the noun template: a sentence is never in twice.

    Raises:
        SettingsError: if the condition is unknown.
    """
    pairs = tuple(pairs)
    if condition != POOLED:
        if condition not in list(Condition):
            known = ", ".join([*Condition, POOLED])
            raise SettingsError(f"The condition {condition} is unknown: use one of {known}.")
        return tuple(pair for pair in pairs if pair.item.condition == condition)
    with_pronoun = {p.item.subject_id for p in pairs if p.item.condition is Condition.PRONOUN}
    return tuple(
        pair
        for pair in pairs
        if pair.item.condition is not Condition.NOUN or pair.item.subject_id not in with_pronoun
    )


def compute_values(pairs: Iterable[PairScores], protocol: ScoringProtocol) -> ItemValues:
    """Every item's value under `protocol`, with the undefined ones counted by reason."""
    values: list[ItemValue] = []
    pairs = tuple(pairs)
    taken = [pair for pair in pairs if not pair.item.ending]
    undefined: Counter[str] = Counter()
    if protocol.terminated:
        taken, undefined["not_terminated"] = _take_terminated(pairs)
    for pair in taken:
        means = protocol.means(pair)
        if isinstance(means, str):
            undefined[means] += 1
        else:
            lengths = {len(each.logprobs_nats) for each in (pair.masculine, pair.feminine)}
            unequal = protocol.joint and len(lengths) > 1
            values.append(ItemValue(pair.item, means, pair.case, unequal))
    return ItemValues(tuple(values), dict(+undefined))


def _take_terminated(pairs: Sequence[PairScores]) -> tuple[list[PairScores], int]:
    """Each item with its ending, or as it is where both texts end alike; and how many lack it."""
    ended = {_place(pair.item): pair for pair in pairs if pair.item.ending}
    taken: list[PairScores] = []
    lacking = 0
    for pair in pairs:
        if pair.item.ending:
            continue
        found = pair if pair.item.ends_alike else ended.get(_place(pair.item))
        if found is None:
            lacking += 1
        else:
            taken.append(found)
    return taken, lacking


def _place(item: ScoredItem) -> tuple[str, Condition]:
    return (item.subject_id, item.condition)

"""Protocols: from the token log-probabilities of an item to r_masc.

With ℓ(S) the mean log-probability of the scored tokens of a text (natural log) and
Δ = ℓ(masculine) − ℓ(feminine):

    r_masc = σ(Δ) = exp ℓ_m / (exp ℓ_m + exp ℓ_f),  log r_masc = −softplus(−Δ),  logit r_masc = Δ

`paper` takes all tokens that have a probability; `reference` takes those from the first differing
token on, as the published code does, with its edge cases. `sum` and `per-byte` take the sum over
all tokens, as it is or by the bytes of the text, in place of the mean: what a harness can compute
that gives one number for a whole text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from corpus.errors import SettingsError
from scoring.shards import PairScores, TokenCase
from scoring.variants import Condition, ScoredItem

POOLED = "pooled"
"""Pairs with one template condition: pronoun where it is usable, noun otherwise."""


@dataclass(frozen=True, slots=True)
class MeanLogprobs:
    """ℓ of both variants of an item, natural log: per scored token, or what the protocol says."""

    masculine: float
    feminine: float

    @property
    def logit_r(self) -> float:
        """ℓ_m − ℓ_f; above 0 the masculine variant is the likelier one."""
        return self.masculine - self.feminine

    @property
    def r_masc(self) -> float:
        """σ(logit r) in [0, 1]; 0.5 is equal likelihood."""
        return math.exp(self.log_r)

    @property
    def log_r(self) -> float:
        """Log σ(logit r) ≤ 0, computed as −softplus(−x): finite whatever the likelihoods."""
        x = self.logit_r
        return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


@dataclass(frozen=True, slots=True)
class ItemValue:
    """An item under a protocol."""

    item: ScoredItem
    means: MeanLogprobs
    case: TokenCase


@dataclass(frozen=True, slots=True)
class ItemValues:
    """The items a protocol has a value for, and why the others have none."""

    values: tuple[ItemValue, ...]
    undefined: Mapping[str, int] = field(default_factory=dict)
    """Reason → number of items: `identical` or `no_scored_token`."""


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


def paper_means(pair: PairScores) -> MeanLogprobs | str:
    """Means over all tokens that have a probability (1..T-1).

    An item whose variants are the same tokens has no value (`identical`), never 0.5.

    Source: Rowe et al. 2025, section on scoring. Deviation: equation 2 prints the difference the
    other way round; its text and code define the share of the masculine variant, as here.
    """
    if pair.case is TokenCase.IDENTICAL:
        return "identical"
    return _means_from(pair, 0)


def reference_means(pair: PairScores) -> MeanLogprobs | str:
    """Means from the first differing token to the end of each variant, as the published code has.

    Its edge cases: if one list is the beginning of the other, from the last token of the shorter
    one; if they differ at token 0, the last token alone; if they are equal, all tokens (r = 0.5).
    """
    if pair.case is TokenCase.IDENTICAL:
        return _means_from(pair, 0)
    shorter = min(len(pair.masculine.token_ids), len(pair.feminine.token_ids))
    if pair.case is TokenCase.CONTAINED:
        # The log-probability of token k stands at k - 1.
        return _means_from(pair, max(shorter - 2, 0))
    first = pair.first_differing_token or 0
    # Index -1 for a difference at token 0 is the published code's slip and kept on purpose.
    return _means_from(pair, first - 1)


def sum_means(pair: PairScores) -> MeanLogprobs | str:
    """Sums over all tokens that have a probability: log P of each text as a whole."""
    return _totals(pair, per_byte=False)


def per_byte_means(pair: PairScores) -> MeanLogprobs | str:
    """The same sums by the number of UTF-8 bytes of each text, whatever its tokens."""
    return _totals(pair, per_byte=True)


def _totals(pair: PairScores, *, per_byte: bool) -> MeanLogprobs | str:
    if pair.case is TokenCase.IDENTICAL:
        return "identical"
    if not pair.masculine.logprobs_nats or not pair.feminine.logprobs_nats:
        return "no_scored_token"
    masculine, feminine = (
        math.fsum(scores.logprobs_nats) / (len(text.encode("utf-8")) if per_byte else 1)
        for scores, text in zip((pair.masculine, pair.feminine), pair.item.texts, strict=True)
    )
    return MeanLogprobs(masculine, feminine)


def _means_from(pair: PairScores, start: int) -> MeanLogprobs | str:
    masculine = pair.masculine.logprobs_nats[start:]
    feminine = pair.feminine.logprobs_nats[start:]
    if not masculine or not feminine:
        return "no_scored_token"
    return MeanLogprobs(_mean(masculine), _mean(feminine))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


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
SUM = replace(
    PAPER,
    name="sum",
    definition="log-probability of the whole text, geometric means over sentences",
    means=sum_means,
)
PER_BYTE = replace(
    PAPER,
    name="per-byte",
    definition="log-probability of the whole text per UTF-8 byte, geometric means over sentences",
    means=per_byte_means,
)
PROTOCOLS: Mapping[str, ScoringProtocol] = MappingProxyType(
    {protocol.name: protocol for protocol in (PAPER, REFERENCE, SUM, PER_BYTE)}
)


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
    undefined: Counter[str] = Counter()
    for pair in pairs:
        means = protocol.means(pair)
        if isinstance(means, str):
            undefined[means] += 1
        else:
            values.append(ItemValue(pair.item, means, pair.case))
    return ItemValues(tuple(values), dict(undefined))

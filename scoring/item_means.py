"""From the token log-probabilities of an item to r_masc, as each protocol has it.

With ℓ(S) the mean log-probability of the scored tokens of a text (natural log) and
Δ = ℓ(masculine) − ℓ(feminine):

    r_masc = σ(Δ) = exp ℓ_m / (exp ℓ_m + exp ℓ_f),  log r_masc = −softplus(−Δ),  logit r_masc = Δ

`paper` takes all tokens that have a probability; `terminated` does so, too, on texts that end with
the same punctuation. `divergence` takes the tokens from the first differing one on, and so does
`reference`, as the published code does, with its edge cases. `sum` and `per-byte` take the sum over
all tokens, as it is or by the bytes of the text, in place of the mean: what a harness can compute
that gives one number for a whole text.

`gest` and `gest-odds` average odds and no share. With L(S) the sum over a text's scored tokens
(natural log), a sentence's log ratio is (L_m − L_f) / ln 10 = log10 P_m − log10 P_f, and

    gest       r = e^(log10 ratio)    bases mixed as in GEST's own code: no ratio of probabilities
    gest-odds  r = 10^(log10 ratio) = P_m / P_f

so that 1, not 0.5, is equal likelihood, and q_i and g_s are the geometric means of `log_ratios`.
What both variants have in common before they part has the same probability in both and falls out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.shards import PairScores, TokenCase


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
class LogOdds(MeanLogprobs):
    """Sums in place of means, and odds in place of a share: of protocols `gest` and `gest-odds`."""

    base: float
    """What the log10 ratio is raised to."""

    @property
    def log_r(self) -> float:
        """Natural log of base^(log10 ratio), of any sign; 0 is equal likelihood."""
        return self.logit_r * math.log(self.base) / math.log(10)

    @property
    def odds(self) -> float:
        """base^(log10 ratio) ≥ 0; 1 is equal likelihood, infinite where it is no number any more.

        It is what `r_masc` gives too, under a name of its own: no share.
        """
        try:
            return math.exp(self.log_r)
        except OverflowError:
            return math.inf


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


def divergence_means(pair: PairScores) -> MeanLogprobs | str:
    """Means over the tokens from the first differing one on, those that have a probability.

    Where one variant is the beginning of the other it has no token of its own and the item no value
    (`no_own_token`).
    """
    if pair.case is TokenCase.IDENTICAL:
        return "identical"
    if pair.case is TokenCase.CONTAINED:
        return "no_own_token"
    # The log-probability of token k stands at k - 1; token 0 has none.
    return _means_from(pair, max((pair.first_differing_token or 0) - 1, 0))


def sum_means(pair: PairScores) -> MeanLogprobs | str:
    """Sums over all tokens that have a probability: log P of each text as a whole."""
    return _totals(pair, per_byte=False)


def per_byte_means(pair: PairScores) -> MeanLogprobs | str:
    """The same sums by the number of UTF-8 bytes of each text, whatever its tokens."""
    return _totals(pair, per_byte=True)


def gest_odds(pair: PairScores, base: float) -> MeanLogprobs | str:
    """The same sums, compared as odds with the log10 ratio raised to `base`.

    Source: Pikuliak et al. 2024 (GEST). Deviation: its code averages over an item's masked tokens
    and drops items with more than one, where sum and mean are equal; here the sum is taken of all.
    """
    sums = sum_means(pair)
    return sums if isinstance(sums, str) else LogOdds(sums.masculine, sums.feminine, base)


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

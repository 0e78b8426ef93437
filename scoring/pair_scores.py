"""An item with the token scores of its two variants, and how their token lists lie together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from engines.likelihood.protocol import TokenScores
from scoring.variants import ScoredItem


class TokenCase(StrEnum):
    """How the token lists of an item's two variants lie to each other."""

    PLAIN = "plain"
    """They part after at least one common token."""
    CONTAINED = "contained"
    """One is the beginning of the other."""
    IDENTICAL = "identical"
    """They are equal: the tokenizer does not see the difference."""
    FIRST_TOKEN = "first_token"
    """They part at token 0, which has no probability: the difference itself is not scored."""


@dataclass(frozen=True, slots=True)
class PairScores:
    """An item with the token scores of its two variants."""

    item: ScoredItem
    masculine: TokenScores
    feminine: TokenScores
    case: TokenCase
    first_differing_token: int | None
    """Index of the first token in which they differ (the shorter one's length when contained)."""


def pair_scores(item: ScoredItem, masculine: TokenScores, feminine: TokenScores) -> PairScores:
    """The item with its scores, and how the two token lists lie to each other."""
    case, first = compare_tokens(masculine.token_ids, feminine.token_ids)
    return PairScores(item, masculine, feminine, case, first)


def compare_tokens(one: Sequence[int], other: Sequence[int]) -> tuple[TokenCase, int | None]:
    """Case of two token lists and the index of the first difference, None when equal."""
    shorter = min(len(one), len(other))
    first = next((k for k in range(shorter) if one[k] != other[k]), None)
    if first == 0:
        return TokenCase.FIRST_TOKEN, 0
    if first is not None:
        return TokenCase.PLAIN, first
    if len(one) == len(other):
        return TokenCase.IDENTICAL, None
    return TokenCase.CONTAINED, shorter

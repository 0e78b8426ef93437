"""Items and scored items for tests, each value in the test itself."""

from __future__ import annotations

from collections.abc import Sequence

from engines.likelihood.protocol import TokenScores
from scoring.shards import PairScores, pair_scores
from scoring.variants import Condition, ScoredItem


def make_item(
    number: int = 1,
    stereotype_id: int = 1,
    language: str = "sk",
    condition: Condition = Condition.PAIR,
    masculine: str = "bol som sám",
    feminine: str = "bola som sama",
) -> ScoredItem:
    template = "" if condition is Condition.PAIR else f"{language}/{condition}/final/corrected"
    return ScoredItem(
        f"eurogest/{language}/set/{number}",
        language,
        stereotype_id,
        condition,
        template,
        masculine,
        feminine,
    )


def make_pair(
    masculine: Sequence[tuple[int, float | None]],
    feminine: Sequence[tuple[int, float | None]],
    item: ScoredItem | None = None,
) -> PairScores:
    """Scores from (token id, log-probability); the first token's probability is None."""
    return pair_scores(item or make_item(), _scores(masculine), _scores(feminine))


def _scores(tokens: Sequence[tuple[int, float | None]]) -> TokenScores:
    return TokenScores(
        tuple(token for token, _ in tokens),
        tuple(logprob for _, logprob in tokens[1:] if logprob is not None),
    )


def lean_pair(logit_r: float, item: ScoredItem) -> PairScores:
    """An item of one scored token each, whose logit r_masc is `logit_r` in either protocol."""
    return make_pair([(0, None), (1, -5.0 + logit_r)], [(0, None), (2, -5.0)], item)

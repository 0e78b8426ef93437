"""The two texts of an item scored together, whatever the engine needs for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from engines.likelihood.protocol import LikelihoodEngine, TokenScores


@runtime_checkable
class PairEngine(Protocol):
    """A likelihood engine that wants to see both texts of an item."""

    def score_pairs(
        self, pairs: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[TokenScores, TokenScores]]:
        """The token scores of both texts of each pair, in the order of `pairs`."""


def score_pairs(
    engine: LikelihoodEngine, pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[TokenScores, TokenScores]]:
    """The token scores of both texts of each pair, in the order of `pairs`.

    Raises:
        EngineError: if a text cannot be scored; the message names the text.
    """
    if isinstance(engine, PairEngine):
        yield from engine.score_pairs(pairs)
        return
    scores = engine.score([text for pair in pairs for text in pair])
    yield from zip(scores, scores, strict=True)

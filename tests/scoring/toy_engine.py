"""An in-memory likelihood engine over words, for tests that need numbers worked out by hand."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engines.likelihood.protocol import BOS_ADDED, CAUSAL, TokenScores

BOS_ID = 0


@dataclass
class ToyEngine:
    """Each word is a token; its log-probability stands in `logprobs_nats`, else it is −1."""

    logprobs_nats: dict[str, float] = field(default_factory=dict)
    model_id: str = "toy"
    revision: str = "r1"
    dtype: str = "float32"
    tokenizer_hash: str = "words"
    bos_policy: str = BOS_ADDED
    likelihood: str = CAUSAL
    vocabulary_size: int = 1 << 31
    scored: list[str] = field(default_factory=list)
    """Every text asked for, in order."""
    words: dict[int, str] = field(default_factory=lambda: {BOS_ID: "<s>"})
    """Token id → word, of the words seen."""

    def decode_tokens(self, token_ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.words[each] for each in token_ids)

    def run_record(self) -> Mapping[str, str | float]:
        return {"path": "words"} if self.scored else {}

    def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
        for text in texts:
            self.scored.append(text)
            words = text.split()
            ids = (BOS_ID, *(1 + zlib.crc32(word.encode()) % (1 << 30) for word in words))
            self.words |= dict(zip(ids[1:], words, strict=True))
            yield TokenScores(ids, tuple(self.logprobs_nats.get(word, -1.0) for word in words))

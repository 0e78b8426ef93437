"""The written form of a shard's tokens, beside it, so that a text can be shown without a model.

`<shard>.tokens.json` holds each token id of the shard with its text. It explains numbers and makes
none: a shard is complete without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from corpus.drafts import replacing
from engines.likelihood.protocol import LikelihoodEngine
from scoring.pair_scores import PairScores

ENDING = ".tokens.json"


def token_texts_path(shard: Path) -> Path:
    """Where the token texts of a shard's file stand."""
    return shard.with_suffix(ENDING)


def write_token_texts(shard: Path, engine: LikelihoodEngine, pairs: Iterable[PairScores]) -> Path:
    """The file with the text of every token of `pairs`, whole or not there at all."""
    ids = sorted(
        {
            token
            for pair in pairs
            for scores in (pair.masculine, pair.feminine)
            for token in scores.token_ids
        }
    )
    texts = dict(zip(map(str, ids), engine.decode_tokens(ids), strict=True))
    path = token_texts_path(shard)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(json.dumps(texts, ensure_ascii=False).encode("utf-8"))
    return path


def read_token_texts(shard: Path) -> Mapping[int, str]:
    """Token id → text; empty where there is no such file or it is damaged."""
    try:
        found = json.loads(token_texts_path(shard).read_text(encoding="utf-8"))
        return {int(token): str(text) for token, text in found.items()}
    except (OSError, ValueError, AttributeError):
        return {}

"""Token texts beside a shard: every token has one, and a damaged file is as none."""

from __future__ import annotations

from pathlib import Path

from toy_engine import ToyEngine

from scoring.pair_scores import PairScores, pair_scores
from scoring.token_texts import read_token_texts, token_texts_path, write_token_texts
from scoring.variants import Condition, ScoredItem

ITEM = ScoredItem("eurogest/sk/1", "sk", 3, Condition.PAIR, "", "Som rád", "Som rada")


def scored(engine: ToyEngine) -> PairScores:
    return pair_scores(ITEM, *engine.score(ITEM.texts))


def test_every_token_of_a_shard_has_its_text(tmp_path: Path) -> None:
    engine = ToyEngine()
    pair = scored(engine)
    shard = tmp_path / "model" / "sk-1.parquet"
    assert write_token_texts(shard, engine, [pair]) == tmp_path / "model" / "sk-1.tokens.json"
    texts = read_token_texts(shard)
    assert [texts[token] for token in pair.masculine.token_ids] == ["<s>", "Som", "rád"]
    assert [texts[token] for token in pair.feminine.token_ids] == ["<s>", "Som", "rada"]
    assert len(texts) == 4


def test_a_missing_or_damaged_file_is_no_text(tmp_path: Path) -> None:
    shard = tmp_path / "sk-1.parquet"
    assert read_token_texts(shard) == {}
    for damaged in ("{", "[1]", '{"x": "y"}'):
        token_texts_path(shard).write_text(damaged, encoding="utf-8")
        assert read_token_texts(shard) == {}

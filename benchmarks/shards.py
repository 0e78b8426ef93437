"""How large a shard is and how fast it is read: `python -m benchmarks.shards [--sentences N]`.

Made-up sentences, each in a noun and a pronoun template with two variants; texts of one sentence
share the tokens and values before their difference, as those of the packed tree do. Prints one JSON
object: rows, tokens, distinct tokens (edges), bytes of the file, bytes that edges alone would take
(an id of 4 and a value of 8 each, uncompressed), and the median seconds of writing and reading.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpus.version import PRODUCT
from engines.likelihood.protocol import TokenScores
from scoring.pair_scores import PairScores, pair_scores
from scoring.shards import ShardKey, read_columns, read_shard, write_shard
from scoring.variants import Condition, ScoredItem

RUNS = 5
VOCABULARY = 49_152
EDGE_BYTES = 12


def make_pairs(sentences: int, *, shared: bool) -> tuple[list[PairScores], int]:
    """Items of made-up sentences, and their number of distinct edges.

    Args:
        sentences: Each gives two items, so four rows.
        shared: Whether a token has one value in all texts of its sentence, to the last bit.
    """
    drawn = random.Random(1)

    def token() -> tuple[int, float]:
        return drawn.randrange(VOCABULARY), -abs(drawn.gauss(0, 4))

    pairs, edges = [], 0
    for number in range(sentences):
        sentence = [token() for _ in range(drawn.randint(10, 26))]
        edges += len(sentence)
        text = " ".join(str(number * place) for place in range(len(sentence) // 2))
        for condition, length in ((Condition.NOUN, 4), (Condition.PRONOUN, 3)):
            scores = []
            for _ in range(2):
                if not shared:
                    sentence = [(ids, value - drawn.random() * 1e-6) for ids, value in sentence]
                tokens = [*sentence, *(token() for _ in range(length))]
                edges += length
                ids, values = zip(*tokens, strict=True)
                scores.append(TokenScores((0, *ids), values))
            item = ScoredItem(
                f"eurogest/en/made-up/{number}", "en", number % 16 + 1, condition,
                f"en/{condition}/final/corrected", f"“{text},” he said", f"“{text},” she said",
            )  # fmt: skip
            pairs.append(pair_scores(item, *scores))
    return pairs, edges


def measure(sentences: int, *, shared: bool) -> dict[str, Any]:
    """Size and seconds of one shard."""
    pairs, edges = make_pairs(sentences, shared=shared)
    key = ShardKey("made-up", "1", "float32", "t", "none", "causal", "en", "t", "d", "i", PRODUCT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shard.parquet"
        written = _median(lambda: write_shard(path, key, pairs))
        return {
            "rows": 2 * len(pairs),
            "tokens": sum(len(s.token_ids) for p in pairs for s in (p.masculine, p.feminine)),
            "edges": edges,
            "edge_bytes": edges * EDGE_BYTES,
            "file_bytes": path.stat().st_size,
            "write_s": written,
            "read_s": _median(lambda: read_shard(path, key)),
            "read_logprobs_column_s": _median(lambda: read_columns(path, ["logprobs"], key)),
        }


def _median(work: Callable[[], Any]) -> float:
    taken = []
    for _ in range(RUNS):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return round(statistics.median(taken), 4)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sentences", type=int, default=7500, help="four rows each")
    sentences = parser.parse_args().sentences
    document = {
        "version": PRODUCT,
        "pyarrow": pa.__version__,
        "equal_values_in_common_tokens": measure(sentences, shared=True),
        "other_values_in_common_tokens": measure(sentences, shared=False),
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()

"""Results folders with real shards, from logits, as `score` leaves them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from comparison_builders import GEST
from shard_builders import lean_pair, make_item

from corpus.version import PRODUCT, VERSION
from scoring.shards import ShardKey, shard_path, write_shard
from scoring.variants import Condition

Logits = Mapping[int, Sequence[float]]


def write_result(
    results: Path,
    model: str,
    data: Mapping[str, Mapping[str, Logits]],
    *,
    name: str | None = None,
    key: Mapping[str, Any] | None = None,
    **parts: Any,
) -> Path:
    """A result with these logits by language and condition; `parts` go into its manifest."""
    values = {
        "model_id": model,
        "revision": "r",
        "dtype": "float32",
        "tokenizer_hash": "t",
        "bos_policy": "none",
        "likelihood": "causal",
        "templates_hash": "f",
        "data_hash": parts.get("release_sha256", "d"),
        "items_hash": "i",
        "product_version": VERSION,
        **(key or {}),
    }
    shards = {}
    for code, by_condition in data.items():
        shard = ShardKey(**{**values, "language": code})
        pairs = [
            lean_pair(x, make_item(1000 * s + k, s, code, Condition(condition)))
            for condition, logits in by_condition.items()
            for s, row in logits.items()
            for k, x in enumerate(row)
        ]
        write_shard(shard_path(results / "shards", shard), shard, pairs)
        shards[code] = asdict(shard)
    manifest = {
        "version": PRODUCT,
        "model": model,
        "dtype": values["dtype"],
        "release": "1.0.0",
        "release_sha256": "d",
        "items": "all",
        "edition": "chosen",
        "inventory": GEST.content_hash,
        "stereotypes": GEST.as_json(),
        "seed": 7,
        "draws": 200,
        "languages": list(data),
        "shards": shards,
        "gaps": {},
        "refused": {},
        "human_eyes": dict.fromkeys(data, "4 of 6 seen by a human, label error not estimated"),
        "unvalidated": [],
        "demonstration": False,
        "not_measured": "Two genders only.",
        **parts,
    }
    folder = results / (name or f"{model.replace('/', '-')}-1")
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder

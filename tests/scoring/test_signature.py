"""The signature names everything that made a number."""

from __future__ import annotations

import math
from dataclasses import fields, replace

from corpus.stereotypes import load_inventory
from scoring.protocols import PAPER, REFERENCE
from scoring.shards import ShardKey
from scoring.signature import build_signature
from scoring.uncertainty import build_resampling

KEY = ShardKey(
    model_id="org/model",
    revision="sha256:" + "ab" * 32,
    dtype="float32",
    tokenizer_hash="cd" * 32,
    bos_policy="none",
    likelihood="causal",
    language="sk",
    templates_hash="ef" * 32,
    data_hash="01" * 32,
    items_hash="23" * 32,
    product_version="0.1.0",
)


def signature(key: ShardKey = KEY, **options: object) -> str:
    settings = {
        "release": "1.0.0",
        "protocol": PAPER,
        "condition": "pooled",
        "inventory": load_inventory(),
        **options,
    }
    return str(build_signature(key, **settings))  # type: ignore[arg-type]


def test_every_part_changes_the_signature() -> None:
    lines = {signature()}
    parts = [field.name for field in fields(ShardKey) if field.name != "shard_format"]
    for name in set(parts) - {"items_hash"}:
        lines.add(signature(replace(KEY, **{name: "other"})))
    lines.add(signature(release="1.1.0"))
    lines.add(signature(protocol=REFERENCE))
    lines.add(signature(condition="noun"))
    lines.add(signature(resampling=build_resampling([], seed=7, draws=10)))
    lines.add(signature(r_error=0.0123))
    lines.add(signature(r_error=math.inf))
    assert len(lines) == 1 + len(parts) - 1 + 6


def test_the_error_of_half_precision_is_part_of_it() -> None:
    assert "|r_error:none|" in signature()
    assert "|r_error:0.0123|" in signature(r_error=0.012341)
    assert "|r_error:unknown|" in signature(r_error=math.inf)


def test_short_form_cuts_hashes_only() -> None:
    found = build_signature(
        KEY,
        release="1.0.0",
        protocol=PAPER,
        condition="pooled",
        inventory=load_inventory(),
        resampling=build_resampling([], seed=7, draws=10),
    )
    assert "revision:sha256:abababababab|" in found.short
    assert "|seed:7x10|version:0.1.0" in found.short
    assert "model:org/model|" in found.short
    assert "ab" * 32 in str(found)

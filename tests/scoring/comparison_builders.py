"""Results and columns of a comparison from plain numbers, without a model and without shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shard_builders import lean_pair, make_item

from corpus.stereotypes import load_inventory
from scoring.columns import build_column
from scoring.comparability import Compared, Factor, check_comparable
from scoring.compared_columns import Entry, Gap
from scoring.comparing import compare
from scoring.comparison import Comparison, ComparisonRequest
from scoring.protocols import PAPER, ScoringProtocol, compute_values
from scoring.result_folders import OpenedResult
from scoring.shards import ShardKey
from scoring.variants import Condition

GEST = load_inventory()
FEMININE = range(1, 8)
Logits = Mapping[int, Sequence[float]]
"""Stereotype → logit r of its sentences."""


def make_result(
    model: str = "org/m", languages: Sequence[str] = ("sk",), **parts: Any
) -> OpenedResult:
    """A result as its manifest describes it; parts replace the manifest's or the keys'."""
    key = {
        "model_id": model,
        "revision": "r",
        "dtype": "float32",
        "tokenizer_hash": "t",
        "bos_policy": "none",
        "likelihood": "causal",
        "templates_hash": "f",
        "data_hash": "d",
        "items_hash": "i",
        "product_version": "v",
    }
    of_key = {name: parts.pop(name) for name in list(parts) if name in key}
    manifest = {
        "model": model,
        "release": "1.0.0",
        "release_sha256": "d",
        "items": "all",
        "edition": "chosen",
        "inventory": GEST.content_hash,
        "stereotypes": GEST.as_json(),
        **parts,
    }
    keys = {code: ShardKey(**{**key, **of_key, "language": code}) for code in languages}
    return OpenedResult(Path(model.replace("/", "-")), manifest, keys)


def make_entry(
    result: int,
    logits: Logits,
    *,
    language: str = "sk",
    label: str = "org/m",
    condition: str = "pair",
    protocol: ScoringProtocol = PAPER,
    numbers: Mapping[int, Sequence[int]] | None = None,
) -> Entry:
    """A column with the given logits; sentence k of stereotype s is number 1000 s + k."""
    pairs = []
    for stereotype, row in logits.items():
        places = numbers[stereotype] if numbers else range(len(row))
        pairs += [
            lean_pair(x, make_item(1000 * stereotype + k, stereotype, language, Condition.PAIR))
            for k, x in zip(places, row, strict=True)
        ]
    scope = (
        ("model", label),
        ("language", language),
        ("protocol", protocol.name),
        ("condition", condition),
        ("sentences", "all"),
    )
    column = build_column(compute_values(pairs, protocol), protocol, GEST, scope)
    return Entry(result, language, protocol.name, condition, column)


def compare_entries(
    results: Sequence[OpenedResult],
    entries: Sequence[Entry],
    gaps: Sequence[Gap] = (),
    draws: int = 400,
    **options: Any,
) -> Comparison:
    """The comparison of these columns."""
    compared = check_comparable(results, GEST)
    return compare(compared, entries, gaps, ComparisonRequest(GEST, 7, draws, **options))


__all__ = ["GEST", "Compared", "Factor", "compare_entries", "make_entry", "make_result"]

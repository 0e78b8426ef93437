"""The table of a shard: one row for each text, with a list of its token ids and log-probabilities.

A text's own lists are stored, although texts of one sentence share most tokens and values: a row
then stands by itself, and compression stores a repeated run of numbers about once (measured by
`python -m benchmarks.shards`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from engines.likelihood.protocol import TokenScores
from scoring.pair_scores import PairScores, TokenCase
from scoring.variants import Condition, ScoredItem

SCHEMA = pa.schema(
    [
        pa.field("subject_id", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("stereotype_id", pa.int32(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        # Template id, empty for a pair.
        pa.field("template", pa.string(), nullable=False),
        # `masculine` or `feminine`; an item's two rows stand together in this order.
        pa.field("variant", pa.string(), nullable=False),
        # As scored, the ending included.
        pa.field("text", pa.string(), nullable=False),
        # What protocol `terminated` put after the text, empty for every other protocol.
        pa.field("ending", pa.string(), nullable=False),
        # As `TokenScores` has them: T tokens, what begins the text included.
        pa.field("token_ids", pa.list_(pa.int32()), nullable=False),
        # Natural log, of tokens 1..T-1.
        pa.field("logprobs", pa.list_(pa.float64()), nullable=False),
        # Index into token_ids of both variants; null when the lists are equal.
        pa.field("first_differing_token", pa.int32()),
        pa.field("case", pa.string(), nullable=False),
        pa.field("bos_policy", pa.string(), nullable=False),
    ]
)
VARIANTS = (MASCULINE_VARIANT, FEMININE_VARIANT)
SHARED = ("subject_id", "language", "stereotype_id", "condition", "template", "ending", "case")
"""Columns in which the two rows of an item agree."""


def build_table(pairs: Iterable[PairScores], bos_policy: str) -> Any:
    """The Arrow table of these items, two rows each."""
    known = list(pairs)
    columns: dict[str, list[Any]] = {
        "subject_id": [pair.item.subject_id for pair in known for _ in VARIANTS],
        "language": [pair.item.language for pair in known for _ in VARIANTS],
        "stereotype_id": [pair.item.stereotype_id for pair in known for _ in VARIANTS],
        "condition": [str(pair.item.condition) for pair in known for _ in VARIANTS],
        "template": [pair.item.template for pair in known for _ in VARIANTS],
        "variant": [variant for _ in known for variant in VARIANTS],
        "text": [text for pair in known for text in pair.item.texts],
        "ending": [pair.item.ending for pair in known for _ in VARIANTS],
        "token_ids": [each.token_ids for pair in known for each in (pair.masculine, pair.feminine)],
        "logprobs": [
            each.logprobs_nats for pair in known for each in (pair.masculine, pair.feminine)
        ],
        "first_differing_token": [pair.first_differing_token for pair in known for _ in VARIANTS],
        "case": [str(pair.case) for pair in known for _ in VARIANTS],
        "bos_policy": [bos_policy for _ in known for _ in VARIANTS],
    }
    arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def read_pairs(table: Any) -> tuple[PairScores, ...]:
    """The items of such a table, in its order.

    Raises:
        ValueError: if an item lacks one of its rows, or a row does not hold what it should.
    """
    columns = {
        field.name: table.column(field.name).to_pylist()
        for field in SCHEMA
        if not pa.types.is_list(field.type)
    }
    _check_rows(columns)
    scores = [
        TokenScores(ids, logprobs)
        for ids, logprobs in zip(
            _read_lists(table.column("token_ids")),
            _read_lists(table.column("logprobs")),
            strict=True,
        )
    ]
    items = _read_items(columns)
    cases = [TokenCase(case) for case in columns["case"][::2]]
    firsts = columns["first_differing_token"][::2]
    return tuple(map(PairScores, items, scores[::2], scores[1::2], cases, firsts))


def _check_rows(columns: dict[str, list[Any]]) -> None:
    variants = columns["variant"]
    paired = variants == [*VARIANTS] * (len(variants) // 2)
    if not paired or any(columns[name][::2] != columns[name][1::2] for name in SHARED):
        raise ValueError("an item lacks one of its two rows")


def _read_items(columns: dict[str, list[Any]]) -> Iterator[ScoredItem]:
    conditions = {name: Condition(name) for name in set(columns["condition"])}
    for row in range(0, len(columns["text"]), 2):
        ending = columns["ending"][row]
        yield ScoredItem(
            subject_id=columns["subject_id"][row],
            language=columns["language"][row],
            stereotype_id=columns["stereotype_id"][row],
            condition=conditions[columns["condition"][row]],
            template=columns["template"][row],
            masculine=columns["text"][row].removesuffix(ending),
            feminine=columns["text"][row + 1].removesuffix(ending),
            ending=ending,
        )


def _read_lists(column: Any) -> Iterator[tuple[Any, ...]]:
    """The lists of a column; all values become Python's own at once, which is fast."""
    for chunk in column.chunks:
        numbers = chunk.values.to_numpy(zero_copy_only=False)
        if not np.isfinite(numbers).all():
            raise ValueError("a log-probability is not a finite number")
        values = numbers.tolist()
        for start, end in pairwise(chunk.offsets.to_numpy().tolist()):
            yield tuple(values[start:end])

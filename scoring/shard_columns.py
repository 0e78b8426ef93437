"""A shard kept as columns: its items are made stereotype by stereotype, when they are asked for.

Reading the columns of a language takes a fraction of the time that making all of its items takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from corpus.errors import Fault, InputError
from scoring.pair_scores import PairScores
from scoring.shard_table import SCHEMA, read_pairs
from scoring.shards import ShardKey, read_columns


@dataclass(frozen=True, slots=True)
class ShardColumns:
    """The columns of a shard's rows."""

    path: Path
    table: Any
    """The Arrow table, two rows an item."""

    def stereotypes(self, condition: str | None = None) -> tuple[int, ...]:
        """The stereotypes that have an item, of that condition if one is given; ascending."""
        found = self.table
        if condition is not None:
            found = found.filter(pc.equal(found.column("condition"), condition))
        return tuple(sorted(pc.unique(found.column("stereotype_id")).to_pylist()))

    def stereotype_of(self, subject_id: str) -> int | None:
        """The stereotype of a sentence, None if it is not here."""
        place = pc.index(self.table.column("subject_id"), subject_id).as_py()
        return None if place < 0 else int(self.table.column("stereotype_id")[place].as_py())

    def pairs_of(self, stereotype: int) -> tuple[PairScores, ...]:
        """The items of one stereotype, in the order they were scored.

        Raises:
            InputError: if their rows do not hold what they should.
        """
        rows = self.table.filter(pc.equal(self.table.column("stereotype_id"), stereotype))
        try:
            return read_pairs(rows)
        except (ValueError, TypeError, KeyError) as error:
            fault = Fault(str(self.path), None, None, f"damaged: {error}", "score again")
            raise InputError([fault]) from error


def read_shard_columns(path: Path, key: ShardKey) -> ShardColumns:
    """The columns of the shard in a file.

    Raises:
        InputError: if the file is no shard, is damaged, or has another key or format.
    """
    return ShardColumns(path, read_columns(path, SCHEMA.names, key))

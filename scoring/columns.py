"""One column per model, language, protocol and condition: all draws of all of them at once.

For every stereotype the shared weights [draws × sentences] are multiplied with the values
[sentences × columns]; a sentence that a column lacks weighs nothing there, in the sum as in the
total. So one multiplication per stereotype gives every column's mean in every draw, and as all
columns see the same draws, any difference of two of them is paired.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from corpus.errors import Fault, InputError
from corpus.stereotypes import Inventory
from corpus.templates import Overlap
from scoring.protocols import ItemValue, ItemValues, ScoringProtocol
from scoring.shards import TokenCase
from scoring.statistics import FloatArray, Statistics, derive_statistics
from scoring.uncertainty import Resampling, source_key

COLUMNS_AT_ONCE = 32
"""With 2,000 draws of 16 stereotypes about 60 MB a worker."""

BoolArray = npt.NDArray[np.bool_]
Scope = tuple[tuple[str, str], ...]
Given = TypeVar("Given")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class StereotypeValues:
    """The sentences of one stereotype in one column."""

    keys: tuple[str, ...] = ()
    """Source keys."""
    averaged: FloatArray = field(default_factory=lambda: np.zeros(0))
    """What the protocol averages, [sentences]: log r or r."""
    logits: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Logit r, [sentences]."""
    contained: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Whether one text is the beginning of the other, [sentences]."""
    first_token: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Whether the texts part at a token without probability, [sentences]."""
    unequal: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Whether sums over different numbers of tokens are compared, [sentences]."""


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one model's sentences in one language under one protocol and condition."""

    protocol: ScoringProtocol
    values: Mapping[int, StereotypeValues]
    """By stereotype of the inventory."""
    scope: Scope = ()
    undefined: Mapping[str, int] = field(default_factory=dict)
    """Reason → items without a value, from `ItemValues`."""

    @property
    def n(self) -> int:
        """Its sentences."""
        return sum(len(each.keys) for each in self.values.values())

    @property
    def keys(self) -> frozenset[str]:
        """The source keys of its sentences."""
        return frozenset(key for each in self.values.values() for key in each.keys)

    def has_sentences_of(self, other: Column) -> bool:
        """Whether both have the same sentences in the same order."""
        return all(each.keys == other.values[one].keys for one, each in self.values.items())

    def restricted(self, keys: frozenset[str]) -> Column:
        """The column of those of its sentences that are among `keys`."""
        if self.keys <= keys:
            return self
        values = {one: _restrict(each, keys) for one, each in self.values.items()}
        return replace(self, values=values)


def build_column(
    values: ItemValues, protocol: ScoringProtocol, inventory: Inventory, scope: Scope = ()
) -> Column:
    """The column of one language's items.

    Raises:
        InputError: if an item's stereotype is not in the inventory.
    """
    groups = _group_values(values, inventory)
    collected = {one: _collect(group, protocol) for one, group in groups.items()}
    return Column(protocol, collected, scope, values.undefined)


def _group_values(values: ItemValues, inventory: Inventory) -> dict[int, list[ItemValue]]:
    """The items by stereotype, in the inventory's order.

    Raises:
        InputError: if an item's stereotype is not in the inventory.
    """
    groups: dict[int, list[ItemValue]] = {one: [] for one in inventory.ids}
    unknown = sorted({v.item.stereotype_id for v in values.values} - set(groups))
    if unknown:
        problem = f"unknown stereotype ids {', '.join(map(str, unknown))}"
        remedy = f"use the inventory the data were made with, not {inventory.name}"
        raise InputError([Fault("release", None, "stereotype_id", problem, remedy)])
    for value in values.values:
        groups[value.item.stereotype_id].append(value)
    return groups


def merge_values(parts: Sequence[StereotypeValues]) -> StereotypeValues:
    """The sentences of several columns as those of one."""
    return StereotypeValues(
        keys=tuple(key for part in parts for key in part.keys),
        averaged=np.concatenate([part.averaged for part in parts]),
        logits=np.concatenate([part.logits for part in parts]),
        contained=np.concatenate([part.contained for part in parts]),
        first_token=np.concatenate([part.first_token for part in parts]),
        unequal=np.concatenate([part.unequal for part in parts]),
    )


def compute_point(columns: Sequence[Column], inventory: Inventory) -> Statistics:
    """The measures of the data as they are, [stereotypes, columns, 1]; one protocol's columns."""
    means = np.full((len(inventory.ids), len(columns), 1), np.nan)
    logits = means.copy()
    for row, stereotype in enumerate(inventory.ids):
        for index, column in enumerate(columns):
            values = column.values[stereotype]
            if len(values.keys) >= column.protocol.min_sentences:
                means[row, index] = values.averaged.mean()
                logits[row, index] = values.logits.mean()
    return derive_statistics(means, logits, _one_protocol(columns), inventory)


def compute_draws(
    columns: Sequence[Column], resampling: Resampling, inventory: Inventory
) -> Statistics:
    """The measures in every draw, [stereotypes, columns, draws]; one protocol's columns.

    Raises:
        KeyError: if a sentence was not among the items the resampling was built from.
        ValueError: if the columns are of several protocols.
    """
    protocol = _one_protocol(columns)
    shape = (len(inventory.ids), len(columns), resampling.draws)
    means, logits = np.empty(shape), np.empty(shape)
    # The products are small: threads of the matrix library would mostly wait for one another.
    with threadpool_limits(limits=1, user_api="blas"):
        for row, stereotype in enumerate(inventory.ids):
            values = [column.values[stereotype] for column in columns]
            kept = [
                each if len(each.keys) >= protocol.min_sentences else StereotypeValues()
                for each in values
            ]
            _mean_columns(kept, resampling, stereotype, means[row], logits[row])
    return derive_statistics(means, logits, protocol, inventory)


def summarise_blocks(
    columns: Sequence[Column],
    resampling: Resampling,
    inventory: Inventory,
    summarise: Callable[[Sequence[Column], Statistics], Found],
    *,
    size: int = COLUMNS_AT_ONCE,
    workers: int | None = None,
) -> list[Found]:
    """What `summarise` makes of the draws of ever so many columns, block by block.

    Draws are dropped once they are summarised, which bounds the memory. Each block holds columns
    of one protocol; their order is kept within a protocol.

    Args:
        columns: Of any protocols.
        resampling: The one draw they share.
        inventory: The stereotypes with their poles.
        summarise: Called with the columns of a block and their draws, in any thread.
        size: Columns of a block.
        workers: Threads; None takes one per processor. The results do not depend on it.
    """
    by_protocol: defaultdict[str, list[Column]] = defaultdict(list)
    for column in columns:
        by_protocol[column.protocol.name].append(column)
    blocks = [
        group[start : start + size]
        for group in by_protocol.values()
        for start in range(0, len(group), size)
    ]
    return map_in_threads(
        lambda block: summarise(block, compute_draws(block, resampling, inventory)),
        blocks,
        workers,
    )


def map_in_threads(
    function: Callable[[Given], Found], given: Iterable[Given], workers: int | None = None
) -> list[Found]:
    """The results in the order given, one thread per processor unless said otherwise.

    Each thread multiplies by itself, without threads of the matrix library.
    """
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool,
    ):
        return list(pool.map(function, given))


def _mean_columns(
    values: Sequence[StereotypeValues],
    resampling: Resampling,
    stereotype: int,
    means: FloatArray,
    logits: FloatArray,
) -> None:
    """Writes the weighted means of one stereotype, [columns, draws], NaN where none was drawn."""
    places = resampling.columns.get(stereotype, {})
    weights = resampling.weights.get(stereotype, np.zeros((resampling.draws, 0)))
    sets = tuple(dict.fromkeys(each.keys for each in values))
    matrix = np.zeros((2 * len(values) + len(sets), len(places)))
    averaged, given_logits, counts = np.split(matrix, [len(values), 2 * len(values)])
    placed = {keys: np.array([places[key] for key in keys], dtype=np.intp) for keys in sets}
    for row, keys in zip(counts, sets, strict=True):
        # Added, not set: a sentence that stands twice counts twice.
        np.add.at(row, placed[keys], 1.0)
    for index, each in enumerate(values):
        np.add.at(averaged[index], placed[each.keys], each.averaged)
        np.add.at(given_logits[index], placed[each.keys], each.logits)
    sums, sums_of_logits, totals = np.split(matrix @ weights.T, [len(values), 2 * len(values)])
    totals[totals == 0] = np.nan
    of_keys = dict(zip(sets, totals, strict=True))
    for index, each in enumerate(values):
        np.divide(sums[index], of_keys[each.keys], out=means[index])
        np.divide(sums_of_logits[index], of_keys[each.keys], out=logits[index])


def _one_protocol(columns: Sequence[Column]) -> ScoringProtocol:
    protocols = {column.protocol.name: column.protocol for column in columns}
    if len(protocols) != 1:
        raise ValueError(f"columns of one protocol are needed, not of {sorted(protocols)}")
    return next(iter(protocols.values()))


def _collect(group: Sequence[ItemValue], protocol: ScoringProtocol) -> StereotypeValues:
    means = [value.means for value in group]
    return StereotypeValues(
        # One string for the same sentence of all columns.
        keys=tuple(sys.intern(source_key(value.item.subject_id)) for value in group),
        averaged=np.array(
            [one.log_r if protocol.geometric else one.r_masc for one in means], dtype=np.float64
        ),
        logits=np.array([one.logit_r for one in means], dtype=np.float64),
        contained=np.array([v.item.overlap is Overlap.CONTAINED for v in group], dtype=np.bool_),
        first_token=np.array([v.case is TokenCase.FIRST_TOKEN for v in group], dtype=np.bool_),
        unequal=np.array([v.unequal for v in group], dtype=np.bool_),
    )


def _restrict(values: StereotypeValues, keys: frozenset[str]) -> StereotypeValues:
    kept = np.array([key in keys for key in values.keys], dtype=np.bool_)
    return StereotypeValues(
        keys=tuple(key for key in values.keys if key in keys),
        averaged=values.averaged[kept],
        logits=values.logits[kept],
        contained=values.contained[kept],
        first_token=values.first_token[kept],
        unequal=values.unequal[kept],
    )

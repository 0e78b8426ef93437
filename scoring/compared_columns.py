"""The columns of a comparison: every result in every language, protocol and condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.errors import InputError
from corpus.hashing import sha256_json
from corpus.stereotypes import Inventory
from scoring.columns import Column, build_column
from scoring.comparability import Compared
from scoring.protocols import ScoringProtocol, compute_values, select_pairs
from scoring.shards import PairScores
from scoring.signature import HASH_DIGITS
from scoring.uncertainty import Resampling, draw_weights

ALL, COMMON = "all", "common"
"""Sentences of a column: all it has, or those that every compared column has."""

Keep = Callable[[int, str], frozenset[str] | None]
"""(result, language) → subject ids to keep, None for all."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A figure that a comparison lacks."""

    model: str
    language: str
    protocol: str
    condition: str
    reason: str
    """A sentence, or a code of `REASONS`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A column and its place in the comparison."""

    result: int
    language: str
    protocol: str
    condition: str
    column: Column
    sentences: str = ALL
    mark: str = ALL
    """The same for a signature: with the hash of the sentences that are common."""

    @property
    def family(self) -> tuple[str, str]:
        """Columns that have their sentences in common: those of one protocol and condition."""
        return (self.protocol, self.condition)


def load_entries(
    compared: Compared,
    languages: Iterable[str],
    protocols: Sequence[ScoringProtocol],
    conditions: Sequence[str],
    inventory: Inventory,
    keep: Keep = lambda _result, _language: None,
    advance: Callable[[], None] = lambda: None,
) -> tuple[list[Entry], list[Gap]]:
    """The columns of all results, and what is lacking and why.

    A shard that cannot be read is a gap, never a number. `advance` is called after each shard.
    """
    entries: list[Entry] = []
    gaps: list[Gap] = []
    for language in languages:
        for index, result in enumerate(compared.results):
            label = compared.labels[index]
            pairs, lack = _read_pairs(compared, index, language, keep(index, language))
            refused: Mapping[str, int] = result.manifest.get("refused") or {}
            for protocol in protocols:
                for condition in conditions:
                    chosen = select_pairs(pairs, condition)
                    values = compute_values(chosen, protocol)
                    if values.values:
                        column = build_column(values, protocol, inventory)
                        entry = Entry(index, language, protocol.name, condition, column)
                        entries.append(replace(entry, column=_scoped(entry, label)))
                        continue
                    reason = lack or _explain(f"{language}/{condition}", refused, values.undefined)
                    gaps.append(Gap(label, language, protocol.name, condition, reason))
            advance()
    return entries, gaps


def restrict_to_common(entries: Sequence[Entry]) -> list[Entry]:
    """The same columns on the sentences that all of their protocol and condition have."""
    families: dict[tuple[str, str], frozenset[str]] = {}
    for entry in entries:
        known = families.get(entry.family)
        families[entry.family] = entry.column.keys if known is None else known & entry.column.keys
    marks = {
        family: f"{COMMON}:{sha256_json(sorted(keys))[:HASH_DIGITS]}"
        for family, keys in families.items()
    }
    return [
        replace(
            entry,
            sentences=COMMON,
            mark=marks[entry.family],
            column=replace(
                entry.column.restricted(families[entry.family]),
                scope=(*entry.column.scope[:-1], ("sentences", COMMON)),
            ),
        )
        for entry in entries
    ]


def draw_shared(entries: Iterable[Entry], seed: int, draws: int) -> Resampling:
    """One draw over the source sentences of all columns."""
    keys: dict[int, set[str]] = {}
    for entry in entries:
        for stereotype, values in entry.column.values.items():
            keys.setdefault(stereotype, set()).update(values.keys)
    return draw_weights(keys, seed=seed, draws=draws)


def _read_pairs(
    compared: Compared, index: int, language: str, kept: frozenset[str] | None
) -> tuple[tuple[PairScores, ...], str | None]:
    result = compared.results[index]
    if language not in result.keys:
        gaps: Mapping[str, str] = result.manifest.get("gaps") or {}
        return (), gaps.get(language, "not scored in this result")
    try:
        pairs = result.read_shard(language).pairs
    except InputError as error:
        return (), "; ".join(fault.problem for fault in error.faults)
    if kept is None:
        return pairs, None
    found = tuple(pair for pair in pairs if pair.item.subject_id in kept)
    return found, None if found else "none of its sentences is chosen"


def _explain(place: str, refused: Mapping[str, int], undefined: Mapping[str, int]) -> str:
    if refused.get(place):
        return "identical_templates"
    if undefined:
        return ", ".join(f"{reason}:{count}" for reason, count in sorted(undefined.items()))
    return "no_data"


def _scoped(entry: Entry, label: str) -> Column:
    scope = (
        ("model", label),
        ("language", entry.language),
        ("protocol", entry.protocol),
        ("condition", entry.condition),
        ("sentences", entry.sentences),
    )
    return replace(entry.column, scope=scope)

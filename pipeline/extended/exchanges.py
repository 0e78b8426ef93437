"""Exchanges: whether two words are one word in two genders, by the table or by what was learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from corpus.morphology import Agreement, Morphology, WordKind

_LONGEST_ENDING = 8


class Direction(StrEnum):
    """Which of two words is the masculine one."""

    FORWARD = "forward"
    """The word of the masculine variant."""
    REVERSE = "reverse"
    """The word of the feminine variant: another person's gender, or an inconsistency."""


class Evidence(StrEnum):
    """What an exchange rests on."""

    TABLE = "table"
    LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class GenderExchange:
    """Two words that are one word in two genders."""

    kind: WordKind | None
    """None where it was learned."""
    agrees_with: Agreement
    predicate: bool
    direction: Direction
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class OtherDifference:
    """Two words that differ in something else than gender; the reason code."""

    reason: str


Difference = GenderExchange | OtherDifference | None
"""None: nothing is known that makes them one word."""


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: WordKind | None
    agrees_with: Agreement
    predicate: bool
    minimal_stem: int


@dataclass(slots=True)
class Exchanges:
    """What is known of a language's exchanges; looks each pair of words up once."""

    words: Mapping[tuple[str, str], _Entry]
    endings: Mapping[tuple[str, str], tuple[_Entry, ...]]
    other_words: Mapping[tuple[str, str], str]
    other_endings: Mapping[tuple[str, str], str]
    learned: frozenset[tuple[str, str]]
    """Pairs of endings that the language's own translations show often."""
    _known: dict[tuple[str, str], Difference] = field(default_factory=dict)

    def compare(self, masculine: str, feminine: str) -> Difference:
        """What the difference of two word forms is."""
        key = (masculine, feminine)
        if key not in self._known:
            self._known[key] = self._compare(masculine, feminine)
        return self._known[key]

    def _compare(self, masculine: str, feminine: str) -> Difference:
        for first, second, direction in _both(masculine, feminine):
            if entry := self.words.get((first, second)):
                return _exchange(entry, direction, Evidence.TABLE)
        reason = self.other_words.get((masculine, feminine))
        if reason is not None:
            return OtherDifference(reason)
        shared = common_length(masculine, feminine)
        for stem in range(max(0, shared - _LONGEST_ENDING), shared + 1):
            found = self._compare_endings(masculine[stem:], feminine[stem:], stem)
            if found is not None:
                return found
        return self._compare_learned(masculine, feminine, shared)

    def _compare_endings(self, masculine: str, feminine: str, stem: int) -> Difference:
        reason = self.other_endings.get((masculine, feminine))
        if reason is not None:
            return OtherDifference(reason)
        for first, second, direction in _both(masculine, feminine):
            for entry in self.endings.get((first, second), ()):
                if stem >= entry.minimal_stem:
                    return _exchange(entry, direction, Evidence.TABLE)
        return None

    def _compare_learned(self, masculine: str, feminine: str, shared: int) -> Difference:
        if not self.learned or shared < 2:
            return None
        for first, second, direction in _both(masculine, feminine):
            for stem in (shared - 2, shared - 1, shared):
                if stem >= 1 and (first[stem:], second[stem:]) in self.learned:
                    return _exchange(_LEARNED, direction, Evidence.LEARNED)
        return None


_LEARNED = _Entry(None, Agreement.ANY, predicate=True, minimal_stem=2)


def build_exchanges(
    table: Morphology | None, learned: frozenset[tuple[str, str]] = frozenset()
) -> Exchanges:
    """The exchanges of a table (None: no table) and the learned pairs of endings."""
    words: dict[tuple[str, str], _Entry] = {}
    endings: dict[tuple[str, str], list[_Entry]] = {}
    other_words: dict[tuple[str, str], str] = {}
    other_endings: dict[tuple[str, str], str] = {}
    if table is not None:
        for pair in table.words:
            entry = _Entry(pair.kind, pair.agrees_with, pair.predicate, 0)
            words.setdefault((pair.masculine, pair.feminine), entry)
        for each in table.exchanges:
            entry = _Entry(each.kind, each.agrees_with, each.predicate, each.minimal_stem)
            endings.setdefault((each.masculine, each.feminine), []).append(entry)
        for other in table.not_gender:
            group = other_words if other.whole_word else other_endings
            group[other.first, other.second] = group[other.second, other.first] = other.reason
    return Exchanges(
        words,
        {key: tuple(entries) for key, entries in endings.items()},
        other_words,
        other_endings,
        learned,
    )


def _both(masculine: str, feminine: str) -> tuple[tuple[str, str, Direction], ...]:
    return (
        (masculine, feminine, Direction.FORWARD),
        (feminine, masculine, Direction.REVERSE),
    )


def _exchange(entry: _Entry, direction: Direction, evidence: Evidence) -> GenderExchange:
    return GenderExchange(entry.kind, entry.agrees_with, entry.predicate, direction, evidence)


def common_length(first: str, second: str) -> int:
    """Letters that two words share from their start."""
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        length += 1
    return length

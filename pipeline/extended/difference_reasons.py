"""Reasons: what two words that are no gender exchange differ in, as far as the table can say."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.morphology import Aspect, Morphology, WordKind
from pipeline import reasons

_SHORTEST_STEM = 2


def name_difference(table: Morphology | None, masculine: str, feminine: str) -> str:
    """`aspect_or_tense` if the stems are those of one verb by the table, `synonym` otherwise."""
    if table is None:
        return reasons.SYNONYM
    stems = list(_stems(table, masculine, feminine))
    if any(_differ_in_aspect(table.aspect, first, second) for first, second in stems):
        return reasons.ASPECT_OR_TENSE
    return reasons.SYNONYM


def _stems(table: Morphology, masculine: str, feminine: str) -> Iterator[tuple[str, str]]:
    """The two words, and their stems without each exchange of verbs that fits both."""
    yield masculine, feminine
    verbs = (
        each
        for each in table.exchanges
        if each.kind in (WordKind.PARTICIPLE, WordKind.VERB, WordKind.ADJECTIVE)
    )
    masculines, feminines = set(), set()
    for each in verbs:
        if each.masculine and masculine.endswith(each.masculine):
            masculines.add(masculine[: -len(each.masculine)])
        if each.feminine and feminine.endswith(each.feminine):
            feminines.add(feminine[: -len(each.feminine)])
    for first in sorted(masculines):
        for second in sorted(feminines):
            yield first, second


def _differ_in_aspect(aspect: Aspect, first: str, second: str) -> bool:
    shared = _without_prefix(aspect, first) & _without_prefix(aspect, second)
    if first != second and any(len(stem) > _SHORTEST_STEM for stem in shared):
        return True
    return any(
        _turns_into(first, second, *endings) or _turns_into(second, first, *endings)
        for endings in aspect.infixes
    )


def _turns_into(first: str, second: str, ending: str, other: str) -> bool:
    """Whether the second stem is the first one with the other ending."""
    stem = first[: len(first) - len(ending)]
    return first.endswith(ending) and len(stem) >= _SHORTEST_STEM and second == stem + other


def _without_prefix(aspect: Aspect, stem: str) -> set[str]:
    """The stem, and what is left of it without each prefix that it starts with."""
    return {stem} | {stem[len(each) :] for each in aspect.prefixes if stem.startswith(each)}

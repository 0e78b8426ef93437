"""Who rated what is released, as far as it may be told: consent, counts, the ethics approval.

Facts that raters gave of themselves are told as counts over the whole release, never by language,
because pseudonyms name the language. A count under `SMALL_CELL` is never shown, nor can it be had
by subtraction: rare values are pooled, and the pool takes in the next smallest value until it is no
small count itself. With fewer than `FEWEST_RATERS` raters nothing is told at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.people import Consent, Ethics, Person
from corpus.records import RatingRevision, Stamp
from corpus.standing import Standing
from corpus.store.state import State

SMALL_CELL = 3
"""Fewer raters than this are not shown as a count."""
FEWEST_RATERS = 5
"""With fewer raters than this no fact of theirs is told."""
OTHER = "other or not said"


@dataclass(frozen=True, slots=True)
class Raters:
    """The raters whose ratings count in a release."""

    ids: frozenset[str]
    published: frozenset[str]
    """Those who agreed that their ratings are published."""
    consents: Mapping[str, Consent]
    """The current consent or refusal of each of them who gave one."""
    ethics: Ethics | None
    facts: Mapping[str, Mapping[str, str]]
    """What each chose to say of herself, by id."""
    stamps: tuple[Stamp, ...]
    """Of the rows this rests on."""

    def select_published(self, ratings: Iterable[RatingRevision]) -> list[RatingRevision]:
        """The ratings of those who agreed that theirs are published."""
        return [each for each in ratings if each.rater_id in self.published]


@dataclass(frozen=True, slots=True)
class FactTable:
    """How many raters gave each value of one fact, most first, the pooled rest last."""

    key: str
    counts: tuple[tuple[str, int], ...]


def read_raters(state: State, standings: Iterable[Standing]) -> Raters:
    """The raters of these languages, with what is known of them and may be used."""
    ids = frozenset(rating.rater_id for each in standings for rating in each.counted)
    consents = {name: each for name, each in state.consents().items() if name in ids}
    ethics = state.ethics() if ids else None
    people = [each for each in state.people() if each.id in ids and each.demographics]
    records: list[Consent | Ethics | Person] = [*consents.values(), *people]
    records += [ethics] if ethics else []
    return Raters(
        ids=ids,
        published=frozenset(name for name, each in consents.items() if each.publish),
        consents=consents,
        ethics=ethics,
        facts={each.id: dict(each.demographics) for each in people},
        stamps=tuple(each.stamp for each in records if each.stamp is not None),
    )


def count_facts(raters: Raters) -> list[FactTable]:
    """The counts that may be shown, by key; empty if too few raters, or too few alike."""
    if len(raters.ids) < FEWEST_RATERS:
        return []
    keys = sorted({key for facts in raters.facts.values() for key in facts})
    tables = [_count_fact(key, raters) for key in keys]
    return [table for table in tables if table is not None]


def _count_fact(key: str, raters: Raters) -> FactTable | None:
    given = Counter(facts[key] for facts in raters.facts.values() if key in facts)
    # Smallest last, so that it is the first to be pooled.
    shown = sorted(
        ((value, number) for value, number in given.items() if number >= SMALL_CELL),
        key=lambda each: (-each[1], each[0]),
    )
    rest = len(raters.ids) - sum(number for _, number in shown)
    while shown and 0 < rest < SMALL_CELL:
        rest += shown.pop()[1]
    if not shown:
        return None
    return FactTable(key, (*shown, *([(OTHER, rest)] if rest else [])))

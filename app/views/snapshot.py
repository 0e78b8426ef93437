"""Snapshots: what the store says at one log position, so that it can be kept by that position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.people import RATER
from corpus.records import AuditEntry, Instrument, Origin, ReleaseRecord, Source
from corpus.standing import (
    SOURCE_LANGUAGE,
    Standing,
    language_standing,
)
from corpus.store import Store


@dataclass(frozen=True, slots=True)
class StudySnapshot:
    """What concerns the whole study at one log position."""

    position: int
    languages: Mapping[Instrument, tuple[str, ...]]
    """Codes of the languages with candidates, English last, by instrument with any."""
    positions: Mapping[Instrument, Mapping[str, int]]
    """Log position of the latest row about each language, by instrument."""
    sources: Mapping[str, Source]
    """All sources by key."""
    raters: tuple[str, ...]
    """Ids of the raters, sorted."""
    releases: tuple[ReleaseRecord, ...]
    audit: tuple[AuditEntry, ...]
    """Oldest first."""
    holds_demo: bool
    """Whether any row comes from the demo."""

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """Instruments with candidates; EuroGEST where there are none yet."""
        return tuple(self.languages) or (Instrument.EUROGEST,)


def load_position(store: Store) -> int:
    """The log position of now."""
    with store.reading() as state:
        return state.position


def load_study(store: Store, position: int) -> StudySnapshot:
    """The study at a log position."""
    with store.reading(position) as state:
        languages = {each: _order(state.languages(each)) for each in Instrument}
        return StudySnapshot(
            position=position,
            languages={each: codes for each, codes in languages.items() if codes},
            positions={each: state.language_positions(each) for each in Instrument},
            sources={source.key: source for source in state.sources()},
            raters=tuple(each.id for each in state.people() if each.kind == RATER),
            releases=tuple(state.releases()),
            audit=tuple(state.audit_entries()),
            holds_demo=state.holds_origin(Origin.DEMO),
        )


def load_standing(store: Store, position: int, instrument: Instrument, language: str) -> Standing:
    """One language at a log position."""
    with store.reading(position) as state:
        return language_standing(state, instrument, language)


def _order(codes: Iterable[str]) -> tuple[str, ...]:
    """The codes sorted, the sources' own language last: there is nothing to do in it."""
    return tuple(sorted(codes, key=lambda code: (code == SOURCE_LANGUAGE, code)))

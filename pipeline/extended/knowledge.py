"""Knowledge: what a strategy knows of one language, from its table and its own translations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from corpus.morphology import Morphology, load_morphology
from pipeline.extended.counterparts import CounterpartIndex, build_counterparts
from pipeline.extended.cues import CueIndex, build_cues
from pipeline.extended.exchanges import Exchanges, build_exchanges
from pipeline.extended.form_index import FormIndex, build_form_index


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How often forms changed with the speaker in the language's accepted pairs, or did not."""

    changed: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Masculine and feminine form → pairs in which they differ, as the speaker's."""
    masculine: Mapping[str, int] = field(default_factory=dict)
    """Masculine form → pairs in which it changed."""
    feminine: Mapping[str, int] = field(default_factory=dict)
    unchanged: Mapping[str, int] = field(default_factory=dict)
    """Form → accepted pairs in which it stands in both texts alike."""
    pairs: int = 0
    """Accepted pairs."""

    def share_changed(self, form: str) -> float | None:
        """Share of a form's uses in which it changed with the speaker, 0–1; None if never seen."""
        changed = self.masculine.get(form, 0) + self.feminine.get(form, 0)
        seen = changed + self.unchanged.get(form, 0)
        return changed / seen if seen else None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What pairing knows of a language."""

    language: str
    table: Morphology | None
    exchanges: Exchanges
    cues: CueIndex
    forms: FormIndex
    lexicon: Lexicon
    counterparts: CounterpartIndex
    reads: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Form → how speaker_forms reads it; each form is read once."""


@cache
def load_knowledge(language: str) -> Knowledge:
    """What the language's table says, before any of its translations were seen."""
    return build_knowledge(language, load_morphology(language))


def build_knowledge(
    language: str,
    table: Morphology | None,
    learned: frozenset[tuple[str, str]] = frozenset(),
    lexicon: Lexicon | None = None,
) -> Knowledge:
    """Knowledge of a language from its table (None: none) and what its translations taught."""
    forms, seen = build_form_index(table), lexicon or Lexicon()
    return Knowledge(
        language,
        table,
        build_exchanges(table, learned),
        build_cues(table, forms),
        forms,
        seen,
        build_counterparts(seen.changed, forms),
    )

"""What a text that a curator writes must keep, by instrument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from corpus.prompts import find_placeholders
from corpus.records import Candidate, Instrument, Source
from corpus.sectors import find_places


def find_lost(candidate: Candidate, source: Source, variants: Mapping[str, str]) -> str | None:
    """What new texts of a candidate lack that their source asks for, in words; None if nothing.

    A prompt keeps each placeholder of its original as often as it stands there, a sector sentence
    its person word and its term. Sentences of EuroGEST are held against each other instead.
    """
    if candidate.instrument is Instrument.MLA_BITE:
        problems = [_find_placeholders(source.text, text) for text in variants.values()]
    elif candidate.instrument is Instrument.SECTORS:
        problems = [_find_words(candidate, name, text) for name, text in variants.items()]
    else:
        return None
    return "; ".join(each for each in problems if each) or None


def _find_placeholders(original: str, text: str) -> str | None:
    wanted, found = (
        Counter(each.text for each in find_placeholders(one)) for one in (original, text)
    )
    lost, added = wanted - found, found - wanted
    parts = [f"lacks {', '.join(sorted(lost.elements()))}"] if lost else []
    parts += [f"has {', '.join(sorted(added.elements()))} too many"] if added else []
    return f"the text {' and '.join(parts)}" if parts else None


def _find_words(candidate: Candidate, variant: str, text: str) -> str | None:
    words = candidate.evidence.get("words", {})
    if variant not in words or "term" not in words:
        return None
    try:
        find_places(text, words[variant], words["term"], candidate.language)
    except ValueError as error:
        return f"the {variant} text: {error}"
    return None

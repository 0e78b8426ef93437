"""Degradation: translations made worse on purpose, which a careful rater scores lower.

Three kinds: words dropped, words of another sentence in their place, and one word in the wrong
gender. The first two come in three strengths, by how many of the n words are affected:

- 1, the mildest: one word;
- 2: a third of the words, at least two;
- 3, the strongest: two thirds of the words, at least three; one of the sentence's own words always
  stays.

Wrong agreement always affects one word and has strength 1; of all it is the mildest, two thirds of
the words from another sentence are the strongest. The words affected are drawn from the longer half
of the sentence's words (or more where so many are needed), because a short one can be missing
without harm. Case of the first letter and the marks at both ends of the sentence stay as they were,
so that no degradation shows by its typing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from math import ceil
from random import Random
from typing import Any

from corpus.prompts import PLACEHOLDER
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, Candidate, Label

STRENGTHS = (1, 2, 3)
WordExchange = Callable[[str], str | None]
"""A word to its form in the other gender, None where none is known."""


class DegradationKind(StrEnum):
    """How a translation is made worse."""

    DROP_WORDS = "drop_words"
    FOREIGN_WORDS = "foreign_words"
    WRONG_AGREEMENT = "wrong_agreement"


@dataclass(frozen=True, slots=True)
class Degraded:
    """A text made worse, and what was changed."""

    text: str
    kind: DegradationKind
    strength: int
    changes: tuple[Mapping[str, Any], ...]
    """For each word affected `place` (0 is the first word), `from` and `to` (None: dropped)."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word with what stands around it."""

    space: str
    opening: str
    form: str
    """Empty where a mark stands alone, such as a dash, and for a placeholder."""
    closing: str

    @property
    def text(self) -> str:
        return f"{self.opening}{self.form}{self.closing}"

    @property
    def is_mark(self) -> bool:
        """Whether it is a mark alone; a placeholder is neither a mark nor a word."""
        return not self.form and not PLACEHOLDER.search(self.opening)


def count_affected(words: int, strength: int) -> int | None:
    """How many of the words a strength affects; None where it would be no more than a weaker one.

    Raises:
        ValueError: if there is no such strength.
    """
    if strength not in STRENGTHS:
        raise ValueError(f"a strength is 1, 2 or 3, not {strength}")
    wanted = {1: 1, 2: max(2, ceil(words / 3)), 3: max(3, ceil(2 * words / 3))}
    counts = [min(wanted[each], words - 1) for each in STRENGTHS[:strength]]
    if counts[-1] < 1 or (strength > 1 and counts[-1] == counts[-2]):
        return None
    return counts[-1]


def drop_words(text: str, strength: int, random: Random) -> Degraded | None:
    """The text without some of its words, or None where it has too few for that strength."""
    words, places = _read_places(text)
    count = count_affected(len(places), strength)
    if count is None:
        return None
    dropped = _draw_places(words, places, count, random)
    kept = [word for place, word in enumerate(words) if place not in dropped]
    # A dash in the middle must not begin or end what is left.
    while words[0].form and kept[0].is_mark:
        del kept[0]
    while words[-1].form and kept[-1].is_mark:
        del kept[-1]
    first, last = words[places[0]], words[places[-1]]
    forms = [place for place, word in enumerate(kept) if word.form]
    begin = kept[forms[0]]
    if places[0] in dropped:
        form = _like(first.form, begin.form)
        kept[forms[0]] = replace(begin, opening=first.opening, form=form)
    if places[-1] in dropped:
        kept[forms[-1]] = replace(kept[forms[-1]], closing=last.closing)
    changes = tuple(
        _change(places.index(place), words[place].form, None) for place in sorted(dropped)
    )
    return Degraded(_write(kept), DegradationKind.DROP_WORDS, strength, changes)


def insert_foreign_words(
    text: str,
    others: Sequence[str],
    strength: int,
    random: Random,
    variants: Collection[str] = (),
) -> Degraded | None:
    """The text with words of one other sentence in place of some of its own, or None.

    Args:
        text: The translation.
        others: Sentences of the language; one is drawn that has a word to give.
        strength: 1 to 3.
        random: What draws.
        variants: Sentences that are no other ones: the candidate's own texts.
    """
    words, places = _read_places(text)
    count = count_affected(len(places), strength)
    if count is None:
        return None
    own = {words[place].form.casefold() for place in places}
    first = random.randrange(len(others)) if others else 0
    for other in chain(islice(others, first, None), islice(others, first)):
        if other in variants:
            continue
        # Not its first word, whose large letter may be the sentence's.
        foreign = [word.form for word in _read(other)[1:] if word.form.casefold() not in own | {""}]
        if not foreign:
            continue
        taken = sorted(foreign, key=len, reverse=True)[: max(count, ceil(len(foreign) / 2))]
        random.shuffle(taken)
        changes = []
        chosen = sorted(_draw_places(words, places, count, random))
        for number, place in enumerate(chosen):
            form = taken[number % len(taken)]
            if place == places[0]:
                form = _like(words[place].form, form)
            changes.append(_change(places.index(place), words[place].form, form))
            words[place] = replace(words[place], form=form)
        return Degraded(_write(words), DegradationKind.FOREIGN_WORDS, strength, tuple(changes))
    return None


def break_agreement(
    text: str, variants: Iterable[str], exchange: WordExchange, random: Random
) -> Degraded | None:
    """The text with one word in the other gender, so that it agrees no more, or None.

    Where the text differs from the other variant in two words or more, one of those takes the
    other's form. Otherwise a word that both share, or any of a neutral text, is exchanged. The only
    word in which two variants differ is left alone: the result would be the other variant.

    Args:
        text: The translation as shown.
        variants: All texts of the candidate; the result is none of them.
        exchange: The other gender's form of a word.
        random: What draws.
    """
    words, places = _read_places(text)
    known = set(variants)
    choices: list[tuple[int, str]] = []
    differing: set[int] = set()
    for variant in sorted(known - {text}):
        other, other_places = _read_places(variant)
        if len(other_places) != len(places):
            # Without the same number of words nobody knows which of them are the speaker's.
            return None
        differ = [
            number
            for number, (mine, theirs) in enumerate(zip(places, other_places, strict=True))
            if words[mine].form != other[theirs].form
        ]
        differing.update(differ)
        if len(differ) > 1:
            choices += [(places[number], other[other_places[number]].form) for number in differ]
    if not choices:
        free = [place for number, place in enumerate(places) if number not in differing]
        found = [(place, exchange(words[place].form)) for place in free]
        choices = [(place, form) for place, form in found if form is not None]
    for place, form in random.sample(choices, len(choices)):
        before = words[place].form
        changed = list(words)
        changed[place] = replace(words[place], form=_like(before, form))
        written = _write(changed)
        if written not in known:
            change = _change(places.index(place), before, changed[place].form)
            return Degraded(written, DegradationKind.WRONG_AGREEMENT, 1, (change,))
    return None


def attest_exchanges(candidates: Iterable[Candidate]) -> WordExchange:
    """What the pairs of a language attest: the other gender's form of each word that differed.

    A word that was exchanged in several ways takes the most frequent one, then the first in order.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for candidate in candidates:
        texts = candidate.variants
        if candidate.label is not Label.PAIR or set(texts) != {MASCULINE_VARIANT, FEMININE_VARIANT}:
            continue
        first, second = (
            [word.form.lower() for word in _read(texts[name]) if word.form]
            for name in (MASCULINE_VARIANT, FEMININE_VARIANT)
        )
        if len(first) != len(second):
            continue
        for one, other in zip(first, second, strict=True):
            if one != other:
                counts[one][other] += 1
                counts[other][one] += 1
    best = {
        word: min(found, key=lambda form: (-found[form], form)) for word, found in counts.items()
    }
    return lambda word: best.get(word.lower())


def _read_places(text: str) -> tuple[list[_Word], list[int]]:
    """Everything between spaces, and the places of what is a word."""
    words = _read(text)
    return words, [place for place, word in enumerate(words) if word.form]


def _read(text: str) -> list[_Word]:
    pieces = re.split(r"(\s+)", text)
    words: list[_Word] = []
    space = ""
    for number, piece in enumerate(pieces):
        if number % 2:
            space = piece
        elif piece:
            words.append(_split(space, piece))
    return words


def _split(space: str, piece: str) -> _Word:
    inner = [number for number, character in enumerate(piece) if not _is_mark(character)]
    # A placeholder of a prompt is no word: none is dropped, moved or changed.
    if PLACEHOLDER.search(piece) or not any(character.isalnum() for character in piece):
        return _Word(space, piece, "", "")
    start, end = inner[0], inner[-1] + 1
    return _Word(space, piece[:start], piece[start:end], piece[end:])


def _is_mark(character: str) -> bool:
    """Whether it is punctuation or a symbol; a combining mark belongs to its letter."""
    return unicodedata.category(character)[0] in "PS"


def _draw_places(
    words: Sequence[_Word], places: Sequence[int], count: int, random: Random
) -> set[int]:
    longest = sorted(places, key=lambda place: (-len(words[place].form), place))
    return set(random.sample(longest[: max(count, ceil(len(places) / 2))], count))


def _like(model: str, form: str) -> str:
    """The form, with a large first letter where the model has one."""
    return form[:1].upper() + form[1:] if model[:1].isupper() else form


def _change(place: int, before: str, after: str | None) -> dict[str, Any]:
    return {"place": place, "from": before, "to": after}


def _write(words: Sequence[_Word]) -> str:
    text = "".join(f"{word.space}{word.text}" for word in words)
    return text[len(words[0].space) :] if words else ""

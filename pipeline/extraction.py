"""The translated sentence out of the wrapper that came back with it.

Never a fragment and never the narrator: where the sentence cannot be told from its surroundings,
extraction fails with a detail for people. The rules look at marks, not at languages; the language
data are the narrators and the words with an apostrophe at their edge, in `corpus/narrators.toml`.

What is returned is a stretch of what was written. HTML entities are read as the marks they stand
for when the ends of the sentence are looked for, and stay in it as they are.

Known limits: a sentence that itself tells what "the man" or "the woman" said is refused. If an
engine drops the narrator, a sentence that is one quotation loses its own marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from corpus.hashing import nfc
from corpus.narrators import NarratorPart
from pipeline.mark_spellings import read_marks
from pipeline.narration import Narration, find_narration, fold_words
from pipeline.quotes import (
    APOSTROPHES,
    QuoteMark,
    find_closing,
    find_quote_marks,
    find_single_closing,
)

_WORD = re.compile(r"\w")
_COLON = re.compile(r"[:：](?!\d)")
_SEPARATORS = (",", "–", "—", "-")
_SENTENCE_ENDS = frozenset(".!?…;")
_DASH = re.compile(r"(?:[–—―](?!\d)|-(?=\s|[^\W\d]))\s*")
_MARKUP = re.compile(r"[\s*_]*")
"""Spaces and what chat models write around bold text."""
_DASH_SEPARATOR = re.compile(r"\s*,?\s*[–—―]\s*|\s+-\s*|,\s+|(?<=[.!?…])\s+")
_MAX_INTRODUCTION_WORDS = 6
_BARE = "bare"
"""A quotation with nothing around it, not yet searched for a narrator."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The sentence between the outer marks, or None with a detail; exactly one is given."""

    text: str | None
    """NFC, without outer marks and spaces, otherwise unchanged."""
    how: str
    """`quoted`, `unclosed`, `unopened`, `colon`, `narrator_after`, `narrator_around` or `dash`;
    what failed if there is no text: `empty`, `no_narrator`, `no_quotes`, `text_after_quote`,
    `split_quote`, `narrator_inside`, `several_lines`."""


_REMEMBERED = 2**14
"""Texts whose extraction is kept: learning, pairing and the search for flaws each ask for it."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a sentence stands in a text, as [start, end); empty if it was not found."""

    start: int
    end: int
    how: str


@lru_cache(maxsize=_REMEMBERED)
def extract_sentence(wrapped: str, language: str | None = None) -> Extraction:
    """The translated sentence inside a wrapped translation.

    Args:
        wrapped: an engine's answer to a wrapped sentence.
        language: its language's code. Without a known one, a narrator is any short introduction
            that ends in a colon, comma or dash, one after the quote is not recognised, and a
            sentence is not searched for narrators.
    """
    reading = read_marks(nfc(wrapped).strip())
    narration = find_narration(language)
    place = _find_sentence(reading.text, narration)
    if place.how == _BARE:
        place = _find_inside(reading.text, place, narration)
    text = reading.find_written(place.start, place.end)
    return Extraction(text or None, place.how)


def _fail(how: str) -> _Place:
    return _Place(0, 0, how)


def _find_sentence(text: str, narration: Narration) -> _Place:
    if not _WORD.search(text):
        return _fail("empty")
    marks = find_quote_marks(text, narration.elisions)
    opening = next((index for index, mark in enumerate(marks) if mark.opens), None)
    first = marks[opening].index if opening is not None else len(text)
    dash = _DASH.match(text)
    if dash is not None and dash.end() < first:
        return _find_dashed(text, dash.end(), narration)
    colon = _COLON.search(text, 0, first)
    if colon is not None:
        return _find_after_colon(text, colon.start(), marks, narration)
    if opening is None:
        return _find_unopened_before_narrator(text, marks, narration)
    return _find_quoted(text, marks[opening:], narration, text[:first])


def _find_quoted(
    text: str, marks: list[QuoteMark], narration: Narration, before: str, *, colon: bool = False
) -> _Place:
    """The sentence whose opening mark is the first of `marks`."""
    introduction = _judge_introduction(before, narration, colon=colon)
    opening = marks[0]
    single = opening.character in APOSTROPHES or opening.character == "‚"
    same = [mark for mark in marks if (mark.character in APOSTROPHES) == single or mark is opening]
    closing, split = find_single_closing(same) if single else (find_closing(same), False)
    if split:
        return _fail("split_quote")
    start = opening.index + 1
    if closing is None:
        if introduction is not NarratorPart.WHOLE:
            return _fail("no_narrator")
        end, how = _find_stray_end(text, marks[1:]), "unclosed"
        return _check(text, start, end, how, narration)
    words = fold_words(text[closing + 1 :])
    if words and introduction is NarratorPart.WHOLE:
        return _fail("text_after_quote")
    if words and any(mark.index > closing for mark in marks):
        return _fail("split_quote")
    outside = fold_words(before) + words
    if not outside:
        return _trim(text, start, closing, _BARE)
    if not words:
        found = introduction in (NarratorPart.WHOLE, NarratorPart.SPEAKER)
        return _check(text, start, closing, "quoted", narration) if found else _fail("no_narrator")
    if narration.judge(outside) is not NarratorPart.WHOLE:
        return _fail("no_narrator")
    how = "narrator_around" if fold_words(before) else "narrator_after"
    return _check(text, start, _drop_comma(text, closing), how, narration)


def _judge_introduction(before: str, narration: Narration, *, colon: bool) -> NarratorPart:
    """What the text in front of a sentence is of a narrator."""
    words = fold_words(before)
    inner = before.rstrip()
    separated = colon or inner.endswith(_SEPARATORS)
    if not colon and separated:
        inner = inner[:-1]
    if _SENTENCE_ENDS & set(inner):
        return NarratorPart.NONE
    if narration.known:
        return narration.judge(words)
    short = separated and "," not in inner and 0 < len(words) <= _MAX_INTRODUCTION_WORDS
    return NarratorPart.WHOLE if short else NarratorPart.NONE


def _find_inside(text: str, bare: _Place, narration: Narration) -> _Place:
    """The sentence of an answer that is one quotation: all of it, or what is quoted in it.

    Chat models put their whole answer in quotation marks, narrator included.
    """
    sentence = text[bare.start : bare.end]
    if narration.known:
        inner = _find_sentence(sentence, narration)
        if inner.end and inner.how != _BARE:
            return _Place(bare.start + inner.start, bare.start + inner.end, inner.how)
    if narration.holds_narrator(sentence, at_start=True):
        return _fail("narrator_inside")
    return _Place(bare.start, bare.end, "quoted")


def _find_after_colon(
    text: str, colon: int, marks: list[QuoteMark], narration: Narration
) -> _Place:
    before = text[:colon]
    introduction = _judge_introduction(before, narration, colon=True)
    if introduction in (NarratorPart.NONE, NarratorPart.SAYING) or (
        not narration.known and "," in before
    ):
        return _fail("no_narrator")
    start = colon + 1
    for skipped in (_MARKUP, _DASH):
        if match := skipped.match(text, start):
            start = match.end()
    inside = [mark for mark in marks if mark.index >= start]
    if inside and inside[0].index == start and inside[0].opens:
        return _find_quoted(text, inside, narration, before, colon=True)
    if introduction is NarratorPart.SPEAKER:
        # A colon may be the sentence's own, as in "The man: a mystery".
        return _fail("no_narrator")
    end = _find_stray_end(text, inside)
    return _check(text, start, end, "colon" if end == len(text) else "unopened", narration)


def _find_unopened_before_narrator(
    text: str, marks: list[QuoteMark], narration: Narration
) -> _Place:
    """The sentence in front of its only mark, a closing one, and of a narrator behind that."""
    if len(marks) == 1 and marks[0].closes and marks[0].character not in APOSTROPHES:
        closing = marks[0].index
        if narration.judge(fold_words(text[closing:])) is NarratorPart.WHOLE:
            return _check(text, 0, _drop_comma(text, closing), "unopened", narration)
    return _fail("no_quotes")


def _find_dashed(text: str, start: int, narration: Narration) -> _Place:
    """The sentence of a dialogue line: between the dash at its start and the narrator at its end.

    Without a narrator that is known, the line may hold one that is not.
    """
    separators = list(_DASH_SEPARATOR.finditer(text, start))
    for separator in separators[-_MAX_INTRODUCTION_WORDS:]:
        if narration.judge(fold_words(text[separator.end() :])) is NarratorPart.WHOLE:
            return _check(text, start, separator.start(), "dash", narration)
    return _fail("no_narrator")


def _find_stray_end(text: str, marks: list[QuoteMark]) -> int:
    """Where a sentence ends whose outer marks are not both there: before a mark that opens none."""
    if not marks or _WORD.search(text, marks[-1].index):
        return len(text)
    last = marks[-1]
    single = last.character in APOSTROPHES
    if single and text[last.index - 1].isalnum():
        # After a letter it may be an elision (un po'), after a full stop it cannot.
        return len(text)
    depth = 0
    for mark in marks:
        if (mark.character in APOSTROPHES) == single:
            # A single mark that does not open may be an apostrophe; only the last one counts.
            opens = mark.opens and not (mark.closes and depth)
            depth += 1 if opens else -1 if not single or mark is last else 0
    return last.index if depth < 0 else len(text)


def _drop_comma(text: str, end: int) -> int:
    """The end without the comma that joins a sentence to the narrator behind it."""
    stripped = text[:end].rstrip()
    return len(stripped) - stripped.endswith(",")


def _check(text: str, start: int, end: int, how: str, narration: Narration) -> _Place:
    """The place without spaces at its ends, if what stands there can be the sentence."""
    place = _trim(text, start, end, how)
    sentence = text[place.start : place.end]
    if "\n" in sentence and how != "quoted":
        return _fail("several_lines")
    if narration.holds_narrator(sentence, at_start=False):
        return _fail("narrator_inside")
    return place


def _trim(text: str, start: int, end: int, how: str) -> _Place:
    """The place without spaces at its ends, if there is a word in it."""
    sentence = text[start:end].strip()
    if not _WORD.search(sentence):
        return _fail("empty")
    start = text.index(sentence, start)
    return _Place(start, start + len(sentence), how)

"""The translated sentence out of the wrapper that came back with it.

Never a fragment and never the narrator: where the sentence cannot be told from its surroundings,
extraction fails with a detail for people. The rules look at marks, not at languages; the only
language data are the words for man and woman, taken from the noun templates.

Known limit: if an engine drops the narrator, and the sentence itself begins with a few words, a
colon or comma, and a quotation up to its end, that quotation is taken for the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from corpus.hashing import nfc
from corpus.languages import TemplateKind, load_languages
from pipeline.quotes import APOSTROPHES, CLOSERS, QuoteMark, find_closing, find_quote_marks

_WORD = re.compile(r"\w+")
_COLON = re.compile(r"[:：](?!\d)")
_SEPARATORS = (",", "–", "—", "-")
_SENTENCE_ENDS = frozenset(".!?…;")
_MAX_NARRATOR_WORDS = 6


@dataclass(frozen=True, slots=True)
class Extraction:
    """The sentence between the outer marks, or None with a detail; exactly one is given."""

    text: str | None
    """NFC, without outer marks and spaces, otherwise unchanged."""
    how: str
    """`quoted`, `unclosed`, `unopened`, `colon` or `narrator_after`; what failed if there is no
    text: `empty`, `no_narrator`, `no_quotes`, `text_after_quote`, `split_quote`."""


def extract_sentence(wrapped: str, language: str | None = None) -> Extraction:
    """The translated sentence inside a wrapped translation.

    Args:
        wrapped: an engine's answer to a wrapped sentence.
        language: its language's code. Without a known one, a narrator after the quote or without
            a colon or comma before it is not recognised, and extraction fails there.
    """
    text = nfc(wrapped).strip()
    nouns = find_narrator_nouns(language)
    marks = list(find_quote_marks(text))
    opening = next((mark.index for mark in marks if mark.opens), None)
    if opening == 0:
        return _extract_quoted(text, nouns, narrator_before=False)
    colon = _COLON.search(text)
    if colon is not None and (opening is None or colon.start() < opening):
        return _extract_after_colon(text, colon.start(), nouns)
    if opening is None:
        return Extraction(None, "no_quotes" if _WORD.search(text) else "empty")
    if not _introduces(text[:opening], nouns):
        return Extraction(None, "no_narrator")
    return _extract_quoted(text[opening:], nouns, narrator_before=True)


@cache
def find_narrator_nouns(language: str | None) -> frozenset[str]:
    """The words for man and woman in a language's noun templates, case folded.

    The two phrases share their verb or have verbs and articles that resemble each other (povedal,
    povedala; der, die); the nouns do not. So the nouns are those words of one phrase, three letters
    or longer, that start like no word peculiar to the other.
    """
    entry = load_languages().get(language or "")
    if entry is None:
        return frozenset()
    nouns: set[str] = set()
    for template in entry.templates:
        if template.kind is TemplateKind.NOUN:
            frames = (template.masculine, template.feminine)
            first, second = (_fold_words(f"{frame.before} {frame.after}") for frame in frames)
            nouns |= _find_unlike(first - second, second - first)
            nouns |= _find_unlike(second - first, first - second)
    return frozenset(nouns)


def _find_unlike(words: set[str], others: set[str]) -> set[str]:
    initials = {word[0] for word in others}
    return {word for word in words if len(word) >= 3 and word[0] not in initials}


def _fold_words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _introduces(before: str, nouns: frozenset[str]) -> bool:
    """Whether text before an opening mark without a colon is a narrator."""
    words = _fold_words(before)
    before = before.rstrip()
    separated = before.endswith(_SEPARATORS)
    inner = before[:-1] if separated else before
    if len(words) > _MAX_NARRATOR_WORDS or not words or "," in inner:
        return False
    return not _SENTENCE_ENDS & set(inner) and (separated or bool(words & nouns))


def _extract_after_colon(text: str, colon: int, nouns: frozenset[str]) -> Extraction:
    narrator, body = text[:colon], text[colon + 1 :].strip()
    words = _fold_words(narrator)
    if not words or len(words) > _MAX_NARRATOR_WORDS or (_SENTENCE_ENDS | {","}) & set(narrator):
        return Extraction(None, "no_narrator")
    marks = list(find_quote_marks(body))
    if marks and marks[0].index == 0 and marks[0].opens:
        return _extract_quoted(body, nouns, narrator_before=True)
    if nouns and not words & nouns:
        # A colon alone may be the sentence's own: without a known narrator that cannot be told.
        return Extraction(None, "no_narrator")
    end = _find_unopened(body, marks)
    return _build_extraction(body[:end], "colon" if end is None else "unopened")


def _find_unopened(body: str, marks: list[QuoteMark]) -> int | None:
    """Index of a closing mark at the end whose opening mark is missing, None if there is none."""
    if not marks or _WORD.search(body, marks[-1].index):
        return None
    last = marks[-1]
    if last.character in APOSTROPHES:
        # After a letter it may be an elision (un po'), after a full stop it cannot.
        return last.index if not body[last.index - 1].isalnum() else None
    depth = 0
    for mark in marks:
        if mark.character not in APOSTROPHES:
            depth += 1 if mark.opens and not (mark.closes and depth) else -1
    return last.index if depth < 0 else None


def _extract_quoted(body: str, nouns: frozenset[str], *, narrator_before: bool) -> Extraction:
    """The sentence in a text that starts with its opening mark."""
    single = body[0] in APOSTROPHES or body[0] == "‚"
    marks = [mark for mark in find_quote_marks(body) if (mark.character in APOSTROPHES) == single]
    if single:
        closing, split = _find_single_closing(body, marks)
    else:
        closing, split = find_closing(marks), False
    if split:
        return Extraction(None, "split_quote")
    if closing is None:
        if not narrator_before:
            return Extraction(None, "no_narrator")
        return _build_extraction(body[1:], "unclosed")
    after = _fold_words(body[closing + 1 :])
    if not after:
        return _build_extraction(body[1:closing], "quoted")
    if narrator_before:
        return Extraction(None, "text_after_quote")
    if any(mark.index > closing for mark in marks):
        return Extraction(None, "split_quote")
    if len(after) > _MAX_NARRATOR_WORDS or not after & nouns:
        return Extraction(None, "no_narrator")
    return _build_extraction(body[1:closing].rstrip().removesuffix(","), "narrator_after")


def _find_single_closing(body: str, marks: list[QuoteMark]) -> tuple[int | None, bool]:
    """Index of the last mark that may close a single-quoted body, and whether there are two quotes.

    An apostrophe at a word's end looks like a closing mark, so the last one counts; two quotes side
    by side show by their marks being balanced between them.
    """
    depth, closing, balanced = 1, None, False
    for mark in marks:
        if mark.index == 0:
            continue
        if mark.closes and mark.character in CLOSERS[body[0]]:
            depth -= 1
            closing = mark.index
        elif mark.opens:
            balanced = balanced or depth == 0
            depth += 1
    return closing, balanced and depth == 0


def _build_extraction(text: str, how: str) -> Extraction:
    text = text.strip()
    return Extraction(text, how) if _WORD.search(text) else Extraction(None, "empty")

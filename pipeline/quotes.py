"""Quotation marks in running text: which open, which close, and which are apostrophes.

Marks are judged by what stands around them, because the same character opens in one language and
closes in another (“ in English and Slovak, » in French and Danish, ” in Polish and Finnish).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

APOSTROPHES = frozenset("'’‘‛`´ʼ")
"""Single marks that are also apostrophes."""

CLOSERS: dict[str, str] = {
    '"': '"”“',
    "“": '”“"',
    "”": '”"',
    "„": '“”"„',
    "‟": '”"',
    "«": '»"”',
    "»": '«»"',
    "‹": "›",
    "›": "‹›",
    "‚": "‘’'",
    "‘": "’'‘",
    "’": "’'",
    "‛": "’'",
    "'": "'’",
    "`": "'´`’",
    "´": "´'’",
    "ʼ": "ʼ'’",
    "＂": "＂",
    "″": "″",
    "「": "」",
    "『": "』",
    # These only close; where their surroundings say that they open, they are closed by their like.
    "」": "」",
    "』": "』",
}
"""Opening mark → marks that may close it, the usual one first; engines mix them.

Every mark has an entry, because any of them may stand where a quotation opens.
"""

QUOTE_MARKS = frozenset(CLOSERS)
_USUALLY_OPEN = frozenset("„‚「『")
_RUN = re.compile(f"[{re.escape(''.join(sorted(QUOTE_MARKS)))}]+")
_BEFORE_OPENING = frozenset(":;([{—–-")
_AFTER_CLOSING = frozenset(".,!?…;:)]}—–-")
_SENTENCE_MARKS = frozenset(".,!?…")


_DEEPEST = 20
"""Quotations within one another; more of them are an engine that repeats itself."""


@dataclass(frozen=True, slots=True)
class QuoteMark:
    """A quotation mark in a text, as far as its surroundings tell."""

    index: int
    character: str
    opens: bool
    closes: bool
    """Both are true where the surroundings do not tell."""


def find_quote_marks(text: str, elisions: tuple[str, ...] = ()) -> list[QuoteMark]:
    """The quotation marks of a text in their order, apostrophes left out.

    Args:
        text: a text in which marks are single characters.
        elisions: words of its language written with an apostrophe (here ') at their edge.
    """
    elided = _find_elided(text, elisions)
    marks = []
    for run in _RUN.finditer(text):
        left = text[run.start() - 1] if run.start() else None
        right = text[run.end()] if run.end() < len(text) else None
        for index in range(*run.span()):
            mark = _judge_mark(index, text[index], left, right)
            if mark is not None and index not in elided:
                marks.append(mark)
    return marks


def _find_elided(text: str, elisions: tuple[str, ...]) -> set[int]:
    """Indices of the apostrophes that belong to one of the words."""
    if not elisions or APOSTROPHES.isdisjoint(text):
        return set()
    return {match.start("initial") for match in _compile_initial(elisions).finditer(text)} | {
        match.start("final") for match in _compile_final(elisions).finditer(text)
    }


_ANY_APOSTROPHE = f"[{''.join(sorted(APOSTROPHES))}]"


@cache
def _compile_initial(elisions: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(word[1:]) for word in elisions if word.startswith("'"))
    return re.compile(rf"(?<!\w)(?P<initial>{_ANY_APOSTROPHE})(?:{words or '(?!)'})(?!\w)")


@cache
def _compile_final(elisions: tuple[str, ...]) -> re.Pattern[str]:
    # At the end of a clause the mark may as well close a quotation.
    words = "|".join(re.escape(word[:-1]) for word in elisions if word.endswith("'"))
    pattern = rf"(?<!\w)(?:{words or '(?!)'})(?P<final>{_ANY_APOSTROPHE})(?=\s+\w)"
    return re.compile(pattern, re.IGNORECASE)


def _judge_mark(
    index: int, character: str, left: str | None, right: str | None
) -> QuoteMark | None:
    may_open = left is None or left.isspace() or left in _BEFORE_OPENING
    may_close = _ends(right)
    if character in _USUALLY_OPEN and (may_open or not may_close):
        return QuoteMark(index, character, opens=True, closes=False)
    if may_open != may_close:
        return QuoteMark(index, character, opens=may_open, closes=may_close)
    inside_word = not may_open and left not in _SENTENCE_MARKS
    if inside_word and character in APOSTROPHES:
        return None
    return QuoteMark(index, character, opens=True, closes=True)


def _ends(right: str | None) -> bool:
    return right is None or right.isspace() or right in _AFTER_CLOSING


def find_closing(marks: Iterable[QuoteMark]) -> int | None:
    """Index of the mark that closes the first of `marks`, nested quotes skipped.

    None if none does or they are nested too deep.

    `marks` must not hold apostrophes, whose use inside sentences cannot be told from closing.
    """
    stack: list[str] = []
    for mark in marks:
        closed = _find_level(mark, stack)
        if closed is None:
            if mark.opens:
                stack.append(mark.character)
            if len(stack) > _DEEPEST:
                return None
            continue
        del stack[closed:]
        if not stack:
            return mark.index
    return None


def _find_level(mark: QuoteMark, stack: list[str]) -> int | None:
    """The open quote that the mark closes, None if it closes none.

    That is the innermost one whose usual closing mark it is, or else the innermost it may close.
    """
    if not mark.closes:
        return None
    levels = list(range(len(stack) - 1, -1, -1))
    if mark.opens:
        levels = levels[:1]
    may_close = [level for level in levels if mark.character in CLOSERS[stack[level]]]
    usual = [level for level in may_close if mark.character in _usual_closers(stack[level])]
    return next(iter(usual or may_close), None)


def _usual_closers(opening: str) -> str:
    """The marks that close a quotation where no engine mixes them: „ has two, by language."""
    return "“”" if opening == "„" else CLOSERS[opening][0]


def find_single_closing(marks: Sequence[QuoteMark]) -> tuple[int | None, bool]:
    """Index of the last mark that may close the first, and whether there are two quotations.

    For single marks: an apostrophe at a word's end looks like a closing mark, so the last one
    counts; two quotations side by side show by their marks being balanced between them.
    """
    depth, closing, balanced = 1, None, False
    for mark in marks[1:]:
        if mark.closes and mark.character in CLOSERS[marks[0].character]:
            depth -= 1
            closing = mark.index
        elif mark.opens:
            balanced = balanced or depth == 0
            depth += 1
    return closing, balanced and depth == 0

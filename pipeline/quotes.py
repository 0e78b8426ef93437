"""Quotation marks in running text: which open, which close, and which are apostrophes.

Marks are judged by what stands around them, because the same character opens in one language and
closes in another (“ in English and Slovak, » in French and Danish, ” in Polish and Finnish).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

APOSTROPHES = frozenset("'’‘‛`´ʼ")
"""Single marks that are also apostrophes."""

CLOSERS: dict[str, str] = {
    '"': '"”“',
    "“": '”“"',
    "”": '”"',
    "„": '“”"',
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
    "「": "」",
    "『": "』",
}
"""Opening mark → marks that may close it, the usual one first; engines mix them."""

_ALWAYS_OPEN = frozenset("„‚「『")
_ALL = frozenset(CLOSERS) | frozenset("".join(CLOSERS.values()))
_RUN = re.compile(f"[{re.escape(''.join(sorted(_ALL)))}]+")
_BEFORE_OPENING = frozenset(":;([{—–-")
_AFTER_CLOSING = frozenset(".,!?…;:)]}—–-")
_SENTENCE_MARKS = frozenset(".,!?…")


@dataclass(frozen=True, slots=True)
class QuoteMark:
    """A quotation mark in a text, as far as its surroundings tell."""

    index: int
    character: str
    opens: bool
    closes: bool
    """Both are true where the surroundings do not tell."""


def find_quote_marks(text: str) -> Iterator[QuoteMark]:
    """The quotation marks of a text in their order; apostrophes inside words are left out."""
    for run in _RUN.finditer(text):
        left = text[run.start() - 1] if run.start() else None
        right = text[run.end()] if run.end() < len(text) else None
        for index in range(*run.span()):
            mark = _judge_mark(index, text[index], left, right)
            if mark is not None:
                yield mark


def _judge_mark(
    index: int, character: str, left: str | None, right: str | None
) -> QuoteMark | None:
    if character in _ALWAYS_OPEN:
        return QuoteMark(index, character, opens=True, closes=False)
    may_open = left is None or left.isspace() or left in _BEFORE_OPENING
    may_close = _ends(right)
    if may_open != may_close:
        return QuoteMark(index, character, opens=may_open, closes=may_close)
    inside_word = not may_open and left not in _SENTENCE_MARKS
    if inside_word and character in APOSTROPHES:
        return None
    return QuoteMark(index, character, opens=True, closes=True)


def _ends(right: str | None) -> bool:
    return right is None or right.isspace() or right in _AFTER_CLOSING


def find_closing(marks: Iterable[QuoteMark]) -> int | None:
    """Index of the mark that closes the first of `marks`, nested quotes skipped; None if none.

    `marks` must not hold apostrophes, whose use inside sentences cannot be told from closing.
    """
    stack: list[str] = []
    for mark in marks:
        closed = _find_level(mark, stack)
        if closed is None:
            if mark.opens:
                stack.append(mark.character)
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
    usual = [level for level in may_close if mark.character == CLOSERS[stack[level]][0]]
    return next(iter(usual or may_close), None)

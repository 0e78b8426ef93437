"""Quotation marks that engines spell with other characters, read as the marks they stand for.

Text under test is data: `&quot;` in an answer stays `&quot;` in the sentence that is stored, where
a red flag reports it. It is read as a quotation mark only to find where the sentence begins and
ends. The same holds for „ written as two commas, “ as two backticks, " as two apostrophes and « as
two less-than signs, and for characters that cannot be seen.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_SPELLING = re.compile(
    # Engines also translate entities: "& quot;" and "&# 39;".
    r"&\s?(?:amp;\s?)*(#\s?(?:[0-9]{1,7}|x[0-9a-f]{1,6})|[a-z]{2,8})\s?;"
    r"|,,(?=[^\s,])|``|''|<<|>>|[\u00ad\u200b-\u200f\u2060\ufeff]",
    re.IGNORECASE,
)
_MARKS = {",,": "„", "``": "“", "''": '"', "<<": "«", ">>": "»"}
_MAYBE = re.compile(r"[&`<>\u00ad\u200b-\u200f\u2060\ufeff]|,,|''")


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as it is read, and where in the written text each of its characters stands."""

    text: str
    written: str
    spans: tuple[tuple[int, int], ...] | None
    """For each character read, what was written as [start, end); None if both are the same."""

    def find_written(self, start: int, end: int) -> str:
        """What was written for the characters read from `start` to before `end`."""
        if self.spans is None:
            return self.written[start:end]
        if start >= end:
            return ""
        return self.written[self.spans[start][0] : self.spans[end - 1][1]]


def read_marks(written: str) -> Reading:
    """The text with entities and spelled-out quotation marks read as what they stand for."""
    if not _MAYBE.search(written):
        return Reading(written, written, None)
    # Two apostrophes make a quotation mark only where another one answers them: in ''s Ochtends
    # a quotation begins with an apostrophe.
    doubled = written.count("''") > 1 or ",," in written or "``" in written
    read: list[str] = []
    spans: list[tuple[int, int]] = []
    last = 0
    for match in _SPELLING.finditer(written):
        meant = _read_spelling(match, doubled)
        if meant is None:
            continue
        read += written[last : match.start()]
        spans += [(index, index + 1) for index in range(last, match.start())]
        read += meant
        spans += [match.span()] * len(meant)
        last = match.end()
    read += written[last:]
    spans += [(index, index + 1) for index in range(last, len(written))]
    return Reading("".join(read), written, tuple(spans))


def _read_spelling(match: re.Match[str], doubled: bool) -> str | None:
    """What a spelling stands for, empty for nothing; None if it stands for itself."""
    if match[1] is not None:
        entity = f"&{''.join(match[1].split())};"
        for candidate in (entity, entity.lower()):
            meant = html.unescape(candidate)
            if meant != candidate:
                return meant
        return None
    if match[0] == "''" and not doubled:
        return None
    return _MARKS.get(match[0], "")

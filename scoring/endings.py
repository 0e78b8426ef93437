"""Both variants of an item ended with the same punctuation, for protocol `terminated`.

In some templates one variant's text is the beginning of the other's (Polish `powiedział` and
`powiedziała`), so that the longer one alone pays for the tokens that the shorter one lacks. With
a full stop after both, each variant's last word is complete before something that both share.

All 30 languages end a statement with a full stop, and no template ends in punctuation, so that is
what is put after them (the developers' reading). White space at the end of a template (French) and
marks that end a sentence give way to it. Pairs that end alike, as `Bol som sám.` and `Bola som
sama.` do, have nothing to add and are not scored twice.
"""

from __future__ import annotations

import unicodedata

FULL_STOP = "."
MARKS = ".!?…"
MARKS_OF = {"el": MARKS + ";"}
"""Language → marks that end a sentence there; Greek asks with a semicolon."""


def end_alike(masculine: str, feminine: str, language: str) -> bool:
    """Whether both texts end with the same mark, closing quotes and brackets behind it included."""
    tail = _tail(masculine, language)
    return tail == _tail(feminine, language) and any(
        mark in tail for mark in MARKS_OF.get(language, MARKS)
    )


def cut_marks(text: str, language: str) -> str:
    """The text without the marks and white space at its end, for a full stop to follow."""
    end = len(text)
    while end and (text[end - 1].isspace() or text[end - 1] in MARKS_OF.get(language, MARKS)):
        end -= 1
    return text[:end]


def _tail(text: str, language: str) -> str:
    """What stands behind the last character that is neither a mark nor closes something."""
    marks = MARKS_OF.get(language, MARKS)
    end = len(text)
    while end and (text[end - 1] in marks or _closes(text[end - 1])):
        end -= 1
    return text[end:]


def _closes(character: str) -> bool:
    # Some languages close a quotation with what others open it with.
    return character in "\"'" or unicodedata.category(character) in {"Pe", "Pf", "Pi"}

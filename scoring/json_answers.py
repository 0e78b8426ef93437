"""The value of a key in an answer that should be a JSON object but may wrap or nest one.

Every JSON object and list in the text is read, in fences, in prose, in one another or in a string.
If the key has one value in all of them, that is the answer; several different ones are not chosen
between. A number may be written as a text, with a decimal comma, a percentage sign or
a minus sign instead of a hyphen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import JSONDecoder
from typing import Any, NoReturn

from corpus.hashing import nfc

MAX_BRACKETS = 2_000
"""Brackets of one answer that are tried as the beginning of a JSON text."""

_BRACKET = re.compile(r"[{\[]")
_MINUS = "\u2212"
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?=\s*%?$)")


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """The value an answer holds, or why it cannot be read; one of the two is None."""

    value: float | str | None
    """A number if it can be read as one, otherwise the text."""
    problem: str | None = None


def read_json_answer(answer: str, key: str) -> JsonAnswer:
    """The one value that an answer's JSON has for a key, whatever case the key is written in."""
    found = [value for data in _find_json(answer) for value in _find_values(data, key.casefold())]
    if not found:
        return JsonAnswer(None, f"no JSON object with the key {key!r}")
    values = [_interpret(value) for value in found]
    if None in values:
        return JsonAnswer(None, f"{key!r} is neither a number nor a text")
    if len(set(values)) > 1:
        return JsonAnswer(None, f"{key!r} has several values")
    return JsonAnswer(values[0])


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


class _Pairs(list[tuple[str, Any]]):
    """An object as its pairs, so that a key given twice is seen twice."""


_DECODER = JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_refuse_constant)


def _find_json(text: str) -> Iterator[Any]:
    """Every JSON object and list of a text that is not inside another one."""
    at = tried = 0
    while tried < MAX_BRACKETS:
        match = _BRACKET.search(text, at)
        if match is None:
            return
        tried += 1
        try:
            data, at = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.start() + 1
        else:
            yield data


def _find_values(data: Any, key: str) -> Iterator[Any]:
    """The values of a key anywhere in what was read, in order."""
    if isinstance(data, _Pairs):
        for name, value in data:
            inner = list(_find_values(value, key))
            if name.casefold() == key and not inner:
                yield value
            yield from inner
    elif isinstance(data, list):
        for value in data:
            yield from _find_values(value, key)
    elif isinstance(data, str) and data.lstrip().startswith("{"):
        for inner in _find_json(data):
            yield from _find_values(inner, key)


def _interpret(value: Any) -> float | str | None:
    """A number, a text in small letters, or None for what is neither."""
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    if not isinstance(value, str):
        return None
    text = nfc(value).strip().casefold()
    match = _NUMBER.match(text.replace(_MINUS, "-", 1))
    if match is not None:
        return float(match[0].replace(",", "."))
    return text or None

"""The text of a prompt file and what braces in it mean, with every fault in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from corpus.errors import Fault, InputError
from corpus.prompts import PLACEHOLDER, find_placeholders

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_FORM = "write placeholders in capitals, {GENDER} or {GENDER1} from 1 on, and no other braces"


def load_text(path: Path, what: str) -> str:
    """The text of a UTF-8 file, byte-order mark and line ends as they are.

    Args:
        path: the file.
        what: what to name where there is none, e.g. `a CSV file`.

    Raises:
        InputError: if it cannot be read or is not UTF-8.
    """
    file = str(path)
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError(
            [Fault(file, None, None, "the file does not exist", f"name {what}")]
        ) from None
    except UnicodeDecodeError as error:
        row = error.object[: error.start].count(b"\n") + 1
        problem = f"invalid UTF-8 at byte {error.start}"
        raise InputError([Fault(file, row, None, problem, "save the file as UTF-8")]) from None
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError([Fault(file, None, None, problem, f"name {what}")]) from None


def find_placeholder_problems(prompt: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the placeholders of a prompt: problem and remedy."""
    for match in _BRACES.finditer(prompt):
        if not PLACEHOLDER.fullmatch(match[0]):
            yield f"{match[0]} is no placeholder", _FORM
    found = find_placeholders(prompt)
    for markup in sorted({each.markup for each in found}):
        numbers = {each.number for each in found if each.markup == markup}
        if None in numbers and len(numbers) > 1:
            yield f"{{{markup}}} stands beside a numbered one", "number all of them or none"

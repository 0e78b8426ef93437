"""A folder with one TOML file a language, `<code>.toml`, read with every fault of every file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import unstorable
from corpus.toml_files import parse_toml

SUFFIX = ".toml"


def list_language_files(place: Traversable) -> dict[str, Traversable]:
    """Code of each language that has a file → the file, in alphabetical order."""
    files = sorted((f for f in place.iterdir() if f.name.endswith(SUFFIX)), key=lambda f: f.name)
    return {file.name.removesuffix(SUFFIX): file for file in files}


def read_language_tables(
    files: Iterable[Traversable],
    find_faults: Callable[[Mapping[str, Any], str], Iterable[Fault]],
) -> tuple[dict[str, dict[str, Any]], Sequence[Fault]]:
    """File name → what the file holds, for files that are TOML; and what is wrong with each.

    Args:
        files: The files.
        find_faults: What is wrong with a file, given its content and its name.
    """
    tables: dict[str, dict[str, Any]] = {}
    faults: list[Fault] = []
    for file in files:
        try:
            tables[file.name] = parse_toml(file.read_bytes(), file.name)
        except InputError as error:
            faults.extend(error.faults)
        else:
            faults.extend(find_faults(tables[file.name], file.name))
    return tables, faults


def text_faults(value: Any, file: str, field: str) -> Iterator[Fault]:
    """What is wrong with a text of a file."""
    if not isinstance(value, str) or not value.strip():
        yield Fault(file, None, field, "missing or not a text", "write it")
    elif problem := unstorable(value):
        yield Fault(file, None, field, f"text holds a {problem}", "remove the character")
    elif value != value.strip():
        yield Fault(file, None, field, "white space at an end", "remove it")

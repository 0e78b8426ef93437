"""Models files: which models are scored together, and what is known of each.

A models file is TOML:

    [[models]]
    name = "example/stork-1b-chat"      # on the hub, or the path of a folder
    revision = "main"                   # branch, tag or commit on the hub
    dtype = "bfloat16"
    bos = "always"
    likelihood = "causal"
    family = "Stork"
    size = 1_000_000_000                # number of parameters
    size_name = "large"                 # what its makers call its size
    casing = "uncased"                  # of the tokenizer; or cased
    kind = "instruct"                   # or base
    base = "example/stork-1b"           # what an instruct model was made from
    supported_languages = ["en", "sk"]

Only the name is needed. How a model is loaded (revision, dtype, bos, likelihood) is what the
command line says where the file is silent; the rest goes into the result, for comparison.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import langcodes

from corpus.errors import Fault, InputError
from corpus.hashing import nfc, unstorable
from corpus.toml_files import parse_toml

TEXTS = ("name", "revision", "family", "base", "size_name")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "dtype": ("float32", "bfloat16", "float16"),
    "bos": ("tokenizer", "always"),
    "likelihood": ("auto", "causal", "pseudo", "pseudo-within-word", "masked-difference"),
    "kind": ("base", "instruct"),
    "casing": ("cased", "uncased"),
}
KEYS = (*TEXTS, *CHOICES, "size", "supported_languages")
IDENTIFYING = ("name", "revision", "dtype", "bos", "likelihood")


class ModelKind(StrEnum):
    """What a model was trained for last."""

    BASE = "base"
    """To continue text."""
    INSTRUCT = "instruct"
    """To follow instructions; it was made from a base model."""


@dataclass(frozen=True, slots=True)
class ModelMetadata:
    """What a models file says of a model that its checkpoint does not; None is not said."""

    family: str | None = None
    size: int | None = None
    """Number of parameters."""
    kind: ModelKind | None = None
    base: str | None = None
    """Name of the base model of an instruct model."""
    supported_languages: tuple[str, ...] | None = None
    """Codes of the languages that its makers say it was made for, sorted."""
    size_name: str | None = None
    """What its makers call its size, e.g. base or large."""
    casing: str | None = None
    """`cased` or `uncased`: whether its tokenizer tells capitals from small letters."""

    def as_json(self) -> dict[str, Any]:
        """All that is said, by name."""
        known = {
            "family": self.family,
            "size": self.size,
            "size_name": self.size_name,
            "casing": self.casing,
            "kind": None if self.kind is None else str(self.kind),
            "base": self.base,
            "supported_languages": (
                None if self.supported_languages is None else list(self.supported_languages)
            ),
        }
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model of a models file; None leaves a way of loading to the command line."""

    name: str
    revision: str | None = None
    dtype: str | None = None
    bos: str | None = None
    likelihood: str | None = None
    metadata: ModelMetadata = ModelMetadata()


def load_models_file(path: Path) -> tuple[ModelEntry, ...]:
    """The models of a file, in its order.

    Raises:
        InputError: with every fault of the file.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        remedy = "give the path of a models file"
        raise InputError([Fault(str(path), None, None, problem, remedy)]) from error
    return parse_models(data, str(path))


def parse_models(data: bytes, file: str) -> tuple[ModelEntry, ...]:
    """The models in the bytes of a TOML file; `file` is its name in messages.

    Raises:
        InputError: with every fault found, each with the number of its entry, from 1 on.
    """
    table = parse_toml(data, file)
    faults = list(_file_faults(table, file))
    if faults:
        raise InputError(faults)
    return tuple(_parse_entry(entry) for entry in table["models"])


def name_entry(number: int, field: str | None = None) -> str:
    """How messages name an entry of a models file, or a field of it."""
    return f"models[{number}].{field}" if field else f"models[{number}]"


def _parse_entry(entry: Mapping[str, Any]) -> ModelEntry:
    texts = {key: nfc(entry[key]) for key in (*TEXTS, *CHOICES) if key in entry}
    languages = entry.get("supported_languages")
    return ModelEntry(
        name=texts["name"],
        revision=texts.get("revision"),
        dtype=texts.get("dtype"),
        bos=texts.get("bos"),
        likelihood=texts.get("likelihood"),
        metadata=ModelMetadata(
            family=texts.get("family"),
            size=entry.get("size"),
            size_name=texts.get("size_name"),
            casing=texts.get("casing"),
            kind=ModelKind(texts["kind"]) if "kind" in texts else None,
            base=texts.get("base"),
            supported_languages=None if languages is None else tuple(sorted(languages)),
        ),
    )


def _file_faults(table: Mapping[str, Any], file: str) -> Iterator[Fault]:
    for key in sorted(table.keys() - {"models"}):
        yield Fault(file, None, key, "unknown key", "write tables [[models]] only")
    entries = table.get("models")
    if (
        not isinstance(entries, list)
        or not entries
        or not all(isinstance(e, dict) for e in entries)
    ):
        remedy = "write one table [[models]] with a name for each model"
        yield Fault(file, None, "models", "missing, empty or not a list of tables", remedy)
        return
    for number, entry in enumerate(entries, start=1):
        yield from _entry_faults(entry, file, number)
    yield from _repetition_faults(entries, file)


def _entry_faults(entry: Mapping[str, Any], file: str, number: int) -> Iterator[Fault]:
    for key in sorted(entry.keys() - set(KEYS)):
        field = name_entry(number, key)
        yield Fault(file, None, field, "unknown key", f"use {', '.join(KEYS)}")
    found = (*_text_problems(entry), *_choice_problems(entry), *_known_problems(entry))
    for key, problem, remedy in found:
        yield Fault(file, None, name_entry(number, key), problem, remedy)


def _text_problems(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Key, problem and remedy of each text that is none."""
    for key in TEXTS:
        value = entry.get(key)
        if key not in entry and key != "name":
            continue
        if not isinstance(value, str) or not value.strip():
            remedy = "name a model of the hub or a folder" if key == "name" else "write a text"
            yield key, "missing or not a text", remedy
        elif problem := unstorable(value):
            yield key, f"text holds a {problem}", "remove the character"


def _choice_problems(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key, known in CHOICES.items():
        if key in entry and entry[key] not in known:
            yield key, f"{entry[key]!r} is not known", f"use {', '.join(known)}"


def _known_problems(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Problems of size, base and languages."""
    if "size" in entry and not _is_count(entry["size"]):
        yield "size", "not a whole number from 1 on", "write the number of parameters"
    if "base" in entry and entry.get("kind") != ModelKind.INSTRUCT:
        remedy = 'write kind = "instruct", or leave base out'
        yield "base", "a base model is named, but the kind is not instruct", remedy
    if "base" in entry and entry["base"] == entry.get("name"):
        yield "base", "the model itself", "name the model that it was made from"
    if "supported_languages" in entry:
        problem = _languages_problem(entry["supported_languages"])
        if problem:
            yield "supported_languages", problem, 'write codes, e.g. ["en", "sk"]'


def _repetition_faults(entries: list[dict[str, Any]], file: str) -> Iterator[Fault]:
    marks = [repr([entry.get(key) for key in IDENTIFYING]) for entry in entries]
    times = Counter(marks)
    for number, (mark, entry) in enumerate(zip(marks, entries, strict=True), start=1):
        if times[mark] > 1 and marks.index(mark) != number - 1:
            problem = f"{entry.get('name')!r} stands {times[mark]} times"
            yield Fault(file, None, name_entry(number), problem, "keep one")


def _languages_problem(value: Any) -> str | None:
    if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
        return "not a list of codes"
    wrong = [code for code in value if code != code.lower() or not langcodes.tag_is_valid(code)]
    if wrong:
        return f"{', '.join(map(repr, wrong))} is no language code"
    if len(set(value)) != len(value):
        return "a code stands twice"
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1

"""LangBiTe's requirements JSON: read strictly, written without a loss.

The text between and around requirements is kept, and so is every requirement that has not changed,
in its own layout; a changed one is written anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from json.decoder import JSONDecoder
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.prompt_text import load_text
from corpus.prompts import Requirement
from corpus.requirement_fields import SETTINGS, read_requirement, read_settings

REQUIREMENTS_KEY = "requirements"
_BETWEEN = ",\n    "


@dataclass(frozen=True, slots=True)
class RequirementEntry:
    """One requirement with its text in the file, so that it can be written as it was."""

    requirement: Requirement
    raw: str | None = None
    """None for a requirement that no file had."""
    read: Requirement | None = None
    """The requirement that `raw` says."""


@dataclass(frozen=True, slots=True)
class RequirementsFile:
    """The requirements of one file, and the settings that stand beside them."""

    file: str
    settings: Mapping[str, Any]
    """`temperature`, `tokens`, … as the file has them; only those it has."""
    entries: tuple[RequirementEntry, ...]
    before: str
    """The file's text up to the first requirement."""
    between: tuple[str, ...]
    """What stands between one requirement and the next."""
    after: str

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The requirements in order."""
        return tuple(entry.requirement for entry in self.entries)


def load_requirements_file(path: Path) -> RequirementsFile:
    """The requirements of a JSON file.

    Raises:
        InputError: with every fault of the file.
    """
    content, faults = read_requirements_file(path)
    if faults:
        raise InputError(faults)
    return content


def read_requirements_file(path: Path) -> tuple[RequirementsFile, tuple[Fault, ...]]:
    """The requirements that can be read of a JSON file, and all faults of the file.

    Raises:
        InputError: if the file is no list of requirements at all.
    """
    file = str(path)
    text = load_text(path, "a JSON file of requirements")
    faults: list[Fault] = []
    data = _parse(file, text, faults)
    spans = _find_spans(text)
    settings = read_settings(file, data, faults)
    found = []
    for index, value in enumerate(data[REQUIREMENTS_KEY]):
        row = text.count("\n", 0, spans[index][0]) + 1
        requirement = read_requirement(file, row, f"{REQUIREMENTS_KEY}[{index}]", value, faults)
        if requirement is not None:
            raw = text[slice(*spans[index])]
            found.append((row, RequirementEntry(requirement, raw, requirement)))
    faults.extend(_find_repeated(file, [(row, entry.requirement) for row, entry in found]))
    between = tuple(text[end:start] for (_, end), (start, _) in pairwise(spans))
    before, after = text[: spans[0][0]], text[spans[-1][1] :]
    entries = tuple(entry for _, entry in found)
    return RequirementsFile(file, settings, entries, before, between, after), tuple(faults)


def render_requirements_file(content: RequirementsFile) -> bytes:
    """The file's bytes: requirements that have not changed as they were, the others anew."""
    parts = [content.before]
    for index, entry in enumerate(content.entries):
        if index:
            known = content.between
            parts.append(known[index - 1] if index <= len(known) else (*known, _BETWEEN)[0])
        unchanged = entry.raw is not None and entry.read == entry.requirement
        parts.append(entry.raw or "" if unchanged else _render(entry.requirement))
    return "".join([*parts, content.after]).encode("utf-8")


def build_requirements_file(
    file: str, requirements: tuple[Requirement, ...], settings: Mapping[str, Any]
) -> RequirementsFile:
    """A file that nobody has written yet.

    Raises:
        ValueError: if a setting is not one of the published ones.
    """
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        raise ValueError(f"unknown settings {', '.join(unknown)}")
    lines = "".join(
        f"    {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n"
        for name, value in settings.items()
    )
    entries = tuple(RequirementEntry(requirement) for requirement in requirements)
    before = f'{{\n{lines}    "{REQUIREMENTS_KEY}": [\n    '
    return RequirementsFile(file, settings, entries, before, (), "\n    ]\n}\n")


def _parse(file: str, text: str, faults: list[Fault]) -> dict[str, Any]:
    """The file's object, with a list of at least one requirement in it."""

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in sorted({name for name in names if names.count(name) > 1}):
            faults.append(Fault(file, None, name, "the key stands twice", "give each key once"))
        return dict(pairs)

    try:
        parsed = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=collect)
    except json.JSONDecodeError as error:
        problem = f"not JSON ({error.msg}, column {error.colno})"
        raise InputError([Fault(file, error.lineno, None, problem, "correct it")]) from None
    except RecursionError:
        raise InputError([Fault(file, None, None, "nested too deeply", "correct it")]) from None
    data: dict[str, Any] = parsed if isinstance(parsed, dict) else {}
    values = data.get(REQUIREMENTS_KEY)
    if not isinstance(values, list) or not values:
        problem = "no list of requirements"
        remedy = 'write {"requirements": [{…}]}'
        raise InputError([*faults, Fault(file, None, REQUIREMENTS_KEY, problem, remedy)])
    if any(fault.field == REQUIREMENTS_KEY for fault in faults):
        raise InputError(faults)
    return data


def _find_spans(text: str) -> list[tuple[int, int]]:
    """Where each requirement begins and ends in a text that is known to be valid."""
    decoder = JSONDecoder()
    at = _skip(text, text.index("{") + 1)
    while True:
        key, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if key == REQUIREMENTS_KEY:
            break
        _, at = decoder.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
    spans = []
    while text[at] != "]":
        start = _skip(text, at + 1)
        _, end = decoder.raw_decode(text, start)
        spans.append((start, end))
        at = _skip(text, end)
    return spans


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _find_repeated(file: str, found: list[tuple[int, Requirement]]) -> list[Fault]:
    """Faults of names and concerns that two requirements share."""
    faults = []
    for field in ("name", "concern"):
        first: dict[str, int] = {}
        for row, requirement in found:
            key = requirement.name if field == "name" else requirement.concern.key
            if key in first:
                problem = f"{key} has a requirement at row {first[key]} already"
                faults.append(Fault(file, row, field, problem, "write one requirement for each"))
            first.setdefault(key, row)
    return faults


def _render(requirement: Requirement) -> str:
    concern = requirement.concern
    languages = concern.communities[0].names if concern.communities else requirement.languages
    data = {
        "name": requirement.name,
        "rationale": requirement.rationale,
        "languages": list(requirement.languages),
        "tolerance": requirement.tolerance,
        "delta": requirement.delta,
        "concern": concern.name,
        "markup": concern.markup,
        "communities": {
            language: [community.names[language] for community in concern.communities]
            for language in languages
        },
        "inputs": [str(each) for each in requirement.inputs],
        "reflections": [str(each) for each in requirement.reflections],
    }
    lines = (f'        "{key}": {json.dumps(data[key], ensure_ascii=False)}' for key in data)
    return "{\n" + ",\n".join(lines) + "\n    }"

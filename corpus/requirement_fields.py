"""The fields of one requirement and of the settings beside it, each checked, all faults at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any, TypeVar

from corpus.errors import Fault
from corpus.hashing import nfc, unstorable
from corpus.prompt_oracles import is_share
from corpus.prompts import Community, Concern, InputType, ReflectionType, Requirement

SETTINGS: Mapping[str, type | tuple[type, ...]] = {
    "timestamp": int,
    "nTemplates": int,
    "nRetries": int,
    "temperature": (int, float),
    "tokens": int,
    "useLLMEval": bool,
    "aiModels": list,
    "llms": list,
}
"""The settings of the published files and what kind of value each is."""
FIELDS = (
    "name",
    "rationale",
    "languages",
    "tolerance",
    "delta",
    "concern",
    "markup",
    "communities",
    "inputs",
    "reflections",
)
_MARKUP = re.compile(r"[A-Z]+(?:_[A-Z]+)*")
Kind = TypeVar("Kind", bound=StrEnum)


def read_settings(file: str, data: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    """The settings of a file; one nobody knows or of another kind is a fault."""
    settings = {name: value for name, value in data.items() if name != "requirements"}
    for name, value in settings.items():
        known = SETTINGS.get(name)
        if known is None:
            remedy = f"use {', '.join(SETTINGS)} or requirements"
            faults.append(Fault(file, None, name, "unknown key", remedy))
        elif not _is_kind(value, known):
            kinds = known if isinstance(known, tuple) else (known,)
            names = " or ".join(kind.__name__ for kind in kinds)
            faults.append(Fault(file, None, name, f"{value!r} is no {names}", "correct the value"))
    return settings


def _is_kind(value: Any, known: type | tuple[type, ...]) -> bool:
    if isinstance(value, bool) or known is bool:
        return isinstance(value, bool) and known is bool
    return isinstance(value, known) and not (isinstance(value, float) and not isfinite(value))


def read_requirement(
    file: str, row: int, place: str, data: Any, faults: list[Fault]
) -> Requirement | None:
    """The requirement of a JSON value, or None with its faults added.

    Args:
        file: the file's name.
        row: line the value starts on.
        place: where it stands, e.g. `requirements[2]`.
        data: the value.
        faults: what faults are added to.
    """
    if not isinstance(data, dict):
        faults.append(Fault(file, row, place, "no JSON object", "write one object for each"))
        return None
    reader = _Reader(file, row, place, data, faults)
    before = len(faults)
    reader.check_keys()
    name, rationale = reader.text("name"), reader.text("rationale", may_be_empty=True)
    languages = reader.texts("languages")
    tolerance, delta = reader.share("tolerance"), reader.share("delta")
    concern, markup = reader.text("concern"), reader.text("markup")
    if markup and not _MARKUP.fullmatch(markup):
        reader.fault("markup", f"{markup!r} is no markup", "write capitals, SKIN_COLOR")
    communities = reader.communities(languages)
    inputs = reader.choices("inputs", InputType)
    reflections = reader.choices("reflections", ReflectionType)
    if len(faults) > before:
        return None
    about = Concern(concern, markup, communities)
    return Requirement(name, rationale, languages, tolerance, delta, about, inputs, reflections)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the fields of one requirement; a value that is wrong becomes a fault."""

    file: str
    row: int
    place: str
    data: Mapping[str, Any]
    faults: list[Fault]

    def fault(self, field: str, problem: str, remedy: str) -> None:
        self.faults.append(Fault(self.file, self.row, f"{self.place}.{field}", problem, remedy))

    def check_keys(self) -> None:
        for key in self.data:
            if key not in FIELDS:
                self.fault(key, "unknown key", f"use {', '.join(FIELDS)}")
        for key in FIELDS:
            if key not in self.data:
                self.fault(key, "missing", "fill it in")

    def text(self, field: str, *, may_be_empty: bool = False) -> str:
        value = self.data.get(field, "")
        if not isinstance(value, str) or unstorable(value):
            self.fault(field, f"{value!r} is no text", "write a text")
            return ""
        if field in self.data and not may_be_empty and not value.strip():
            self.fault(field, "empty", "fill it in")
        return nfc(value)

    def share(self, field: str) -> float:
        value = self.data.get(field, 0)
        if not is_share(value):
            self.fault(field, f"{value!r} is no share", "write a number between 0 and 1")
            return 0
        return value  # type: ignore[no-any-return]

    def texts(self, field: str) -> tuple[str, ...]:
        values = self.data.get(field, [])
        if field in self.data and not values:
            self.fault(field, "empty", "name at least one")
        return self._list(field, values)

    def _list(self, field: str, values: Any) -> tuple[str, ...]:
        """The texts of a list, each different; empty where it is not one."""
        if not isinstance(values, list) or not all(
            isinstance(value, str) and value.strip() and not unstorable(value) for value in values
        ):
            self.fault(field, "no list of texts", 'write ["…", "…"]')
            return ()
        repeated = sorted({value for value in values if values.count(value) > 1})
        if repeated:
            self.fault(field, f"{', '.join(repeated)} stands twice", "name each once")
        return tuple(nfc(value) for value in values)

    def choices(self, field: str, kinds: type[Kind]) -> tuple[Kind, ...]:
        found = []
        for value in self.texts(field):
            if value in set(kinds):
                found.append(kinds(value))
            else:
                self.fault(field, f"{value!r} is not known", f"use {', '.join(kinds)}")
        return tuple(found)

    def communities(self, languages: tuple[str, ...]) -> tuple[Community, ...]:
        """The communities, each with its names; all languages must have as many, in one order."""
        data = self.data.get("communities", {})
        if not isinstance(data, dict):
            self.fault("communities", "no JSON object", 'write {"en_us": ["…"]}')
            return ()
        lists = {
            language: self._list(f"communities.{language}", values)
            for language, values in data.items()
        }
        for language in languages:
            if "communities" in self.data and language not in lists:
                remedy = "name the communities in every language of the requirement"
                self.fault(f"communities.{language}", "missing", remedy)
        for problem_language, problem in _find_other_lengths(lists):
            remedy = "name the same communities in the same order in every language"
            self.fault(f"communities.{problem_language}", problem, remedy)
        count = min(map(len, lists.values()), default=0)
        return tuple(
            Community({language: names[index] for language, names in lists.items()})
            for index in range(count)
        )


def _find_other_lengths(lists: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Languages whose list has another length than the first language's."""
    first = next(iter(lists), None)
    for language, names in lists.items():
        if first is not None and len(names) != len(lists[first]):
            yield language, f"{len(names)} communities where {first} has {len(lists[first])}"

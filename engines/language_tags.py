"""How a sequence-to-sequence model is told which language to translate into.

The conventions are data, in `corpus/translation_tags.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

_LAST_PART = re.compile(r"-([a-z]{2,3})\Z")


class Placement(StrEnum):
    """Where the tag of the target language stands."""

    FORCED = "forced"
    """First token of the output."""
    PREFIX = "prefix"
    """Before the text."""
    NONE = "none"
    """Nowhere: the model knows one target language only."""


@dataclass(frozen=True, slots=True)
class TagConvention:
    """A model's way of naming target languages."""

    family: str
    placement: Placement
    tags: Mapping[str, str]
    """Language code → tag, for those of the 30 languages that the model knows."""
    source: str | None = None
    """How the tokenizer is told that the source is English, where it must be."""
    separator: str = ""

    def tagged(self, text: str, language: str) -> str:
        """The text as it goes into the tokenizer."""
        if self.placement is not Placement.PREFIX:
            return text
        return f"{self.tags[language]}{self.separator}{text}"


def find_convention(
    vocabulary: Collection[str], model_type: str, name: str
) -> TagConvention | None:
    """The convention of a model, or None if it is none of those known.

    Args:
        vocabulary: tokens of its tokenizer.
        model_type: as in its configuration; a Marian model without tags is bilingual.
        name: of the model, whose last part names a bilingual model's target, if it names a known
            language (`opus-mt-en-sk`).
    """
    data = _load()
    for family, entry in data["families"].items():
        tags = _known_tags(entry["tags"], data["languages"], vocabulary)
        if tags:
            return TagConvention(
                family,
                Placement(entry["placement"]),
                tags,
                entry.get("source"),
                entry.get("separator", ""),
            )
    if model_type != "marian":
        return None
    named = _target_of_name(name, data["languages"])
    return TagConvention(
        "bilingual",
        Placement.NONE,
        dict.fromkeys([named] if named else data["languages"], ""),
    )


@cache
def _load() -> dict[str, Any]:
    text = resources.files("corpus").joinpath("translation_tags.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _known_tags(
    forms: list[str], languages: Mapping[str, Mapping[str, str]], vocabulary: Collection[str]
) -> dict[str, str]:
    known = {}
    for code, names in languages.items():
        given = {"code": code, "macro": names["iso3"], **names}
        possible = (form.format(**given) for form in forms)
        tag = next((tag for tag in possible if tag in vocabulary), None)
        if tag is not None:
            known[code] = tag
    return known


def _target_of_name(name: str, languages: Mapping[str, Mapping[str, str]]) -> str | None:
    match = _LAST_PART.search(name)
    if match is None:
        return None
    return next(
        (code for code, names in languages.items() if match[1] in (code, names["iso3"])), None
    )

"""How engines translate the two narrators, and the words that carry an apostrophe at their edge."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any


class NarratorPart(StrEnum):
    """How much of a narrator some words are: who speaks, that somebody spoke, or both."""

    NONE = "none"
    SPEAKER = "speaker"
    SAYING = "saying"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Narrators:
    """The narrators `The man said` and `The woman said` in one language, as engines write them.

    The developers' reading. Nouns, verbs and particles are case folded.
    """

    language: str
    nouns: frozenset[str]
    verbs: frozenset[str]
    particles: frozenset[str]
    before: tuple[str, ...]
    """Usual phrases in front of a sentence, without the colon or comma."""
    after: tuple[str, ...]
    """Usual phrases behind a sentence."""
    around: tuple[tuple[str, str], ...]
    """Usual phrases that enclose a sentence."""
    elisions: tuple[str, ...]
    """Words with an apostrophe (here always ') at their start or end."""

    def judge(self, words: Sequence[str]) -> NarratorPart:
        """What these words, case folded, are of a narrator: `none` if one of them is no part of it.

        A whole narrator has one noun, at least one verb and nothing that is not listed.
        """
        known = all(w in self.nouns or w in self.verbs or w in self.particles for w in words)
        speakers = sum(word in self.nouns for word in words)
        if not known or speakers > 1:
            return NarratorPart.NONE
        says = not self.verbs.isdisjoint(words)
        if speakers:
            return NarratorPart.WHOLE if says else NarratorPart.SPEAKER
        return NarratorPart.SAYING if says else NarratorPart.NONE


@cache
def load_narrators() -> Mapping[str, Narrators]:
    """The narrators by language code, English included; read once."""
    text = resources.files("corpus").joinpath("narrators.toml").read_text(encoding="utf-8")
    return MappingProxyType(
        {code: _parse_narrators(code, entry) for code, entry in tomllib.loads(text).items()}
    )


def _parse_narrators(code: str, entry: Mapping[str, Any]) -> Narrators:
    return Narrators(
        language=code,
        nouns=_fold([*entry["man"], *entry["woman"]]),
        verbs=_fold(entry["verbs"]),
        particles=_fold(entry["particles"]),
        before=tuple(entry["before"]),
        after=tuple(entry["after"]),
        around=tuple((before, after) for before, after in entry.get("around", [])),
        elisions=tuple(entry.get("elisions", [])),
    )


def _fold(words: Sequence[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)

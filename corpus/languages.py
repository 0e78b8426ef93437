"""The 30 languages: where each shows gender, its quotation marks and its templates."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import sha256_json


class TemplateKind(StrEnum):
    """What carries the gender in a template: `the man said` or `he said`."""

    NOUN = "noun"
    PRONOUN = "pronoun"


class Position(StrEnum):
    """Where the gendered word of a template stands; the two positions are never pooled."""

    FINAL = "final"
    INITIAL = "initial"


class Edition(StrEnum):
    """Which wording of a template; one that a language does not have is its corrected one."""

    CHOSEN = "chosen"
    """As a curator chose it from what raters said of it; a release brings it along."""
    CORRECTED = "corrected"
    """The translators' corrections applied."""
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class GenderMarking:
    """The word classes in which a language shows grammatical gender.

    Source: Rowe et al. 2025 (EuroGEST), table of languages.
    """

    pronouns: bool
    nouns_articles: bool
    adjectives: bool
    verbs: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before and after the sentence, quotation marks and spaces included."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Template:
    """The two frames that give a neutral sentence a masculine and a feminine variant."""

    language: str
    kind: TemplateKind
    position: Position
    edition: Edition
    """`published` only where the published wording was corrected afterwards."""
    masculine: Frame
    feminine: Frame

    @property
    def id(self) -> str:
        """`language/kind/position/edition`, unique among all templates."""
        return f"{self.language}/{self.kind}/{self.position}/{self.edition}"

    @property
    def content_hash(self) -> str:
        """sha256 of the language and both frames, byte-exact: what a score or rating rests on."""
        frames = [[frame.before, frame.after] for frame in (self.masculine, self.feminine)]
        return sha256_json([self.language, frames])


@dataclass(frozen=True, slots=True)
class Language:
    """One language of the product."""

    code: str
    """ISO 639-1."""
    name: str
    """English name, as the published data name their splits."""
    endonym: str
    family: str
    branch: str
    shows: GenderMarking
    gendered_first_person: bool
    """Whether a first-person sentence can show the speaker's gender: such languages are translated
    with both wrappers."""
    eu_official: bool
    pronoun_template_usable: bool
    quotation_pairs: tuple[tuple[str, str], ...]
    """Opening and closing marks that its text uses, most typical first; typewriter marks last."""
    templates: tuple[Template, ...]


@cache
def load_languages() -> Mapping[str, Language]:
    """All languages by code, in alphabetical order of the codes; read once."""
    text = resources.files("corpus").joinpath("languages.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    common = data["common_quotation_pairs"]
    entries = sorted(data["languages"].items())
    return MappingProxyType({code: _parse_language(code, entry, common) for code, entry in entries})


def language(code: str) -> Language:
    """The language with this ISO 639-1 code.

    Raises:
        InputError: if the code is unknown; the message names the known ones.
    """
    return languages([code])[0]


def languages(codes: Iterable[str], origin: str = "languages") -> tuple[Language, ...]:
    """The languages with these codes, in the order given, repetitions left out.

    Args:
        codes: ISO 639-1 codes.
        origin: Where the codes come from (an option, a file), named in the message.

    Raises:
        InputError: if codes are unknown, with one fault for each.
    """
    known = load_languages()
    unique = list(dict.fromkeys(codes))
    faults = [_unknown_code(code, origin) for code in unique if code not in known]
    if faults:
        raise InputError(faults)
    return tuple(known[code] for code in unique)


def by_name(name: str) -> Language:
    """The language with this English name, in any case.

    Raises:
        InputError: if the name is unknown; the message names the known ones.
    """
    found = _find_by_name(name)
    if found is None:
        names = ", ".join(entry.name for entry in load_languages().values())
        raise InputError(
            [Fault("languages", None, name, "unknown language", f"use one of {names}")]
        )
    return found


def _find_by_name(name: str) -> Language | None:
    wanted = name.strip().casefold()
    for entry in load_languages().values():
        if entry.name.casefold() == wanted:
            return entry
    return None


def _unknown_code(code: str, origin: str) -> Fault:
    known = load_languages()
    meant = known.get(code.strip().lower()) or _find_by_name(code)
    remedy = f"use {meant.code}" if meant else f"use one of {', '.join(known)}"
    return Fault(origin, None, code, "unknown language code", remedy)


def _parse_language(code: str, entry: Mapping[str, Any], common: list[list[str]]) -> Language:
    pairs = [(opening, closing) for opening, closing in [*entry["quotation_pairs"], *common]]
    return Language(
        code=code,
        name=entry["name"],
        endonym=entry["endonym"],
        family=entry["family"],
        branch=entry["branch"],
        shows=GenderMarking(**entry["shows"]),
        gendered_first_person=entry["gendered_first_person"],
        eu_official=entry["eu_official"],
        pronoun_template_usable=entry["pronoun_template_usable"],
        quotation_pairs=tuple(dict.fromkeys(pairs)),
        templates=tuple(_parse_templates(code, entry)),
    )


def _parse_templates(code: str, entry: Mapping[str, Any]) -> Iterable[Template]:
    opening, closing = entry["quotes"]
    for edition, phrases in (
        (Edition.CORRECTED, entry),
        (Edition.PUBLISHED, entry.get("published", {})),
    ):
        for kind in TemplateKind:
            if kind in phrases:
                masculine, feminine = (
                    Frame(opening, f"{closing} {phrase}") for phrase in phrases[kind]
                )
                yield Template(code, kind, Position.FINAL, edition, masculine, feminine)
    for name, frames in entry.get("initial", {}).items():
        yield Template(
            code,
            TemplateKind(name),
            Position.INITIAL,
            Edition.CORRECTED,
            Frame(*frames["masculine"]),
            Frame(*frames["feminine"]),
        )

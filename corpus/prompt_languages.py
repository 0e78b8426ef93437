"""Languages of prompt tests: the product's own, those of the study beside them, and file names.

Prompt files name a language with its country, `en_us`; records name it by its code, `en`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from corpus.errors import Fault, InputError
from corpus.languages import load_languages

ADDITIONAL: Mapping[str, str] = MappingProxyType({"lb": "Luxembourgish"})
"""Languages of the published study of prompts that have no templates of gender; code → name."""
TAGS: Mapping[str, str] = MappingProxyType({"en": "en_us", "es": "es_es", "ca": "ca_es"})
"""Code → how the published files call the language; any other is called by its code."""


@dataclass(frozen=True, slots=True)
class PromptLanguage:
    """A language that prompts are translated into."""

    code: str
    """ISO 639-1."""
    name: str
    """English name."""

    @property
    def tag(self) -> str:
        """What prompt files call it."""
        return TAGS.get(self.code, self.code)


@cache
def load_prompt_languages() -> Mapping[str, PromptLanguage]:
    """All languages of prompt tests by code, in alphabetical order of the codes."""
    names = {code: each.name for code, each in load_languages().items()} | dict(ADDITIONAL)
    return MappingProxyType({code: PromptLanguage(code, names[code]) for code in sorted(names)})


def prompt_languages(codes: Iterable[str], origin: str = "languages") -> tuple[PromptLanguage, ...]:
    """The languages with these codes, in the order given, repetitions left out.

    Args:
        codes: ISO 639-1 codes.
        origin: where the codes come from (an option, a file), named in the message.

    Raises:
        InputError: with every code that nobody knows.
    """
    known = load_prompt_languages()
    unique = list(dict.fromkeys(codes))
    remedy = f"use one of {', '.join(known)}"
    faults = [
        Fault(origin, None, code, "unknown language code", remedy)
        for code in unique
        if code not in known
    ]
    if faults:
        raise InputError(faults)
    return tuple(known[code] for code in unique)


def name_of(code: str) -> str:
    """English name of a language of any instrument.

    Raises:
        InputError: if the code is unknown.
    """
    return prompt_languages([code])[0].name


def code_of_tag(tag: str, origin: str = "languages") -> str:
    """The code of a language that a prompt file calls by this tag: `en` for `en_us`.

    Raises:
        InputError: if no language of prompt tests has the code.
    """
    [found] = prompt_languages([tag.partition("_")[0]], origin)
    return found.code

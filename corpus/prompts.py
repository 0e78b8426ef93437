"""Prompt tests of chat models: template, oracle, concern, community and requirement.

A template is one test. It is filled with the communities of its concern, every way of filling it is
an instance, and its oracle judges the answers to all of them. Texts are NFC, otherwise as written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

PLACEHOLDER = re.compile(r"\{([A-Z]+(?:_[A-Z]+)*)([1-9][0-9]*)?\}")
"""`{GENDER}` or `{GENDER1}`: the markup in capitals and, where several communities are meant, the
number of the community."""

US_CENTRED_CONCERNS = frozenset({"politics"})
"""Concerns whose published templates are about the United States (named by the study)."""


class InputType(StrEnum):
    """Whether the unbiased answer is among those a prompt offers."""

    CONSTRAINED = "constrained"
    VERBOSE = "verbose"


class ReflectionType(StrEnum):
    """Whether a prompt asks how things are or how they should be."""

    OBSERVATIONAL = "observational"
    UTOPIAN = "utopian"


class Operation(StrEnum):
    """What an oracle checks; the names are those of the published files."""

    EQUAL = "equal"
    DIFFERENT = "different"
    NOT_INCLUDES_ANY = "notIncludesAny"
    ALL_EQUAL_EXPECTED = "allEqualExpected"
    ALL_SAME_VALUE = "allSameValue"


EXPECTED_VALUE_KIND = "expected value"
SAME_VALUE_KIND = "same value"


@dataclass(frozen=True, slots=True)
class Oracle:
    """How the answers to a template's instances are judged."""

    operation: Operation
    expected: tuple[str, ...] = ()
    """Values looked for in an answer; empty for `allSameValue`."""
    key: str = ""
    """Key of the JSON object asked for; only for `allSameValue`."""
    delta: float | None = None
    """Largest difference allowed between values, as a share of 100; None leaves it to the
    requirement."""

    @property
    def kind(self) -> str:
        """`same value` or `expected value`, as the column `oracle` has it."""
        same = self.operation is Operation.ALL_SAME_VALUE
        return SAME_VALUE_KIND if same else EXPECTED_VALUE_KIND

    @property
    def demands_structure(self) -> bool:
        """Whether an answer must hold a JSON object to be judged at all."""
        return self.operation is Operation.ALL_SAME_VALUE


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One place of a template that a community is filled into."""

    markup: str
    number: int | None
    """From 1 on; None where it has none."""

    @property
    def text(self) -> str:
        """As it stands in the template, braces included."""
        return "{" + self.markup + ("" if self.number is None else str(self.number)) + "}"


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """One test in one language, before communities are filled in."""

    id: str
    """Unique in its language; the same id in another language is the same test."""
    language: str
    """As the files name it, `en_us`."""
    concern: str
    input_type: InputType
    reflection_type: ReflectionType
    prompt: str
    """The text with placeholders."""
    oracle: Oracle
    task_prefix: str = ""
    """What is said before the text; empty if nothing is."""
    output_formatting: str = ""
    """What is asked of the form of the answer."""
    source: str = ""

    @property
    def concern_key(self) -> str:
        """The concern's name as files are compared by it."""
        return concern_key(self.concern)

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """The different placeholders, by markup and number."""
        found = set(find_placeholders(self.prompt))
        return tuple(sorted(found, key=lambda each: (each.markup, each.number or 0)))


@dataclass(frozen=True, slots=True)
class Community:
    """A group that a concern is about, as each language names it."""

    names: Mapping[str, str]
    """Language → the words that are filled in."""


@dataclass(frozen=True, slots=True)
class Concern:
    """What tests are about, with the markup its templates use and its communities."""

    name: str
    markup: str
    """Without braces and number: `GENDER`."""
    communities: tuple[Community, ...]
    """In one order for all languages; empty where templates name nobody."""

    @property
    def key(self) -> str:
        """The name as files are compared by it."""
        return concern_key(self.name)

    def names_in(self, language: str) -> tuple[str, ...]:
        """What the communities are called in this language, in order.

        Raises:
            KeyError: if the concern does not name them in this language.
        """
        return tuple(community.names[language] for community in self.communities)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What is asked of a model about one concern."""

    name: str
    rationale: str
    languages: tuple[str, ...]
    tolerance: float
    """Least share of tests that must pass, in [0, 1]."""
    delta: float
    """Largest difference between values of `allSameValue`, as a share of 100, in [0, 1]."""
    concern: Concern
    inputs: tuple[InputType, ...]
    reflections: tuple[ReflectionType, ...]

    def asks_for(self, template: PromptTemplate) -> bool:
        """Whether the template is one of the requirement's tests."""
        return (
            template.concern_key == self.concern.key
            and template.language in self.languages
            and template.input_type in self.inputs
            and template.reflection_type in self.reflections
        )


def concern_key(name: str) -> str:
    """A concern's name for comparing: the published files write it in two cases."""
    return name.strip().casefold()


def find_placeholders(text: str) -> tuple[Placeholder, ...]:
    """Every placeholder of a text in the order of the text, repetitions included."""
    return tuple(
        Placeholder(match[1], int(match[2]) if match[2] else None)
        for match in PLACEHOLDER.finditer(text)
    )

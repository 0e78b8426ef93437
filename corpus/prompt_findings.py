"""What is wrong with prompt templates that could be read: reported with its place, never dropped.

A finding is blocking where the template cannot be sent as it is meant; the others say what a reader
of results has to know. Published files hold both kinds.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from corpus.errors import Fault
from corpus.langbite_files import TemplateFile, TemplateRow
from corpus.prompt_text import find_placeholder_problems
from corpus.prompts import (
    InputType,
    Operation,
    PromptTemplate,
    find_placeholders,
)

FINDINGS: dict[str, str] = {
    "wrong_placeholder": "braces that are no placeholder, or plain and numbered ones mixed",
    "bare_markup": "a markup without its braces",
    "placeholder_elsewhere": "a placeholder outside the prompt, where nothing is filled in",
    "numbering_gap": "placeholders that are not numbered 1, 2, … without a gap",
    "equal_with_placeholder": "an oracle for one answer, where communities give several",
    "nothing_to_compare": "allSameValue over a single instance",
    "input_type_contradicts": "input type and the answers offered do not agree",
    "key_not_asked": "the answer is not asked for the key that the oracle reads",
    "repeated_prompt": "two templates that send the same text",
    "repeated_id": "two templates of one language with the same id",
    "placeholders_differ": "other placeholders than the same test in another language",
    "test_differs": "another concern, type or oracle than the same test in another language",
    "missing_in_language": "tests that another language has",
    "not_asked_for": "templates that no requirement asks for",
    "no_template": "a requirement without a template in one of its languages",
    "placeholder_not_filled": "a placeholder that the requirement has no communities for",
    "too_few_communities": "fewer communities than the placeholders need",
    "agreement": "an article that does not fit a community",
}
"""Kinds of findings and what each means."""

_ALL_JUDGED = "say allEqualExpected; all answers are judged, the published tool judges the first"
_QUOTED = re.compile(r'"([^"]+)"')


class MakeFinding(Protocol):
    """Makes a finding about one template."""

    def __call__(
        self, kind: str, field: str, problem: str, remedy: str, *, blocking: bool = False
    ) -> Finding:
        """The finding in its place."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with templates or requirements, and what to do about it."""

    kind: str
    """One of `FINDINGS`."""
    file: str
    row: int | None
    """Line of the file; None where the whole file is meant."""
    field: str | None
    problem: str
    remedy: str
    blocking: bool = False
    """Whether the templates cannot be sent as they are meant."""
    templates: tuple[str, ...] = ()
    """Ids of the templates it is about."""

    def as_fault(self) -> Fault:
        """The same as a fault of the file, where the file is refused."""
        return Fault(self.file, self.row, self.field, self.problem, self.remedy)

    def __str__(self) -> str:
        row = f":{self.row}" if self.row is not None else ""
        field = f" [{self.field}]" if self.field else ""
        return f"{self.file}{row}{field}: {self.problem}. {self.remedy}."


def find_template_findings(files: Sequence[TemplateFile]) -> tuple[Finding, ...]:
    """What is wrong with each file alone and with the files beside one another.

    Args:
        files: English, or else the first that has a test, is what other languages are compared
            with.
    """
    markups = {
        placeholder.markup
        for file in files
        for template in file.templates
        for placeholder in template.placeholders
    }
    found: list[Finding] = []
    for file in files:
        for row in file.rows:
            found.extend(_find_in_row(file, row, markups))
        found.extend(_find_repeated_prompts(file))
    found.extend(_find_repeated_ids(files))
    found.extend(_find_differences(files))
    found.extend(_find_missing(files))
    return tuple(found)


def _find_in_row(file: TemplateFile, row: TemplateRow, markups: set[str]) -> Iterator[Finding]:
    template = row.template

    def finding(
        kind: str, field: str, problem: str, remedy: str, *, blocking: bool = False
    ) -> Finding:
        ids = (template.id,)
        return Finding(kind, file.file, row.row, field, problem, remedy, blocking, ids)

    for problem, remedy in find_placeholder_problems(template.prompt):
        yield finding("wrong_placeholder", "prompt", problem, remedy, blocking=True)
    for markup in _find_bare_markups(template.prompt, markups):
        problem, remedy = f"{markup} stands without braces", f"write {{{markup}}}"
        yield finding("bare_markup", "prompt", problem, remedy, blocking=True)
    for field in ("task_prefix", "output_formatting"):
        for placeholder in find_placeholders(getattr(template, field)):
            problem = f"{placeholder.text} is filled in nowhere but in the prompt"
            remedy = "move it to the prompt"
            yield finding("placeholder_elsewhere", field, problem, remedy, blocking=True)
    gap = _find_gap(template)
    if gap:
        yield finding("numbering_gap", "prompt", gap, "number them 1, 2, … without a gap")
    yield from _find_in_oracle(template, finding)


def _find_in_oracle(template: PromptTemplate, finding: MakeFinding) -> Iterator[Finding]:
    oracle, field = template.oracle, "oracle_prediction"
    filled = bool(template.placeholders)
    if filled and oracle.operation is Operation.EQUAL:
        problem = "equal judges one answer, and the placeholder gives several"
        yield finding("equal_with_placeholder", field, problem, _ALL_JUDGED)
    offered = {text.casefold() for text in _QUOTED.findall(template.output_formatting)}
    if oracle.demands_structure:
        if not filled:
            problem = "one instance has nothing to be compared with"
            yield finding("nothing_to_compare", "prompt", problem, "write a placeholder")
        if oracle.key.casefold() not in offered:
            problem = f"the key {oracle.key!r} is not asked for"
            yield finding("key_not_asked", "output_formatting", problem, "ask for the key")
        return
    if not offered or oracle.operation in (Operation.DIFFERENT, Operation.NOT_INCLUDES_ANY):
        return
    expected = [text for text in oracle.expected if text.casefold() in offered]
    if template.input_type is InputType.CONSTRAINED and not expected:
        problem = "constrained, and no answer that is offered is expected"
        yield finding("input_type_contradicts", "input_type", problem, "offer one, or say verbose")
    if template.input_type is InputType.VERBOSE and expected:
        problem = f"verbose, and {expected[0]!r} is both offered and expected"
        remedy = "do not offer it, or say constrained"
        yield finding("input_type_contradicts", "input_type", problem, remedy)


def _find_bare_markups(prompt: str, markups: set[str]) -> list[str]:
    # A word at a brace is a placeholder or told as a wrong one.
    words = set(re.findall(r"\w+", re.sub(r"\{\w*\}?|\w+\}", " ", prompt)))
    return sorted(words & markups)


def _find_gap(template: PromptTemplate) -> str | None:
    numbers: dict[str, list[int]] = defaultdict(list)
    for placeholder in template.placeholders:
        if placeholder.number is not None:
            numbers[placeholder.markup].append(placeholder.number)
    for markup, found in numbers.items():
        if found != list(range(1, len(found) + 1)):
            return f"{markup} is numbered {', '.join(map(str, found))}"
    return None


def _find_repeated_prompts(file: TemplateFile) -> Iterator[Finding]:
    first: dict[tuple[str, str, str], TemplateRow] = {}
    for row in file.rows:
        template = row.template
        sent = (template.task_prefix, template.prompt, template.output_formatting)
        if sent in first:
            earlier = first[sent].template.id
            problem = f"the same text as template {earlier} is sent"
            ids = (earlier, template.id)
            remedy = "take one away: the test counts twice"
            yield Finding(
                "repeated_prompt", file.file, row.row, "prompt", problem, remedy, False, ids
            )
        first.setdefault(sent, row)


def _find_repeated_ids(files: Sequence[TemplateFile]) -> Iterator[Finding]:
    """Templates of one language that have an id of another file's."""
    first: dict[tuple[str, str], TemplateFile] = {}
    for file in files:
        for row in file.rows:
            key = (file.language, row.template.id)
            if key in first:
                problem = f"{row.template.id} is an id of {first[key].file} too"
                ids, remedy = (row.template.id,), "give each template of a language its own id"
                yield Finding(
                    "repeated_id", file.file, row.row, "prompt_id", problem, remedy, True, ids
                )
            first.setdefault(key, file)


def _find_differences(files: Sequence[TemplateFile]) -> Iterator[Finding]:
    """Templates that differ from the same test in English, or in the first language that has it."""
    first: dict[str, PromptTemplate] = {}
    for file in sorted(files, key=lambda each: each.language.split("_")[0] != "en"):
        for row in file.rows:
            template = row.template
            other = first.setdefault(template.id, template)
            if other.language == template.language:
                continue
            ids = (template.id,)
            texts = [" ".join(each.text for each in one.placeholders) for one in (template, other)]
            if texts[0] != texts[1]:
                problem = f"{texts[0] or 'no placeholder'} where {other.language} has "
                problem += texts[1] or "none"
                remedy = "give both the same placeholders"
                yield Finding(
                    "placeholders_differ", file.file, row.row, "prompt", problem, remedy, False, ids
                )
            for field, mine, theirs in _compare(template, other):
                problem = f"{mine} where {other.language} has {theirs}"
                remedy = "make it the same test, or give it another id"
                yield Finding(
                    "test_differs", file.file, row.row, field, problem, remedy, False, ids
                )


def _compare(mine: PromptTemplate, theirs: PromptTemplate) -> Iterator[tuple[str, str, str]]:
    pairs = (
        ("concern", mine.concern_key, theirs.concern_key),
        ("input_type", mine.input_type, theirs.input_type),
        ("reflection_type", mine.reflection_type, theirs.reflection_type),
        ("oracle_prediction", mine.oracle.operation, theirs.oracle.operation),
        ("oracle_prediction", mine.oracle.key, theirs.oracle.key),
    )
    return ((field, str(one), str(other)) for field, one, other in pairs if one != other)


def _find_missing(files: Sequence[TemplateFile]) -> Iterator[Finding]:
    """One finding for each language that lacks tests another language has."""
    having: dict[str, set[str]] = defaultdict(set)
    order: Counter[str] = Counter()
    for file in files:
        having[file.language].update(template.id for template in file.templates)
        order.update(template.id for template in file.templates)
    for language, ids in having.items():
        missing = tuple(number for number in order if number not in ids)
        if missing:
            name = next(file.file for file in files if file.language == language)
            problem = f"{len(missing)} tests of the other languages are missing"
            remedy = "translate them, or compare languages on common tests only"
            yield Finding("missing_in_language", name, None, None, problem, remedy, False, missing)

"""Forms: what raters are asked, as a versioned record.

The Label Studio XML, the validation of what comes back, the demo raters and the in-memory server
all derive from one `Form`, so that a question cannot mean two things. Definitions are files in
`corpus/forms/`; a changed question is a new version, never an edit, because ratings name the
version they answered.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from corpus.errors import StereoscopeError
from corpus.records import Stamp


class FieldKind(StrEnum):
    """How a field is answered."""

    SCORE = "score"
    """A whole number on a scale with anchors, without a preset value."""
    CHOICE = "choice"
    """Exactly one of the named choices."""
    TEXT = "text"
    """Free text."""


class ShownKind(StrEnum):
    """What a shown text is to the rater."""

    TEXT = "text"
    """A text under test, shown literally."""
    NOTE = "note"
    """Said to the rater before the texts; nothing is there when it is empty."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Another field holds a value, or a score below a number."""

    field: str
    value: str | None = None
    below: int | None = None

    def holds(self, answers: Mapping[str, Any]) -> bool:
        """Whether the answers meet the condition."""
        answer = answers.get(self.field)
        if self.below is None:
            return bool(answer == self.value)
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            return False
        return answer < self.below


@dataclass(frozen=True, slots=True)
class Field:
    """One question of a form."""

    name: str
    kind: FieldKind
    question: str
    help: str = ""
    low: int = 0
    high: int = 100
    anchors: Mapping[str, str] = field(default_factory=dict)
    """Point of the scale (as text) → what it means."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """Stored value → what the rater reads."""
    shown_when: Condition | None = None
    """The field is only there when this holds; an answer given before it ceased to hold is void."""
    required: bool = False
    """Required wherever it is shown."""
    required_when: Condition | None = None
    """Required whenever this holds, even where it is not shown: then the answers do not fit."""
    question_when_required: str = ""
    """What is asked in place of the question where `required_when` holds."""

    def is_required(self, answers: Mapping[str, Any]) -> bool:
        """Whether these answers must hold the field."""
        if self.required_when is not None and self.required_when.holds(answers):
            return True
        if self.shown_when is not None and not self.shown_when.holds(answers):
            return False
        return self.required


@dataclass(frozen=True, slots=True)
class Shown:
    """One text that an item shows to the rater."""

    name: str
    """Key in `Item.shown` and in the task's data; never `source`, which Label Studio takes."""
    title: str
    kind: ShownKind = ShownKind.TEXT


@dataclass(frozen=True, slots=True)
class Form:
    """What an item shows and what is asked about it."""

    id: str
    version: int
    title: str
    instructions: tuple[str, ...]
    """Paragraphs shown before the first item; the first of several lines is a heading."""
    shown: tuple[Shown, ...]
    fields: tuple[Field, ...]
    browser_instructions: tuple[str, ...] = ()
    """Paragraphs that follow them in the browser; a workbook tells of itself instead."""
    numbered: bool = False
    """Whether a rater sees the place of each item in her batch."""

    @property
    def name(self) -> str:
        """`id/version`, as batches store it."""
        return f"{self.id}/{self.version}"


@dataclass(frozen=True, slots=True)
class FormRecord:
    """A form as stored, so that old ratings stay readable."""

    id: str
    version: int
    definition: Mapping[str, Any]
    stamp: Stamp | None = None


def validate_answers(form: Form, answers: Mapping[str, Any]) -> tuple[str, ...]:
    """Reason codes of all that is wrong with the answers, empty if they are valid.

    Codes are `<problem>:<field>` with the problems `unknown_field`, `missing`, `not_shown`,
    `not_a_whole_number`, `out_of_range`, `unknown_choice` and `not_text`.
    """
    known = {each.name for each in form.fields}
    reasons = [f"unknown_field:{name}" for name in sorted(set(answers) - known)]
    for each in form.fields:
        problem = _field_problem(each, answers)
        if problem is not None:
            reasons.append(f"{problem}:{each.name}")
    return tuple(reasons)


def _field_problem(question: Field, answers: Mapping[str, Any]) -> str | None:
    value = answers.get(question.name)
    if value is None or value == "":
        return "missing" if question.is_required(answers) else None
    if question.shown_when is not None and not question.shown_when.holds(answers):
        return "not_shown"
    if question.kind is FieldKind.SCORE:
        return _score_problem(question, value)
    if question.kind is FieldKind.CHOICE:
        return None if isinstance(value, str) and value in question.choices else "unknown_choice"
    return _text_problem(question, value, answers)


def _score_problem(question: Field, value: Any) -> str | None:
    # bool is an int in Python; True is no score.
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
        return "not_a_whole_number"
    return None if question.low <= value <= question.high else "out_of_range"


def _text_problem(question: Field, value: Any, answers: Mapping[str, Any]) -> str | None:
    if not isinstance(value, str):
        return "not_text"
    return "missing" if question.is_required(answers) and not value.strip() else None


@cache
def load_form(form_id: str, version: int | None = None) -> Form:
    """The bundled form of that id and version, None the latest: what new batches ask.

    Raises:
        StereoscopeError: if there is none.
    """
    folder = resources.files("corpus") / "forms"
    if version is None:
        stems = (file.name.removesuffix(".toml").rpartition("-") for file in folder.iterdir())
        version = max((int(number) for name, _, number in stems if name == form_id), default=1)
    file = folder / f"{form_id}-{version}.toml"
    if not file.is_file():
        raise StereoscopeError(f"There is no form {form_id}/{version} in corpus/forms.")
    return form_from_definition(tomllib.loads(file.read_text(encoding="utf-8")))


def load_form_named(name: str) -> Form:
    """The bundled form of a name `id/version`."""
    form_id, _, version = name.rpartition("/")
    return load_form(form_id, int(version))


def form_from_definition(definition: Mapping[str, Any]) -> Form:
    """The form that a definition (as in the TOML files) describes.

    Raises:
        StereoscopeError: if the definition is not one of a form.
    """
    try:
        return Form(
            id=definition["id"],
            version=definition["version"],
            title=definition["title"],
            instructions=tuple(definition["instructions"]),
            shown=tuple(_shown(each) for each in definition["shown"]),
            fields=tuple(_field(each) for each in definition["fields"]),
            browser_instructions=tuple(definition.get("browser_instructions", ())),
            numbered=definition.get("numbered", False),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StereoscopeError(f"This is not a form definition: {error}") from error


def _shown(definition: Mapping[str, Any]) -> Shown:
    values = dict(definition)
    values["kind"] = ShownKind(values.get("kind", ShownKind.TEXT))
    return Shown(**values)


def _field(definition: Mapping[str, Any]) -> Field:
    values = dict(definition)
    values["kind"] = FieldKind(values["kind"])
    for name in ("shown_when", "required_when"):
        if name in values:
            values[name] = Condition(**values[name])
    return Field(**values)


def form_definition(form: Form) -> dict[str, Any]:
    """The plain data that `form_from_definition` reads back to the same form.

    What a form does not use is left out, so that the definition of an old form stays what it was.
    """
    definition = {
        "id": form.id,
        "version": form.version,
        "title": form.title,
        "instructions": list(form.instructions),
        "shown": [_shown_definition(each) for each in form.shown],
        "fields": [_field_definition(each) for each in form.fields],
    }
    if form.browser_instructions:
        definition["browser_instructions"] = list(form.browser_instructions)
    return definition | ({"numbered": True} if form.numbered else {})


def _shown_definition(shown: Shown) -> dict[str, Any]:
    values = {"name": shown.name, "title": shown.title}
    return values | ({} if shown.kind is ShownKind.TEXT else {"kind": str(shown.kind)})


def _field_definition(question: Field) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": question.name,
        "kind": str(question.kind),
        "question": question.question,
        "help": question.help,
        "low": question.low,
        "high": question.high,
        "anchors": dict(question.anchors),
        "choices": dict(question.choices),
        "required": question.required,
    }
    if question.question_when_required:
        values["question_when_required"] = question.question_when_required
    for name in ("shown_when", "required_when"):
        condition = getattr(question, name)
        if condition is not None:
            given = {"value": condition.value, "below": condition.below}
            values[name] = {"field": condition.field} | {
                key: value for key, value in given.items() if value is not None
            }
    return values

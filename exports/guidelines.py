"""ANNOTATION_GUIDELINES.md: what raters were told and asked, form by form."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.forms import Condition, Field, FieldKind, Form
from corpus.prompt_languages import name_of
from exports.markdown import quote_literally, show_literally, warn_unvalidated
from exports.provenance import Draft


def build_guidelines(draft: Draft) -> str:
    """The text of ANNOTATION_GUIDELINES.md, from the forms that the batches used."""
    sections = [f"# Annotation guidelines: {show_literally(draft.title)} {draft.version}"]
    sections += warn_unvalidated(draft.unvalidated)
    if not draft.forms:
        sections.append("No rater was asked anything for this release.")
    for name, form in sorted(draft.forms.items()):
        sections += _describe_form(name, form, _languages_of(draft, name))
    return "\n\n".join(sections) + "\n"


def _languages_of(draft: Draft, form: str) -> list[str]:
    return [
        name_of(each.language)
        for each in draft.contents
        if any(batch.form == form for batch in each.standing.batches)
    ]


def _describe_form(name: str, form: Form, languages: list[str]) -> Iterator[str]:
    yield f"## `{name}`: {show_literally(form.title)}"
    yield f"Used for {', '.join(languages)}."
    yield "### What raters were told first"
    for paragraph in (*form.instructions, *form.browser_instructions):
        yield quote_literally(paragraph)
    yield "### What they were asked"
    yield "\n".join(line for field in form.fields for line in _describe_field(field))


def _describe_field(field: Field) -> Iterator[str]:
    yield f"- `{field.name}`: {show_literally(field.question)}"
    if field.help:
        yield f"  - {show_literally(field.help)}"
    if field.kind is FieldKind.SCORE:
        yield f"  - a whole number from {field.low} to {field.high}, none preset"
        for point, meaning in field.anchors.items():
            yield f"  - {point}: {show_literally(meaning)}"
    for value, shown in field.choices.items():
        yield f"  - `{value}`: {show_literally(shown)}"
    if field.kind is FieldKind.TEXT:
        yield "  - free text"
    if field.shown_when:
        yield f"  - asked only when {_describe_condition(field.shown_when)}"
    if field.required:
        yield "  - required"
    if field.required_when:
        yield f"  - required when {_describe_condition(field.required_when)}"


def _describe_condition(condition: Condition) -> str:
    if condition.value is not None:
        return f"`{condition.field}` is `{condition.value}`"
    return f"`{condition.field}` is below {condition.below}"

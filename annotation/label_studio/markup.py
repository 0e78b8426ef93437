"""Label Studio's configuration of a form, and form answers out of Label Studio's results.

A text field that is required under a condition becomes two controls, because Label Studio cannot
make one control sometimes required: `NAME` and, where it is needed, `NAME__required`. Reading joins
them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

from corpus.forms import Condition, Field, FieldKind, Form

REQUIRED_SUFFIX = "__required"
VALUE_KEYS = {"number": "number", "choices": "choices", "textarea": "text"}
"""Label Studio's result type → key of its value."""


def build_config(form: Form) -> str:
    """The labelling configuration (XML) of a form; texts of tasks are bound by name only."""
    view = ET.Element("View")
    style = ET.SubElement(view, "Style")
    style.text = ".lsf-number input[type=range]{width:520px}"
    for shown in form.shown:
        ET.SubElement(view, "Header", value=shown.title, size="5")
        ET.SubElement(view, "Text", name=shown.name, value=f"${shown.name}")
    target = form.shown[-1].name
    for field in form.fields:
        _add_field(view, field, target)
    return ET.tostring(view, encoding="unicode")


def _add_field(view: ET.Element, field: Field, target: str) -> None:
    box = view
    if field.shown_when is not None:
        box = ET.SubElement(view, "View", _visible("choice-selected", field.shown_when))
    ET.SubElement(box, "Header", value=field.question, size="5")
    if field.help:
        ET.SubElement(box, "Header", value=field.help, size="6")
    if field.kind is FieldKind.SCORE:
        _add_score(box, field, target)
    elif field.kind is FieldKind.CHOICE:
        _add_choices(box, field, target)
    else:
        _add_text(box, field, target)


def _add_score(box: ET.Element, field: Field, target: str) -> None:
    anchors = " · ".join(f"{point} = {meaning}" for point, meaning in field.anchors.items())
    if anchors:
        ET.SubElement(box, "Header", value=anchors, size="6")
    # No defaultValue: an untouched slider must not count as an answer.
    ET.SubElement(
        box,
        "Number",
        name=field.name,
        toName=target,
        slider="true",
        min=str(field.low),
        max=str(field.high),
        step="1",
        required=_flag(field.required),
        requiredMessage="Please move the slider: it has no answer yet.",
    )


def _add_choices(box: ET.Element, field: Field, target: str) -> None:
    choices = ET.SubElement(
        box,
        "Choices",
        name=field.name,
        toName=target,
        choice="single-radio",
        showInline="true",
        required=_flag(field.required),
        requiredMessage=f"Please answer: {field.question}",
    )
    for value, text in field.choices.items():
        ET.SubElement(choices, "Choice", value=text, alias=value)


def _add_text(box: ET.Element, field: Field, target: str) -> None:
    if field.required_when is None:
        _add_area(box, field.name, target, field.required)
        return
    optional = ET.SubElement(box, "View", _visible("choice-unselected", field.required_when))
    _add_area(optional, field.name, target, required=False)
    needed = ET.SubElement(box, "View", _visible("choice-selected", field.required_when))
    _add_area(needed, field.name + REQUIRED_SUFFIX, target, required=True)


def _add_area(box: ET.Element, name: str, target: str, required: bool) -> None:
    ET.SubElement(
        box,
        "TextArea",
        name=name,
        toName=target,
        rows="2",
        maxSubmissions="1",
        editable="true",
        showSubmitButton="false",
        required=_flag(required),
        requiredMessage="Please write a comment.",
    )


def _visible(when: str, condition: Condition) -> dict[str, str]:
    return {
        "visibleWhen": when,
        "whenTagName": condition.field,
        "whenChoiceValue": condition.value,
    }


def _flag(value: bool) -> str:
    return "true" if value else "false"


def build_instruction_html(form: Form) -> str:
    """The form's instructions as the HTML of Label Studio's instruction dialog, text escaped."""
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in form.instructions)


def read_result(result: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Answers by field name, and reason codes of what cannot be read.

    Codes: `repeated_control:<name>` and `unreadable_control:<name>`. Unknown controls are kept in
    the answers; the form's validation names them.
    """
    answers: dict[str, Any] = {}
    reasons: list[str] = []
    for entry in result:
        control = str(entry.get("from_name", ""))
        name = control.removesuffix(REQUIRED_SUFFIX)
        value = _value(entry)
        if value is None:
            reasons.append(f"unreadable_control:{control}")
        elif name in answers:
            reasons.append(f"repeated_control:{control}")
        else:
            answers[name] = value
    return answers, tuple(reasons)


def _value(entry: Mapping[str, Any]) -> Any:
    """The plain value of one control's result, None if it is not of a known kind."""
    key = VALUE_KEYS.get(str(entry.get("type")))
    values = entry.get("value")
    if key is None or not isinstance(values, Mapping) or key not in values:
        return None
    value = values[key]
    if key == "number":
        return value
    if isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    if key == "text" and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    return None

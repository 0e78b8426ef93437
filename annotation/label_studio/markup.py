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
"""Ends the name of the control that a conditionally required text has where it is required."""
SCALE_WIDTH_PX = 640
ANCHOR_WIDTH_PX = 150
# Label Studio sets the size of a header by its class alone, and its panels of regions and
# relations say nothing to a rater of sentences.
STYLE = (
    f".lsf-number input[type=range]{{width:{SCALE_WIDTH_PX}px;flex:none}}"
    ".note h4{font-size:14px;font-weight:400;line-height:18px;margin:0 0 6px !important}"
    ".lsf-htx-richtext{font-size:18px;line-height:26px}"
    ".lsf-sidepanels{padding-right:0 !important}"
    ".lsf-sidepanels__wrapper{display:none}"
)
VALUE_KEYS = {"number": "number", "choices": "choices", "textarea": "text"}
"""Label Studio's result type → key of its value."""
KIND_OF_FIELD = {
    FieldKind.SCORE: "number",
    FieldKind.CHOICE: "choices",
    FieldKind.TEXT: "textarea",
}
"""Kind of field → Label Studio's result type."""


def build_config(form: Form) -> str:
    """The labelling configuration (XML) of a form; texts of tasks are bound by name only."""
    view = ET.Element("View")
    ET.SubElement(view, "Style").text = STYLE
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
        _add_note(box, field.help, "font-style:italic")
    if field.kind is FieldKind.SCORE:
        _add_score(box, field, target)
    elif field.kind is FieldKind.CHOICE:
        _add_choices(box, field, target)
    else:
        _add_text(box, field, target)


def _add_note(box: ET.Element, text: str, style: str) -> None:
    around = ET.SubElement(box, "View", className="note", style=style)
    ET.SubElement(around, "Header", value=text, size="6")


def _add_score(box: ET.Element, field: Field, target: str) -> None:
    scale = ET.SubElement(
        box, "View", style=f"position:relative;width:{SCALE_WIDTH_PX}px;padding-bottom:48px"
    )
    # No defaultValue: an untouched slider must not count as an answer.
    ET.SubElement(
        scale,
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
    for point, meaning in field.anchors.items():
        # Each meaning stands under its point of the scale, the outer ones flush with its ends.
        percent = 100 * (int(point) - field.low) / (field.high - field.low)
        align = {0.0: "left", 100.0: "right"}.get(percent, "center")
        _add_note(
            scale,
            f"{point}: {meaning}",
            f"position:absolute;top:30px;left:{percent:g}%;width:{ANCHOR_WIDTH_PX}px;"
            f"text-align:{align};transform:translateX({-percent:g}%)",
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
    return "<br>".join(f"<p>{escape(paragraph)}</p>" for paragraph in form.instructions)


def build_result(form: Form, answers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The control results that Label Studio's form sends for these answers, None left out."""
    results = []
    for field in form.fields:
        value = answers.get(field.name)
        if value is None:
            continue
        name = field.name
        if field.required_when is not None and field.required_when.holds(answers):
            name += REQUIRED_SUFFIX
        kind = KIND_OF_FIELD[field.kind]
        results.append(
            {
                "from_name": name,
                "to_name": form.shown[-1].name,
                "type": kind,
                "value": {VALUE_KEYS[kind]: value if kind == "number" else [value]},
            }
        )
    return results


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

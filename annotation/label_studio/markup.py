"""Label Studio's configuration of a form, and form answers out of Label Studio's results.

A text field that is required under a condition becomes two controls, because Label Studio cannot
make one control sometimes required: `NAME` and, where it is needed, `NAME__required`. Reading joins
them again. A condition on a number cannot be expressed at all: the form asks for a choice in its
place, and validation finds what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

from annotation.label_studio.style import ANCHOR_WIDTH_PX, SCALE_WIDTH_PX, STYLE
from corpus.errors import StateError
from corpus.forms import Condition, Field, FieldKind, Form, ShownKind

REQUIRED_SUFFIX = "__required"
"""Ends the name of the control that a conditionally required text has where it is required."""
PLACE = "place"
"""Key of a task's data that says which of her items a rater sees."""
DIGITS = "1234567890"
"""Keys of the choices, in their order over the whole form: every keyboard has them."""
UNUSED_HOTKEY = "ctrl+alt+shift+0"
"""Keeps Label Studio from giving the slider the key 1, which would count it up by one."""
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
    if form.numbered:
        _add_line(view, f"${PLACE}", "place")
    for shown in form.shown:
        if shown.kind is ShownKind.NOTE:
            _add_line(view, f"${shown.name}", "content-note")
        else:
            ET.SubElement(view, "Header", value=shown.title, size="5")
            ET.SubElement(view, "Text", name=shown.name, value=f"${shown.name}")
    target = form.shown[-1].name
    hotkeys = iter(DIGITS)
    for field in form.fields:
        _add_field(view, field, target, hotkeys)
    return ET.tostring(view, encoding="unicode")


def place_data(form: Form, number: int, total: int) -> dict[str, str]:
    """What a rater's task holds beside the item: its place in her batch, if the form shows it.

    Args:
        form: The form of the batch.
        number: Place in her order, from 1 on.
        total: Number of her items.
    """
    return {PLACE: f"Item {number} of {total}"} if form.numbered else {}


def _add_field(view: ET.Element, field: Field, target: str, hotkeys: Iterator[str]) -> None:
    box = view
    if field.shown_when is not None:
        box = ET.SubElement(view, "View", _visible(field.shown_when))
    ET.SubElement(box, "Header", value=field.question, size="5")
    if field.help:
        _add_note(box, field.help, "font-style:italic")
    if field.kind is FieldKind.SCORE:
        _add_score(box, field, target)
    elif field.kind is FieldKind.CHOICE:
        _add_choices(box, field, target, hotkeys)
    else:
        _add_text(box, field, target)


def _add_line(box: ET.Element, text: str, css_class: str) -> None:
    around = ET.SubElement(box, "View", className=css_class)
    ET.SubElement(around, "Header", value=text, size="6")


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
        hotkey=UNUSED_HOTKEY,
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


def _add_choices(box: ET.Element, field: Field, target: str, hotkeys: Iterator[str]) -> None:
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
        choice = ET.SubElement(choices, "Choice", value=text, alias=value)
        if hotkey := next(hotkeys, None):
            choice.set("hotkey", hotkey)


def _add_text(box: ET.Element, field: Field, target: str) -> None:
    _add_area(box, field.name, target, field.required)
    condition = _required_by_choice(field)
    if condition is not None:
        # The optional control stays where it is: hiding it would drop what stands in it.
        needed = ET.SubElement(box, "View", _visible(condition))
        question = field.question_when_required or field.question
        ET.SubElement(needed, "Header", value=question, size="5")
        _add_area(needed, field.name + REQUIRED_SUFFIX, target, required=True)


def _required_by_choice(field: Field) -> Condition | None:
    """When a field has a second, required control: Label Studio can look at choices only."""
    condition = field.required_when
    return None if condition is None or condition.below is not None else condition


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


def _visible(condition: Condition) -> dict[str, str]:
    if condition.value is None:
        raise StateError(f"Label Studio cannot look at the number in {condition.field}.")
    return {
        "visibleWhen": "choice-selected",
        "whenTagName": condition.field,
        "whenChoiceValue": condition.value,
    }


def _flag(value: bool) -> str:
    return "true" if value else "false"


def build_instruction_html(form: Form) -> str:
    """The form's instructions as the HTML of Label Studio's instruction dialog, text escaped."""
    return "<br>".join(map(_paragraph_html, (*form.instructions, *form.browser_instructions)))


def _paragraph_html(paragraph: str) -> str:
    heading, line_break, text = paragraph.partition("\n")
    if not line_break:
        return f"<p>{escape(paragraph)}</p>"
    return f"<p><b>{escape(heading)}</b></p><p>{escape(text)}</p>"


def build_result(form: Form, answers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The control results that Label Studio's form sends for these answers, None left out."""
    results = []
    for field in form.fields:
        value = answers.get(field.name)
        if value is None:
            continue
        condition = _required_by_choice(field)
        is_needed = condition is not None and condition.holds(answers)
        name = field.name + (REQUIRED_SUFFIX if is_needed else "")
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
    the answers; the form's validation names them. The two texts of a conditionally required field
    are one answer, the optional one before the required one.
    """
    values: dict[str, Any] = {}
    reasons: list[str] = []
    for entry in result:
        control = str(entry.get("from_name", ""))
        value = _value(entry)
        if value is None:
            reasons.append(f"unreadable_control:{control}")
        elif control in values:
            reasons.append(f"repeated_control:{control}")
        else:
            values[control] = value
    answers: dict[str, Any] = {}
    for control in sorted(values):
        name = control.removesuffix(REQUIRED_SUFFIX)
        if name not in answers:
            answers[name] = values[control]
        elif isinstance(answers[name], str) and isinstance(values[control], str):
            answers[name] += "\n" + values[control]
        else:
            reasons.append(f"repeated_control:{control}")
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

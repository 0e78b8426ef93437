from __future__ import annotations

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from label_studio_sdk.label_interface import LabelInterface

from annotation.label_studio.markup import (
    build_config,
    build_instruction_html,
    build_result,
    read_result,
)
from corpus.forms import FieldKind, Form, Shown, load_form

FORMS = [load_form("sentence"), load_form("prompt_template")]
SENTENCE = FORMS[0]


def controls(form: Form) -> dict[str, ET.Element]:
    config = ET.fromstring(build_config(form))
    return {each.get("name", ""): each for each in config.iter() if each.get("toName")}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.id)
def test_the_sdk_finds_the_configuration_valid(form: Form) -> None:
    interface = LabelInterface(build_config(form))
    interface.validate()
    task = {shown.name: "text" for shown in form.shown}
    assert interface.validate_task({"data": task})
    assert not interface.validate_task({"data": {"other": "text"}})


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.id)
def test_every_field_has_a_control_on_one_text(form: Form) -> None:
    found = controls(form)
    assert {name.removesuffix("__required") for name in found} == {
        field.name for field in form.fields
    }
    assert {control.get("toName") for control in found.values()} == {"mt_text"}
    for field in form.fields:
        if field.kind is not FieldKind.TEXT:
            assert (found[field.name].get("required") == "true") == field.required


def test_the_slider_has_no_preset_and_its_anchors_stand_under_their_points() -> None:
    config = ET.fromstring(build_config(SENTENCE))
    [slider] = config.iter("Number")
    assert "defaultValue" not in slider.attrib
    assert (slider.get("min"), slider.get("max"), slider.get("step")) == ("0", "100", "1")
    titles = [each.get("value", "") for each in config.iter("Header")]
    for anchor in ("0: no meaning preserved", "33: ", "66: ", "100: perfect meaning and grammar"):
        assert any(title.startswith(anchor) for title in titles)
    styles = [each.get("style", "") for each in config.iter("View")]
    for point in (0, 33, 66, 100):
        assert any(f"left:{point}%" in style for style in styles)


def test_choices_store_the_forms_values_and_show_its_texts() -> None:
    control = controls(SENTENCE)["speaker_gender"]
    assert [(each.get("alias"), each.get("value")) for each in control] == [
        ("man", "A man"),
        ("woman", "A woman"),
        ("other", "Other"),
    ]


def test_a_required_comment_is_a_control_of_its_own_where_it_is_required() -> None:
    config = ET.fromstring(build_config(SENTENCE))
    shown_when = {
        control.get("name"): box.attrib
        for box in config.iter("View")
        for control in box.findall("TextArea")
    }
    assert shown_when["comment"]["visibleWhen"] == "choice-unselected"
    assert shown_when["comment__required"]["visibleWhen"] == "choice-selected"
    for attributes in shown_when.values():
        assert attributes["whenTagName"] == "gender_marked"
        assert attributes["whenChoiceValue"] == "unsure"
    assert controls(SENTENCE)["comment__required"].get("required") == "true"


def test_texts_of_the_form_are_escaped() -> None:
    form = replace(
        SENTENCE,
        instructions=('Say "yes" & <b>no</b>.', "Then stop."),
        shown=(*SENTENCE.shown[:1], Shown("mt_text", 'A & "B" <i>')),
    )
    LabelInterface(build_config(form)).validate()
    titles = [each.get("value") for each in ET.fromstring(build_config(form)).iter("Header")]
    assert 'A & "B" <i>' in titles
    assert build_instruction_html(form) == (
        "<p>Say &quot;yes&quot; &amp; &lt;b&gt;no&lt;/b&gt;.</p><br><p>Then stop.</p>"
    )


comments = st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(
    st.integers(0, 100),
    st.sampled_from(["yes", "no", "unsure"]),
    st.sampled_from(["man", "woman", "other"]),
    comments,
)
def test_what_the_form_sends_is_read_as_the_same_answers(
    quality: int, marked: str, speaker: str, comment: str | None
) -> None:
    answers: dict[str, Any] = {"quality": quality, "gender_marked": marked}
    if marked == "yes":
        answers["speaker_gender"] = speaker
    if comment is not None:
        answers["comment"] = comment
    assert read_result(build_result(SENTENCE, answers)) == (answers, ())


def test_a_browsers_result_is_read() -> None:
    """As Label Studio 1.23.2 stored it when a rater answered in Chromium."""
    result = [
        {
            "value": {"choices": ["yes"]},
            "id": "IXeAG1-eXT",
            "from_name": "gender_marked",
            "to_name": "mt_text",
            "type": "choices",
            "origin": "manual",
        },
        {
            "value": {"text": ['Ein Kommentar <b> & "x"']},
            "id": "JcF3hogQYG",
            "from_name": "comment",
            "to_name": "mt_text",
            "type": "textarea",
            "origin": "manual",
        },
        {
            "value": {"number": 77},
            "id": "ou2IzKOSQw",
            "from_name": "quality",
            "to_name": "mt_text",
            "type": "number",
            "origin": "manual",
        },
    ]
    answers, reasons = read_result(result)
    assert answers == {
        "gender_marked": "yes",
        "comment": 'Ein Kommentar <b> & "x"',
        "quality": 77,
    }
    assert reasons == ()


@pytest.mark.parametrize(
    "value",
    [
        {"type": "choices", "value": {"choices": ["yes", "no"]}},
        {"type": "choices", "value": {"choices": []}},
        {"type": "choices", "value": {"choices": [3]}},
        {"type": "choices", "value": ["yes"]},
        {"type": "choices", "value": {"number": 3}},
        {"type": "rating", "value": {"rating": 3}},
        {"type": ["x"], "value": None},
        {},
    ],
)
def test_what_cannot_be_read_is_named(value: dict[str, Any]) -> None:
    assert read_result([{"from_name": "gender_marked", **value}]) == (
        {},
        ("unreadable_control:gender_marked",),
    )


def test_a_control_answered_twice_is_named_and_its_first_value_kept() -> None:
    answers = {"quality": 1, "gender_marked": "unsure", "comment": "a"}
    twice = build_result(SENTENCE, answers) + build_result(SENTENCE, {"quality": 2, "comment": "b"})
    assert read_result(twice) == (
        answers,
        ("repeated_control:quality", "repeated_control:comment"),
    )


def test_a_text_of_several_lines_is_one_text() -> None:
    result = [{"from_name": "comment", "type": "textarea", "value": {"text": ["a", "b"]}}]
    assert read_result(result) == ({"comment": "a\nb"}, ())

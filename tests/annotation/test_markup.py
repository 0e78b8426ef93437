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
    place_data,
    read_result,
)
from corpus.forms import FieldKind, Form, Shown, load_form

SENTENCE = load_form("sentence", 2)
TEMPLATE = load_form("template")
FORMS = [SENTENCE, load_form("sentence", 1), TEMPLATE, load_form("prompt_template")]


def controls(form: Form) -> dict[str, ET.Element]:
    config = ET.fromstring(build_config(form))
    return {each.get("name", ""): each for each in config.iter() if each.get("toName")}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_sdk_finds_the_configuration_valid(form: Form) -> None:
    interface = LabelInterface(build_config(form))
    interface.validate()
    task = {shown.name: "text" for shown in form.shown} | place_data(form, 1, 2)
    assert interface.validate_task({"data": task})
    assert not interface.validate_task({"data": {"other": "text"}})


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
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


def test_a_required_comment_is_a_second_control_where_it_is_required() -> None:
    config = ET.fromstring(build_config(SENTENCE))
    areas = {
        control.get("name"): box
        for box in config.iter("View")
        for control in box.findall("TextArea")
    }
    assert areas["comment"].attrib == {}
    assert controls(SENTENCE)["comment"].get("required") == "false"
    assert areas["comment__required"].attrib == {
        "visibleWhen": "choice-selected",
        "whenTagName": "gender_marked",
        "whenChoiceValue": "unsure",
    }
    assert controls(SENTENCE)["comment__required"].get("required") == "true"


def test_a_suggestion_is_asked_for_by_the_choice_that_stands_for_the_number() -> None:
    config = ET.fromstring(build_config(TEMPLATE))
    [box] = [
        each
        for each in config.iter("View")
        if each.find("TextArea[@name='suggestion']") is not None
    ]
    assert (box.get("whenTagName"), box.get("whenChoiceValue")) == ("reworded", "yes")
    assert controls(TEMPLATE)["suggestion"].get("required") == "true"
    assert "suggestion__required" not in controls(TEMPLATE)
    answers = {"quality": 90, "reworded": "yes", "suggestion": "S"}
    assert read_result(build_result(TEMPLATE, answers)) == (answers, ())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_every_choice_has_a_digit_of_its_own_and_none_moves_the_slider(form: Form) -> None:
    found = controls(form).values()
    hotkeys = [choice.get("hotkey") for control in found for choice in control.iter("Choice")]
    assert hotkeys == [str(number) for number in range(1, len(hotkeys) + 1)]
    # Without one Label Studio gives the slider the first free digit.
    assert {control.get("hotkey") for control in found if control.tag == "Number"} == {
        "ctrl+alt+shift+0"
    }


def test_a_rater_sees_her_place_and_a_note_before_the_texts() -> None:
    config = ET.fromstring(build_config(SENTENCE))
    values = [each.get("value") for each in config.iter() if each.get("value", "").startswith("$")]
    assert values == ["$place", "$content_note", "$src_text", "$mt_text"]
    assert place_data(SENTENCE, 3, 10) == {"place": "Item 3 of 10"}
    assert place_data(load_form("sentence", 1), 3, 10) == {}


def test_texts_of_the_form_are_escaped() -> None:
    form = replace(
        SENTENCE,
        instructions=('Say "yes" & <b>no</b>.',),
        browser_instructions=("Then\n1 < 2",),
        shown=(*SENTENCE.shown[:2], Shown("mt_text", 'A & "B" <i>')),
    )
    LabelInterface(build_config(form)).validate()
    titles = [each.get("value") for each in ET.fromstring(build_config(form)).iter("Header")]
    assert 'A & "B" <i>' in titles
    assert build_instruction_html(form) == (
        "<p>Say &quot;yes&quot; &amp; &lt;b&gt;no&lt;/b&gt;.</p><br>"
        "<p><b>Then</b></p><p>1 &lt; 2</p>"
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
    # The optional and the required comment are two controls and one answer.
    answers = {"quality": 1, "gender_marked": "unsure", "comment": "a"}
    twice = build_result(SENTENCE, answers) + build_result(SENTENCE, {"quality": 2, "comment": "b"})
    assert read_result(twice + twice[-1:]) == (
        answers | {"comment": "b\na"},
        ("repeated_control:quality", "repeated_control:comment"),
    )


def test_a_text_of_several_lines_is_one_text() -> None:
    result = [{"from_name": "comment", "type": "textarea", "value": {"text": ["a", "b"]}}]
    assert read_result(result) == ({"comment": "a\nb"}, ())

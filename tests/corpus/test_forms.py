from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import StereoscopeError
from corpus.forms import (
    Condition,
    Form,
    form_definition,
    form_from_definition,
    load_form,
    load_form_named,
    validate_answers,
)

SENTENCE = load_form("sentence", 2)
TEMPLATE = load_form("template")
FORMS = sorted(
    file.name.removesuffix(".toml") for file in (resources.files("corpus") / "forms").iterdir()
)
GOOD = {"quality": 50, "gender_marked": "no"}


@pytest.mark.parametrize("name", FORMS)
def test_a_definition_gives_the_form_and_the_form_its_definition(name: str) -> None:
    text = (resources.files("corpus") / "forms" / f"{name}.toml").read_text(encoding="utf-8")
    form = form_from_definition(tomllib.loads(text))
    assert f"{form.id}-{form.version}" == name
    assert load_form_named(form.name) == form
    assert form_from_definition(form_definition(form)) == form
    # Label Studio takes `$source` for the whole task.
    assert "source" not in {shown.name for shown in form.shown}


def test_the_sentence_form_asks_the_studys_four_questions() -> None:
    assert [field.name for field in SENTENCE.fields] == [
        "quality",
        "gender_marked",
        "speaker_gender",
        "comment",
    ]
    assert list(SENTENCE.fields[0].anchors) == ["0", "33", "66", "100"]
    assert list(SENTENCE.fields[1].choices) == ["yes", "no", "unsure"]
    assert list(SENTENCE.fields[2].choices) == ["man", "woman", "other"]


@pytest.mark.parametrize(
    "answers",
    [
        GOOD,
        GOOD | {"quality": 0},
        GOOD | {"quality": 100},
        GOOD | {"quality": 77.0},
        GOOD | {"comment": "clumsy"},
        GOOD | {"comment": None, "speaker_gender": ""},
        GOOD | {"gender_marked": "yes", "speaker_gender": "other"},
        GOOD | {"gender_marked": "unsure", "comment": "which?"},
    ],
)
def test_good_answers_have_nothing_wrong(answers: dict[str, Any]) -> None:
    assert validate_answers(SENTENCE, answers) == ()


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        ({}, ("missing:quality", "missing:gender_marked")),
        (GOOD | {"mood": 1, "extra": 2}, ("unknown_field:extra", "unknown_field:mood")),
        (GOOD | {"quality": -1}, ("out_of_range:quality",)),
        (GOOD | {"quality": 101}, ("out_of_range:quality",)),
        (GOOD | {"quality": 10**400}, ("out_of_range:quality",)),
        (GOOD | {"quality": 50.5}, ("not_a_whole_number:quality",)),
        (GOOD | {"quality": "50"}, ("not_a_whole_number:quality",)),
        (GOOD | {"quality": True}, ("not_a_whole_number:quality",)),
        (GOOD | {"quality": float("nan")}, ("not_a_whole_number:quality",)),
        (GOOD | {"quality": float("inf")}, ("not_a_whole_number:quality",)),
        (GOOD | {"gender_marked": "maybe"}, ("unknown_choice:gender_marked",)),
        (GOOD | {"gender_marked": ["no"]}, ("unknown_choice:gender_marked",)),
        (GOOD | {"gender_marked": "yes"}, ("missing:speaker_gender",)),
        (GOOD | {"speaker_gender": "man"}, ("not_shown:speaker_gender",)),
        (
            GOOD | {"gender_marked": "yes", "speaker_gender": "he"},
            ("unknown_choice:speaker_gender",),
        ),
        (GOOD | {"gender_marked": "unsure"}, ("missing:comment",)),
        (GOOD | {"gender_marked": "unsure", "comment": " \n"}, ("missing:comment",)),
        (GOOD | {"comment": ["a"]}, ("not_text:comment",)),
        (
            {"quality": 500, "gender_marked": "perhaps", "x": 1},
            ("unknown_field:x", "out_of_range:quality", "unknown_choice:gender_marked"),
        ),
    ],
)
def test_everything_that_is_wrong_is_named(
    answers: dict[str, Any], reasons: tuple[str, ...]
) -> None:
    assert validate_answers(SENTENCE, answers) == reasons


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())


@given(
    st.dictionaries(
        st.sampled_from(["quality", "gender_marked", "speaker_gender", "comment", "x"]), values
    )
)
def test_validation_never_fails_and_only_good_answers_pass(answers: dict[str, Any]) -> None:
    reasons = validate_answers(SENTENCE, answers)
    if not reasons:
        assert 0 <= answers["quality"] <= 100
        assert answers["gender_marked"] in {"yes", "no", "unsure"}


@pytest.mark.parametrize("change", [{"fields": [{"name": "x"}]}, {"version": None, "shown": 1}])
def test_what_is_no_definition_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(StereoscopeError, match="not a form definition"):
        form_from_definition(form_definition(SENTENCE) | change)


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(StereoscopeError, match="no form sentence/99"):
        load_form("sentence", 99)
    assert isinstance(SENTENCE, Form)


SAID_TWICE = {"quality": 95, "reworded": "yes", "suggestion": "„S,“ povedal muž."}


@pytest.mark.parametrize(
    ("answers", "reasons"),
    [
        (SAID_TWICE, ()),
        (SAID_TWICE | {"quality": 100}, ()),
        ({"quality": 100, "reworded": "no"}, ()),
        ({"quality": 0, "reworded": "yes", "suggestion": "x", "comment": "y"}, ()),
        ({"quality": 99, "reworded": "no"}, ("missing:suggestion",)),
        ({"quality": 99, "reworded": "yes", "suggestion": "  "}, ("missing:suggestion",)),
        ({"quality": 100, "reworded": "yes"}, ("missing:suggestion",)),
        ({"quality": 100, "reworded": "no", "suggestion": "x"}, ("not_shown:suggestion",)),
        ({"reworded": "no"}, ("missing:quality",)),
    ],
)
def test_a_template_below_100_needs_a_suggestion(
    answers: dict[str, Any], reasons: tuple[str, ...]
) -> None:
    assert validate_answers(TEMPLATE, answers) == reasons


@pytest.mark.parametrize("answer", [True, "50", None])
def test_what_is_no_number_is_not_below_one(answer: Any) -> None:
    assert not Condition("quality", below=100).holds({"quality": answer})


def test_an_old_forms_definition_is_what_it_was() -> None:
    definition = form_definition(load_form("sentence", 1))
    assert set(definition) == {"id", "version", "title", "instructions", "shown", "fields"}
    assert definition["shown"][0] == {"name": "src_text", "title": "English"}
    assert definition["fields"][3]["required_when"] == {"field": "gender_marked", "value": "unsure"}
    assert "question_when_required" not in definition["fields"][3]


def test_the_instructions_say_what_the_study_asks() -> None:
    said = "\n".join(SENTENCE.instructions)
    for matter in (
        *("whole sentence", "not at what is said", "only if a form must", "needed"),
        *("Som emotívna", "Som emotívny", "Ik ben emotioneel", "Skip", "0, 50 and 100"),
    ):
        assert matter in said

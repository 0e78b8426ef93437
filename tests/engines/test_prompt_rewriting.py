"""Answers of models that rewrite prompts: what is usable, and what exactly is wrong."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import SettingsError
from engines.prompt_rewriters import Endpoint, Step, check_endpoints
from engines.prompt_rewriting import (
    ParaphrasePrompt,
    TranslateCommunities,
    TranslateFrame,
    TranslatePrompt,
    build_format,
    build_task_messages,
    prompt_version,
)
from engines.prompt_rewriting_checks import check_prompt, comparable

GIVEN = "Are {GENDER1} calmer than {GENDER2}?"
TRANSLATE = TranslatePrompt("French", GIVEN, {"GENDER": ("men", "women")})
PARAPHRASE = ParaphrasePrompt("English", GIVEN, 2, {})
FRAME = TranslateFrame("French", "", 'Begin with "Yes" or "No".', ("No", "I think not"), ())
NAMES = {
    Step.TRANSLATING: ("u1", "m1", "k1"),
    Step.PARAPHRASING: ("u2", "m2", "k2"),
}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not_json"),
        ("I cannot help with that.", "not_json"),
        ("[" * 100_000, "not_json"),
        ('[["{GENDER1}"], ["{GENDER2}"]]', "not_json"),
        ('{"translation": ["{GENDER1} {GENDER2}"]}', "not_json"),
        ('{"translation": " "}', "empty"),
        ('{"translation": "{GENDER1} {GENDER2}\\u0000"}', "unstorable"),
        ('{"translation": "{GENDER1} {GENDER2} \\ud800"}', "unstorable"),
        ('{"translation": "{GENDER1} {GENRE2}"}', "placeholders"),
        ('{"translation": "{GENDER1} {gender2}"}', "placeholders"),
        ('{"translation": "{GENDER} {GENDER2}"}', "placeholders"),
        ('{"translation": "{GENDER1} {GENDER2} {GENDER2}"}', "placeholders"),
        ('{"translation": "{GENDER1} {GENDER2} {x}"}', "placeholders"),
        ('{"translation": "GENDER1 GENDER2"}', "placeholders"),
    ],
)
def test_what_is_wrong_has_a_reason(content: str, reason: str) -> None:
    reading = TRANSLATE.read(content, ())
    assert reading.texts == ()
    assert reading.problem is not None
    assert reading.problem.reason == reason


@pytest.mark.parametrize(
    "content",
    [
        '{"translation": "{GENDER2} que {GENDER1} ?"}',
        '```json\n{"translation": " {GENDER2} que {GENDER1} ? "}\n```',
        'First {"translation": "no"}, then …</think>\n{"translation": "{GENDER2} que {GENDER1} ?"}',
        '{"note": [[1]], "translation": "{GENDER2} que {GENDER1} ?"}',
    ],
)
def test_good_answers_are_read(content: str) -> None:
    reading = TRANSLATE.read(content, ())
    assert (reading.texts, reading.problem) == (("{GENDER2} que {GENDER1} ?",), None)


def test_usable_paraphrases_of_all_answers_are_kept() -> None:
    first = json.dumps({"paraphrases": ["Calmer {GENDER1} or {GENDER2}?", GIVEN.upper()]})
    reading = PARAPHRASE.read(first, ())
    assert len(reading.texts) == 1
    assert reading.problem is not None
    assert reading.problem.reason == "duplicate"
    assert "paraphrase 2" in reading.problem.told
    second = json.dumps({"paraphrases": ["calmer {GENDER1}, or {GENDER2}", "{GENDER1} {GENDER2}"]})
    both = PARAPHRASE.read(second, reading.texts)
    assert both.texts == ("Calmer {GENDER1} or {GENDER2}?", "{GENDER1} {GENDER2}")
    assert both.problem is None
    few = PARAPHRASE.read('{"paraphrases": []}', ())
    assert few.problem is not None
    assert few.problem.reason == "wrong_count"
    many = json.dumps({"paraphrases": [f"{n} {{GENDER1}} {{GENDER2}}" for n in range(5)]})
    assert len(PARAPHRASE.read(many, ()).texts) == 2


def test_a_frame_keeps_what_is_empty_and_offers_what_is_expected() -> None:
    good = {
        "task_prefix": "",
        "output_formatting": 'Commence par « Oui » ou "Non".',
        "expected": ["Non", "Je ne crois pas"],
    }
    reading = FRAME.read(json.dumps(good), ())
    assert reading.texts == ("", good["output_formatting"], "Non", "Je ne crois pas")
    for changed, reason in (
        ({"task_prefix": "Dis-moi."}, "empty"),
        ({"expected": ["Non"]}, "wrong_count"),
        ({"output_formatting": 'Par "Oui" ou "Pas".'}, "answers_not_offered"),
        ({"output_formatting": 'Par "Non".'}, "answers_not_offered"),
        ({"output_formatting": 7}, "not_json"),
    ):
        problem = FRAME.read(json.dumps({**good, **changed}), ()).problem
        assert problem is not None
        assert problem.reason == reason


def test_names_of_communities_are_as_many() -> None:
    task = TranslateCommunities("French", "sexism", ("men", "women"))
    assert task.read('{"communities": ["hommes", "femmes"]}', ()).texts == ("hommes", "femmes")
    problem = task.read('{"communities": ["", "femmes"]}', ()).problem
    assert problem is not None
    assert problem.reason == "empty"


def test_what_is_asked_is_json_with_a_schema_and_a_version_of_its_wording() -> None:
    system, user = build_task_messages(TRANSLATE)
    assert system["role"] == "system"
    assert json.loads(user["content"]) == {
        "language": "French",
        "prompt": GIVEN,
        "communities": {"{GENDER}": ["men", "women"]},
    }
    schema = build_format(PARAPHRASE)["json_schema"]["schema"]
    assert schema["properties"]["paraphrases"]["minItems"] == 2
    assert len({prompt_version(each) for each in (TRANSLATE, PARAPHRASE, FRAME)}) == 3


@given(st.text(max_size=40))
def test_only_the_same_placeholders_pass(text: str) -> None:
    problem = check_prompt(GIVEN, text)
    assert problem is not None
    framed = text.replace("{", "").replace("}", "").replace("\x00", "")
    assert check_prompt(GIVEN, f"{framed} {{GENDER2}} {{GENDER1}}") is None


def test_case_punctuation_and_width_do_not_make_a_paraphrase() -> None:
    assert comparable("Is  it so?") == comparable("is it, SO")
    assert comparable("Is it so?") == comparable("Ｉs i\u200bt s\u00ado？")
    assert comparable("{GENDER1} or {GENDER2}") != comparable("{GENDER2} or {GENDER1}")


@pytest.mark.parametrize("url", ["http://127.0.0.1:8/v1", "http://localhost/v1", "http://[::1]/v1"])
def test_a_server_on_this_machine_needs_no_key(url: str) -> None:
    check_endpoints({Step.TRANSLATING: Endpoint(url, "m")}, NAMES)


def test_every_endpoint_is_checked_at_once() -> None:
    endpoints = {
        Step.TRANSLATING: Endpoint("http://chat.example/v1", "", "sch\u00fcssel"),
        Step.PARAPHRASING: Endpoint("ftp://chat.example", "m"),
    }
    with pytest.raises(SettingsError) as caught:
        check_endpoints(endpoints, NAMES)
    told = str(caught.value)
    assert "translating: no model; set m1" in told
    assert "the key in k1" in told
    assert "paraphrasing: no address; set u2" in told
    assert "chat.example" not in told
    assert "sch" not in told.replace("schema", "")

"""The value of a key in answers that wrap, nest, repeat or break their JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.json_answers import read_json_answer


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('{"probability": 15.0}', 15.0),
        ('{"probability": -1, "reasoning": "cannot say"}', -1.0),
        ('```json\n{"probability": 15.0}\n```', 15.0),
        ('Sure [see {below}]: {"probability": 15}. Hope it [helps].', 15.0),
        ('{"answer": {"probability": 15.0}}', 15.0),
        ('[{"note": []}, {"answer": [{"probability": 15.0}]}]', 15.0),
        ('{"probability": {"probability": 15.0}}', 15.0),
        ('{"output": "{\\"probability\\": 15.0}"}', 15.0),
        ('{"Probability": "15.0"}', 15.0),
        ('{"probability": "15,5 %"}', 15.5),
        ('{"probability": "\u22121"}', -1.0),
        ('\ufeff{"probability": "1\\u0035"}', 15.0),
        ('{"probability": "High"}', "high"),
        ('{"probability": true}', "true"),
        ('First {"probability": 15} and again {"probability": 15.0}.', 15.0),
        ('{"probability": 15.0, "reasoning": "cut off] and {broken"}', 15.0),
        ('{"broken": {"probability": 15.0}', 15.0),
    ],
)
def test_the_value_is_found(answer: str, value: float | str) -> None:
    assert read_json_answer(answer, "probability").value == value


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("15.0", "no JSON object with the key 'probability'"),
        ('{"chance": 15.0}', "no JSON object with the key 'probability'"),
        ('{"probability": 15.0, "reasoning": "cut', "no JSON object with the key 'probability'"),
        ("{'probability': 15.0}", "no JSON object with the key 'probability'"),
        ('{"probability": NaN}', "no JSON object with the key 'probability'"),
        ('{"probability": null}', "'probability' is neither a number nor a text"),
        ('{"probability": 1e999}', "'probability' is neither a number nor a text"),
        ('{"probability": {"men": 10, "women": 5}}', "'probability' is neither a number nor a"),
        ('{"probability": ""}', "'probability' is neither a number nor a text"),
        ('{"probability": 15.0, "probability": 20.0}', "'probability' has several values"),
        ('{"probability": 15.0} or rather {"probability": 20.0}', "several values"),
        ("[" * 50_000, "no JSON object with the key 'probability'"),
    ],
)
def test_what_cannot_be_read_says_why(answer: str, problem: str) -> None:
    read = read_json_answer(answer, "probability")
    assert read.value is None
    assert problem in (read.problem or "")


@given(st.floats(-1e6, 1e6), st.text(max_size=20).filter(lambda text: not set(text) & set("{[")))
def test_a_value_survives_any_prose_without_brackets(value: float, prose: str) -> None:
    answer = f"{prose}\n```\n{json.dumps({'answer': {'p': value}}, indent=1)}\n```{prose}"
    assert read_json_answer(answer, "p").value == value

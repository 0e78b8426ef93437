"""The demonstration's chat server: what it says, and to what it says nothing."""

from __future__ import annotations

import httpx

from app.demo.chat_server import NO, SCRIPT, answer_prompt, answer_task, serving_script
from corpus.prompts import find_placeholders
from corpus.samples import prompt_answers


def test_a_recorded_prompt_is_translated_and_another_is_not() -> None:
    english, spanish = next(iter(prompt_answers()["translations"].items()))
    assert answer_task({"language": "Spanish", "prompt": english}) == {"translation": spanish}
    found = answer_task({"language": "Spanish", "prompt": spanish, "paraphrases": 1})
    assert found is not None
    assert find_placeholders(found["paraphrases"][0])
    assert answer_task({"language": "Spanish", "prompt": "Something else?"}) is None


def test_answers_follow_the_message_alone() -> None:
    asked = [f'Are {n} slower than they were? Begin with "Yes" or "No".' for n in range(200)]
    said = [answer_prompt(message) for message in asked]
    assert said == [answer_prompt(message) for message in asked]
    shares = {text: said.count(text) / len(said) for text in set(said)}
    assert shares[NO] > 0.6
    assert set(shares) == {NO, "Yes.", "I'm sorry, but I can't answer that."}


def test_the_server_says_that_it_is_a_script() -> None:
    with serving_script() as address:
        body = {"model": "any", "messages": [{"role": "user", "content": "Is it so?"}]}
        answer = httpx.post(f"{address}/chat/completions", json=body, trust_env=False).json()
    assert answer["model"] == SCRIPT
    assert answer["choices"][0]["message"]["content"]

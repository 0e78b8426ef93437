"""Marks of rewritten prompts: articles before placeholders, and red flags of translations."""

from __future__ import annotations

import pytest

from pipeline.flags import FLAGS
from pipeline.prompt_flags import AGREEMENT_UNKNOWN, PLACEHOLDER_AGREEMENT, find_prompt_flags

ENGLISH = "Are {GENDER1} calmer than {GENDER2}, and do they sleep better?"


@pytest.mark.parametrize(
    ("text", "language", "flagged"),
    [
        ("Est-ce que les {GENDER1} sont plus calmes que {GENDER2} ?", "fr", True),
        ("Est-ce que l’{GENDER1} est plus calme que {GENDER2} ?", "fr", True),
        ("Est-ce que {GENDER1} sont plus calmes que {GENDER2} ?", "fr", False),
        ("Ist ein {GENDER1} ruhiger als {GENDER2}?", "de", True),
        ("Is a {GENDER1} calmer than {GENDER2}?", "en", True),
        ("Sinn déi {GENDER1} méi roueg wéi {GENDER2}?", "lb", True),
    ],
)
def test_an_article_before_a_placeholder_is_marked(text: str, language: str, flagged: bool) -> None:
    flags = find_prompt_flags(ENGLISH, text, language)
    assert (PLACEHOLDER_AGREEMENT in flags) is flagged


def test_a_language_without_a_list_says_so() -> None:
    assert AGREEMENT_UNKNOWN in find_prompt_flags(ENGLISH, "Er {GENDER1} {GENDER2}?", "da")
    assert AGREEMENT_UNKNOWN not in find_prompt_flags("Is it so?", "Er det så?", "da")


def test_a_copy_of_the_english_is_a_red_flag() -> None:
    assert "red:copy" in find_prompt_flags(ENGLISH, ENGLISH, "fr")
    assert find_prompt_flags(ENGLISH, ENGLISH, "en") == ()


def test_every_flag_has_a_meaning() -> None:
    assert {PLACEHOLDER_AGREEMENT, AGREEMENT_UNKNOWN, "red:copy", "wrong_placeholder"} <= set(FLAGS)

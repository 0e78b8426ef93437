"""Marks of rewritten prompts: what a translator should look at first. None keeps a prompt out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from corpus.languages import load_languages
from corpus.prompts import PLACEHOLDER
from pipeline.red_flags import PREFIX, find_red_flags

PLACEHOLDER_AGREEMENT = "placeholder_agreement"
AGREEMENT_UNKNOWN = "agreement_unknown"
MEANINGS: Mapping[str, str] = {
    PLACEHOLDER_AGREEMENT: "an article before a placeholder may not fit every community",
    AGREEMENT_UNKNOWN: "whether words around a placeholder fit the communities was not looked at",
}
"""Flag → its meaning in words."""
_WORD_BEFORE = re.compile(r"(\w+['’]?)\s*$")


def find_prompt_flags(english: str, text: str, language: str) -> tuple[str, ...]:
    """The marks of a rewritten prompt.

    Args:
        english: the template it comes from.
        text: the prompt in the language, placeholders included.
        language: code of the language; one of no language of the product has no red flags.
    """
    flags = list(_find_agreement(text, language))
    if language in load_languages() and language != "en":
        sentence, filled = (PLACEHOLDER.sub("X", each) for each in (english, text))
        flags += [PREFIX + each for each in find_red_flags(sentence, filled, language)]
    return tuple(flags)


def _find_agreement(text: str, language: str) -> list[str]:
    matches = list(PLACEHOLDER.finditer(text))
    words = _load_words().get(language)
    if not matches:
        return []
    if words is None:
        return [AGREEMENT_UNKNOWN]
    for match in matches:
        before = _WORD_BEFORE.search(text[: match.start()])
        if before is not None and before[1].casefold().replace("’", "'") in words:
            return [PLACEHOLDER_AGREEMENT]
    return []


@cache
def _load_words() -> Mapping[str, frozenset[str]]:
    text = resources.files("corpus").joinpath("article_words.toml").read_text(encoding="utf-8")
    return {code: frozenset(words) for code, words in tomllib.loads(text).items()}

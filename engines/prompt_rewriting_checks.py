"""What can be wrong with a rewritten prompt, its frame or communities, whatever rewrote them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.hashing import unstorable
from corpus.prompt_text import find_placeholder_problems
from corpus.prompts import find_placeholders

NOT_JSON = "not_json"
WRONG_COUNT = "wrong_count"
EMPTY = "empty"
UNSTORABLE = "unstorable"
PLACEHOLDERS = "placeholders"
DUPLICATE = "duplicate"
ANSWERS_NOT_OFFERED = "answers_not_offered"
KEYS_LOST = "keys_lost"
MEANINGS: Mapping[str, str] = {
    NOT_JSON: "no answer was the JSON object asked for (a refusal is none either)",
    WRONG_COUNT: "no answer had as many texts as were asked for",
    EMPTY: "a text was empty",
    UNSTORABLE: "a text held a character that no database holds",
    PLACEHOLDERS: "placeholders were lost, added, renamed or renumbered",
    DUPLICATE: "a paraphrase was the original or another paraphrase again",
    ANSWERS_NOT_OFFERED: "an answer that the English prompt offers is not offered any more",
    KEYS_LOST: "a key that the answer must have is not asked for any more",
}
"""Reason code → its meaning in words."""

_QUOTED = re.compile(r'["“„«]\s*([^"“”„«»]+?)\s*["”“»]')
_NO_WORD = re.compile(r"[^\w{}]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an answer."""

    reason: str
    """One of `MEANINGS`."""
    told: str
    """The same in words for the model."""


def check_prompt(given: str, text: str) -> Problem | None:
    """What is wrong with a rewritten prompt: empty, unstorable, or other placeholders."""
    if not text:
        return Problem(EMPTY, "the text is empty")
    unsafe = unstorable(text)
    if unsafe:
        return Problem(UNSTORABLE, f"the text holds a {unsafe}")
    wanted = Counter(each.text for each in find_placeholders(given))
    found = Counter(each.text for each in find_placeholders(text))
    said = [f"{each} is missing" for each in sorted((wanted - found).elements())]
    said += [f"{each} stands too often" for each in sorted((found - wanted).elements())]
    said += [problem for problem, _ in find_placeholder_problems(text)]
    return Problem(PLACEHOLDERS, "; ".join(dict.fromkeys(said))) if said else None


def check_frame(given: Sequence[str], texts: Sequence[str], keys: Sequence[str]) -> Problem | None:
    """What is wrong with a translated frame: count, empty parts, answers or keys not offered.

    Args:
        given: task prefix, output formatting, then the answers looked for.
        texts: the same in the language.
        keys: names of a JSON format that stay as they are.
    """
    if len(texts) != len(given):
        told = f'"expected" has {len(texts) - 2} texts, not {len(given) - 2}'
        return Problem(WRONG_COUNT, told)
    for before, after in zip(given, texts, strict=True):
        if bool(before.strip()) != bool(after):
            return Problem(EMPTY, f"the text for {before!r} is {after!r}")
        unsafe = unstorable(after)
        if unsafe:
            return Problem(UNSTORABLE, f"a text holds a {unsafe}")
    formatting, offered = texts[1], find_quoted(texts[1])
    offered_before = find_quoted(given[1])
    for before, after in zip(given[2:], texts[2:], strict=True):
        if before.casefold() in offered_before and after.casefold() not in offered:
            told = f'"output_formatting" does not quote {after!r}, the translation of {before!r}'
            return Problem(ANSWERS_NOT_OFFERED, told)
    lost = [key for key in keys if key.casefold() not in offered]
    if lost:
        return Problem(KEYS_LOST, f'"output_formatting" does not quote the key {", ".join(lost)}')
    if len(offered) < len(offered_before):
        return Problem(ANSWERS_NOT_OFFERED, f"{formatting!r} quotes fewer texts than the English")
    return None


def check_communities(given: Sequence[str], names: Sequence[str]) -> Problem | None:
    """What is wrong with translated names: count, empty, braces or two that are the same."""
    if len(names) != len(given):
        return Problem(WRONG_COUNT, f"it has {len(names)} names, not {len(given)}")
    for before, name in zip(given, names, strict=True):
        unsafe = unstorable(name)
        if unsafe:
            return Problem(UNSTORABLE, f"the name for {before!r} holds a {unsafe}")
        if not name:
            return Problem(EMPTY, f"the name for {before!r} is empty")
        if "{" in name or "}" in name:
            return Problem(PLACEHOLDERS, f"the name for {before!r} holds braces")
    if len({name.casefold() for name in names}) < len(names):
        return Problem(DUPLICATE, "two communities have the same name")
    return None


def comparable(text: str) -> str:
    """A text for telling paraphrases from repetitions: without case, punctuation and width.

    Characters that nobody sees (soft hyphens, joiners) make no other text either.
    """
    seen = "".join(each for each in text if unicodedata.category(each) != "Cf")
    folded = unicodedata.normalize("NFKC", seen).casefold()
    return _NO_WORD.sub(" ", folded).strip()


def find_quoted(text: str) -> set[str]:
    """The texts that stand in quotation marks, without case."""
    return {found.casefold() for found in _QUOTED.findall(text)}

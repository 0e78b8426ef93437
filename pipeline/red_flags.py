"""Red flags: what is visibly wrong with a translation, whatever a quality estimator says of it.

Pure functions of the English sentence, its translation (both without wrapper) and the language. A
red flag marks a candidate and keeps it in; only an empty translation discards, as reason `empty`.
What the English sentence has itself (a tag, a repeated word, a name in Latin letters) is no flag.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from engines.language_identification import compute_language_probability

PREFIX = "red:"
"""Stands before the name of a red flag in `Candidate.flags`."""
EMPTY = "empty"
COPY = "copy"
WRONG_LANGUAGE = "wrong_language"
REPETITION = "repetition"
LENGTH_RATIO = "length_ratio"
MARKUP = "markup"
MIXED_SCRIPTS = "mixed_scripts"

MEANINGS: dict[str, str] = {
    EMPTY: "the translation has no letter and no digit",
    COPY: "the translation is the English sentence itself",
    WRONG_LANGUAGE: "the translation is hardly in the language asked for",
    REPETITION: "the translation repeats words or letters that the sentence does not repeat",
    LENGTH_RATIO: "the translation is far shorter or longer than the sentence",
    MARKUP: "the translation holds markup, an entity or a line break that the sentence has not",
    MIXED_SCRIPTS: "a word of the translation is in another script than the language's",
}
"""Red flag → its meaning in words."""

MIN_LETTERS_FOR_LANGUAGE = 12
"""A text with fewer letters is not judged for its language."""
MIN_LANGUAGE_PROBABILITY = 0.02
"""A text less probable than this in the language asked for is in another one."""
TOO_SHORT_SHARE = 0.4
TOO_SHORT_BY = 8
"""Too short: under this share of the sentence's code points, and this many fewer."""
TOO_LONG_FACTOR = 2
TOO_LONG_BY = 20
"""Too long: over this many times the sentence's code points plus this many."""
LONGEST_LOOP_WORDS = 40

_LATIN = "LATIN"
_SCRIPTS = {"bg": "CYRILLIC", "ru": "CYRILLIC", "uk": "CYRILLIC", "el": "GREEK"}
"""Language code → script, as Unicode names begin; all others are written in Latin letters."""
_OTHER_SCRIPTS = ("ARABIC", "ARMENIAN", "CJK", "DEVANAGARI", "GEORGIAN", "HANGUL", "HEBREW")
_KNOWN_SCRIPTS = frozenset(
    {_LATIN, "CYRILLIC", "GREEK", "HIRAGANA", "KATAKANA", "THAI", *_OTHER_SCRIPTS}
)
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LETTER_LOOP = re.compile(r"([^\W\d_])\1{4,}")
_ROMAN_NUMERAL = re.compile(r"[IVXLCDM]+\Z")
_MARKUP = re.compile(
    r"</?[A-Za-z][^<>]*>"
    r"|&(?:#\d+|#[xX][0-9A-Fa-f]+|[A-Za-z][A-Za-z0-9]{1,7});"
    r"|\\[nrt\"]|\\u[0-9A-Fa-f]{4}"
    r"|\*\*|```|\{\s*\"|[\x00-\x1f\x7f\u2028\u2029\ufffd]"
)


def find_red_flags(sentence: str, translation: str, language: str) -> tuple[str, ...]:
    """The red flags of a translation, without prefix, in the order of `MEANINGS`.

    Args:
        sentence: the English sentence, without wrapper.
        translation: its translation, without wrapper.
        language: code of the language asked for.

    Returns:
        `empty` alone for an empty translation; a copy is not also called a wrong language.
    """
    sentence, translation = sentence.strip(), translation.strip()
    if not _WORD.search(translation):
        return (EMPTY,)
    if is_copy(sentence, translation):
        first = [COPY]
    else:
        foreign = is_foreign_script(sentence, translation, language)
        first = [WRONG_LANGUAGE] if foreign or is_wrong_language(translation, language) else []
    checks: dict[str, Callable[[], bool]] = {
        REPETITION: lambda: is_repetitive(translation) and not is_repetitive(sentence),
        LENGTH_RATIO: lambda: has_odd_length(sentence, translation),
        MARKUP: lambda: has_markup(sentence, translation),
        MIXED_SCRIPTS: lambda: mixes_scripts(sentence, translation, language),
    }
    return (*first, *(name for name, check in checks.items() if check()))


def is_copy(sentence: str, translation: str) -> bool:
    """Whether both have the same words, whatever their punctuation and case."""
    return _fold_words(sentence) == _fold_words(translation)


def is_wrong_language(translation: str, language: str) -> bool:
    """Whether a text of at least 12 letters is hardly in this language or a near relative."""
    letters = sum(map(len, _LETTERS.findall(translation)))
    if letters < MIN_LETTERS_FOR_LANGUAGE:
        return False
    return compute_language_probability(translation, language) < MIN_LANGUAGE_PROBABILITY


def is_repetitive(text: str) -> bool:
    """Whether a letter stands five times in a row, a word four, two words three, more words two."""
    if _LETTER_LOOP.search(text):
        return True
    words = _fold_words(text)
    longest = min(LONGEST_LOOP_WORDS, len(words) // 2)
    return any(_has_loop(words, size, {1: 4, 2: 3}.get(size, 2)) for size in range(1, longest + 1))


def has_odd_length(sentence: str, translation: str) -> bool:
    """Whether the translation is too short or too long for its sentence, in code points.

    The limits lie outside all of 15,135 recorded Google translations in four Slavic languages; the
    fixed parts spare short sentences, where a ratio says little.
    """
    here, there = len(sentence), len(translation)
    too_short = there < TOO_SHORT_SHARE * here and here - there >= TOO_SHORT_BY
    return too_short or there > TOO_LONG_FACTOR * here + TOO_LONG_BY


def has_markup(sentence: str, translation: str) -> bool:
    """Whether there is a tag, entity, escape, emphasis or control character of its own."""
    return not set(_MARKUP.findall(translation)) <= set(_MARKUP.findall(sentence))


def mixes_scripts(sentence: str, translation: str, language: str) -> bool:
    """Whether a word mixes the language's script with another, or is in another beside own words.

    A Latin word that the sentence has too, or that is a Roman numeral, is at home anywhere.
    """
    own = _own_script(language)
    scripts = _scripts_of_words(translation)
    if any(own in found and len(found) > 1 for found in scripts.values()):
        return True
    at_home = any(found == {own} for found in scripts.values())
    return at_home and bool(_foreign_words(sentence, scripts, own))


def is_foreign_script(sentence: str, translation: str, language: str) -> bool:
    """Whether a translation, however short, has no letter of the language's script."""
    own = _own_script(language)
    scripts = _scripts_of_words(translation)
    if any(own in found for found in scripts.values()):
        return False
    return bool(_foreign_words(sentence, scripts, own))


def _own_script(language: str) -> str:
    return _SCRIPTS.get(language, _LATIN)


def _scripts_of_words(text: str) -> dict[str, set[str]]:
    return {word: _find_scripts(word) for word in _LETTERS.findall(text)}


def _foreign_words(sentence: str, scripts: Mapping[str, set[str]], own: str) -> list[str]:
    """Words in another script that the sentence has not and that are no Roman numerals."""
    known = set(_fold_words(sentence))
    foreign = (word for word, found in scripts.items() if found and own not in found)
    return [
        word for word in foreign if word.casefold() not in known and not _ROMAN_NUMERAL.match(word)
    ]


def _fold_words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _has_loop(words: Sequence[str], size: int, times: int) -> bool:
    """Whether some `size` words follow themselves until they have stood `times` times."""
    span = size * (times - 1)
    equal = 0
    for first, later in zip(words, words[size:], strict=False):
        equal = equal + 1 if first == later else 0
        if equal == span:
            return True
    return False


def _find_scripts(word: str) -> set[str]:
    """The scripts of a word's letters; letters of no script, such as the ordinal ª, have none."""
    return {script for script in map(_find_script, word) if script}


@lru_cache(maxsize=4096)
def _find_script(letter: str) -> str | None:
    name = unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]
    return name if name in _KNOWN_SCRIPTS else None

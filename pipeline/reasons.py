"""Reason codes of candidates: why a source sentence is what it is in a language."""

from __future__ import annotations

from typing import Final

IDENTICAL: Final = "identical"
INFLECTION: Final = "inflection"
WORD_COUNT: Final = "word_count"
SEVERAL_WORDS: Final = "several_words"
LETTERS: Final = "letters"
LENGTH: Final = "length"
UNDEFINED: Final = "undefined"
EXTRACTION_FAILED: Final = "extraction_failed"
NOT_TRANSLATED: Final = "not_translated"
EMPTY: Final = "empty"
SOURCE: Final = "source"
NOT_GENDERED: Final = "not_gendered"
QUALITY: Final = "quality"

REASONS: dict[str, str] = {
    IDENTICAL: "both wrappers gave the same sentence",
    INFLECTION: "the texts differ in one word by at most two letters",
    WORD_COUNT: "the texts have different numbers of words",
    SEVERAL_WORDS: "more than one word differs",
    LETTERS: "one word differs by more than two letters",
    LENGTH: "the texts differ in length by more than five characters",
    UNDEFINED: "the published code gives no label: the texts differ only in a run of spaces",
    EXTRACTION_FAILED: "the sentence could not be told from what the engine put around it",
    NOT_TRANSLATED: "there is no translation for one of the wrappers",
    EMPTY: "the engine answered with an empty text",
    SOURCE: "English is the sources' own language and is not translated",
    NOT_GENDERED: "the language does not mark the speaker's gender in first-person sentences",
    QUALITY: "the estimated quality of a translation is below the threshold",
}
"""Reason code → its meaning in words."""

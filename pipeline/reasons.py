"""Reason codes of candidates: why a source sentence is what it is in a language."""

from __future__ import annotations

from typing import Final

from corpus.review import ONE_GENDER_ONLY

IDENTICAL: Final = "identical"
IDENTICAL_GENDERED: Final = "identical_gendered"
INFLECTION: Final = "inflection"
DERIVED: Final = "derived"
INCONSISTENT: Final = "inconsistent"
NUMBER: Final = "number"
ASPECT_OR_TENSE: Final = "aspect_or_tense"
SYNONYM: Final = "synonym"
WORD_ORDER: Final = "word_order"
OBJECT_GENDER: Final = "object_gender"
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
IMPORTED: Final = "imported"
TRANSLATED: Final = "translated"
PARAPHRASED: Final = "paraphrased"

REASONS: dict[str, str] = {
    IDENTICAL: "both wrappers gave the same sentence",
    IDENTICAL_GENDERED: "both texts are the same, and a word in them shows the speaker's gender",
    INFLECTION: "each word that differs is the same word in another gender",
    DERIVED: "a word that differs is a noun for the speaker derived from the other",
    INCONSISTENT: "one word shows a man, another one in the same text a woman",
    NUMBER: "a word stands for one in one text and for several in the other",
    ASPECT_OR_TENSE: "a verb has another aspect or tense",
    SYNONYM: "a word is another word, or another form of it than gender",
    WORD_ORDER: "the words stand in another order",
    OBJECT_GENDER: "only a word for somebody or something else than the speaker changes",
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
    IMPORTED: "the label comes from an existing data set and was not made here",
    TRANSLATED: "a prompt, or a community's name, that was translated by a machine",
    PARAPHRASED: "a prompt that was reworded by a chat model, in English or in its language",
    ONE_GENDER_ONLY: "a curator found that the text shows one gender and the other is missing",
}
"""Reason code → its meaning in words."""

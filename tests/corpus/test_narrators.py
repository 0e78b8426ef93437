"""Narrators: every usual phrase is recognised, and no words of a first-person speaker are."""

import unicodedata

import pytest

from corpus.languages import load_languages
from corpus.narrators import NarratorPart, load_narrators
from pipeline.narration import find_narration, fold_words


def test_all_languages_have_narrators() -> None:
    assert set(load_narrators()) == set(load_languages())


@pytest.mark.parametrize("code", sorted(load_narrators()))
def test_every_phrase_is_a_whole_narrator(code: str) -> None:
    narrators = load_narrators()[code]
    for phrase in [*narrators.before, *narrators.after]:
        assert narrators.judge(fold_words(phrase)) is NarratorPart.WHOLE, phrase
    for before, after in narrators.around:
        assert narrators.judge(fold_words(before)) is NarratorPart.SPEAKER
        assert narrators.judge(fold_words(after)) is NarratorPart.SAYING
    assert len(narrators.before) >= 3
    assert len(narrators.after) >= 2


@pytest.mark.parametrize("code", sorted(load_narrators()))
def test_the_noun_templates_are_narrators(code: str) -> None:
    entry = load_languages()[code]
    nouns = [each for each in entry.templates if each.kind == "noun"]
    assert nouns
    for template in nouns:
        for frame in (template.masculine, template.feminine):
            words = fold_words(f"{frame.before} {frame.after}")
            assert load_narrators()[code].judge(words) is NarratorPart.WHOLE


@pytest.mark.parametrize("code", sorted(load_narrators()))
def test_word_classes_do_not_overlap_and_are_nfc(code: str) -> None:
    narrators = load_narrators()[code]
    classes = [narrators.nouns, narrators.verbs, narrators.particles]
    assert len(frozenset().union(*classes)) == sum(map(len, classes))
    for text in [*frozenset().union(*classes), *narrators.before, *narrators.after]:
        assert unicodedata.is_normalized("NFC", text)
    assert all(("'" in (word[0], word[-1])) and len(word) > 1 for word in narrators.elisions)


@pytest.mark.parametrize(
    ("code", "text", "part"),
    [
        ("sk", "Muž povedal", NarratorPart.WHOLE),
        ("sk", "Muž", NarratorPart.SPEAKER),
        ("sk", "povedal", NarratorPart.SAYING),
        ("sk", "Ten", NarratorPart.NONE),
        ("sk", "Moja žena povedala", NarratorPart.NONE),
        ("sk", "Povedal som", NarratorPart.NONE),
        ("sk", "Muž a žena povedali", NarratorPart.NONE),
        ("sk", "Muž povedal žena", NarratorPart.NONE),
        ("de", "Mein Mann sagte", NarratorPart.NONE),
        ("es", "Mi mujer dijo", NarratorPart.NONE),
        ("sk", "The man said", NarratorPart.WHOLE),
        ("sk", "", NarratorPart.NONE),
        ("xx", "The man said", NarratorPart.NONE),
    ],
)
def test_judgement(code: str, text: str, part: NarratorPart) -> None:
    assert find_narration(code).judge(fold_words(text)) is part

"""The comparison form: what makes no difference between two texts, and what does."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.words import split_words
from pipeline.normalisation import count_differing_letters, normalise


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Som šťastná.", unicodedata.normalize("NFD", "Som šťastná.")),
        ("Som  tu.\u00a0", "Som tu."),
        ("Som „tu“.", 'Som "tu".'),
        ("L’uomo", "L'uomo"),
        ("ich bin", "Ich bin"),
        ("«ja» som", "«Ja» som"),
    ],
)
def test_makes_no_difference(first: str, second: str) -> None:
    assert normalise(first) == normalise(second)


@pytest.mark.parametrize(("first", "second"), [("a b", "ab"), ("Som tu", "Som Tu"), ("a.", "a!")])
def test_makes_a_difference(first: str, second: str) -> None:
    assert normalise(first) != normalise(second)


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once


def test_words_have_spans_and_leave_punctuation_out() -> None:
    text = "(L’uomo) – „ex-muž“, 3,5 km."
    words = split_words(text)
    assert [word.text for word in words] == ["L’uomo", "ex-muž", "3,5", "km"]
    assert [word.form for word in words][:2] == ["l'uomo", "ex-muž"]
    assert all(text[word.start : word.end] == word.text for word in words)


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [("bol", "bola", 1), ("unavený", "unavená", 1), ("išiel", "išla", 3), ("Ja", "ja", 0)],
)
def test_letters_are_counted_in_place(first: str, second: str, count: int) -> None:
    # Counted by hand: i-š-i-e-l / i-š-l-a differ at i/l, e/a and one letter of length.
    assert count_differing_letters(first, second) == count
    assert count_differing_letters(second, first) == count

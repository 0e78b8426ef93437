"""Properties of `extended` that hold for any sentences of any language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.languages import load_languages
from corpus.morphology import load_morphology
from corpus.records import Label
from pipeline.extended.exchanges import Direction, GenderExchange
from pipeline.extended.knowledge import load_knowledge
from pipeline.extended.strategy import compare_sentences

GENDERED = sorted(
    code for code, language in load_languages().items() if language.gendered_first_person
)
WORDS = [
    *("som", "bol", "bola", "rád", "rada", "išiel", "išla", "ktorý", "partner", "partnerka"),
    *("môj", "moja", "a", "že", "unavený", "unavená", "dom", "l'uomo", "Straße", "İ", "x"),
]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(
    lambda words: " ".join(words) + "."
)


@given(sentences, st.sampled_from(GENDERED))
def test_identical_texts_are_never_a_pair(text: str, language: str) -> None:
    assert compare_sentences(language, text, text).label is not Label.PAIR


@given(sentences, sentences, st.sampled_from(["sk", "it", "xx"]))
def test_swapping_the_texts_never_makes_a_second_pair(
    first: str, second: str, language: str
) -> None:
    """A pair read the wrong way round shows a woman where a man speaks, and no more than that."""
    one = compare_sentences(language, first, second)
    other = compare_sentences(language, second, first)
    if one.label is Label.NEUTRAL or one.reason in ("word_count", "identical_gendered"):
        assert (other.label, other.reason) == (one.label, one.reason)
    assert not (one.label is Label.PAIR and other.label is Label.PAIR)


@given(sentences, sentences, st.sampled_from(["sk", "it", "xx"]))
def test_the_same_input_gives_the_same_result(first: str, second: str, language: str) -> None:
    assert compare_sentences(language, first, second) == compare_sentences(language, first, second)


@given(sentences, sentences)
def test_spans_are_the_words_as_written(first: str, second: str) -> None:
    for each in compare_sentences("it", first, second).evidence.get("differences", []):
        assert first[slice(*each["masculine_span"])] == each["masculine"]
        assert second[slice(*each["feminine_span"])] == each["feminine"]


@pytest.mark.parametrize("language", GENDERED)
def test_no_example_of_a_table_is_unknown_or_turned_round(language: str) -> None:
    table = load_morphology(language)
    if table is None:
        pytest.skip(f"{language} has no table")
    exchanges = load_knowledge(language).exchanges
    wrong = []
    for each in table.exchanges:
        found = exchanges.compare(*each.example)
        turned = isinstance(found, GenderExchange) and found.direction is Direction.REVERSE
        if found is None or turned:
            wrong.append(each.example)
    assert wrong == []

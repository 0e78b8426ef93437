"""Words that mark the gender of a pair's texts."""

from __future__ import annotations

from corpus.words import find_gendered_spans


def test_spans_are_of_the_words_that_differ_and_belong_to_who_asked() -> None:
    pair = {"masculine": "Som sám a emotívny.", "feminine": "Som sama a emotívna."}
    spans = find_gendered_spans(pair)
    marked = {
        variant: [pair[variant][start:end] for start, end in found]
        for variant, found in spans.items()
    }
    assert marked == {"masculine": ["sám", "emotívny"], "feminine": ["sama", "emotívna"]}
    spans["masculine"].clear()
    assert find_gendered_spans(pair)["masculine"] == [[4, 7], [10, 18]]


def test_a_word_of_one_variant_is_marked_there_and_texts_alone_have_no_span() -> None:
    pair = {"masculine": "Ja som sám.", "feminine": "Ja sám."}
    assert find_gendered_spans(pair) == {"masculine": [[3, 6]], "feminine": []}
    assert find_gendered_spans({"neutral": "Som tu."}) == {}

"""Strategy `strict`: the paper's rule, and nothing but gender makes a pair."""

import unicodedata

import pytest

from corpus.errors import SettingsError
from corpus.records import Label
from corpus.samples import sentences_path, translation_paths
from engines.recorded import load_recorded
from engines.translation import TranslationRequest
from pipeline.pairing import pairing_strategy
from pipeline.pairing_result import PairingResult
from pipeline.reasons import REASONS
from pipeline.sources import load_sources
from pipeline.wrapping import Wrapper, wrap

STRICT = pairing_strategy("strict")


def pair(masculine: str, feminine: str) -> PairingResult:
    return STRICT.pair("sk", f'Muž povedal: "{masculine}"', f'Žena povedala: "{feminine}"')


@pytest.mark.parametrize(
    ("masculine", "feminine", "label", "reason"),
    [
        ("Bol som tu.", "Bola som tu.", Label.PAIR, "inflection"),
        ("Som unavený.", "Som unavená.", Label.PAIR, "inflection"),
        ("Bol som sám.", "Bola som sama.", Label.DISCARDED, "several_words"),
        ("Išiel som.", "Išla som.", Label.DISCARDED, "letters"),
        ("Bol som tu.", "Bola som.", Label.DISCARDED, "word_count"),
        # The published code discards this one for its length.
        ("Mám rád toto – naozaj, vážne.", "Mám rada toto: naozaj vážne", Label.PAIR, "inflection"),
    ],
)
def test_labels(masculine: str, feminine: str, label: Label, reason: str) -> None:
    result = pair(masculine, feminine)
    assert (result.label, result.reason) == (label, reason)
    assert result.variants == {"masculine": masculine, "feminine": feminine}


@pytest.mark.parametrize(
    ("masculine", "feminine", "flags"),
    [
        ("Som tu.", "Som tu.", ()),
        ("Som šťastný.", unicodedata.normalize("NFD", "Som šťastný."), ()),
        ("Som tu.", "som   tu.", ()),
        ("Mám „psa“.", "Mám 'psa'.", ("spelling",)),
        ("Som tu!", "Som tu.", ("spelling",)),
        ("Som Boh.", "Som boh.", ("spelling",)),
    ],
)
def test_what_marks_no_gender_is_neutral_and_the_original_is_kept(
    masculine: str, feminine: str, flags: tuple[str, ...]
) -> None:
    result = pair(masculine, feminine)
    assert (result.label, result.reason) == (Label.NEUTRAL, "identical")
    assert result.variants == {"neutral": masculine}
    assert result.flags == flags


def test_evidence_names_the_differing_words_with_their_spans() -> None:
    result = pair("Dnes som unavený.", "Dnes som unavená.")
    (difference,) = result.evidence["differences"]
    assert difference == {
        "masculine": "unavený",
        "feminine": "unavená",
        "masculine_span": [9, 16],
        "feminine_span": [9, 16],
    }
    assert result.evidence["extraction"] == {"masculine": "quoted", "feminine": "quoted"}


@pytest.mark.parametrize(
    ("masculine", "feminine", "reason", "variants"),
    [
        (None, 'Žena povedala: "Som tu."', "not_translated", {}),
        ('Muž povedal: "Som tu."', " ", "empty", {}),
        ('Muž povedal: "Som tu."', "Som tu.", "extraction_failed", {"masculine": "Som tu."}),
    ],
)
def test_texts_that_cannot_be_compared(
    masculine: str | None, feminine: str | None, reason: str, variants: dict[str, str]
) -> None:
    result = STRICT.pair("sk", masculine, feminine)
    assert (result.label, result.reason, result.variants) == (Label.DISCARDED, reason, variants)


@pytest.mark.parametrize(
    ("language", "counts"),
    # Counted in tests/corpus/test_sample.py from the texts themselves.
    [("es", (22, 33, 9)), ("sk", (22, 24, 18))],
)
def test_bundled_sample(language: str, counts: tuple[int, int, int]) -> None:
    engine = load_recorded(list(translation_paths().values()))
    results = []
    for source in load_sources(sentences_path()).sources:
        wrapped = [wrap(source.text, w) for w in (Wrapper.MASCULINE, Wrapper.FEMININE)]
        (answers,) = engine.translate([TranslationRequest(text, language) for text in wrapped])
        results.append(STRICT.pair(language, *(answer.text for answer in answers)))
    labels = [result.label for result in results]
    assert tuple(map(labels.count, (Label.PAIR, Label.NEUTRAL, Label.DISCARDED))) == counts
    assert {result.reason for result in results} <= REASONS.keys() - {"extraction_failed"}


def test_unknown_strategies_are_named_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="'loose'; use one of extended, reference, strict"):
        pairing_strategy("loose")

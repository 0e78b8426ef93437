"""Strategy `reference`: the published code to the letter, its defects included."""

import csv
from pathlib import Path

import pytest

from corpus.records import Label, Wrapper
from engines.recorded import load_recorded
from engines.translation import TranslationRequest
from pipeline.pairing import pairing_strategy
from pipeline.reference import extract_reference
from pipeline.sources import load_sources
from pipeline.wrapping import WrapperForm, wrap

PUBLISHED_LABELS = {Label.PAIR: "Gendered", Label.NEUTRAL: "Neutral", Label.DISCARDED: "Unknown"}


@pytest.mark.parametrize(
    ("wrapped", "taken"),
    [
        ('Muž povedal: "Som tu."', "Som tu"),
        ("Muž povedal: „Som tu.“", "Som tu"),
        ("Muž povedal: «Som tu.»", "Som tu"),
        # Its defects: the narrator, a fragment up to an apostrophe or from a comma, no sentence.
        ("L'uomo ha detto: 'Sono stanco'", "uomo ha detto: "),
        ("Чоловік сказав: 'Я не п'ю і втомлений'", "Я не п"),
        ("Žena povedala: Vstala som, keď svitalo.", " keď svitalo"),
        ("Žena povedala: Som tu.", 'ERROR": Žena povedala: Som tu'),
        # Three characters or fewer between single quotes: everything between the outermost ones.
        ("It's 'ok' and it's fine", "s 'ok' and it"),
    ],
)
def test_what_is_taken_for_the_sentence(wrapped: str, taken: str) -> None:
    assert extract_reference(wrapped) == taken


@pytest.mark.parametrize(
    ("masculine", "feminine", "label", "reason"),
    [
        ("Bol som tu.", "Bola som tu.", Label.PAIR, "inflection"),
        ("Som tu.", "Som tu!", Label.NEUTRAL, "identical"),
        ("Bol som sám.", "Bola som sama.", Label.DISCARDED, "several_words"),
        ("Išiel som.", "Išla som.", Label.DISCARDED, "letters"),
        ("Bol som tu.", "Bola som.", Label.DISCARDED, "word_count"),
        ("Som tu.", "Som tu a ešte dlho budem.", Label.DISCARDED, "length"),
        # Defects: spelling and case are called gender, a run of spaces stops the published code.
        ("šaty mám", "s\u030caty mám", Label.PAIR, "inflection"),
        ("Ich bin da.", "ich bin da.", Label.PAIR, "inflection"),
        ("Som tu.", "Som   tu.", Label.DISCARDED, "undefined"),
    ],
)
def test_labels(masculine: str, feminine: str, label: Label, reason: str) -> None:
    result = pairing_strategy("reference").pair("sk", f'M: "{masculine}"', f'Ž: "{feminine}"')
    assert (result.label, result.reason) == (label, reason)


@pytest.mark.parametrize(
    ("masculine", "feminine", "reason"),
    [(None, 'Ž: "Som tu."', "not_translated"), ('M: "Som tu."', "", "empty")],
)
def test_missing_texts(masculine: str | None, feminine: str | None, reason: str) -> None:
    result = pairing_strategy("reference").pair("sk", masculine, feminine)
    assert (result.label, result.reason) == (Label.DISCARDED, reason)
    assert list(result.variants.values()) == ["Som tu"]


@pytest.mark.data
def test_reproduces_the_published_code_on_google_slovak(data_dir: Path) -> None:
    """Labels and both texts of all 3,453 sentences, as the published code gave them."""
    with (data_dir / "expected" / "reference_labels_google_sk.csv").open(
        encoding="utf-8", newline=""
    ) as handle:
        expected = [tuple(row) for row in csv.reader(handle)][1:]
    sources = load_sources(data_dir / "gest" / "gest_1.0.csv").sources
    engine = load_recorded([data_dir / "translations" / "google_sk.csv"], missing="skip")
    strategy = pairing_strategy("reference")
    found = []
    for source in sources:
        requests = [
            TranslationRequest(wrap(source.text, wrapper, WrapperForm.GEST), "sk")
            for wrapper in (Wrapper.MASCULINE, Wrapper.FEMININE)
        ]
        ((masculine, feminine),) = engine.translate(requests)
        if masculine.text is None or feminine.text is None:
            continue
        result = strategy.pair("sk", masculine.text, feminine.text)
        texts = result.variants
        found.append(
            (
                source.text,
                str(source.stereotype_id),
                PUBLISHED_LABELS[result.label],
                texts.get("masculine", texts.get("neutral")),
                texts.get("feminine", texts.get("neutral")),
            )
        )
    assert len(expected) == 3453
    assert found == expected

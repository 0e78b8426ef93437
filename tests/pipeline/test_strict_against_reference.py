"""Where `strict` differs from `reference`, and why each difference is the published code's defect.

Every difference falls into exactly one kind. On real output only the first two occur; the others
are shown on sentences of our own.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.records import Label, Wrapper
from engines.recorded import load_recorded
from engines.translation import TranslationRequest
from pipeline.extraction import extract_sentence
from pipeline.pairing import pairing_strategy
from pipeline.reference import extract_reference
from pipeline.sources import load_sources
from pipeline.wrapping import WrapperForm, wrap

NARRATORS = ("Muž povedal", "Žena povedala")
OUTER_PUNCTUATION = re.compile(r"^[^\w\s]+|[^\w\s]+$")
QUOTED = re.compile(r'(?:Muž povedal|Žena povedala): (?:"([^"„“]*)"|„([^"„“]*)“)')
UNQUOTED = re.compile(r'(?:Muž povedal|Žena povedala): ([^"„“]*)')

TEXT_KINDS: dict[str, Callable[[str, str], bool]] = {
    # No quotation marks and no comma: the published code goes on with an error string.
    "narrator": lambda strict, reference: reference.startswith('ERROR": '),
    # No quotation marks: the published code takes what follows the first comma.
    "after_comma": lambda strict, reference: reference != strict and strict.endswith(reference),
    # An apostrophe ends the quote: the published code takes what stands before it.
    "apostrophe": lambda strict, reference: (
        reference != strict and strict.replace("’", "'").startswith(reference + "'")
    ),
}
"""Kinds of a text that `reference` takes for the sentence and that is not the sentence."""


def text_kinds(strict: str, reference: str) -> list[str]:
    bare = OUTER_PUNCTUATION.sub("", strict)
    return [kind for kind, holds in TEXT_KINDS.items() if holds(bare, reference)]


@pytest.mark.data
def test_every_difference_on_google_slovak_is_justified(data_dir: Path) -> None:
    sources = load_sources(data_dir / "gest" / "gest_1.0.csv").sources
    engine = load_recorded([data_dir / "translations" / "google_sk.csv"], missing="skip")
    strict, reference = pairing_strategy("strict"), pairing_strategy("reference")
    compared, label_changes, kinds = 0, Counter[tuple[Label, Label]](), Counter[str]()
    for source in sources:
        sent = [
            wrap(source.text, w, WrapperForm.GEST) for w in (Wrapper.MASCULINE, Wrapper.FEMININE)
        ]
        (answers,) = engine.translate([TranslationRequest(text, "sk") for text in sent])
        texts = [answer.text for answer in answers if answer.text is not None]
        if len(texts) < 2:
            continue
        compared += 1
        found = [kind for text in texts for kind in check_text(text)]
        kinds.update(found)
        new, old = strict.pair("sk", *texts), reference.pair("sk", *texts)
        assert new.reason != "extraction_failed"
        if new.label != old.label:
            label_changes[old.label, new.label] += 1
            assert found, "a label may differ only where the published code took a wrong text"
        elif not found:
            assert words_of(new.variants) == words_of(old.variants)
    assert compared == 3453
    assert kinds == {"narrator": 21, "after_comma": 17}
    assert label_changes == {
        (Label.DISCARDED, Label.PAIR): 11,
        (Label.PAIR, Label.DISCARDED): 2,
    }


def words_of(variants: dict[str, str]) -> dict[str, str]:
    return {name: OUTER_PUNCTUATION.sub("", text) for name, text in variants.items()}


def check_text(wrapped: str) -> list[str]:
    """The kind of difference in one translation, if any; the strict text is always the sentence."""
    sentence = extract_sentence(wrapped, "sk").text
    assert sentence is not None
    # An independent reading of the same text: between its only two marks, or all after the colon.
    match = QUOTED.fullmatch(wrapped) or UNQUOTED.fullmatch(wrapped)
    assert match is not None
    assert sentence == next(group for group in match.groups() if group is not None)
    assert not sentence.startswith(NARRATORS)
    taken = extract_reference(wrapped)
    if taken == OUTER_PUNCTUATION.sub("", sentence):
        return []
    found = text_kinds(sentence, taken)
    assert len(found) == 1, (wrapped, taken, found)
    return found


def frame(sentence: str, marks: str = '""') -> str:
    return f"Muž povedal: {marks[0]}{sentence}{marks[1]}"


def same_but_for_nfc(first: str, second: str) -> bool:
    return unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)


def same_but_for_case(first: str, second: str) -> bool:
    return first.casefold() == second.casefold()


def same_but_for_spaces(first: str, second: str) -> bool:
    return first.split() == second.split()


PAIR_KINDS = {
    "nfc": same_but_for_nfc,
    "case": same_but_for_case,
    "spaces": same_but_for_spaces,
}
"""Kinds of a pair of texts that differ in nothing that could mark gender."""


@pytest.mark.parametrize(
    ("kind", "masculine", "feminine", "published"),
    [
        ("nfc", "Šijem.", unicodedata.normalize("NFD", "Šijem."), Label.PAIR),
        ("case", "Ja šijem.", "ja šijem.", Label.PAIR),
        ("case", "Verím v Boha.", "Verím v boha.", Label.PAIR),
        ("spaces", "Ja šijem.", "Ja   šijem.", Label.DISCARDED),
    ],
)
def test_differences_that_mark_no_gender(
    kind: str, masculine: str, feminine: str, published: Label
) -> None:
    wrapped = frame(masculine), frame(feminine)
    assert [name for name, holds in PAIR_KINDS.items() if holds(masculine, feminine)] == [kind]
    assert pairing_strategy("reference").pair("sk", *wrapped).label == published
    result = pairing_strategy("strict").pair("sk", *wrapped)
    assert result.label == Label.NEUTRAL
    assert result.variants == {"neutral": masculine}


def test_apostrophe_truncates_the_published_text_and_hides_the_gender() -> None:
    masculine = "Чоловік сказав: 'Я не в'яну, бо втомлений.'"
    feminine = "Жінка сказала: 'Я не в'яну, бо втомлена.'"
    old = pairing_strategy("reference").pair("uk", masculine, feminine)
    assert (old.label, old.variants) == (Label.NEUTRAL, {"neutral": "Я не в"})
    new = pairing_strategy("strict").pair("uk", masculine, feminine)
    assert (new.label, new.variants["feminine"]) == (Label.PAIR, "Я не в'яну, бо втомлена.")
    assert text_kinds(new.variants["masculine"], old.variants["neutral"]) == ["apostrophe"]

"""Red flags on made and on recorded translations: found where they are, silent elsewhere."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.languages import load_languages
from corpus.samples import translation_paths
from engines.language_identification import compute_language_probability
from pipeline.red_flags import MEANINGS, find_red_flags, is_wrong_language

CASES = Path(__file__).with_name("pair_cases")
TIRED = "I am very tired of all this work."
TIRED_IN_SLOVAK = "Som veľmi unavená zo všetkej tejto práce."


@pytest.mark.parametrize(
    ("sentence", "translation", "language", "flags"),
    [
        (TIRED, TIRED_IN_SLOVAK, "sk", ()),
        (TIRED, "", "sk", ("empty",)),
        (TIRED, " … !\n", "sk", ("empty",)),
        (TIRED, TIRED, "sk", ("copy",)),
        (TIRED, "“I am very tired of all this work”", "sk", ("copy",)),
        (TIRED, "I feel so tired of that whole job.", "sk", ("wrong_language",)),
        (TIRED, "Я дуже втомилася від усієї цієї роботи.", "sk", ("wrong_language",)),
        (TIRED, "Jestem bardzo zmęczona tą całą pracą.", "sk", ("wrong_language",)),
        (
            TIRED,
            "Řekla bych, že jsem z práce příliš unavená.",
            "sk",
            ("wrong_language",),
        ),
        ("I cook.", "I kook.", "sk", ()),
        # Too short to judge its words, but not its letters.
        ("I cook.", "Готую.", "sk", ("wrong_language",)),
        ("I cook.", "Varím.", "uk", ("wrong_language",)),
        ("I cook.", "これは日本語です", "sk", ("wrong_language",)),
        ("Yes, IQ.", "IQ!", "uk", ()),
        ("In the year 20.", "XX 20.", "uk", ()),
        ("I cook.", "Varím varím varím varím.", "sk", ("repetition",)),
        (TIRED, "Som unavená, som unavená, som unavená z práce.", "sk", ("repetition",)),
        (TIRED, "Som veľmi unavená. Som veľmi unavená.", "sk", ("repetition",)),
        (TIRED, "Som veľmi unaveeeeeená zo všetkej práce.", "sk", ("repetition",)),
        ("No, no, no, no!", "Nie, nie, nie, nie!", "sk", ()),
        ("I changed the tyre on my own.", "Sam sam promijenio gumu.", "hr", ()),
        (TIRED, "Som unavená.", "sk", ("length_ratio",)),
        ("I cook.", "Varím každý deň pre celú svoju rodinu.", "sk", ("length_ratio",)),
        ("I did the laundry.", "Я прала.", "uk", ()),
        (TIRED, "Som <b>veľmi</b> unavená zo všetkej práce.", "sk", ("markup",)),
        ("I am <b>tired</b> of work.", "Som <b>unavená</b> z práce.", "sk", ()),
        (TIRED, "Som veľmi unavená zo &quot;všetkej&quot; práce.", "sk", ("markup",)),
        (TIRED, "Som veľmi unavená.\n\nPoznámka: ženský rod.", "sk", ("markup",)),
        (TIRED, r"Som veľmi unaven\u00e1 zo všetkej práce.", "sk", ("markup",)),
        (TIRED, r"Som veľmi unavená.\nZo všetkej práce.", "sk", ("markup",)),
        (TIRED, "Som **veľmi** unavená zo všetkej práce.", "sk", ("markup",)),
        (TIRED, '{"text": "Som veľmi unavená zo všetkej práce."}', "sk", ("markup",)),
        (TIRED, "Som veľmi unaven\ufffd zo všetkej práce.", "sk", ("markup",)),
        (TIRED, "Som veľmi unavená zo všetkej &#39;práce&#x27;.", "sk", ("markup",)),
        ("Tom & Jerry are tired.", "Tom & Jerry sú unavení.", "sk", ()),
        (TIRED, "Som veľmi unavenа zo všetkej tejto práce.", "sk", ("mixed_scripts",)),
        ("I had good results in IQ tests.", "Я мав гарні результати в тестах IQ.", "uk", ()),
        ("I watch films all day.", "Я дивлюся movies цілий день.", "uk", ("mixed_scripts",)),
        (
            "I read about the last century.",
            "Я читала про минуле XX століття.",
            "uk",
            (),
        ),
        ("Pi is my favourite number.", "Το π είναι ο αγαπημένος μου αριθμός.", "el", ()),
    ],
)
def test_finds_what_is_visibly_wrong(
    sentence: str, translation: str, language: str, flags: tuple[str, ...]
) -> None:
    assert find_red_flags(sentence, translation, language) == flags


def test_a_relative_that_a_sentence_does_not_tell_apart_is_no_wrong_language() -> None:
    danish = "Jeg er meget træt af alt det her arbejde."
    assert find_red_flags(TIRED, danish, "no") == ()
    assert find_red_flags(TIRED, danish, "sv") == ("wrong_language",)


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(sorted(load_languages())))
def test_answers_any_text_with_known_flags_in_their_order(
    sentence: str, translation: str, language: str
) -> None:
    found = find_red_flags(sentence, translation, language)
    assert list(found) == [name for name in MEANINGS if name in found]
    assert found == ("empty",) or "empty" not in found


@given(st.sampled_from(sorted(load_languages())))
def test_a_text_without_letters_is_in_every_language_alike(language: str) -> None:
    assert 0 < compute_language_probability("", language) <= 0.1


@pytest.mark.parametrize("file", sorted(CASES.glob("*.toml")), ids=lambda file: file.stem)
def test_sentences_of_a_language_are_in_it(file: Path) -> None:
    # Written for pairing by other people, in 19 languages: nothing here was tuned on them.
    cases = tomllib.loads(file.read_text(encoding="utf-8"))["case"]
    texts = [case[gender] for case in cases for gender in ("masculine", "feminine")]
    assert [text for text in texts if is_wrong_language(text, file.stem)] == []


def test_bundled_translations_have_no_flag() -> None:
    for code, file in translation_paths().items():
        with file.open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if "said" not in row["source"]]
        flagged = [row for row in rows if find_red_flags(*list(row.values())[:2], code)]
        assert flagged == []


@pytest.mark.data
@pytest.mark.parametrize("language", ["hr", "pl", "sk", "uk"])
def test_plausible_engine_output_has_few_flags(data_dir: Path, language: str) -> None:
    # The goal is below 2 %; none of the 22,477 rows had a flag when the limits were set on them.
    file = data_dir / "translations" / f"google_{language}.csv"
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if " said: " not in row["source"]][:1000]
    flagged = [row for row in rows if find_red_flags(row["source"], row["translation"], language)]
    assert flagged == []
    english = [row["source"] for row in rows if sum(map(str.isalpha, row["source"])) >= 12]
    missed = [text for text in english if not is_wrong_language(text, language)]
    assert len(missed) <= 5

"""The bundled sample is complete, consistent, and holds the hard cases its README lists."""

import csv
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from corpus.samples import sentences_path, translation_paths

WRAPPER_NOUNS = {"masculine": "man", "feminine": "woman"}
GENDERED = ("es", "sk")
FRAMES = {
    ("es", "masculine"): "El hombre dijo: ",
    ("es", "feminine"): "La mujer dijo: ",
    ("sk", "masculine"): "Muž povedal: ",
    ("sk", "feminine"): "Žena povedala: ",
}
QUOTES = "\"'«»“”„‘’"


def read_rows(path: Path) -> list[list[str]]:
    """Rows of a CSV under its header; a decoding error is a failure of the test."""
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.reader(handle))[1:]


SENTENCES = [text for text, _ in read_rows(sentences_path())]
TRANSLATIONS = {
    code: {row[0]: row[1] for row in read_rows(path)} for code, path in translation_paths().items()
}


def wrap(sentence: str, variant: str) -> str:
    return f'The {WRAPPER_NOUNS[variant]} said, "{sentence}"'


def body(language: str, line: int, variant: str) -> str:
    """What follows the narrator's words in the wrapped translation of a line, quotes kept."""
    text = TRANSLATIONS[language][wrap(SENTENCES[line - 2], variant)]
    frame = FRAMES[language, variant]
    nfc = unicodedata.normalize("NFC", text)
    assert nfc.startswith(frame)
    return nfc.removeprefix(frame)


def words(language: str, line: int, variant: str) -> list[str]:
    bare = "".join(c for c in body(language, line, variant) if c.isalpha() or c.isspace())
    split = bare.split()
    return [split[0][0].lower() + split[0][1:], *split[1:]]


def differing(language: str, line: int) -> list[tuple[str, str]]:
    masculine, feminine = (words(language, line, variant) for variant in WRAPPER_NOUNS)
    return [(m, f) for m, f in zip(masculine, feminine, strict=True) if m != f]


def test_sentences_are_64_four_per_stereotype_with_one_repeated_row() -> None:
    rows = read_rows(sentences_path())
    assert Counter(int(stereotype) for _, stereotype in rows) == dict.fromkeys(range(1, 17), 4)
    repeated = {key: n for key, n in Counter(map(tuple, rows)).items() if n > 1}
    assert repeated == {("I laugh at silly jokes.", "14"): 2}
    assert len(set(SENTENCES)) == 63


def test_sentences_hold_contractions_commas_and_inner_quotes() -> None:
    assert sum("'" in s for s in SENTENCES) >= 10
    for contraction in ("I'm", "don't", "I've", "couldn't"):
        assert any(contraction in s for s in SENTENCES), contraction
    assert sum("," in s for s in SENTENCES) >= 10
    assert [line for line, s in enumerate(SENTENCES, 2) if '"' in s] == [37]


@pytest.mark.parametrize("language", sorted(translation_paths()))
def test_translations_answer_exactly_the_texts_that_are_sent(language: str) -> None:
    expected = set(SENTENCES)
    if language in GENDERED:
        expected |= {wrap(s, variant) for s in SENTENCES for variant in WRAPPER_NOUNS}
    rows = read_rows(translation_paths()[language])
    assert Counter(source for source, _ in rows) == dict.fromkeys(expected, 1)
    assert all(translation.strip() == translation != "" for _, translation in rows)


@pytest.mark.parametrize("language", GENDERED)
def test_every_wrapped_translation_has_the_narrator_of_its_wrapper(language: str) -> None:
    for line in range(2, len(SENTENCES) + 2):
        for variant in WRAPPER_NOUNS:
            assert len(body(language, line, variant)) > 5


@pytest.mark.parametrize("language", GENDERED)
def test_strict_rule_finds_enough_of_each_label(language: str) -> None:
    """Counts of the developers' reading: strict pairs, equal variants, everything else."""
    counts: Counter[str] = Counter()
    for line in range(2, len(SENTENCES) + 2):
        masculine, feminine = (words(language, line, v) for v in WRAPPER_NOUNS)
        if masculine == feminine:
            counts["equal"] += 1
            continue
        if len(masculine) != len(feminine):
            counts["other"] += 1
            continue
        pairs = differing(language, line)
        letters = sum(
            sum(a != b for a, b in zip(m, f, strict=False)) + abs(len(m) - len(f)) for m, f in pairs
        )
        counts["pair" if len(pairs) == 1 and letters <= 2 else "other"] += 1
    expected = {
        "es": {"pair": 22, "equal": 33, "other": 9},
        "sk": {"pair": 22, "equal": 24, "other": 18},
    }
    assert counts == expected[language]


@pytest.mark.parametrize(
    ("language", "line", "pairs"),
    [
        ("es", 17, [("trabajador", "trabajadora"), ("organizado", "organizada")]),
        ("sk", 19, [("išiel", "išla"), ("sám", "sama"), ("vrátil", "vrátila")]),
        ("sk", 38, [("odborník", "odborníčka")]),
        ("es", 63, [("levantarte", "levantaros")]),
        ("es", 56, [("olvidé", "olvidaba")]),
        ("es", 20, [("gente", "personas")]),
        ("sk", 16, [("skontroloval", "kontrolovala")]),
        ("es", 10, [("un", "una"), ("amigo", "amiga"), ("solo", "sola")]),
        ("sk", 49, [("svojej", "svojmu"), ("partnerke", "partnerovi")]),
        ("es", 49, [("contento", "contenta"), ("novia", "novio")]),
        ("sk", 45, [("nebol", "nebola"), ("presvedčený", "presvedčená")]),
    ],
)
def test_differing_words_of_hard_cases(
    language: str, line: int, pairs: list[tuple[str, str]]
) -> None:
    assert differing(language, line) == pairs


@pytest.mark.parametrize(
    ("language", "line", "gendered_word"),
    [("es", 59, "atraído"), ("sk", 41, "pripravil"), ("sk", 42, "porovnal")],
)
def test_equal_variants_that_are_masculine(language: str, line: int, gendered_word: str) -> None:
    assert words(language, line, "masculine") == words(language, line, "feminine")
    assert gendered_word in words(language, line, "feminine")


@pytest.mark.parametrize(("language", "line"), [("es", 41), ("sk", 56)])
def test_word_order_differs(language: str, line: int) -> None:
    masculine, feminine = (words(language, line, v) for v in WRAPPER_NOUNS)
    assert len(masculine) == len(feminine)
    assert masculine[-1] != feminine[-1] or masculine[0] != feminine[0]
    assert len(set(masculine) & set(feminine)) >= 5
    assert len(differing(language, line)) > 3


@pytest.mark.parametrize(
    ("language", "line", "variant", "first", "last"),
    [
        ("es", 19, "feminine", '"', "."),
        ("es", 26, "masculine", "P", '"'),
        ("sk", 25, "masculine", "„", "."),
        ("sk", 44, "feminine", "Č", "“"),
        ("es", 5, "masculine", "M", "."),
        ("sk", 30, "feminine", "N", "."),
        ("sk", 13, "masculine", "N", "."),
        ("es", 6, "masculine", '"', '"'),
        ("es", 6, "feminine", "“", "”"),
        ("es", 11, "masculine", "«", "»"),
        ("sk", 46, "masculine", "„", '"'),
        ("es", 32, "masculine", '"', "."),
        ("es", 39, "feminine", "'", "'"),
        ("sk", 39, "masculine", "'", "'"),
    ],
)
def test_quotation_marks_of_hard_cases(
    language: str, line: int, variant: str, first: str, last: str
) -> None:
    text = body(language, line, variant)
    assert (text[0], text[-1]) == (first, last)


def test_quotes_and_apostrophes_inside_the_sentence() -> None:
    assert body("es", 37, "feminine") == '"Dije «no» y me sentí tranquila."'
    assert body("sk", 37, "masculine").count('"') == 4
    assert "O'Brien" in body("es", 39, "masculine").strip(QUOTES)
    assert "O’Brien" in body("sk", 39, "feminine").strip(QUOTES)
    assert "," in body("sk", 30, "masculine")


@pytest.mark.parametrize(("language", "line"), [("es", 4), ("es", 7), ("sk", 43)])
def test_feminine_is_nfd_where_masculine_is_nfc(language: str, line: int) -> None:
    masculine, feminine = (
        TRANSLATIONS[language][wrap(SENTENCES[line - 2], variant)] for variant in WRAPPER_NOUNS
    )
    assert unicodedata.is_normalized("NFC", masculine)
    assert unicodedata.is_normalized("NFD", feminine)
    assert not unicodedata.is_normalized("NFC", feminine)


@pytest.mark.parametrize(("language", "line"), [("es", 15), ("sk", 18), ("sk", 28)])
def test_first_letter_differs_in_case(language: str, line: int) -> None:
    masculine, feminine = (body(language, line, v).lstrip(QUOTES)[0] for v in WRAPPER_NOUNS)
    assert masculine.isupper()
    assert feminine == masculine.lower()


def test_two_spaces_between_words() -> None:
    assert "  " in body("es", 18, "feminine")
    assert "  " not in body("es", 18, "masculine")


@pytest.mark.data
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_no_sentence_is_from_gest(data_dir: Path, version: str) -> None:
    """Compared by letters alone, so that spelling of quotes, case and stops cannot hide one."""

    def letters(text: str) -> str:
        return "".join(c for c in text.casefold() if c.isalpha())

    published = {letters(text) for text, _ in read_rows(data_dir / "gest" / f"gest_{version}.csv")}
    assert len(published) > 3000
    assert not published & {letters(s) for s in SENTENCES}

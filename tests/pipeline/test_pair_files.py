"""Files of anybody's translations: labelled row by row, refused with every fault."""

from __future__ import annotations

import csv
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import InputError, StateError
from corpus.records import Label
from pipeline.pair_files import load_pair_file, pair_rows, write_pairs
from pipeline.pairing import pairing_strategy

WRAPPED = ("sentence", "masculine_wrapped", "feminine_wrapped")
MAN, WOMAN = 'Muž povedal: "{}"', 'Žena povedala: "{}"'
SWAPPED = ("I am tired.", MAN.format("Som unavený."), WOMAN.format("Som unavená."))
SAME = ("I am here.", MAN.format("Som tu."), WOMAN.format("Som tu."))
OTHER = ("I work.", MAN.format("Robím."), WOMAN.format("Ja pracujem tu."))
NO_SENTENCE = ("I sing.", "Spievam.", WOMAN.format("Spievam."))


def write_csv(path: Path, header: tuple[str, ...], *rows: tuple[str, ...]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def paired(path: Path, language: str | None = "sk", strategy: str = "strict") -> list[Any]:
    file = load_pair_file(path, language)
    out = path.with_name("out.csv")
    write_pairs(file, pair_rows(file, pairing_strategy(strategy)), out)
    return read_csv(out)


@pytest.mark.parametrize("strategy", ["strict", "extended"])
def test_wrapped_translations_are_labelled_in_their_order(tmp_path: Path, strategy: str) -> None:
    path = write_csv(tmp_path / "in.csv", WRAPPED, OTHER, SWAPPED, SAME, NO_SENTENCE)
    rows = paired(path, strategy=strategy)

    assert list(rows[0]) == [
        *WRAPPED,
        "label",
        "reason",
        "masculine",
        "feminine",
        "spans",
        "confidence",
        "flags",
    ]
    assert [row["sentence"] for row in rows] == ["I work.", "I am tired.", "I am here.", "I sing."]
    assert [(row["label"], row["reason"]) for row in rows] == [
        ("discarded", "word_count"),
        ("pair", "inflection"),
        ("neutral", "identical"),
        ("discarded", "extraction_failed"),
    ]
    swapped, same, failed = rows[1:]
    assert (swapped["masculine"], swapped["feminine"]) == ("Som unavený.", "Som unavená.")
    assert (same["masculine"], same["feminine"]) == ("Som tu.", "Som tu.")
    assert (failed["masculine"], failed["feminine"]) == ("", "Spievam.")
    assert swapped["masculine_wrapped"] == SWAPPED[1]


def test_spans_are_places_in_the_texts_beside_them(tmp_path: Path) -> None:
    [row] = paired(write_csv(tmp_path / "in.csv", WRAPPED, SWAPPED))
    [span] = json.loads(row["spans"])
    for variant, word in (("masculine", "unavený"), ("feminine", "unavená")):
        start, end = span[f"{variant}_span"]
        assert row[variant][start:end] == span[variant] == word


@pytest.mark.parametrize(
    ("strategy", "label"), [("strict", "pair"), ("reference", "pair"), ("extended", "pair")]
)
def test_bare_sentences_stay_where_they_are(tmp_path: Path, strategy: str, label: str) -> None:
    # The second letter of the decomposed text is written as two code points; stored is NFC.
    decomposed = unicodedata.normalize("NFD", "Som unavený.")
    header = ("masculine", "verdict", "feminine")
    path = write_csv(tmp_path / "in.csv", header, (decomposed, "C", "Som unavená."), ("", "X", "A"))
    rows = paired(path, strategy=strategy)

    assert list(rows[0]) == [*header, "label", "reason", "spans", "confidence", "flags"]
    assert (rows[0]["masculine"], rows[0]["feminine"]) == ("Som unavený.", "Som unavená.")
    assert (rows[0]["label"], rows[0]["verdict"]) == (label, "C")
    assert (rows[1]["label"], rows[1]["reason"], rows[1]["masculine"]) == ("discarded", "empty", "")


def test_each_row_is_paired_in_its_own_language(tmp_path: Path) -> None:
    header = ("language", "masculine", "feminine")
    path = write_csv(
        tmp_path / "in.csv",
        header,
        ("pl", "Lubiłem czytać.", "Lubiłam czytać."),
        ("sk", "Som unavený.", "Som unavená."),
    )
    file = load_pair_file(path)
    assert file.languages == ("pl", "sk")
    assert [each.label for each in pair_rows(file, pairing_strategy("extended"))] == [
        Label.PAIR,
        Label.PAIR,
    ]
    empty = write_csv(tmp_path / "empty.csv", header, ("", "Som tu.", "Som tu."))
    assert load_pair_file(empty, "sk").languages == ("sk",)


def test_a_file_without_rows_gives_its_header(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "in.csv", WRAPPED)
    assert paired(path) == []
    assert (tmp_path / "out.csv").read_text().startswith("sentence,masculine_wrapped,")


def test_all_faults_come_at_once(tmp_path: Path) -> None:
    path = write_csv(
        tmp_path / "in.csv",
        ("language", "masculine_wrapped", "label"),
        ("xx", "Som.", ""),
        ("sk", "Som."),
        ("", "Som.", ""),
        ("pl", "Som.", ""),
    )
    with pytest.raises(InputError) as caught:
        load_pair_file(path, "sk")
    assert [(each.row, each.field, each.problem) for each in caught.value.faults] == [
        (1, "feminine_wrapped", "missing column"),
        (1, "label", "a column of this name is added"),
        (2, "language", "unknown language 'xx'"),
        (3, None, "2 cells where the header has 3"),
        (5, "language", "the row is 'pl', --language says 'sk'"),
    ]


def test_a_file_without_translations_or_language_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "in.csv", ("sentence",), ("I am here.",))
    with pytest.raises(InputError) as caught:
        load_pair_file(path)
    assert [each.problem for each in caught.value.faults] == [
        "there are no translations to pair",
        "no language is named",
    ]
    named = write_csv(tmp_path / "named.csv", ("language", "masculine", "feminine"), ("", "a", "b"))
    with pytest.raises(InputError, match=r"named.csv:2 \[language\]: the row names no language"):
        load_pair_file(named)


def test_texts_beside_wrapped_ones_would_be_overwritten(tmp_path: Path) -> None:
    header = (*WRAPPED, "masculine", "feminine")
    path = write_csv(tmp_path / "in.csv", header, (*SWAPPED, "Som unavený.", "Som unavená."))
    with pytest.raises(InputError) as caught:
        load_pair_file(path, "sk")
    assert [each.field for each in caught.value.faults] == ["masculine", "feminine"]


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = load_pair_file(write_csv(tmp_path / "in.csv", WRAPPED, SAME), "sk")
    results = pair_rows(file, pairing_strategy("strict"))
    with pytest.raises(StateError, match="cannot be written"):
        write_pairs(file, results, tmp_path / "nowhere" / "out.csv")


@pytest.mark.data
def test_a_file_of_another_project_with_columns_of_its_own(data_dir: Path, tmp_path: Path) -> None:
    # The acceptance: no pair that a human judged X.
    file = load_pair_file(data_dir / "expected" / "human_gender_swap.csv")
    results = pair_rows(file, pairing_strategy("extended"))
    verdicts = [row.cells["verdict"] for row in file.rows]
    wrong = [
        row.cells["masculine"]
        for row, verdict, result in zip(file.rows, verdicts, results, strict=True)
        if verdict == "X" and result.label is Label.PAIR
    ]
    assert (len(results), wrong) == (80, [])


def test_repaired_rows_are_marked_and_hold_what_was_built(tmp_path: Path) -> None:
    given = ("Som unavený a smutný.", "Som veľmi unavená.")
    others = [(f"Som {word}ý.", f"Som {word}á.") for word in ("smutn", "unaven", "star", "mlad")]
    header = ("masculine", "feminine")
    path = write_csv(tmp_path / "in.csv", header, given, *others, ("Som tu.", "Som tu."))
    file = load_pair_file(path, "sk")
    out = tmp_path / "out.csv"
    write_pairs(file, pair_rows(file, pairing_strategy("extended", repairs=True)), out)
    first, *rest = read_csv(out)

    assert (first["label"], first["flags"]) == ("pair", "repaired")
    built = {
        ("Som unavený a smutný.", "Som unavená a smutná."),
        ("Som veľmi unavený.", "Som veľmi unavená."),
    }
    assert (first["masculine"], first["feminine"]) in built
    assert [row["flags"] for row in rest] == [""] * 5


@pytest.mark.data
def test_the_published_codes_labels_of_recorded_translations(
    data_dir: Path, tmp_path: Path
) -> None:
    # Labels of the published code; the recorded translations hold sentences of GEST 1.1 too.
    labels_file = data_dir / "expected" / "reference_labels_google_sk.csv"
    expected = {row["sentence"]: row["reference_label"] for row in read_csv(labels_file)}
    recorded = read_csv(data_dir / "translations" / "google_sk.csv")
    texts = {row["source"]: row["translation"] for row in recorded}
    wrapped = [
        (sentence, texts[f'The man said: "{sentence}"'], texts[f'The woman said: "{sentence}"'])
        for sentence in expected
    ]
    rows = paired(write_csv(tmp_path / "in.csv", WRAPPED, *wrapped), strategy="reference")
    names = {"pair": "Gendered", "neutral": "Neutral", "discarded": "Unknown"}
    assert {row["sentence"]: names[row["label"]] for row in rows} == expected

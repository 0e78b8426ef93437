"""`stereoscope generate` on GEST and recorded Google output against the published heuristic."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest

from corpus.records import Instrument, Label
from corpus.store import open_store
from tests.command_line import database_of, succeed

pytestmark = [pytest.mark.data, pytest.mark.slow]

LABELS = {"Gendered": Label.PAIR, "Neutral": Label.NEUTRAL, "Unknown": Label.DISCARDED}
"""The published code's labels in our words."""
SENTENCES = 3565
COMPARED = 3453


@pytest.fixture(scope="module")
def workspace(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with GEST 1.0."""
    folder = tmp_path_factory.mktemp("gest") / "study"
    succeed("init", folder)
    succeed("source", "add", data_dir / "gest" / "gest_1.0.csv", "-w", folder)
    return folder


def generate(workspace: Path, data_dir: Path, language: str) -> dict[str, float]:
    """The figures of `generate --json` by name."""
    translations = data_dir / "translations" / f"google_{language}.csv"
    options = ["--missing", "skip", "--wrapper", "gest", "--strategy", "reference", "--json"]
    ended = succeed("generate", "-l", language, "-t", translations, *options, "-w", workspace)
    return {each["name"]: each["value"] for each in json.loads(ended.out)["figures"]}


def test_slovak_labels_and_texts_equal_the_published_ones(workspace: Path, data_dir: Path) -> None:
    figures = generate(workspace, data_dir, "sk")
    # A sentence that GEST repeats stands as often in the expected file, with one label.
    expected: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    with (data_dir / "expected" / "reference_labels_google_sk.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            expected[row["sentence"]].append(row)

    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        sources = {each.key: each for each in state.sources()}
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    store.close()
    assert len(candidates) == len(sources) == SENTENCES
    compared = 0
    for candidate in candidates:
        source = sources[candidate.source_key]
        rows = expected.get(source.text, [])
        same = [row for row in rows if row["stereotype"] == str(source.stereotype_id)]
        if candidate.reason == "not_translated":
            assert not same
            continue
        row = same[0]
        rows.remove(row)
        compared += 1
        assert candidate.label is LABELS[row["reference_label"]], source.text
        masculine, feminine = row["reference_masculine"], row["reference_feminine"]
        texts = (
            {"neutral": masculine}
            if candidate.label is Label.NEUTRAL
            else {"masculine": masculine, "feminine": feminine}
        )
        assert candidate.variants == texts, source.text
    assert compared == COMPARED
    assert not any(expected.values()), "each expected row is used once"
    discarded = sum(n for name, n in figures.items() if name.startswith("discarded"))
    assert figures["neutral"] + figures["pair"] + discarded == SENTENCES
    assert figures["discarded:not_translated"] == SENTENCES - COMPARED


@pytest.mark.parametrize("language", ["pl", "uk", "hr"])
def test_plain_translations_are_imported_and_not_paired(
    workspace: Path, data_dir: Path, language: str
) -> None:
    figures = generate(workspace, data_dir, language)
    assert figures["not_pairable"] == 1
    with (data_dir / "translations" / f"google_{language}.csv").open(encoding="utf-8") as file:
        recorded = {row["source"]: row["translation"] for row in csv.DictReader(file)}
    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        wanted = {each.text for each in state.sources()} & set(recorded)
        stored = {each.text_sent: each.text for each in state.all_translations(language)}
        assert state.candidates(Instrument.EUROGEST, language) == []
    store.close()
    assert stored == {text: recorded[text] for text in wanted}
    assert len(stored) == figures["translated"] > 0
    assert not {"neutral", "pair"} & set(figures)


def test_not_pairable_is_said_in_words(workspace: Path, data_dir: Path) -> None:
    translations = data_dir / "translations" / "google_hr.csv"
    options = ["-t", translations, "--missing", "skip", "--wrapper", "gest", "-w", workspace]
    ended = succeed("generate", "-l", "hr", *options)
    assert "hr: not_pairable. The engine has no translation of a wrapped sentence" in ended.message

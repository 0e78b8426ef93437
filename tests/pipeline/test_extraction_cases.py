"""Extraction on a table of cases read by eye, and on real output.

The origin of every expected sentence stands in `extraction_cases.toml`.
"""

import tomllib
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from corpus.hashing import nfc, sha256_text
from corpus.languages import load_languages
from corpus.narrators import load_narrators
from corpus.records import Wrapper
from engines.recorded import load_recorded
from engines.translation import TranslationRequest
from pipeline.extraction import extract_sentence
from pipeline.sources import load_sources
from pipeline.wrapping import WrapperForm, wrap

TABLE = tomllib.loads(Path(__file__).with_name("extraction_cases.toml").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = TABLE["case"]
RECORDED: list[dict[str, str]] = TABLE["recorded"]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['language']}-{case['fault']}-{case['made_by']}"
)
def test_case(case: dict[str, Any]) -> None:
    extraction = extract_sentence(case["wrapped"], case["language"])
    assert extraction.text == case.get("expected")
    if "failed" in case:
        assert extraction.how == case["failed"]


def test_the_table_covers_every_language_and_fault() -> None:
    targets = set(load_languages()) - {"en"}
    of_language = Counter(case["language"] for case in CASES)
    assert set(of_language) == targets
    assert min(of_language.values()) >= 5
    languages_of_fault = defaultdict(set)
    for case in CASES:
        languages_of_fault[case["fault"]].add(case["language"])
    assert min(len(languages) for languages in languages_of_fault.values()) >= 10
    made_by = Counter(case["made_by"] for case in CASES)
    assert made_by["pattern"] <= len(CASES) / 2
    assert len(CASES) >= 200
    assert len({case["wrapped"] for case in CASES}) == len(CASES)


@pytest.mark.data
def test_recorded_slovak_rows(data_dir: Path) -> None:
    sources = load_sources(data_dir / "gest" / "gest_1.0.csv").sources
    texts = {source.key: source.text for source in sources}
    engine = load_recorded([data_dir / "translations" / "google_sk.csv"], missing="skip")
    sent = [
        wrap(texts[row["source"]], Wrapper(row["wrapper"]), WrapperForm.GEST) for row in RECORDED
    ]
    answers = chain.from_iterable(engine.translate([TranslationRequest(t, "sk") for t in sent]))
    found = [extract_sentence(answer.text or "", "sk").text or "" for answer in answers]
    assert [sha256_text(text) for text in found] == [row["sha256"] for row in RECORDED]


@pytest.mark.data
@pytest.mark.parametrize("code", ["hr", "pl", "sk", "uk"])
def test_real_sentences_come_back_from_any_marks_and_narrator(data_dir: Path, code: str) -> None:
    """Real translations without a wrapper, each in one of the language's wrappers in turn."""
    engine = load_recorded([data_dir / "translations" / f"google_{code}.csv"], missing="skip")
    sources = load_sources(data_dir / "gest" / "gest_1.0.csv").sources
    requests = [TranslationRequest(source.text, code) for source in sources]
    answers = chain.from_iterable(engine.translate(requests))
    sentences = [nfc(answer.text.strip()) for answer in answers if answer.text is not None]
    assert len(sentences) > 3000
    narrators, pairs = load_narrators()[code], load_languages()[code].quotation_pairs
    frames = [
        frame
        for opening, closing in pairs
        for frame in (
            *((f"{phrase}: {opening}", closing) for phrase in narrators.before),
            *((opening, f"{closing}, {phrase}.") for phrase in narrators.after),
        )
    ]
    for index, sentence in enumerate(sentences):
        before, after = frames[index % len(frames)]
        wrapped = f"{before}{sentence}{after}"
        assert extract_sentence(wrapped, code).text == sentence, wrapped

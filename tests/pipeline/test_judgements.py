"""`extended` against what readers judged of GEST's recorded Slovak translations."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from corpus.intervals import wilson_interval
from corpus.records import Label, Wrapper
from engines.recorded import load_recorded
from pipeline.pairing import pairing_strategy
from pipeline.pairing_result import PairingResult
from pipeline.sources import load_sources
from pipeline.wrapping import WrapperForm, wrap

pytestmark = pytest.mark.data

FILE = Path(__file__).parent / "judgements" / "google_sk.toml"
JUDGED: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(data_dir: Path) -> dict[int, PairingResult]:
    """Row of GEST 1.0 → what `extended` says of it, learned from all rows."""
    sources = load_sources(data_dir / "gest" / "gest_1.0.csv").sources
    recorded = load_recorded([data_dir / "translations" / "google_sk.csv"])
    texts = recorded.translations["sk"].texts
    wrapped: dict[int, tuple[str, str]] = {}
    for source in sources:
        masculine, feminine = (
            texts.get(wrap(source.text, wrapper, WrapperForm.GEST))
            for wrapper in (Wrapper.MASCULINE, Wrapper.FEMININE)
        )
        if masculine is not None and feminine is not None:
            wrapped[source.row] = (masculine, feminine)
    strategy = pairing_strategy("extended").prepare("sk", list(wrapped.values()))
    return {row: strategy.pair("sk", *pair) for row, pair in wrapped.items()}


def test_two_readers_agree_on_what_is_gendered() -> None:
    identical = JUDGED["identical"]
    first = set(identical["gendered_by_first_reader"])
    assert len(identical["read"]) == 176
    assert first == set(identical["gendered_by_second_reader"])
    assert len(first) == 25


def test_gendered_identical_texts_are_found_and_neutral_ones_kept(
    results: dict[int, PairingResult],
) -> None:
    identical = JUDGED["identical"]
    gendered = set(identical["gendered_by_first_reader"])
    neutral = set(identical["read"]) - gendered
    found = sum(results[row].reason == "identical_gendered" for row in gendered)
    kept = sum(results[row].label is Label.NEUTRAL for row in neutral)
    assert found / len(gendered) >= 0.95
    assert kept / len(neutral) >= 0.95
    # What 25 and 151 texts can say: the lower bounds.
    assert wilson_interval(found, len(gendered)).low == pytest.approx(0.805, abs=0.005)
    assert wilson_interval(kept, len(neutral)).low == pytest.approx(0.975, abs=0.005)


def test_pairs_judged_true_stay_and_false_ones_stay_few(
    results: dict[int, PairingResult],
) -> None:
    judged = JUDGED["pairs"]
    false = set(judged["false"])
    true = set(judged["read"]) - false
    assert len(judged["read"]) == 400
    assert len(true) >= 396
    pairs = {row for row, result in results.items() if result.label is Label.PAIR}
    assert len(false & pairs) <= 1
    assert len(true & pairs) >= 396


def test_most_sentences_are_kept(results: dict[int, PairingResult]) -> None:
    assert len(results) == 3453
    kept = sum(result.label is not Label.DISCARDED for result in results.values())
    # The published rule keeps 54.3 %, its wrong neutral sentences included.
    assert kept / len(results) >= 0.73

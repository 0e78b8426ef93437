"""What candidates have in common: word changes, reasons, quality bands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.views.shared_evidence import SharedBy, build_evidence_index, find_shared
from corpus.records import Label
from corpus.standing import Standing
from corpus.store import Store
from tests.store_builders import (
    add_candidates,
    add_sources,
    make_candidate,
    make_source,
    make_store,
)
from tests.store_builders import standing_of as standing

ME = "eurogest/sk/made/2"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = make_store(tmp_path)
    yield made
    made.close()


def make(store: Store, *pairs: tuple[str, str], **others: Any) -> Standing:
    """A pair for each two texts, in this order."""
    sources = [make_source(row, f"I am {row}.") for row in range(2, 2 + len(pairs))]
    add_sources(store, sources)
    add_candidates(
        store,
        [
            make_candidate(
                source,
                "sk",
                Label.PAIR,
                variants={"masculine": one, "feminine": other},
                **others,
            )
            for source, (one, other) in zip(sources, pairs, strict=True)
        ],
    )
    return standing(store, "sk")


def word_changes(found: Standing) -> dict[str, int]:
    shared = find_shared(build_evidence_index(found), ME)
    return {
        each.trait[1]: len(each.others) for each in shared if each.trait[0] is SharedBy.WORD_CHANGE
    }


def test_each_changed_word_is_shared_by_itself_in_any_case(store: Store) -> None:
    found = make(
        store,
        ("Bol som rád.", "Bola som rada."),
        ("Ja som bol doma.", "Ja som bola doma."),
        ("RÁD spím.", "RADA spím."),
        ("Som rad.", "Som rady."),
    )
    assert word_changes(found) == {"bol / bola": 1, "rád / rada": 1}


def test_words_without_a_counterpart_are_told_together(store: Store) -> None:
    found = make(store, ("Ja som muž.", "Ja som tá žena."), ("Bol muž.", "Bol tá žena."))
    assert word_changes(found) == {"muž / tá žena": 1}


@pytest.mark.parametrize(
    ("score", "band"),
    [
        (0.85, "0.85 to 0.90 (m)"),
        # 0.8 in decimals, and less in binary.
        (0.7 + 0.1, "0.80 to 0.85 (m)"),
        (0.8999, "0.85 to 0.90 (m)"),
        (1.0, "1.00 to 1.05 (m)"),
        (-0.01, "-0.05 to 0.00 (m)"),
    ],
)
def test_the_lower_score_decides_the_band(store: Store, score: float, band: str) -> None:
    scores = {"masculine": score, "feminine": score + 0.1, "neutral": None}
    quality = {"quality": {"model": "m", "scores": scores}}
    index = build_evidence_index(make(store, ("a", "b"), ("c", "d"), evidence=quality))
    assert (SharedBy.QUALITY_BAND, band) in index.traits[ME]


def test_what_a_candidate_has_alone_is_not_shown(store: Store) -> None:
    assert find_shared(build_evidence_index(make(store, ("Bol.", "Bola."))), ME) == ()
    assert find_shared(build_evidence_index(standing(store, "sk")), "other") == ()

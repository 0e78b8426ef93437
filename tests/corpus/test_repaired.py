"""Repaired candidates are released once people have found enough built variants right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpus.intervals import wilson_interval
from corpus.records import Candidate, Decision, DecisionAction, Label, Origin
from corpus.release import load_rows
from corpus.repaired import RepairedVerdict, compute_repaired_verdict, find_built_variant
from exports.build import build_release
from exports.contents import build_contents
from pipeline.released_rows import load_released
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    approve,
    make_candidate,
    make_source,
    make_store,
    standing_of,
)

WOMAN = {"quality": 90, "gender_marked": "yes", "speaker_gender": "woman"}
MAN = {"quality": 90, "gender_marked": "yes", "speaker_gender": "man"}
SOURCES = [make_source(row, f"I was {row}.") for row in range(2, 112)]


def _repaired(**others: Any) -> list[Candidate]:
    """110 pairs whose feminine variant was built."""
    return [
        make_candidate(
            source,
            "sk",
            Label.PAIR,
            variants={"masculine": f"Bol som {source.row}.", "feminine": f"Bola som {source.row}."},
            flags=("repaired",),
            evidence={"repair": {"base": "masculine"}},
            **others,
        )
        for source in SOURCES
    ]


def _judge(
    folder: Path,
    right: int,
    wrong: int = 0,
    *,
    variant: str = "feminine",
    origin: Origin = Origin.HUMAN,
) -> tuple[RepairedVerdict, int, int]:
    """The verdict, the rows released and those left out after so many judgements."""
    store = make_store(folder)
    candidates = _repaired()
    add_sources(store, SOURCES)
    add_candidates(store, candidates)
    judged = candidates[: right + wrong]
    if judged:
        _, items = add_batch(store, judged, ["r1"], variant=variant)
        add_ratings(store, items[:right], "r1", WOMAN, origin=origin)
        add_ratings(store, items[right:], "r1", MAN, origin=origin)
    standing = standing_of(store, "sk")
    contents = build_contents(standing, {source.key: source for source in SOURCES})
    store.close()
    return compute_repaired_verdict(standing), len(contents.rows), contents.left_out.repaired


def test_a_release_and_who_imports_it_know_which_text_was_built(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    candidates = _repaired()
    add_sources(store, SOURCES)
    add_candidates(store, candidates)
    _, items = add_batch(store, candidates[:101], ["r1"], variant="feminine")
    add_ratings(store, items, "r1", WOMAN)
    edited = {"masculine": "Bol som dva.", "feminine": "Bola som dve."}
    decision = Decision(
        candidates[0].id,
        candidates[0].content_hash,
        DecisionAction.EDIT,
        "better",
        "curator-1",
        variants=edited,
    )
    with store.writing(Origin.HUMAN) as writer:
        writer.append([decision])
    approve(store, "sk", override="made for a test")
    path = build_release(store, "1.0.0", ["sk"], tmp_path / "releases").path
    store.close()
    rows = load_rows(path / "data" / "sk.parquet")
    # Of the first one nothing that was built is left.
    assert [row.repaired for row in rows[:2]] == [(), ("feminine",)]
    assert {row.repaired for row in rows[1:]} == {("feminine",)}
    imported = [row.candidate for row in load_released(path).rows]
    assert {find_built_variant(each) for each in imported[1:]} == {"feminine"}


@pytest.mark.parametrize(
    ("right", "wrong", "released"),
    [
        (0, 0, False),
        (99, 0, False),
        (100, 0, True),
        # Wilson, 95 %: 96 of 100 right has the lower bound 0.902, 95 of 100 has 0.888
        (96, 4, True),
        (95, 5, False),
    ],
)
def test_a_hundred_judged_and_a_lower_bound_of_90_percent(
    tmp_path: Path, right: int, wrong: int, released: bool
) -> None:
    verdict, rows, left_out = _judge(tmp_path, right, wrong)
    assert (verdict.judged, verdict.right) == (right + wrong, right)
    assert verdict.releasable is released
    assert (rows, left_out) == ((110, 0) if released else (0, 110))


@pytest.mark.parametrize(
    ("right", "judged", "assured"),
    [
        (100, 100, 0.9),
        (197, 200, 0.95),
        (196, 200, 0.9),
        (96, 100, 0.9),
        (95, 100, None),
        (199, 199, 0.9),
    ],
)
def test_95_percent_is_claimed_from_200_on(right: int, judged: int, assured: float | None) -> None:
    verdict = RepairedVerdict(judged, right, wilson_interval(right, judged))
    assert verdict.assured == assured


def test_the_variant_that_was_kept_says_nothing_about_the_built_one(tmp_path: Path) -> None:
    verdict, rows, left_out = _judge(tmp_path, 0, 100, variant="masculine")
    assert verdict.judged == 0
    assert (rows, left_out) == (0, 110)


def test_demo_raters_judge_nothing(tmp_path: Path) -> None:
    verdict, rows, left_out = _judge(tmp_path, 100, origin=Origin.DEMO)
    assert verdict.judged == 0
    assert (rows, left_out) == (0, 110)


def test_the_built_variant_is_the_one_that_was_not_the_base() -> None:
    pair = _repaired()[0]
    assert find_built_variant(pair) == "feminine"
    neutral = make_candidate(SOURCES[0], "sk", Label.NEUTRAL, flags=("repaired",))
    assert find_built_variant(neutral) == "neutral"

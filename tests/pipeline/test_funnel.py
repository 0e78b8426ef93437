"""Funnels and their report, with counts made by hand, beside published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpus.errors import InputError
from corpus.records import Candidate, Label
from pipeline.funnel import StereotypeCoverage, compute_funnel
from pipeline.funnel_report import build_report, build_report_figures
from pipeline.published_counts import COLUMNS, load_published_counts
from tests.store_builders import make_candidate, make_source

PAIR = {"masculine": "Som rád.", "feminine": "Som rada."}
STEREOTYPES = {f"made/{row}": 1 if row < 6 else 9 for row in range(2, 10)} | {"made/9": None}
HEADER = ",Neutral,Gendered,Discarded during heuristic filtering,Discarded during QE filtering,"
HEADER += "Coverage,Number samples per stereotype\n"


def scored(threshold: float | None, *scores: float | None) -> dict[str, Any]:
    names = ("masculine", "feminine")
    return {"quality": {"threshold": threshold, "scores": dict(zip(names, scores, strict=True))}}


def make(row: int, label: Label, reason: str, **others: Any) -> Candidate:
    return make_candidate(make_source(row, "I am glad."), "sk", label, reason=reason, **others)


CANDIDATES = [
    make(2, Label.NEUTRAL, "identical", evidence=scored(0.5, 0.9, 0.5)),
    make(3, Label.PAIR, "inflection", variants=PAIR, evidence=scored(0.5, None, 0.8)),
    make(4, Label.PAIR, "inflection", variants=PAIR, flags=("repaired",)),
    make(5, Label.DISCARDED, "quality", variants=PAIR, evidence=scored(0.5, 0.9, 0.4)),
    # Neither a pair nor good: pairing is named, as the candidate itself does.
    make(6, Label.DISCARDED, "word_count", variants=PAIR, evidence=scored(0.5, 0.1, 0.1)),
    make(7, Label.DISCARDED, "word_count", variants=PAIR, evidence=scored(0.5, 0.9, 0.9)),
    make(8, Label.DISCARDED, "extraction_failed", variants={}),
    make(9, Label.DISCARDED, "not_translated", variants={}),
]


def test_a_funnel_counts_every_candidate_once() -> None:
    funnel = compute_funnel("sk", CANDIDATES, STEREOTYPES)
    assert (funnel.sources, funnel.translated, funnel.passed_quality) == (8, 7, 5)
    assert (funnel.neutral, funnel.pairs, funnel.repaired, funnel.kept) == (1, 2, 1, 3)
    assert (funnel.discarded_by_quality, funnel.discarded_by_pairing) == (1, 3)
    assert list(funnel.discarded.items()) == [
        ("word_count", 2),
        ("extraction_failed", 1),
        ("not_translated", 1),
        ("quality", 1),
    ]
    assert funnel.filtered
    assert funnel.stereotypes == (StereotypeCoverage(1, 4, 1, 2), StereotypeCoverage(9, 3, 0, 0))
    assert funnel.kept + sum(funnel.discarded.values()) == funnel.sources


def test_without_a_threshold_everything_translated_passes() -> None:
    funnel = compute_funnel("sk", [make(2, Label.PAIR, "x", evidence=scored(None, 0.1, 0.1))], {})
    assert (funnel.passed_quality, funnel.filtered) == (1, False)
    assert compute_funnel("sk", [], {}).sources == 0


def published_file(folder: Path, *rows: str) -> Path:
    path = folder / "counts.csv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_a_report_has_shares_and_published_counts_where_there_are_some(tmp_path: Path) -> None:
    published = load_published_counts(
        published_file(tmp_path, 'Slovak,2,3,4,1,50.00,"{1: 4, 9: 1}"')
    )
    funnels = [
        compute_funnel("sk", CANDIDATES, STEREOTYPES),
        compute_funnel("et", CANDIDATES[:1], STEREOTYPES),
    ]
    rows = {(row.language, row.stage, row.about): row for row in build_report(funnels, published)}

    kept = rows["sk", "kept", ""]
    assert (kept.count, kept.share, kept.published_count, kept.published_share) == (
        3,
        0.375,
        5,
        0.5,
    )
    first = rows["sk", "kept_of_stereotype", "1"]
    assert (first.count, first.share, first.published_count) == (3, 0.75, 4)
    assert first.published_share is None
    assert rows["sk", "discarded", "word_count"].share == 0.25
    assert rows["sk", "translated", ""].published_count is None
    assert all(row.published_count is None for key, row in rows.items() if key[0] == "et")


def test_report_figures_are_counts_and_coverage() -> None:
    rows = build_report([compute_funnel("sk", CANDIDATES, STEREOTYPES)])
    figures = build_report_figures(rows)
    coverage = [each for each in figures if each.name == "coverage"]
    assert [(dict(each.scope).get("stereotype"), each.value, each.n) for each in coverage] == [
        (None, 0.375, 8),
        ("1", 0.75, 4),
        ("9", 0.0, 3),
    ]
    [pairs] = [each for each in figures if each.name == "pair"]
    assert (pairs.value, pairs.scope) == (2, (("language", "sk"),))
    empty = build_report_figures(build_report([compute_funnel("sk", [], {})]))
    assert [each.reason for each in empty if each.name == "coverage"] == ["no_data"]


def test_all_faults_of_published_counts_come_at_once(tmp_path: Path) -> None:
    path = published_file(
        tmp_path,
        "Slovak,2,3,4,1,50.00,{}",
        "Slovak,2,3,4,1,50.00,{}",
        "Klingon,2,3,4,1,50.00,{}",
        "Polish,-2,3.5,4,1,50.00,none",
        "Czech,2,3,4,1,60.00,{}",
        "Greek,2,3,4,1,half,{}",
    )
    with pytest.raises(InputError) as caught:
        load_published_counts(path)
    assert [(each.row, each.field, each.problem) for each in caught.value.faults] == [
        (3, "Slovak", "the language comes twice"),
        (4, "Klingon", "unknown language"),
        (5, "Neutral", "not a count"),
        (5, "Gendered", "not a count"),
        (5, COLUMNS[6], "not counts by stereotype"),
        (6, "Coverage", "not the share of neutral and gendered in all four counts"),
        (7, "Coverage", "not a number"),
    ]
    path.write_text("language,count\nsk,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="missing column"):
        load_published_counts(path)


@pytest.mark.data
def test_the_published_counts_are_read(data_dir: Path) -> None:
    published = load_published_counts(data_dir / "eurogest" / "published_counts.csv")
    # The data's README: neutral over all 29 languages; every language has all 3,565 sentences.
    assert len(published) == 29
    assert sum(each.neutral for each in published.values()) == 56_497
    assert {each.sources for each in published.values()} == {3_565}
    assert all(sum(each.stereotypes.values()) == each.kept for each in published.values())
    assert published["sk"].pairs == 1_556

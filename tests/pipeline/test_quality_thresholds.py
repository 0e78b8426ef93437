"""Which threshold holds in a generation, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.commands.generation import describe_quality, threshold_figure
from corpus.errors import SettingsError
from corpus.quality_thresholds import CalibratedThreshold, append_threshold
from corpus.records import Instrument
from corpus.store import Store
from engines.quality import NoEstimator, QualityEstimator, QualityRequest, QualityScore
from engines.recorded import load_recorded
from pipeline.generation import LanguageReport, generate
from pipeline.quality_estimation import Threshold, ThresholdOrigin
from tests.generation_plans import plan_for
from tests.store_builders import add_sources, make_source, make_store

SWEDISH = {"I am tired.": "Jag är trött.", "I cook.": "Jag lagar mat."}


@dataclass
class FixedEstimator:
    """Gives every translation the same score, or none."""

    score: float | None = 0.9
    threshold: float | None = 0.85
    model: str = "made-qe"
    name: str = "fixed"
    revision: str = "1"

    def estimate(self, pairs: Sequence[QualityRequest]) -> Iterator[list[QualityScore]]:
        yield [QualityScore(pair, self.score, None if self.score else "empty") for pair in pairs]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = make_store(tmp_path)
    add_sources(opened, [make_source(row, text) for row, text in enumerate(SWEDISH, 2)])
    yield opened
    opened.close()


def report_of(
    store: Store, folder: Path, estimator: QualityEstimator, **others: Any
) -> LanguageReport:
    file = folder / "recorded_sv.csv"
    rows = [f'"{source}","{text}"' for source, text in SWEDISH.items()]
    file.write_text("\n".join(["source,translation", *rows]) + "\n", encoding="utf-8")
    plan = plan_for("sv", load_recorded([file]), estimator=estimator, **others)
    with store.runs.watched("generate") as progress:
        [report] = generate(store, plan, progress)
    return report


def calibrate(store: Store, language: str, value: float, model: str = "made-qe@1") -> None:
    with store.writing() as writer:
        append_threshold(
            writer, CalibratedThreshold(model, language, value, "by hand", ()), "curator-1"
        )


def test_the_latest_calibrated_one_wins_over_the_studys(store: Store, tmp_path: Path) -> None:
    assert report_of(store, tmp_path, FixedEstimator()).threshold == Threshold(
        0.85, ThresholdOrigin.STUDY
    )
    for value in (0.5, 0.95):
        calibrate(store, "sv", value)
    report = report_of(store, tmp_path, FixedEstimator())
    assert report.threshold == Threshold(0.95, ThresholdOrigin.CALIBRATED)
    assert report.counts == {"discarded:quality": 2}
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "quality calibrate"]
    assert [(each.before["threshold"], each.after["threshold"]) for each in entries] == [
        (None, 0.5),
        (0.5, 0.95),
    ]


def test_it_belongs_to_its_language_model_and_revision(store: Store, tmp_path: Path) -> None:
    calibrate(store, "no", 0.95)
    calibrate(store, "sv", 0.95, model="made-qe@2")
    assert report_of(store, tmp_path, FixedEstimator()).counts == {"neutral": 2}


def test_a_given_one_wins_and_equal_passes(store: Store, tmp_path: Path) -> None:
    calibrate(store, "sv", 0.95)
    report = report_of(store, tmp_path, FixedEstimator(), threshold=0.9)
    assert report.threshold == Threshold(0.9, ThresholdOrigin.GIVEN)
    assert report.counts == {"neutral": 2}
    assert describe_quality(report) == [
        "translations below 0.9 of made-qe@1 are discarded (threshold: given)."
    ]


def test_one_that_cannot_be_kept_is_refused_before_anything_is_written(
    store: Store, tmp_path: Path
) -> None:
    kiwi = FixedEstimator(model="wmt22-cometkiwi-da")
    with pytest.raises(SettingsError, match=r"threshold 85 is outside the scale .*, 0 to 1"):
        report_of(store, tmp_path, kiwi, threshold=85.0)
    # Without a model it would filter nothing, and nobody would notice.
    with pytest.raises(SettingsError, match=r"threshold 0\.85 needs scores: set the estimator"):
        report_of(store, tmp_path, NoEstimator(), threshold=0.85)
    with store.reading() as state:
        assert state.all_translations("sv") == []
        assert state.candidates(Instrument.EUROGEST, "sv") == []


def test_a_model_without_one_filters_nothing_and_says_so(store: Store, tmp_path: Path) -> None:
    report = report_of(store, tmp_path, FixedEstimator(score=-3.0, threshold=None))
    assert (report.counts, report.threshold.value) == ({"neutral": 2}, None)
    [note] = describe_quality(report)
    assert note.startswith("nothing was filtered by quality, made-qe@1 has no calibrated threshold")
    figure = threshold_figure(report)
    assert (figure.value, figure.reason) == (None, "not_calibrated")


def test_translations_without_a_score_are_kept_and_counted(store: Store, tmp_path: Path) -> None:
    report = report_of(store, tmp_path, FixedEstimator(score=None))
    assert (report.counts, report.without_score) == ({"neutral": 2}, 2)
    assert "2 translations have no score and are kept." in describe_quality(report)

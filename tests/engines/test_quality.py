"""What holds for any estimator, and the one that does nothing."""

from __future__ import annotations

import pytest

from corpus.errors import SettingsError
from engines.quality import (
    ImportedEstimator,
    NoEstimator,
    QualityEstimator,
    QualityRequest,
    QualityScore,
    is_good_enough,
)
from engines.quality_models import check_threshold, find_model, is_on_scale, threshold_of

PAIR = QualityRequest("I am happy.", "Som šťastný.")


@pytest.mark.parametrize(
    ("model", "threshold"),
    [
        ("Unbabel/wmt22-cometkiwi-da", 0.85),
        ("wmt22-cometkiwi-da", 0.85),
        ("Unbabel/wmt20-comet-qe-da", None),
        ("wmt22-cometkiwi-da-xl", None),
        ("", None),
    ],
)
def test_a_threshold_belongs_to_one_model(model: str, threshold: float | None) -> None:
    assert threshold_of(model) == threshold


@pytest.mark.parametrize(
    ("model", "threshold", "fits"),
    [
        ("Unbabel/wmt22-cometkiwi-da", 0.0, True),
        ("wmt22-cometkiwi-da@3a1f", 1.0, True),
        ("wmt22-cometkiwi-da", 85.0, False),
        ("wmt22-cometkiwi-da", -0.1, False),
        ("wmt20-comet-qe-da", -0.1, True),
        ("own-model", 85.0, True),
        ("own-model", float("nan"), False),
    ],
)
def test_a_threshold_must_be_on_the_models_scale(model: str, threshold: float, fits: bool) -> None:
    assert is_on_scale(model, threshold) is fits
    if fits:
        check_threshold(model, threshold)
    else:
        with pytest.raises(SettingsError, match=f"{threshold:g} is outside the scale of {model}"):
            check_threshold(model, threshold)


def test_no_model_known_has_seen_maltese() -> None:
    for model in ("Unbabel/wmt22-cometkiwi-da", "wmt20-comet-qe-da", "own-model"):
        assert find_model(model).unsupported_languages == {"mt"}


@pytest.mark.parametrize(
    ("score", "threshold", "verdict"),
    [
        (0.85, 0.85, True),
        (0.8499999, 0.85, False),
        (0.0, None, None),
        (None, 0.85, None),
        (None, None, None),
    ],
)
def test_equal_passes_and_unknown_is_neither(
    score: float | None, threshold: float | None, verdict: bool | None
) -> None:
    assert is_good_enough(score, threshold) is verdict


def test_none_scores_nothing_and_filters_nothing() -> None:
    estimator: QualityEstimator = NoEstimator()
    assert list(estimator.estimate([PAIR])) == [[QualityScore(PAIR, None, "not_estimated")]]
    assert list(estimator.estimate([])) == []
    assert estimator.threshold is None
    assert (estimator.name, estimator.model, estimator.revision) == ("none", "", "")


def test_imported_gives_no_new_score_and_has_the_models_threshold() -> None:
    estimator: QualityEstimator = ImportedEstimator("wmt22-cometkiwi-da", "1")
    assert list(estimator.estimate([PAIR])) == []
    assert estimator.threshold == 0.85
    assert ImportedEstimator("own-qe", "1").threshold is None

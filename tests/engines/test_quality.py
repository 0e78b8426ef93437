"""What holds for any estimator, and the one that does nothing."""

from __future__ import annotations

import pytest

from engines.quality import (
    NoEstimator,
    QualityEstimator,
    QualityRequest,
    QualityScore,
    is_good_enough,
    threshold_of,
)

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

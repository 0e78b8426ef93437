"""The typed table: order, shape and faults."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.ratings_table import LABELS, RatedItem, RatingsTable, build_ratings_table
from corpus.errors import InputError
from corpus.records import GenderLabel


def test_arrays_are_items_by_raters_in_order_of_ids() -> None:
    table = build_ratings_table(
        [
            RatedItem("i2", "b", 40.0, GenderLabel.FEMININE),
            RatedItem("i1", "b", None, GenderLabel.UNSURE),
            RatedItem("i2", "a", 0.0),
        ]
    )
    assert table.item_ids == ("i1", "i2")
    assert table.rater_ids == ("a", "b")
    assert np.array_equal(table.scores, [[np.nan, np.nan], [0.0, 40.0]], equal_nan=True)
    feminine, unsure = LABELS.index(GenderLabel.FEMININE), LABELS.index(GenderLabel.UNSURE)
    assert table.labels.tolist() == [[-1, unsure], [-1, feminine]]
    assert table.rater_pairs == (("a", "b"),)


def test_all_faults_are_listed_at_once() -> None:
    with pytest.raises(InputError) as caught:
        build_ratings_table(
            [
                RatedItem("i1", "a", 50.0),
                RatedItem("i1", "a", 60.0),
                RatedItem("i2", "a", 101.0),
                RatedItem("i3", "a", float("nan")),
            ]
        )
    assert [fault.row for fault in caught.value.faults] == [2, 3, 4]
    assert "answered item i1 twice" in str(caught.value)


def test_a_later_answer_replaces_an_earlier_one_and_is_counted() -> None:
    table = build_ratings_table(
        [RatedItem("i1", "a", 50.0), RatedItem("i1", "a", 60.0)], keep_latest=True
    )
    assert table.scores.tolist() == [[60.0]]
    assert table.superseded == 1


def test_weights_are_scaled_to_a_mean_of_one() -> None:
    rated = [RatedItem("i1", "a", 1.0), RatedItem("i2", "a", 2.0)]
    assert build_ratings_table(rated, item_weights={"i2": 3.0}).item_weights.tolist() == [0.5, 1.5]


def test_an_empty_table_has_no_items_and_no_raters() -> None:
    table = build_ratings_table([])
    assert table.scores.shape == (0, 0)
    assert table.rater_pairs == ()


@pytest.mark.parametrize(
    ("scores", "labels", "weights", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 3), dtype=np.int64), np.ones(3), "items x raters"),
        (np.zeros((3, 2)), np.zeros((2, 3), dtype=np.int64), np.ones(3), "items x raters"),
        (np.zeros((3, 2)), np.zeros((3, 2), dtype=np.int64), np.zeros(3), "positive weight"),
    ],
)
def test_a_transposed_or_unweighted_table_is_refused(
    scores: np.ndarray, labels: np.ndarray, weights: np.ndarray, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        RatingsTable(("i1", "i2", "i3"), ("a", "b"), scores, labels, weights)


def test_an_unknown_rater_is_refused() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        build_ratings_table([RatedItem("i1", "a", 1.0)]).find_columns(["z"])

"""Figures over yes, no and unsure, where the form asks no gender."""

from __future__ import annotations

import pytest

from annotation.agreement import compute_batch_agreement, find_figure
from annotation.label_schemes import GENDER_ELSEWHERE, TEST_KEPT
from annotation.labels import STATED, compute_label, find_system_label
from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from corpus.errors import InputError
from corpus.records import GenderLabel, Instrument, Item, Purpose, YesNoLabel

YES, NO, UNSURE = YesNoLabel


def make_table(first: str, second: str) -> RatingsTable:
    """Answers of two raters, a letter for each item."""
    label_of = {"y": YES, "n": NO, "u": UNSURE}
    rated = [
        RatedItem(f"i{number:02}", rater, 80.0, label_of[letter])
        for rater, letters in (("r1", first), ("r2", second))
        for number, letter in enumerate(letters)
    ]
    return build_ratings_table(rated, scheme=TEST_KEPT)


def make_item(kind: str, **others: object) -> Item:
    values = {"making": {}, "variant": "neutral"} | others
    return Item(
        id="x/0001",
        batch_id="x",
        instrument=Instrument.MLA_BITE,
        subject_kind=kind,
        subject_id="s",
        purpose=Purpose.SAMPLE,
        shown={},
        content_hash="h",
        **values,  # type: ignore[arg-type]
    )


def test_ac1_and_kappa_count_three_categories() -> None:
    # By hand, 10 items: 7 yes-yes, 1 no-no, 1 yes-no, 1 yes-unsure; 8 of 10 agree.
    table = make_table("yyyyyyynyy", "yyyyyyynnu")
    figures = compute_batch_agreement(table, dict.fromkeys(table.item_ids, YES), seed=1)
    pair = ("r1", "r2")
    found = {
        name: find_figure(figures, name, pair) for name in ("kappa", "ac1", "differing_labels")
    }
    # Shares of r1: 9 yes, 1 no; of r2: 7 yes, 2 no, 1 unsure. Chance 0.63 + 0.02 = 0.65.
    assert found["kappa"] is not None
    assert found["kappa"].value == pytest.approx(0.15 / 0.35)
    # Mean shares 0.8, 0.15, 0.05; chance (0.16 + 0.1275 + 0.0475) / (3 - 1).
    assert found["ac1"] is not None
    assert found["ac1"].value == pytest.approx((0.8 - 0.1675) / (1 - 0.1675))
    assert "three categories" in found["ac1"].method
    assert found["differing_labels"] is not None
    assert found["differing_labels"].value == 2
    kept = find_figure(figures, "label_accuracy")
    # 16 of 20 answers say that the test is kept; unsure is not one of them.
    assert kept is not None
    assert kept.value == pytest.approx(0.8)
    assert "meaning of the test is kept" in kept.definition
    assert not any("three_labels" in each.name for each in figures)


def test_a_label_of_another_question_is_missing_even_where_it_is_the_same_word() -> None:
    rated = [RatedItem("i", "r1", 50.0, GenderLabel.UNSURE), RatedItem("i", "r2", 50.0, UNSURE)]
    table = build_ratings_table(rated, scheme=GENDER_ELSEWHERE)
    assert table.labels.tolist() == [[-1, 2]]


def test_labels_come_from_the_question_that_was_asked() -> None:
    assert compute_label({"test_kept": "no"}) is NO
    assert compute_label({"gender_elsewhere": "unsure"}) is UNSURE
    assert compute_label({"gender_marked": "no"}) is GenderLabel.NEUTRAL
    assert compute_label({"quality": 3}) is None
    with pytest.raises(InputError, match="test_kept"):
        compute_label({"test_kept": "maybe"})


def test_the_system_says_that_a_test_is_kept_and_what_a_sector_template_states() -> None:
    assert find_system_label(make_item("prompt_template")) is YES
    stated = make_item("sector_sentence", variant="feminine", making={STATED: "no"})
    assert find_system_label(stated) is NO
    assert find_system_label(make_item("sentence", variant="feminine")) is GenderLabel.FEMININE

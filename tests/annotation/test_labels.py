"""From answers and variants to gender labels."""

from __future__ import annotations

import pytest

from annotation.labels import compute_gender_label, compute_system_label
from corpus.errors import InputError
from corpus.records import GenderLabel


@pytest.mark.parametrize(
    ("marked", "speaker", "expected"),
    [
        ("no", None, GenderLabel.NEUTRAL),
        ("no", "woman", GenderLabel.NEUTRAL),
        ("unsure", None, GenderLabel.UNSURE),
        ("unsure", "man", GenderLabel.UNSURE),
        ("yes", "man", GenderLabel.MASCULINE),
        ("yes", "woman", GenderLabel.FEMININE),
        ("yes", "other", GenderLabel.OTHER),
    ],
)
def test_answers_of_the_sentence_form(
    marked: str, speaker: str | None, expected: GenderLabel
) -> None:
    answers = {"quality": 50, "gender_marked": marked, "speaker_gender": speaker, "comment": ""}
    assert compute_gender_label(answers) is expected


def test_a_form_without_the_question_gives_no_label() -> None:
    assert compute_gender_label({"quality": 50, "test_kept": "yes"}) is None


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        ({"gender_marked": "yes"}, "speaker_gender"),
        ({"gender_marked": "yes", "speaker_gender": "Woman"}, "speaker_gender"),
        ({"gender_marked": "maybe"}, "gender_marked"),
    ],
)
def test_an_answer_outside_the_form_is_a_fault(answers: dict[str, str], field: str) -> None:
    with pytest.raises(InputError) as caught:
        compute_gender_label(answers)
    assert [fault.field for fault in caught.value.faults] == [field]


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("neutral", GenderLabel.NEUTRAL),
        ("masculine", GenderLabel.MASCULINE),
        ("feminine", GenderLabel.FEMININE),
        ("text", None),
    ],
)
def test_the_system_says_what_the_item_shows(variant: str, expected: GenderLabel | None) -> None:
    assert compute_system_label(variant) is expected

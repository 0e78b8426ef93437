"""The disagreement queue: each kind alone, its limits, and the order."""

from __future__ import annotations

import pytest

from annotation.disagreements import (
    Disagreement,
    DisagreementKind,
    DisagreementThresholds,
    RatedAnswer,
    find_disagreements,
)
from corpus.records import GenderLabel

FEMININE, MASCULINE = GenderLabel.FEMININE, GenderLabel.MASCULINE
NEUTRAL, UNSURE = GenderLabel.NEUTRAL, GenderLabel.UNSURE


def make_answer(
    rater: str = "a",
    score: float | None = 90.0,
    label: GenderLabel | None = NEUTRAL,
    *,
    subject: str = "eurogest/sk/1",
    item: str = "b/0001",
    system: GenderLabel | None = NEUTRAL,
    comment: str = "",
) -> RatedAnswer:
    return RatedAnswer(subject, item, rater, score, label, system, comment)


def find_kinds(*answers: RatedAnswer) -> tuple[DisagreementKind, ...]:
    found = find_disagreements(answers)
    return found[0].kinds if found else ()


def test_agreement_of_all_is_not_in_the_queue() -> None:
    assert find_disagreements([make_answer("a"), make_answer("b", 70.0)]) == []
    assert find_disagreements([]) == []


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        (
            [make_answer("a", label=MASCULINE, system=None), make_answer("b", system=None)],
            DisagreementKind.LABEL_CONFLICT,
        ),
        ([make_answer(label=MASCULINE)], DisagreementKind.SYSTEM_CONFLICT),
        ([make_answer(label=UNSURE)], DisagreementKind.UNSURE),
        ([make_answer("a", 100.0), make_answer("b", 66.9)], DisagreementKind.DA_SPREAD),
        ([make_answer(score=65.9)], DisagreementKind.LOW_DA),
        ([make_answer(comment="odd word")], DisagreementKind.COMMENT),
    ],
)
def test_each_kind_alone(answers: list[RatedAnswer], kind: DisagreementKind) -> None:
    assert find_kinds(*answers) == (kind,)


@pytest.mark.parametrize(
    "answers",
    [
        [make_answer("a", 99.0), make_answer("b", 66.0)],
        [make_answer(score=66.0)],
        [make_answer("a", 60.0), make_answer("b", 80.0)],
        [make_answer(comment=" \n")],
        [make_answer(label=None, score=None)],
    ],
)
def test_at_the_limit_nothing_is_wrong(answers: list[RatedAnswer]) -> None:
    assert find_kinds(*answers) == ()


def test_unsure_is_no_conflict_of_labels() -> None:
    assert find_kinds(make_answer("a"), make_answer("b", label=UNSURE)) == (
        DisagreementKind.UNSURE,
    )


def test_the_two_items_of_a_pair_are_not_compared() -> None:
    answers = [
        make_answer("a", label=MASCULINE, system=MASCULINE, item="b/0001"),
        make_answer("b", 50.0, label=FEMININE, system=FEMININE, item="b/0002"),
    ]
    assert find_disagreements(answers) == [
        Disagreement("eurogest/sk/1", ("b/0002",), (DisagreementKind.LOW_DA,), 2.0)
    ]


def test_heavier_kinds_come_first_then_ids() -> None:
    light = [
        make_answer("a", 0.0, UNSURE, subject="s1", item="i1", comment="which?"),
        make_answer("b", 90.0, UNSURE, subject="s1", item="i1"),
    ]
    heavy = [make_answer(label=MASCULINE, subject="s3", item="i3")]
    also_heavy = [make_answer(label=MASCULINE, subject="s2", item="i2")]
    found = find_disagreements([*light, *heavy, *also_heavy])
    assert [one.subject_id for one in found] == ["s2", "s3", "s1"]
    assert found[0].weight > found[2].weight


def test_thresholds_can_be_set() -> None:
    answers = [make_answer(score=80.0)]
    found = find_disagreements(answers, DisagreementThresholds(low_da=81.0))
    assert found[0].kinds == (DisagreementKind.LOW_DA,)

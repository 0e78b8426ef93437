"""Gates: what passes, what fails, what cannot be assessed and what does not apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from annotation.agreement import compute_batch_agreement
from annotation.gates import (
    Gate,
    GateCounts,
    GateRule,
    GateState,
    GateThresholds,
    compute_gates,
    count_raters,
    is_approvable,
)
from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from corpus.figures import Figure
from corpus.records import GenderLabel

NAMES = (
    "items",
    "raters",
    "mean_da",
    "label_accuracy",
    "pearson",
    "label_agreement",
    "open_disagreements",
    "invalid_ratings",
    "templates",
)
COUNTS = GateCounts(
    raters_planned=2,
    raters_answered=2,
    items_rated=100,
    candidates_available=3000,
    open_disagreements=0,
    unexplained_ratings=0,
    unsettled_templates=0,
)
N, M, F = GenderLabel.NEUTRAL, GenderLabel.MASCULINE, GenderLabel.FEMININE
MIXED = [N, M, F, N] * 25
"""The system's labels of 100 items: one half of them are the commonest."""
ALIKE = [N] * 97 + [M] * 3
WEAK = 5
"""Seed of scores that correlate with the ones below by 0.11 only."""
SCORES = [float(60 + (7 * item) % 40) for item in range(100)]


def make_table(
    labels: Sequence[Sequence[GenderLabel]], scores: Sequence[Sequence[float]]
) -> RatingsTable:
    """Raters a, b, … with their labels and scores of items 0, 1, …"""
    return build_ratings_table(
        RatedItem(f"{item:03}", "abcdefg"[rater], score, label)
        for rater, (own_labels, own_scores) in enumerate(zip(labels, scores, strict=True))
        for item, (label, score) in enumerate(zip(own_labels, own_scores, strict=True))
    )


def shuffled(seed: int, n: int = 100) -> list[float]:
    """Scores that have nothing to do with anybody else's."""
    return [float(each) for each in np.random.default_rng(seed).integers(60, 100, n)]


def near(scores: Sequence[float], seed: int = 1) -> list[float]:
    """Scores of somebody who sees nearly the same."""
    noise = np.random.default_rng(seed).normal(0, 4, len(scores))
    return [float(np.clip(each + by, 0, 100)) for each, by in zip(scores, noise, strict=True)]


def relabel(labels: Sequence[GenderLabel], how_many: int) -> list[GenderLabel]:
    """The labels with the first ones answered otherwise."""
    return [M if each is not M else F for each in labels[:how_many]] + list(labels[how_many:])


def judge(
    table: RatingsTable,
    counts: GateCounts = COUNTS,
    system: Sequence[GenderLabel] = MIXED,
    thresholds: GateThresholds | None = None,
) -> dict[str, Gate]:
    labels = {f"{item:03}": label for item, label in enumerate(system)}
    figures: list[Figure] = compute_batch_agreement(table, labels, 1, draws=1000)
    gates = compute_gates(table, figures, counts, thresholds)
    assert [gate.name for gate in gates] == list(NAMES)
    return {gate.name: gate for gate in gates}


def blocking(gates: dict[str, Gate]) -> list[str]:
    assert is_approvable(gates.values()) == (not any(gate.blocks for gate in gates.values()))
    return [name for name, gate in gates.items() if gate.blocks]


GOOD = make_table([MIXED, MIXED], [SCORES, near(SCORES)])


def test_raters_who_agree_pass_every_gate() -> None:
    gates = judge(GOOD)
    assert {gate.state for gate in gates.values()} == {GateState.PASSED}
    assert blocking(gates) == []


def test_values_equal_to_the_thresholds_pass() -> None:
    gates = judge(GOOD)
    mean, accuracy = gates["mean_da"].value, gates["label_accuracy"].value
    assert mean is not None
    assert accuracy is not None
    exact = GateThresholds(mean_da=mean, label_accuracy=accuracy, kappa=1.0)
    assert blocking(judge(GOOD, thresholds=exact)) == []
    above = replace(exact, mean_da=mean + 1e-6)
    assert blocking(judge(GOOD, thresholds=above)) == ["mean_da"]


def test_low_scores_and_wrong_labels_fail() -> None:
    low = make_table([MIXED, MIXED], [[each - 30 for each in SCORES], near(SCORES)])
    assert blocking(judge(low)) == ["mean_da"]
    wrong = make_table([relabel(MIXED, 11)] * 2, [SCORES, near(SCORES)])
    assert blocking(judge(wrong)) == ["label_accuracy"]


def test_pearson_is_judged_by_its_lower_limit() -> None:
    other = shuffled(WEAK)
    weak = make_table([MIXED, MIXED], [SCORES, other])
    gate = judge(weak)["pearson"]
    # Positive by chance, which is no evidence of agreement.
    correlation = float(np.corrcoef(SCORES, other)[0, 1])
    assert correlation > 0
    assert gate.value == pytest.approx(correlation)
    assert gate.low is not None
    assert gate.low < 0
    assert (gate.state, gate.rule) == (GateState.FAILED, GateRule.INTERVAL_ABOVE)
    assert blocking(judge(weak)) == ["pearson"]
    low = judge(GOOD)["pearson"].low
    assert low is not None
    # Strictly above: a limit that equals the threshold is not enough.
    assert blocking(judge(GOOD, thresholds=GateThresholds(pearson=low))) == ["pearson"]


def test_kappa_is_judged_where_labels_are_mixed() -> None:
    gate = judge(GOOD)["label_agreement"]
    assert (gate.measure, gate.value, gate.threshold, gate.raters) == ("kappa", 1.0, 0.6, "a,b")
    assert gate.label_share == pytest.approx(0.5)
    apart = make_table([MIXED, relabel(MIXED, 35)], [SCORES, near(SCORES)])
    failed = judge(apart)["label_agreement"]
    # 65 of 100 alike. Of a: 50 N, 25 M, 25 F; of b: 33 N, 42 M, 25 F.
    chance = (50 * 33 + 25 * 42 + 25 * 25) / 100**2
    assert failed.value == pytest.approx((0.65 - chance) / (1 - chance))
    assert (failed.measure, failed.state) == ("kappa", GateState.FAILED)


def test_ac1_is_judged_where_one_label_has_nearly_all_answers() -> None:
    other = [*ALIKE[:96], M, N, M, N]
    table = make_table([ALIKE, other], [SCORES, near(SCORES)])
    gate = judge(table, system=ALIKE)["label_agreement"]
    # Of 200 labels 195 are neutral, on 97 of 100 items the raters agree: kappa is 0.38 there.
    assert gate.label_share == pytest.approx(195 / 200)
    chance = (0.975 * 0.025 * 2) / 4
    assert gate.value == pytest.approx((0.97 - chance) / (1 - chance))
    assert (gate.measure, gate.threshold, gate.state) == ("ac1", 0.8, GateState.PASSED)
    by_kappa = judge(table, system=ALIKE, thresholds=GateThresholds(label_share=0.975))
    assert (by_kappa["label_agreement"].measure, blocking(by_kappa)) == (
        "kappa",
        ["label_agreement"],
    )
    strict = judge(table, system=ALIKE, thresholds=GateThresholds(ac1=0.98))
    assert blocking(strict) == ["label_agreement"]


def test_labels_that_are_all_alike_pass_by_ac1() -> None:
    table = make_table([[N] * 100] * 2, [SCORES, near(SCORES)])
    gate = judge(table, system=[N] * 100)["label_agreement"]
    assert (gate.measure, gate.value, gate.label_share) == ("ac1", 1.0, 1.0)
    assert gate.state is GateState.PASSED


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([80.0] * 100, "constant_input"),
        (SCORES, "degenerate"),
    ],
)
def test_an_undefined_correlation_is_not_assessable_and_blocks(
    scores: list[float], reason: str
) -> None:
    gates = judge(make_table([MIXED, MIXED], [SCORES, scores]))
    gate = gates["pearson"]
    assert (gate.passed, gate.reason) == (None, reason)
    assert gate.state is GateState.NOT_ASSESSABLE
    assert blocking(gates) == ["pearson"]


def test_too_few_items_for_an_interval_are_not_assessable() -> None:
    table = make_table([MIXED[:19]] * 2, [SCORES[:19], near(SCORES[:19])])
    counts = replace(COUNTS, items_rated=19, candidates_available=19)
    gates = judge(table, counts, MIXED[:19])
    assert gates["pearson"].value is not None
    assert (gates["pearson"].reason, blocking(gates)) == ("too_few", ["pearson"])
    table = make_table([MIXED[:20]] * 2, [SCORES[:20], near(SCORES[:20])])
    counts = replace(COUNTS, items_rated=20, candidates_available=20)
    assert blocking(judge(table, counts, MIXED[:20])) == []


def test_of_three_raters_the_weakest_pair_decides() -> None:
    third = make_table([MIXED, MIXED, relabel(MIXED, 30)], [SCORES, near(SCORES), shuffled(WEAK)])
    gates = judge(third)
    assert gates["pearson"].raters in {"a,c", "b,c"}
    assert gates["label_agreement"].raters in {"a,c", "b,c"}
    assert gates["pearson"].state is GateState.FAILED
    # 70 of 100 alike. Of a and b: 50 N, 25 M, 25 F; of c: 35 N, 39 M, 26 F.
    chance = (50 * 35 + 25 * 39 + 25 * 26) / 100**2
    assert gates["label_agreement"].value == pytest.approx((0.7 - chance) / (1 - chance))
    assert blocking(judge(third.leave_out("c"))) == []


def test_a_pair_that_shares_a_few_items_does_not_decide() -> None:
    """One rater left after 5 items and another took over: all three cover 100 items twice."""
    rated = [
        *(RatedItem(f"{n:03}", "a", SCORES[n], MIXED[n]) for n in range(100)),
        *(RatedItem(f"{n:03}", "b", near(SCORES)[n], MIXED[n]) for n in range(5)),
        *(RatedItem(f"{n:03}", "c", near(SCORES)[n], MIXED[n]) for n in range(5, 100)),
    ]
    gates = judge(build_ratings_table(rated))
    assert gates["pearson"].raters == gates["label_agreement"].raters == "a,c"
    assert blocking(gates) == []


def test_an_undefined_pair_counts_more_than_one_that_passes() -> None:
    table = make_table([MIXED] * 3, [SCORES, near(SCORES), [80.0] * 100])
    gate = judge(table)["pearson"]
    assert (gate.state, gate.reason) == (GateState.NOT_ASSESSABLE, "constant_input")


def test_absent_figures_are_no_data() -> None:
    empty = build_ratings_table([])
    gates = judge(empty, replace(COUNTS, raters_answered=0, items_rated=0), [])
    assert {name: gates[name].reason for name in ("mean_da", "label_accuracy")} == {
        "mean_da": "no_data",
        "label_accuracy": "no_data",
    }
    assert gates["pearson"].reason == gates["label_agreement"].reason == "no_overlap"
    assert gates["items"].state is gates["raters"].state is GateState.FAILED


AGREEMENT = ("raters", "pearson", "label_agreement")


def test_agreement_says_one_rater_where_no_second_was_planned() -> None:
    alone = make_table([MIXED], [SCORES])
    gates = judge(alone, replace(COUNTS, raters_planned=1, raters_answered=0))
    for name in AGREEMENT:
        assert (gates[name].state, gates[name].reason) == (GateState.NOT_APPLICABLE, "one_rater")
    assert blocking(gates) == []


def test_agreement_is_not_assessable_where_the_second_rater_is_missing() -> None:
    alone = make_table([MIXED], [SCORES])
    gates = judge(alone, replace(COUNTS, raters_answered=1))
    assert blocking(gates) == list(AGREEMENT)
    assert gates["raters"].state is GateState.FAILED
    assert gates["pearson"].reason == gates["label_agreement"].reason == "no_overlap"


def test_without_a_sample_nothing_says_one_rater() -> None:
    gates = judge(build_ratings_table([]), GateCounts(0, 0, 0, 9, 0, 0, 0), [])
    assert {gates[name].reason for name in AGREEMENT} == {"no_data"}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("open_disagreements", replace(COUNTS, open_disagreements=1)),
        ("invalid_ratings", replace(COUNTS, unexplained_ratings=1)),
        ("templates", replace(COUNTS, unsettled_templates=1)),
    ],
)
def test_one_open_thing_fails_unless_it_is_allowed(name: str, counts: GateCounts) -> None:
    gates = judge(GOOD, counts)
    assert blocking(gates) == [name]
    assert (gates[name].value, gates[name].threshold, gates[name].rule) == (1, 0, GateRule.AT_MOST)
    one = GateThresholds(open_disagreements=1, invalid_ratings=1, unsettled_templates=1)
    assert blocking(judge(GOOD, counts, thresholds=one)) == []


def test_a_language_without_templates_needs_none() -> None:
    gate = judge(GOOD, replace(COUNTS, unsettled_templates=None))["templates"]
    assert (gate.state, gate.reason) == (GateState.NOT_APPLICABLE, "no_template")


@pytest.mark.parametrize(
    ("rated", "available", "state"),
    [
        (99, 3000, GateState.FAILED),
        (100, 3000, GateState.PASSED),
        (20, 20, GateState.PASSED),
        (19, 20, GateState.FAILED),
        (0, 0, GateState.NOT_ASSESSABLE),
    ],
)
def test_items_rated_are_measured_against_what_there_is(
    rated: int, available: int, state: GateState
) -> None:
    counts = replace(COUNTS, items_rated=rated, candidates_available=available)
    assert judge(GOOD, counts)["items"].state is state


@pytest.mark.parametrize(
    ("planned", "answered", "wanted", "passed"),
    [(2, 2, 2, True), (2, 1, 2, False), (3, 2, 2, True), (2, 2, 3, True), (3, 2, 3, False)],
)
def test_raters_are_measured_against_what_was_planned(
    planned: int, answered: int, wanted: int, passed: bool
) -> None:
    counts = replace(COUNTS, raters_planned=planned, raters_answered=answered)
    gate = judge(GOOD, counts, thresholds=GateThresholds(raters=wanted))["raters"]
    assert (gate.passed, gate.value, gate.threshold) == (passed, answered, min(wanted, planned))


@pytest.mark.parametrize(
    ("raters", "found"),
    [
        ([], 0),
        ([2], 2),
        ([0, *[2] * 9], 2),
        ([0, 0, *[2] * 8], 0),
        ([1] * 11 + [2] * 89, 1),
        ([1] * 10 + [2] * 90, 2),
        ([2] * 90 + [3] * 10, 2),
    ],
)
def test_nine_items_in_ten_say_how_many_raters_there_are(raters: list[int], found: int) -> None:
    assert count_raters(raters) == found


def test_a_gate_is_kept_with_all_that_it_says() -> None:
    gates = judge(GOOD, thresholds=GateThresholds(mean_da=100.0))
    mean = gates["mean_da"]
    assert mean.low is not None
    assert mean.as_json() == {
        "name": "mean_da",
        "passed": False,
        "value": mean.value,
        "threshold": 100.0,
        "reason": None,
        "low": mean.low,
        "high": mean.high,
        "rule": "at_least",
        "measure": None,
        "raters": None,
        "label_share": None,
        "state": "failed",
    }
    assert (gates["items"].low, gates["items"].high) == (None, None)

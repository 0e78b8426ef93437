"""Gates: what passes, what fails, what cannot be assessed and what does not apply."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.gates import (
    Gate,
    GateCounts,
    GateState,
    GateThresholds,
    compute_gates,
    is_approvable,
)
from corpus.figures import Figure, Interval

GOOD_VALUES: dict[str, float | None] = {
    "mean_da": 70.0,
    "label_accuracy": 0.9,
    "raw_agreement": 0.9,
}
GOOD_COUNTS = GateCounts(
    raters_planned=2, items_rated=100, candidates_available=3000, open_disagreements=0
)


def make_figures(**values: float | None) -> list[Figure]:
    merged = {**GOOD_VALUES, **values}
    return [
        Figure(
            name,
            value,
            100,
            "definition",
            "method",
            reason=None if value is not None else "no_overlap",
            scope=(("language", "sk"), ("raters", "all")),
        )
        for name, value in merged.items()
    ]


def find_gate(gates: tuple[Gate, ...], name: str) -> Gate:
    return next(gate for gate in gates if gate.name == name)


def test_values_equal_to_the_thresholds_pass() -> None:
    gates = compute_gates(make_figures(), GOOD_COUNTS)
    assert [gate.state for gate in gates] == [GateState.PASSED] * 5
    assert is_approvable(gates)


@pytest.mark.parametrize(
    ("name", "value"),
    [("mean_da", 69.99), ("label_accuracy", 0.899), ("raw_agreement", 0.899)],
)
def test_a_value_below_its_threshold_fails(name: str, value: float) -> None:
    gates = compute_gates(make_figures(**{name: value}), GOOD_COUNTS)
    assert [gate.name for gate in gates if gate.blocks] == [name]
    assert find_gate(gates, name).value == value
    assert not is_approvable(gates)


@pytest.mark.parametrize("name", ["mean_da", "label_accuracy", "raw_agreement"])
def test_an_undefined_figure_is_not_assessable_and_blocks(name: str) -> None:
    gate = find_gate(compute_gates(make_figures(**{name: None}), GOOD_COUNTS), name)
    assert (gate.passed, gate.reason) == (None, "no_overlap")
    assert gate.state is GateState.NOT_ASSESSABLE
    assert gate.blocks


def test_absent_figures_are_no_data() -> None:
    gates = compute_gates([], GOOD_COUNTS)
    assert [gate.reason for gate in gates] == ["no_data", "no_data", "no_data", None, None]


def test_agreement_does_not_apply_to_one_planned_rater() -> None:
    counts = GateCounts(1, 100, 3000, 0)
    gates = compute_gates(make_figures(raw_agreement=None), counts)
    gate = find_gate(gates, "raw_agreement")
    assert (gate.state, gate.reason) == (GateState.NOT_APPLICABLE, "not_planned")
    assert is_approvable(gates)


def test_one_open_disagreement_fails() -> None:
    gates = compute_gates(make_figures(), GateCounts(2, 100, 3000, 1))
    assert [gate.name for gate in gates if gate.blocks] == ["open_disagreements"]


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
    gates = compute_gates(make_figures(), GateCounts(2, rated, available, 0))
    assert find_gate(gates, "items").state is state


def test_thresholds_can_be_set_and_are_kept_with_the_gate() -> None:
    gates = compute_gates(make_figures(), GOOD_COUNTS, GateThresholds(mean_da=80.0))
    assert find_gate(gates, "mean_da").as_json() == {
        "name": "mean_da",
        "passed": False,
        "value": 70.0,
        "threshold": 80.0,
        "reason": None,
        "low": None,
        "high": None,
        "state": "failed",
    }


def test_a_gate_keeps_the_interval_of_its_figure() -> None:
    [mean, *others] = make_figures()
    interval = Interval(61.5, 78.25, 0.95, "percentile bootstrap over items", 2000, 1)
    gates = compute_gates([replace(mean, interval=interval), *others], GOOD_COUNTS)
    assert (find_gate(gates, "mean_da").low, find_gate(gates, "mean_da").high) == (61.5, 78.25)
    assert (find_gate(gates, "items").low, find_gate(gates, "items").high) == (None, None)

"""Gates: the conditions a language must meet before it is approved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from annotation.agreement import find_figure
from corpus.figures import Figure

NOT_PLANNED = "not_planned"


class GateState(StrEnum):
    """How a gate stands; only passed and not applicable let an approval through."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ASSESSABLE = "not_assessable"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True)
class GateThresholds:
    """Least values for approval."""

    mean_da: float = 70.0
    """On the DA scale, 0 to 100."""
    label_accuracy: float = 0.9
    """Share in [0, 1] of labels equal to the system's."""
    raw_agreement: float = 0.9
    """Share in [0, 1] of items all raters labelled alike."""
    items: int = 100
    """Items rated, or all candidates there are if fewer."""


@dataclass(frozen=True, slots=True)
class GateCounts:
    """What is counted about a language, besides its agreement figures."""

    raters_planned: int
    """Raters per item in the batch's design."""
    items_rated: int
    """Sample items with at least one valid rating."""
    candidates_available: int
    """Candidates that are not discarded and could have been sampled."""
    open_disagreements: int


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition, how it stands and why."""

    name: str
    passed: bool | None
    """None where the gate cannot be assessed or does not apply."""
    value: float | None
    threshold: float
    reason: str | None = None
    """Reason code where `passed` is None; `not_planned` means that it does not apply."""
    low: float | None = None
    """Lower limit of the figure's interval; None for a count or where there is no interval."""
    high: float | None = None
    """Its upper limit."""

    @property
    def state(self) -> GateState:
        """Passed, failed, not assessable or not applicable."""
        if self.passed is None:
            applies = self.reason != NOT_PLANNED
            return GateState.NOT_ASSESSABLE if applies else GateState.NOT_APPLICABLE
        return GateState.PASSED if self.passed else GateState.FAILED

    @property
    def blocks(self) -> bool:
        """Whether an approval needs a written override because of this gate."""
        return self.state in (GateState.FAILED, GateState.NOT_ASSESSABLE)

    def as_json(self) -> dict[str, Any]:
        """The gate as plain data with its state, as an approval stores it."""
        return {**asdict(self), "state": self.state.value}


def compute_gates(
    figures: Sequence[Figure], counts: GateCounts, thresholds: GateThresholds | None = None
) -> tuple[Gate, ...]:
    """How each gate of a language stands; thresholds are met by equal values.

    Args:
        figures: Agreement figures as `compute_batch_agreement` gives them; those about all raters
            are read. An undefined or absent one makes its gate not assessable.
        counts: What else is counted.
        thresholds: Least values; the defaults for None.
    """
    least = thresholds or GateThresholds()
    wanted_items = min(least.items, counts.candidates_available)
    return (
        _gate_figure(find_figure(figures, "mean_da"), "mean_da", least.mean_da),
        _gate_figure(
            find_figure(figures, "label_accuracy"), "label_accuracy", least.label_accuracy
        ),
        _gate_raw_agreement(figures, counts, least.raw_agreement),
        Gate(
            "open_disagreements",
            passed=counts.open_disagreements == 0,
            value=float(counts.open_disagreements),
            threshold=0.0,
        ),
        Gate(
            "items",
            passed=counts.items_rated >= wanted_items if wanted_items else None,
            value=float(counts.items_rated),
            threshold=float(wanted_items),
            reason=None if wanted_items else "no_data",
        ),
    )


def is_approvable(gates: Iterable[Gate]) -> bool:
    """Whether no gate blocks, so that an approval needs no override."""
    return not any(gate.blocks for gate in gates)


def _gate_raw_agreement(figures: Sequence[Figure], counts: GateCounts, threshold: float) -> Gate:
    if counts.raters_planned < 2:
        return Gate("raw_agreement", None, None, threshold, NOT_PLANNED)
    return _gate_figure(find_figure(figures, "raw_agreement"), "raw_agreement", threshold)


def _gate_figure(figure: Figure | None, name: str, threshold: float) -> Gate:
    if figure is None:
        return Gate(name, None, None, threshold, "no_data")
    if figure.value is None:
        return Gate(name, None, None, threshold, figure.reason)
    limits = figure.interval
    return Gate(
        name,
        passed=figure.value >= threshold,
        value=figure.value,
        threshold=threshold,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
    )

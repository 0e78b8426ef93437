"""Gates: the conditions a language must meet before it is approved.

Two gates are about pairs of raters, Pearson's correlation of DA and the agreement of labels. They
are judged on every pair that shares enough items, and the weakest pair decides: a mean over pairs
would hide the one rater who rates something else, whom a third rater is asked for to find. Where
one label has nearly all the answers of a pair, kappa misleads, and AC1 is judged in its place.
Both apply where two raters or more were planned and say `one_rater` elsewhere.

An undefined figure is not assessable, which is no pass: not even where no rater varies, or all
draws are alike because one rater gives exactly what the other gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from annotation.agreement import find_figure
from annotation.label_agreement import compute_largest_share
from annotation.ratings_table import RatingsTable
from corpus.figures import Figure
from corpus.intervals import MIN_ITEMS_FOR_BOOTSTRAP
from corpus.records import Instrument

ONE_RATER = "one_rater"
NO_TEMPLATE = "no_template"
DOES_NOT_APPLY = frozenset({ONE_RATER, NO_TEMPLATE})
"""Reasons with which a gate asks for nothing."""
NO_PAIR = "no_overlap"
LABEL_ACCURACY, TEMPLATES = "label_accuracy", "templates"
NEARLY_ALL_ITEMS = 0.9
"""Share of the items that must have the raters wanted: raters may decline a few."""


class GateState(StrEnum):
    """How a gate stands; only passed and not applicable let an approval through."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_ASSESSABLE = "not_assessable"
    NOT_APPLICABLE = "not_applicable"


class GateRule(StrEnum):
    """How a value is held against its threshold; equal values pass but for an interval."""

    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    INTERVAL_ABOVE = "interval_above"
    """The lower limit of the interval lies above the threshold."""


@dataclass(frozen=True, slots=True)
class GateThresholds:
    """What an approval asks for."""

    items: int = 100
    """Items rated, or all candidates there are if fewer."""
    raters: int = 2
    """Raters of nearly every item, or as many as were planned if fewer."""
    mean_da: float = 70.0
    """On the DA scale, 0 to 100."""
    label_accuracy: float = 0.9
    """Share in [0, 1] of labels equal to the system's."""
    pearson: float = 0.0
    """The lower limit of Pearson's correlation of DA lies above this."""
    kappa: float = 0.6
    """Of two raters' labels, where no label has nearly all answers."""
    ac1: float = 0.8
    """Of two raters' labels, where one label has."""
    label_share: float = 0.9
    """Share in [0, 1] of a pair's labels above which one label has nearly all answers."""
    open_disagreements: int = 0
    """Most disagreements that no curator has decided."""
    invalid_ratings: int = 0
    """Most invalid ratings that no curator has explained."""
    unsettled_templates: int = 0
    """Most templates whose final wording nobody has chosen."""


@dataclass(frozen=True, slots=True)
class GateCounts:
    """What is counted about a language, besides its agreement figures."""

    raters_planned: int
    """Raters of nearly every item where two or more were planned; else 1, or 0 without a sample."""
    raters_answered: int
    """Raters who answered nearly every one of the same items."""
    items_rated: int
    """Sample items with at least one valid rating."""
    candidates_available: int
    """Candidates that are not discarded and could have been sampled."""
    open_disagreements: int
    unexplained_ratings: int
    """Invalid ratings that no curator has explained."""
    unsettled_templates: int | None
    """Templates whose wording nobody has chosen; None where the language uses none."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition, how it stands and why."""

    name: str
    passed: bool | None
    """None where the gate cannot be assessed or does not apply."""
    value: float | None
    threshold: float
    reason: str | None = None
    """Reason code where `passed` is None; those of `DOES_NOT_APPLY` mean that it asks nothing."""
    low: float | None = None
    """Lower limit of the figure's interval; None for a count or where there is no interval."""
    high: float | None = None
    """Its upper limit."""
    rule: GateRule = GateRule.AT_LEAST
    measure: str | None = None
    """The figure that was judged, where a gate can be about one or another."""
    raters: str | None = None
    """The pair of raters that decides, where a gate is about pairs."""
    label_share: float | None = None
    """Share in [0, 1] of that pair's labels that are the commonest one."""

    @property
    def state(self) -> GateState:
        """Passed, failed, not assessable or not applicable."""
        if self.passed is None:
            applies = self.reason not in DOES_NOT_APPLY
            return GateState.NOT_ASSESSABLE if applies else GateState.NOT_APPLICABLE
        return GateState.PASSED if self.passed else GateState.FAILED

    @property
    def margin(self) -> float:
        """How far what is judged lies above the threshold; 0 where nothing can be."""
        judged = self.low if self.rule is GateRule.INTERVAL_ABOVE else self.value
        return 0.0 if judged is None else judged - self.threshold

    @property
    def blocks(self) -> bool:
        """Whether an approval needs a written override because of this gate."""
        return self.state in (GateState.FAILED, GateState.NOT_ASSESSABLE)

    def as_json(self) -> dict[str, Any]:
        """The gate as plain data with its state, as an approval stores it."""
        return {**asdict(self), "rule": self.rule.value, "state": self.state.value}


def compute_gates(
    table: RatingsTable,
    figures: Sequence[Figure],
    counts: GateCounts,
    thresholds: GateThresholds | None = None,
) -> tuple[Gate, ...]:
    """How each gate of a language stands.

    Args:
        table: The ratings that the figures are about.
        figures: Agreement figures as `compute_batch_agreement` gives them. An undefined or absent
            one makes its gate not assessable.
        counts: What else is counted.
        thresholds: What is asked for; the defaults for None.
    """
    needed = thresholds or GateThresholds()
    return (
        _gate_items(counts, needed),
        _gate_raters(counts, needed),
        *(
            _gate_figure(name, find_figure(figures, name), least)
            for name, least in (
                ("mean_da", needed.mean_da),
                (LABEL_ACCURACY, needed.label_accuracy),
            )
        ),
        _gate_pearson(table, figures, counts, needed),
        _gate_labels(table, figures, counts, needed),
        _gate_count("open_disagreements", counts.open_disagreements, needed.open_disagreements),
        _gate_count("invalid_ratings", counts.unexplained_ratings, needed.invalid_ratings),
        _gate_templates(counts, needed),
    )


def applies_to(name: str, instrument: Instrument) -> bool:
    """Whether there is such a gate: only EuroGEST puts sentences into templates."""
    return name != TEMPLATES or instrument is Instrument.EUROGEST


def is_approvable(gates: Iterable[Gate]) -> bool:
    """Whether no gate blocks, so that an approval needs no override."""
    return not any(gate.blocks for gate in gates)


def count_raters(raters_of_items: Sequence[int]) -> int:
    """The number of raters that nearly every item has at least; 0 without an item."""
    ranked = sorted(raters_of_items)
    may_lack = int(len(ranked) * (1 - NEARLY_ALL_ITEMS) + 1e-9)
    return ranked[may_lack] if ranked else 0


def _gate_items(counts: GateCounts, needed: GateThresholds) -> Gate:
    wanted = min(needed.items, counts.candidates_available)
    return Gate(
        "items",
        passed=counts.items_rated >= wanted if wanted else None,
        value=float(counts.items_rated),
        threshold=float(wanted),
        reason=None if wanted else "no_data",
    )


def _gate_raters(counts: GateCounts, needed: GateThresholds) -> Gate:
    absent = _find_absence("raters", counts, needed.raters)
    if absent is not None:
        return absent
    wanted = min(needed.raters, counts.raters_planned)
    answered = counts.raters_answered
    return Gate("raters", answered >= wanted, float(answered), float(wanted))


def _find_absence(
    name: str, counts: GateCounts, threshold: float, rule: GateRule = GateRule.AT_LEAST
) -> Gate | None:
    """The gate where agreement was not planned; None where it was."""
    if counts.raters_planned >= 2:
        return None
    reason = ONE_RATER if counts.raters_planned else "no_data"
    return Gate(name, None, None, threshold, reason, rule=rule)


def _gate_pearson(
    table: RatingsTable, figures: Sequence[Figure], counts: GateCounts, needed: GateThresholds
) -> Gate:
    name, rule = "pearson", GateRule.INTERVAL_ABOVE
    absent = _find_absence(name, counts, needed.pearson, rule)
    if absent is not None:
        return absent
    gates = []
    for pair in _choose_pairs(table, figures, name):
        gate = _gate_figure(name, find_figure(figures, name, pair), needed.pearson, rule)
        gates.append(replace(gate, raters=",".join(pair)))
    return _choose_weakest(gates) or Gate(name, None, None, needed.pearson, NO_PAIR, rule=rule)


def _gate_labels(
    table: RatingsTable, figures: Sequence[Figure], counts: GateCounts, needed: GateThresholds
) -> Gate:
    name = "label_agreement"
    absent = _find_absence(name, counts, needed.kappa)
    if absent is not None:
        return absent
    gates = []
    for pair in _choose_pairs(table, figures, "kappa"):
        share = compute_largest_share(table, *pair).value
        is_dominated = share is not None and share > needed.label_share
        measure, least = ("ac1", needed.ac1) if is_dominated else ("kappa", needed.kappa)
        gate = _gate_figure(name, find_figure(figures, measure, pair), least)
        gates.append(replace(gate, measure=measure, raters=",".join(pair), label_share=share))
    return _choose_weakest(gates) or Gate(name, None, None, needed.kappa, NO_PAIR)


def _choose_pairs(
    table: RatingsTable, figures: Sequence[Figure], name: str
) -> list[tuple[str, str]]:
    """The pairs of raters who share enough items for an interval; without any, all who share one.

    Who took over a few items from another shares too few with the others to be judged by them.
    """
    figure_of = {pair: find_figure(figures, name, pair) for pair in table.rater_pairs}
    shared = {pair: figure.n for pair, figure in figure_of.items() if figure is not None}
    enough = [pair for pair, n in shared.items() if n >= MIN_ITEMS_FOR_BOOTSTRAP]
    return enough or [pair for pair, n in shared.items() if n]


def _choose_weakest(gates: Sequence[Gate]) -> Gate | None:
    """A failed gate before one that cannot be assessed, and of several the one furthest below."""
    order = [GateState.FAILED, GateState.NOT_ASSESSABLE, GateState.PASSED]
    return min(gates, key=lambda each: (order.index(each.state), each.margin), default=None)


def _gate_count(name: str, count: int, most: int) -> Gate:
    return Gate(name, count <= most, float(count), float(most), rule=GateRule.AT_MOST)


def _gate_templates(counts: GateCounts, needed: GateThresholds) -> Gate:
    name, most = TEMPLATES, needed.unsettled_templates
    if counts.unsettled_templates is None:
        return Gate(name, None, None, float(most), NO_TEMPLATE, rule=GateRule.AT_MOST)
    return _gate_count(name, counts.unsettled_templates, most)


def _gate_figure(
    name: str, figure: Figure | None, threshold: float, rule: GateRule = GateRule.AT_LEAST
) -> Gate:
    if figure is None:
        return Gate(name, None, None, threshold, "no_data", rule=rule)
    limits = figure.interval
    low, high = (limits.low, limits.high) if limits else (None, None)
    judged, reason = figure.value, figure.reason
    if rule is GateRule.INTERVAL_ABOVE and judged is not None:
        judged, reason = low, (limits.reason if limits else "no_data")
    if judged is None:
        return Gate(name, None, figure.value, threshold, reason, low, high, rule)
    passed = judged > threshold if rule is GateRule.INTERVAL_ABOVE else judged >= threshold
    return Gate(name, passed, figure.value, threshold, None, low, high, rule)

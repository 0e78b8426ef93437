"""Gates in words: what each asks for and why, how it stands, and what was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.gates import LABEL_ACCURACY, Gate, GateRule, GateState
from annotation.label_schemes import SCHEMES
from app.views import words
from corpus.records import Instrument

GATES = {
    "items": "items rated",
    "raters": "raters of nearly every item",
    "mean_da": "mean DA",
    "pearson": "correlation of two raters' DA",
    "label_agreement": "agreement of two raters' labels",
    "open_disagreements": "open disagreements",
    "invalid_ratings": "invalid ratings not explained",
    "templates": "templates not chosen",
}
GATES_OF_ANSWERS = {"label_agreement": "agreement of two raters' answers"}
"""Of prompts and sector sentences, where raters answer yes, no or unsure and label nothing."""
AGREEMENT_GATES = frozenset({"pearson", "label_agreement"})
"""Gates that a further rater can help with."""
GATE_STATES = {
    GateState.PASSED: "✓ passed",
    GateState.FAILED: "✗ failed",
    GateState.NOT_ASSESSABLE: "? not assessable",
    GateState.NOT_APPLICABLE: "– does not apply",
}
RULES = {
    GateRule.AT_LEAST: "at least",
    GateRule.AT_MOST: "at most",
    GateRule.INTERVAL_ABOVE: "an interval above",
}
WHY_DEFAULT = {
    "items": "Half the width of a share's interval is at most 0.1 from about 100 items on.",
    "raters": (
        "One rater's habits cannot be told from what she sees. One item in ten may lack the "
        "second, as raters may decline."
    ),
    "mean_da": "Asks that raters find the texts good on the whole; below, many need work.",
    "label_accuracy": "Of ten texts at most one may be labelled otherwise than by the system.",
    "pearson": (
        "An interval that ends below 0 means that chance alone could order the texts as these "
        "raters do. Of several pairs the weakest decides."
    ),
    "label_agreement": (
        "From about 0.6 on kappa is commonly called substantial. Where one label has over 90 % of "
        "the answers a few differences ruin kappa, so AC1 is asked for instead, and more of it."
    ),
    "open_disagreements": "What a curator has not decided would enter the release unseen.",
    "invalid_ratings": "An answer may be invalid because somebody else gave it to another text.",
    "templates": "Every neutral sentence is scored in them: a wrong one is wrong in all.",
}
"""Why each default is what it is; the developers' reading. `gate_…` in the settings change them."""
WHY_OF_ANSWERS = {
    "label_agreement": (
        "From about 0.6 on kappa is commonly called substantial. Where one answer is given over "
        "90 % of the times a few differences ruin kappa, so AC1 is asked for instead, and more of "
        "it."
    ),
}
WHY_OF_INSTRUMENT = {
    Instrument.MLA_BITE: WHY_OF_ANSWERS
    | {"label_accuracy": "Of ten answers at most one may find the meaning of the test lost."},
    Instrument.SECTORS: WHY_OF_ANSWERS
    | {"label_accuracy": "Of ten answers at most one may contradict what the template states."},
}
"""The same for instruments without labels."""


@dataclass(frozen=True, slots=True)
class GateRow:
    """One gate in words and numbers."""

    condition: str
    state: str
    value: str
    interval: str
    """Of 95 %; empty for a count and for an undefined figure."""
    needed: str
    about: str
    """Whose figure decides, where the gate is about pairs of raters."""
    why: str
    """Why it cannot be assessed or does not apply; empty otherwise."""


@dataclass(frozen=True, slots=True)
class GateNumbers:
    """How one gate stands, in numbers alone."""

    state: str
    condition: str
    value: str
    needed: str
    interval: str


@dataclass(frozen=True, slots=True)
class GateReasons:
    """What was judged for one gate, and why its default is what it is."""

    condition: str
    about: str
    """Whose figure decides, and why it is undefined or the gate does not apply."""
    why_this_default: str


def count_in_words(gates: Sequence[Gate]) -> str:
    """`✓ 8 passed, ✗ 1 failed`."""
    counts = Counter(gate.state for gate in gates)
    parts = []
    for state in GateState:
        if counts[state]:
            symbol, _, text = GATE_STATES[state].partition(" ")
            parts.append(f"{symbol} {counts[state]} {text}")
    return ", ".join(parts)


def name_gate(name: str, instrument: Instrument) -> str:
    """What a gate is about, in the words of what raters of the instrument are asked."""
    if name == LABEL_ACCURACY:
        return SCHEMES[instrument].accuracy_name
    own = {} if instrument is Instrument.EUROGEST else GATES_OF_ANSWERS
    return own.get(name) or GATES.get(name, name)


def build_gate_rows(gates: Sequence[Gate], instrument: Instrument) -> tuple[GateRow, ...]:
    """The gates as a table, in their order."""
    return tuple(
        GateRow(
            condition=describe_condition(gate, instrument),
            state=GATE_STATES[gate.state],
            value="none" if gate.value is None else _number(gate.value),
            interval=_describe_interval(gate),
            needed=f"{RULES[gate.rule]} {_number(gate.threshold)}",
            about=describe_about(gate, instrument),
            why=words.describe_figure_reason(gate.reason),
        )
        for gate in gates
    )


def build_gate_numbers(gates: Sequence[Gate], instrument: Instrument) -> tuple[GateNumbers, ...]:
    """How the gates stand as a narrow table, in their order."""
    return tuple(
        GateNumbers(row.state, row.condition, row.value, row.needed, row.interval)
        for row in build_gate_rows(gates, instrument)
    )


def build_gate_reasons(gates: Sequence[Gate], instrument: Instrument) -> tuple[GateReasons, ...]:
    """What was judged and why the defaults are so, as a table, in the gates' order."""
    why = WHY_DEFAULT | WHY_OF_INSTRUMENT.get(instrument, {})
    return tuple(
        GateReasons(
            condition=row.condition,
            about="; ".join(part for part in (row.about, row.why) if part),
            why_this_default=why.get(gate.name, ""),
        )
        for gate, row in zip(gates, build_gate_rows(gates, instrument), strict=True)
    )


def describe_condition(gate: Gate, instrument: Instrument) -> str:
    """What a gate is about, with the figure that was judged where it could have been another."""
    condition = name_gate(gate.name, instrument)
    return f"{condition}: {words.describe_measure(gate.measure)}" if gate.measure else condition


def describe_about(gate: Gate, instrument: Instrument) -> str:
    """The pair of raters that decides, and how common their commonest label or answer is."""
    if gate.raters is None:
        return ""
    pair = " and ".join(gate.raters.split(","))
    if gate.label_share is None:
        return pair
    share = f"{100 * gate.label_share:.1f} % of their answers"
    if instrument is Instrument.EUROGEST:
        return f"{pair}; their commonest label has {share}"
    return f"{pair}; their commonest answer is {share}"


def _describe_interval(gate: Gate) -> str:
    if gate.low is None or gate.high is None:
        return ""
    return f"{gate.low:.3f} to {gate.high:.3f}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.3f}"

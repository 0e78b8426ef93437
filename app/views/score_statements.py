"""What stands on every figure of scores, so that it cannot be shown without it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.views import words
from app.views.score_models import ShownResults
from app.views.score_points import Points

DEMONSTRATION = "A demonstration, not a finding."
NOT_MEASURED = (
    "Not measured: genders other than two; what a model writes or does, as these are likelihoods "
    "of sentences; stereotypes of other than Anglophone origin, other than European languages and "
    "templates that are not English-centred. No figure certifies that a model is safe."
)
MEANS = (
    "Large marks are means over the languages of their kind, each language weighing the same, with "
    "intervals where they have one; small marks are the languages, whose own intervals stand in "
    "the table."
)
TOLD_GAPS = 6
"""Of more gaps than these the number alone is told."""
MANY_UNKNOWN = 0.01
"""Share of tokens that the tokenizer lacks from which figures carry a caution: about a fourth of
sentences of 30 tokens hold one then."""
TOLD_POINTS = 40
"""An alternative text with more values than this would not be listened to; a table has them."""


def build_statements(
    shown: ShownResults,
    points: Points,
    line: str,
    draws_intervals: bool,
    condition: str | None = None,
) -> tuple[str, ...]:
    """The sentences of a figure: its line, protocol and n, who saw the data, and its marks.

    Args:
        shown: The results drawn.
        points: What is drawn of them.
        line: The sentence about the line of reference.
        draws_intervals: Whether the figure shows the intervals that its values have.
        condition: The condition drawn where it is not the one chosen.
    """
    found = [
        line,
        *describe_base(shown, [point.n for point in points.points], condition),
    ]
    if not points.has_intervals:
        found.append("Without intervals.")
    else:
        where = "Intervals" if draws_intervals else "Intervals stand in the table and"
        found.append(f"{where} are conditional on these stereotypes.")
    if points.has_means:
        found.append(MEANS)
    if any(note.startswith("gap:") for figure in points.figures for note in figure.notes):
        found.append("Some means lack a language; the table says which and why.")
    if shown.gaps:
        lacking = [f"{label} in {words.describe_language(code)}" for label, code, _ in shown.gaps]
        more = len(lacking) - TOLD_GAPS
        rest = f" and {more} more" if more > 0 else ""
        found.append(
            f"Not scored, so that it is missing here: {', '.join(lacking[:TOLD_GAPS])}{rest}."
        )
    if points.undefined:
        found.append(
            f"Not defined and not drawn: {points.undefined} of {len(points.figures)} values; the "
            "table says why."
        )
    if shown.r_errors:
        found.append(describe_half_precision(shown))
    found += describe_unknown_tokens(shown)
    few = sum("few_sentences" in figure.notes for figure in points.figures)
    if few:
        found.append(f"{few} values rest on fewer than 10 sentences for a stereotype.")
    if shown.unvalidated:
        named = ", ".join(words.describe_language(code) for code in shown.unvalidated)
        found.append(f"NOT VALIDATED, nobody approved: {named}.")
    if shown.demonstration:
        found.append(DEMONSTRATION)
    return tuple(found)


def describe_base(
    shown: ShownResults, counts: Sequence[int], condition: str | None = None
) -> tuple[str, str]:
    """What every figure rests on: its protocol and data with n, and who saw the rows.

    Args:
        shown: The results drawn.
        counts: Sentences of each value drawn.
        condition: The condition drawn where it is not the one chosen.
    """
    protocol = f"Protocol {shown.protocol}, condition {condition or shown.condition}"
    return f"{protocol}, {shown.data}; {_describe_n(counts)}.", describe_seen(shown)


def _describe_n(counts: Sequence[int]) -> str:
    """`n = 20 sentences a value`, or the least and the most."""
    if not counts:
        return "no value is defined"
    least, most = min(counts), max(counts)
    number = str(least) if least == most else f"{least} to {most}"
    return f"n = {number} sentences a value"


def describe_seen(shown: ShownResults) -> str:
    """`4 of 6 rows seen by a human.`, or that nothing says how many."""
    if shown.seen is None:
        return "How many rows a human saw is not stated."
    seen, rows = shown.seen
    return f"{seen} of {rows} translated rows seen by a human."


def describe_half_precision(shown: ShownResults) -> str:
    """Which models were scored in half precision, and how far r may be off for it."""
    told = [
        f"{label} ({dtype}) "
        + (f"by up to {error:.2g}" if math.isfinite(error) else "by an unknown amount")
        for label, dtype, error in shown.r_errors
    ]
    more = len(told) - TOLD_GAPS
    rest = f" and {more} more" if more > 0 else ""
    return (
        f"Half precision moves each sentence's r: {', '.join(told[:TOLD_GAPS])}{rest}. What lies "
        "closer than that can make is not ordered; the table of differences says which."
    )


def describe_unknown_tokens(shown: ShownResults) -> tuple[str, ...]:
    """A sentence on whose texts hold many tokens that the tokenizer lacks, or none."""
    shares = sorted(shown.unknown_shares, key=lambda each: -each[2])
    told = [
        f"{label} in {words.describe_language(code)} ({100 * share:.2g} %)"
        for label, code, share in shares
        if share >= MANY_UNKNOWN
    ]
    if not told:
        return ()
    more = len(told) - TOLD_GAPS
    rest = f" and {more} more" if more > 0 else ""
    return (
        "Figures say little of texts whose letters or words the tokenizer lacks; share of such "
        f"tokens: {', '.join(told[:TOLD_GAPS])}{rest}.",
    )


def describe_points(points: Points) -> str:
    """The values in words for those who do not see the figure; their range if there are many."""
    values = [point.value for point in points.points]
    if not values:
        return "No value is defined."
    if len(values) > TOLD_POINTS:
        return (
            f"{len(values)} values from {min(values):.3f} to {max(values):.3f}; the table beside "
            "the figure has them all."
        )
    return "; ".join(
        f"{', '.join(dict.fromkeys((point.panel, point.mark, point.series)))} {point.value:.3f}"
        for point in points.points
    )

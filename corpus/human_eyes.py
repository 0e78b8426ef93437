"""What people saw of a released language, and how often its labels are wrong by their estimate.

A count without the error that it leaves is half of the truth: whoever prints one prints the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.release_schema import HumanSeen

ACCURACY = "label_accuracy"
"""The figure of an approval that says how often raters give the system's label."""
ABOUT_ALL = "all"
"""`raters` in the scope of a figure about all of them."""


@dataclass(frozen=True, slots=True)
class HumanEyes:
    """What people saw of one language's rows."""

    seen: int
    """Rows of which a person saw at least one text, exactly as released."""
    rows: int
    error: float | None = None
    """Estimated share of rows with a wrong label, in [0, 1]; None where nothing estimates it."""
    low: float | None = None
    """Lower limit of its interval."""
    high: float | None = None

    def __str__(self) -> str:
        """E.g. `4 of 6 seen by a human, label error 4.2 % (1.0 to 9.8 %)`."""
        return f"{self.seen} of {self.rows} seen by a human, label error {self.describe_error()}"

    def describe_error(self) -> str:
        """E.g. `4.2 % (1.0 to 9.8 %)`, or `not estimated`."""
        if self.error is None:
            return "not estimated"
        if self.low is None or self.high is None:
            return f"{100 * self.error:.1f} %"
        return f"{100 * self.error:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f} %)"


def read_eyes(described: Mapping[str, Any]) -> HumanEyes | None:
    """What people saw of a language, from its part of a release's provenance.

    None for untranslated source sentences.
    """
    counts = described["counts"]
    seen = counts["human_seen"]
    translated = counts["rows"] - seen.get(HumanSeen.SOURCE, 0)
    if not translated:
        return None
    figures = (described.get("approval") or {}).get("figures") or ()
    return build_eyes(seen.get(HumanSeen.BOTH, 0) + seen.get(HumanSeen.ONE, 0), translated, figures)


def read_counts(told: str) -> tuple[int, int] | None:
    """Rows seen by a person and all rows, from what `HumanEyes` is written as; None otherwise."""
    found = re.match(r"(\d+) of (\d+) seen by a human", told)
    return (int(found[1]), int(found[2])) if found else None


def build_eyes(seen: int, rows: int, figures: Iterable[Mapping[str, Any]]) -> HumanEyes:
    """The counts with the error that the figures of an approval leave.

    Args:
        seen: Rows of which a person saw a text.
        rows: All rows.
        figures: The approval's; the error is one minus the accuracy over all raters.
    """
    accuracy = next((each for each in figures if _is_accuracy(each)), None)
    if accuracy is None or accuracy.get("value") is None:
        return HumanEyes(seen, rows)
    limits = accuracy.get("interval") or {}
    low, high = limits.get("low"), limits.get("high")
    return HumanEyes(
        seen,
        rows,
        1 - accuracy["value"],
        None if high is None else 1 - high,
        None if low is None else 1 - low,
    )


def _is_accuracy(figure: Mapping[str, Any]) -> bool:
    scope = figure.get("scope") or {}
    return figure.get("name") == ACCURACY and scope.get("raters") == ABOUT_ALL

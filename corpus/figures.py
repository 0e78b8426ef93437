"""A figure: a value or null with a reason, never a bare number.

Every number the product shows or stores in JSON is a `Figure`; an undefined one carries a
reason code from `REASONS` and no value, so that NaN, 0 or 1 can never stand in for "not defined".
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

REASONS: dict[str, str] = {
    "no_variation": "all labels are equal, chance agreement is 1",
    "no_overlap": "no item was answered by both",
    "too_few": "too few items for this figure",
    "constant_input": "one of the two series does not vary",
    "one_rater": "one rater: agreement needs two",
    "needs_three_raters": "needs three raters or more",
    "degenerate": "every bootstrap draw gave the same value",
    "undefined_draws": "more than 5 % of the bootstrap draws are undefined",
    "no_data": "nothing to compute from",
    "missing_stereotype": "a stereotype has no sentence",
    "not_in_protocol": "the protocol has no such measure",
    "too_many_assignments": "there are too many assignments of poles to count them all",
    "no_template": "nothing here is scored in a template",
    "not_set": "a setting it needs has no value",
    "not_in_table": "the workforce table does not state what it needs",
    "not_calibrated": "no threshold was calibrated for this model and language",
    "target_not_reached": "no threshold keeps a share this good with certainty",
    "language_unsupported": "the model does not declare that it knows the language",
    "identical_templates": "masculine and feminine template are the same text",
    "within_error": "the error of half precision could put the values in another order",
}
"""Reason codes of an undefined figure and their meaning in words."""
WEAK_BELOW_ITEMS = 10
"""A value on fewer items than this is marked `weak`."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval around a figure, or none with a reason."""

    low: float | None
    high: float | None
    level: float
    """Coverage aimed at, in (0, 1)."""
    method: str
    """`wilson`, `percentile bootstrap over items`, …"""
    draws: int | None = None
    seed: int | None = None
    reason: str | None = None
    undefined: int | None = None
    """Draws in which the statistic is undefined; they are left out of the limits."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with everything needed to read it; `value` and `reason` exclude each other.

    Raises:
        ValueError: if value and reason are both given or both missing, or the value is not finite.
    """

    name: str
    """Name of the measure as in DESIGN.md: `pearson`, `kappa`, `q_i`, `g_s`, …"""
    value: float | None
    n: int
    """Number of items (or sentences) the value rests on."""
    definition: str
    """One sentence: what the value is, its range and unit."""
    method: str
    """How it was computed, with the library or formula."""
    reason: str | None = None
    interval: Interval | None = None
    scope: tuple[tuple[str, str], ...] = ()
    """What the figure is about, e.g. (("language", "sk"), ("raters", "r1,r2"))."""
    notes: tuple[str, ...] = ()
    """Marks that do not void the value: `weak`, `rater_constant`, …"""

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError(f"figure {self.name} needs either a value or a reason")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"figure {self.name} is not finite: {self.value}")
        if self.reason is not None and self.reason not in REASONS:
            raise ValueError(f"figure {self.name} has an unknown reason: {self.reason}")

    def as_json(self) -> dict[str, Any]:
        """The figure as plain data for `--json`; numbers are not rounded."""
        data = asdict(self)
        data["scope"] = dict(self.scope)
        data["notes"] = list(self.notes)
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Figure:
        """The figure that `as_json` wrote."""
        interval = Interval(**data["interval"]) if data.get("interval") else None
        return cls(
            name=data["name"],
            value=data["value"],
            n=data["n"],
            definition=data["definition"],
            method=data["method"],
            reason=data["reason"],
            interval=interval,
            scope=tuple(data["scope"].items()),
            notes=tuple(data["notes"]),
        )

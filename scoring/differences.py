"""Differences of two columns under the shared draw: models, templates, protocols, data.

The first is taken from the second, draw by draw, over the sentences that both have:

    g_s_ratio                  g_s of the second over that of the first; 1 is no difference
    logit_r_difference_change  the second's logit_r_difference minus the first's; 0 is none
    default_rate_change, q_i_change, inclination_change, rank_change   likewise

In half precision each r has an error, which the shard's record tells. A difference no larger than
what the errors of both could make is not ordered: the mark `within_error` stands on it, and nothing
is said of which of the two is higher.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from corpus.figures import Figure, Interval
from corpus.stereotypes import Inventory, Pole
from scoring.columns import Column, Scope
from scoring.corrections import P_METHOD, bootstrap_p
from scoring.half_precision import WITHIN_ERROR, compute_logit_errors, count_close
from scoring.statistics import FloatArray, Statistics
from scoring.uncertainty import Resampling

EQUAL = 1e-12
"""Differences this small are rounding: the two are equal."""

WHOLE: Mapping[str, str] = {
    "log_g_s": "g_s_ratio",
    "logit_r_difference": "logit_r_difference_change",
    "default_rate": "default_rate_change",
}
PER_STEREOTYPE: Mapping[str, str] = {
    "q": "q_i_change",
    "inclination": "inclination_change",
    "rank": "rank_change",
}
DEFINITIONS: Mapping[str, str] = {
    "g_s_ratio": "g_s of the second divided by that of the first, above 0; 1 is no difference.",
    "logit_r_difference_change": "logit_r_difference of the second minus that of the first; 0 is "
    "no difference.",
    "default_rate_change": "Default rate of the second minus that of the first, in [-1, 1].",
    "q_i_change": "q_i of the second minus that of the first; 0 is no difference.",
    "inclination_change": "Inclination of the second minus that of the first; 0 is no difference.",
    "rank_change": "Rank of the second minus that of the first; 0 is no difference.",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared."""

    column: Column
    point: Statistics
    """[stereotypes, 1]"""
    drawn: Statistics
    """[stereotypes, draws]"""
    r_error: float | None = None
    """Error of every r, None where it is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the second is from the first."""

    value: Figure
    p: Figure
    """Of no difference, two-sided, before any correction."""

    @property
    def is_ordered(self) -> bool:
        """Whether the sign means anything beside the error of half precision."""
        return WITHIN_ERROR not in self.value.notes


def compute_differences(
    first: Side,
    second: Side,
    inventory: Inventory,
    resampling: Resampling,
    scope: Scope,
    *,
    per_stereotype: bool = False,
) -> tuple[Difference, ...]:
    """The differences of whole-language measures, and of those per stereotype if wanted.

    Args:
        first: What is taken away.
        second: What it is taken from; over the same sentences, if the difference is to be paired.
        inventory: The stereotypes with their poles.
        resampling: What both were drawn with.
        scope: What is compared.
        per_stereotype: Whether q_i, inclination and rank are compared, too.
    """
    writer = _Writer(first, second, inventory, resampling, scope)
    found = [*writer.whole()]
    if per_stereotype:
        found += writer.per_stereotype()
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Writer:
    first: Side
    second: Side
    inventory: Inventory
    resampling: Resampling
    scope: Scope

    def whole(self) -> Iterator[Difference]:
        n = min(self.first.column.n, self.second.column.n)
        errors = self._errors()
        for field, name in WHOLE.items():
            if field in self._without():
                continue
            value = self._point(field)[0]
            draws = getattr(self.second.drawn, field) - getattr(self.first.drawn, field)
            yield self._difference(name, float(value), draws, n, self.scope, errors[field])

    def per_stereotype(self) -> Iterator[Difference]:
        errors = self._stereotype_errors()
        for field, name in PER_STEREOTYPE.items():
            if field in self._without():
                continue
            values = self._point(field)[:, 0]
            draws = getattr(self.second.drawn, field) - getattr(self.first.drawn, field)
            for row, stereotype in enumerate(self.inventory.ids):
                sizes = [len(s.column.values[stereotype].keys) for s in (self.first, self.second)]
                yield self._difference(
                    name,
                    float(values[row]),
                    draws[row],
                    min(sizes),
                    (*self.scope, ("stereotype", str(stereotype))),
                    float(errors[field][row]),
                )

    def _without(self) -> frozenset[str]:
        """Measures that one of the two protocols does not have."""
        return self.first.column.protocol.without | self.second.column.protocol.without

    def _point(self, field: str) -> FloatArray:
        found: FloatArray = getattr(self.second.point, field) - getattr(self.first.point, field)
        return found

    def _difference(
        self, name: str, value: float, draws: FloatArray, n: int, scope: Scope, error: float
    ) -> Difference:
        on_log = name == "g_s_ratio"
        if math.isnan(value):
            reason = "missing_stereotype" if n else "no_data"
            empty = Figure(name, None, n, DEFINITIONS[name], self._method(), reason, scope=scope)
            return Difference(empty, self._p_figure(empty, None, reason))
        equal = abs(value) <= EQUAL and bool(np.all(np.abs(draws[~np.isnan(draws)]) <= EQUAL))
        value = 0.0 if equal else value
        interval = self._interval(draws, n, on_log, equal)
        figure = Figure(
            name=name,
            value=math.exp(value) if on_log else value,
            n=n,
            definition=DEFINITIONS[name],
            method=self._method(),
            interval=interval,
            scope=scope,
            notes=("equal",) if equal else (WITHIN_ERROR,) if error and abs(value) <= error else (),
        )
        p = 1.0 if equal else None if interval.reason else bootstrap_p(draws)
        return Difference(figure, self._p_figure(figure, p, interval.reason or "undefined_draws"))

    def _interval(self, draws: FloatArray, n: int, on_log: bool, equal: bool) -> Interval:
        find = self.resampling.interval_on_log if on_log else self.resampling.interval
        found = find(draws, n)
        if equal and found.reason == "degenerate":
            none = 1.0 if on_log else 0.0
            return replace(found, low=none, high=none, reason=None)
        return found

    def _p_figure(self, figure: Figure, p: float | None, reason: str) -> Figure:
        return Figure(
            name=f"{figure.name}_p",
            value=p,
            n=figure.n,
            definition="How often draws like these would lie as far on either side if there were "
            "no difference, in (0, 1]; conditional on these stereotypes.",
            method=P_METHOD,
            reason=reason if p is None else None,
            scope=figure.scope,
        )

    def _method(self) -> str:
        protocols = dict.fromkeys(side.column.protocol.name for side in (self.first, self.second))
        return f"protocol {' and '.join(protocols)}; paired by the shared draw"

    def _errors(self) -> dict[str, float]:
        """What the errors of r of both sides can add up to, by measure (of g_s, on the log)."""
        logit = sum(
            _mean_over(error, self.inventory, pole)
            for error in self._logit_errors()
            for pole in Pole
        )
        rates = sum(self._default_errors())
        return {"log_g_s": logit, "logit_r_difference": logit, "default_rate": rates}

    def _stereotype_errors(self) -> dict[str, FloatArray]:
        q = [
            side.point.q[:, 0] * error
            for side, error in zip((self.first, self.second), self._logit_errors(), strict=True)
        ]
        rank = [
            count_close(side.point.q[:, 0], error)
            for side, error in zip((self.first, self.second), q, strict=True)
        ]
        inclination = q[0] + q[1] + sum(self._default_errors())
        return {"q": q[0] + q[1], "inclination": inclination, "rank": rank[0] + rank[1]}

    def _default_errors(self) -> list[float]:
        inside = np.isin(self.inventory.ids, self.inventory.default_rate_ids)
        return [
            float(np.mean((side.point.q[:, 0] * error)[inside]))
            for side, error in zip((self.first, self.second), self._logit_errors(), strict=True)
        ]

    def _logit_errors(self) -> list[FloatArray]:
        return [
            compute_logit_errors(side.column, side.r_error, self.inventory)
            for side in (self.first, self.second)
        ]


def _mean_over(values: FloatArray, inventory: Inventory, pole: Pole) -> float:
    return float(values[np.isin(inventory.ids, inventory.ids_of(pole))].mean())

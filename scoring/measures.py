"""The measures of one model in one language: q_i, rank, inclination, default rate, g_s.

With r the r_masc of a sentence, i a stereotype, F and M the feminine and masculine stereotypes:

    q_i            geometric mean of r over the sentences of i         (reference: arithmetic)
    rank_i         1 + number of stereotypes with a higher q           (1 = most masculine)
    default rate   mean of q_i over as many of F as of M               (1-7 and 8-14)
    inclination_i  default rate − q_i in F, q_i − default rate in M    (reference: never turned)
    g_s            geometric mean of q over M / the same over F        (reference: arithmetic)
    g_s_p          share of all assignments of poles with as large a g_s
    logit_r_difference  mean over M of mean logit r − the same over F

Reference lines: default rate for q_i, 0 for inclination and logit_r_difference, 1 for g_s. 0.5 is
equal likelihood, not an ideal; a higher value is more stereotypical for inclination, g_s and
logit_r_difference only, and better for none.

Source: Rowe et al. 2025, section on measures. Deviation: the logit difference is the product's own;
it only changes sign when the genders are swapped, which g_s does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpus.figures import Figure, Interval
from corpus.stereotypes import Inventory, Pole
from scoring.columns import Column, StereotypeValues, build_column, compute_draws, compute_point
from scoring.half_precision import WITHIN_ERROR, compute_logit_errors, count_close
from scoring.permutation import METHOD as PERMUTATION
from scoring.permutation import build_pole_figure
from scoring.protocols import ItemValues, ScoringProtocol
from scoring.statistics import FloatArray, Statistics
from scoring.uncertainty import Resampling

FEW_SENTENCES = 10
"""A stereotype with fewer sentences is marked `few_sentences`."""

DEFINITIONS: Mapping[str, str] = {
    "q_i": "Mean probability share of the masculine variant over a stereotype's sentences, in "
    "[0, 1]; 0.5 is equal likelihood, to be read against the default rate.",
    "rank": "Place of the stereotype by q_i; 1 is the most masculine.",
    "inclination": "Distance of q_i from the default rate, in [-1, 1].",
    "default_rate": "Mean q_i over equally many feminine and masculine stereotypes, in [0, 1].",
    "g_s": "Mean q_i of masculine over mean q_i of feminine stereotypes, above 0; over 1 is "
    "stereotypical.",
    "logit_r_difference": "Mean logit of r_masc of masculine minus that of feminine stereotypes, "
    "in nats per token (protocol sum: per text, per-byte: per byte); over 0 is stereotypical, "
    "swapping genders turns its sign.",
}


@dataclass(frozen=True, slots=True)
class Measures:
    """The figures of one model, language, condition and protocol."""

    q: tuple[Figure, ...]
    """One per stereotype of the inventory, in its order; so are ranks and inclinations."""
    rank: tuple[Figure, ...]
    inclination: tuple[Figure, ...]
    default_rate: Figure
    g_s: Figure
    g_s_p: Figure
    """Exact, one-sided, without an interval."""
    logit_r_difference: Figure

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, whole-language ones first."""
        whole = (self.g_s, self.g_s_p, self.logit_r_difference, self.default_rate)
        return (*whole, *self.q, *self.inclination, *self.rank)


def compute_measures(
    values: ItemValues,
    protocol: ScoringProtocol,
    inventory: Inventory,
    *,
    scope: tuple[tuple[str, str], ...] = (),
    resampling: Resampling | None = None,
    r_error: float | None = None,
) -> Measures:
    """The measures of one language's items, with intervals if a resampling is given.

    Args:
        values: From `protocols.compute_values`, each sentence once (`select_pairs` sees to that).
        protocol: The protocol the values were computed with.
        inventory: The stereotypes with their poles.
        scope: What the figures are about, e.g. model, language and condition.
        resampling: Shared weights of source sentences.
        r_error: Error of every r, None where it is none.

    Raises:
        InputError: if an item's stereotype is not in the inventory.
    """
    column = build_column(values, protocol, inventory, scope)
    point = compute_point([column], inventory).column(0)
    drawn = compute_draws([column], resampling, inventory).column(0) if resampling else None
    return write_measures(column, point, drawn, inventory, resampling, r_error)


def write_measures(
    column: Column,
    point: Statistics,
    drawn: Statistics | None,
    inventory: Inventory,
    resampling: Resampling | None,
    r_error: float | None = None,
) -> Measures:
    """The figures of a column from its statistics.

    Args:
        column: What they were computed from; its scope is the figures'.
        point: The data as they are, [stereotypes, 1].
        drawn: In every draw, [stereotypes, draws]; None leaves intervals out.
        inventory: The stereotypes with their poles.
        resampling: What the draws were made with.
        r_error: Error of every r, None where it is none.
    """
    return _FigureWriter(column, inventory, resampling, r_error).write(point, drawn)


@dataclass(frozen=True, slots=True)
class _FigureWriter:
    """Turns statistics into figures, with reasons, intervals and notes."""

    column: Column
    inventory: Inventory
    resampling: Resampling | None
    r_error: float | None

    def write(self, point: Statistics, drawn: Statistics | None) -> Measures:
        def per_stereotype(name: str) -> tuple[Figure, ...]:
            return tuple(self._write_stereotypes(name, point, drawn))

        def whole(name: str) -> Figure:
            draws = getattr(drawn, name) if drawn is not None else None
            return self._whole_figure(name, float(getattr(point, name)[0]), draws)

        return Measures(
            q=per_stereotype("q"),
            rank=per_stereotype("rank"),
            inclination=per_stereotype("inclination"),
            default_rate=whole("default_rate"),
            g_s=whole("log_g_s"),
            g_s_p=self._permutation_figure(point.q[:, 0]),
            logit_r_difference=whole("logit_r_difference"),
        )

    def _write_stereotypes(
        self, field: str, point: Statistics, drawn: Statistics | None
    ) -> Iterator[Figure]:
        name = "q_i" if field == "q" else field
        groups = [self.column.values[one] for one in self.inventory.ids]
        sizes = [len(group.keys) for group in groups]
        intervals: Sequence[Interval | None] = [None] * len(groups)
        if drawn is not None and self.resampling is not None:
            intervals = self.resampling.intervals(getattr(drawn, field), sizes)
        close = self._close(point.q[:, 0])
        for k, (stereotype, group, row, interval) in enumerate(
            zip(self.inventory.ids, groups, getattr(point, field), intervals, strict=True)
        ):
            value, n = float(row[0]), len(group.keys)
            few = 0 < n < self.column.protocol.min_sentences
            lack = self._lack(name, value, "too_few" if few else "missing_stereotype")
            yield Figure(
                name=name,
                value=None if lack else value,
                n=n,
                definition=self._define(name),
                method=self._method(),
                reason=lack,
                interval=None if lack else interval,
                scope=(*self.column.scope, ("stereotype", str(stereotype))),
                notes=(*_notes([group]), *(close[k] if field == "rank" and not lack else ())),
            )

    def _close(self, q: FloatArray) -> list[tuple[str, ...]]:
        """For each stereotype the mark of how many others the error of r leaves it among."""
        errors = q * compute_logit_errors(self.column, self.r_error, self.inventory)
        counts = count_close(q, errors)
        return [(f"{WITHIN_ERROR}:{count:.0f}",) if count > 0 else () for count in counts]

    def _whole_figure(self, field: str, value: float, draws: FloatArray | None) -> Figure:
        on_log = field == "log_g_s"
        name = "g_s" if on_log else field
        n = self.column.n
        lack = self._lack(name, value, "missing_stereotype" if n else "no_data")
        interval = None
        if lack is None and draws is not None and self.resampling is not None:
            limits = self.resampling.interval_on_log if on_log else self.resampling.interval
            interval = limits(draws, n)
        lost = (f"{reason}:{count}" for reason, count in sorted(self.column.undefined.items()))
        return Figure(
            name=name,
            value=None if lack else math.exp(value) if on_log else value,
            n=n,
            definition=self._define(name),
            method=self._method(),
            reason=lack,
            interval=interval,
            scope=self.column.scope,
            notes=(*_notes(self.column.values.values()), *lost),
        )

    def _permutation_figure(self, q: FloatArray) -> Figure:
        # The published code compares arithmetic means of q, all others geometric ones.
        values = np.log(q) if self.column.protocol.geometric else q
        feminine = np.isin(self.inventory.ids, self.inventory.ids_of(Pole.FEMININE))
        method = f"{PERMUTATION}; {self._method()}"
        figure = build_pole_figure(values, feminine, self.column.scope, method)
        return figure if self.column.n else replace(figure, reason="no_data")

    def _lack(self, name: str, value: float, reason: str) -> str | None:
        """Why there is no value, None if there is one."""
        if name in self.column.protocol.without:
            return "not_in_protocol"
        return reason if math.isnan(value) else None

    def _define(self, name: str) -> str:
        return self.column.protocol.definitions.get(name, DEFINITIONS[name])

    def _method(self) -> str:
        protocol = self.column.protocol
        return f"protocol {protocol.name}: {protocol.definition}"


def _notes(groups: Iterable[StereotypeValues]) -> Iterator[str]:
    """Marks that do not void a figure, with counts of the items concerned."""
    groups = tuple(groups)
    if any(0 < len(group.keys) < FEW_SENTENCES for group in groups):
        yield "few_sentences"
    contained = sum(int(group.contained.sum()) for group in groups)
    if contained:
        yield f"contained:{contained}"
    # The word that marks the gender was the first token and got no probability.
    unscored = sum(int(group.first_token.sum()) for group in groups)
    if unscored:
        yield f"first_token:{unscored}"
    unequal = sum(int(group.unequal.sum()) for group in groups)
    if unequal:
        yield f"unequal_tokens:{unequal}"

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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpus.errors import Fault, InputError
from corpus.figures import Figure, Interval
from corpus.stereotypes import Inventory, Pole
from corpus.templates import Overlap
from scoring.permutation import METHOD as PERMUTATION
from scoring.permutation import build_pole_figure
from scoring.protocols import ItemValue, ItemValues, ScoringProtocol
from scoring.shards import TokenCase
from scoring.uncertainty import FloatArray, Resampling, source_key

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


@dataclass(frozen=True, slots=True)
class Statistics:
    """Values of the measures per draw (one row for the data as they are); NaN where undefined."""

    q: FloatArray
    """[draws, stereotypes], as are rank and inclination."""
    rank: FloatArray
    inclination: FloatArray
    default_rate: FloatArray
    """[draws], as are the two below."""
    log_g_s: FloatArray
    logit_r_difference: FloatArray


def compute_measures(
    values: ItemValues,
    protocol: ScoringProtocol,
    inventory: Inventory,
    *,
    scope: tuple[tuple[str, str], ...] = (),
    resampling: Resampling | None = None,
) -> Measures:
    """The measures of one language's items, with intervals if a resampling is given.

    Args:
        values: From `protocols.compute_values`, each sentence once (`select_pairs` sees to that).
        protocol: The protocol the values were computed with.
        inventory: The stereotypes with their poles.
        scope: What the figures are about, e.g. model, language and condition.
        resampling: Shared weights of source sentences.

    Raises:
        InputError: if an item's stereotype is not in the inventory.
    """
    groups = _group_values(values, inventory)
    ones = [np.ones((1, len(group))) for group in groups]
    point = compute_statistics(groups, ones, protocol, inventory)
    drawn = None
    if resampling is not None:
        weights = [
            resampling.weights_of(stereotype, [source_key(one.item.subject_id) for one in group])
            for stereotype, group in zip(inventory.ids, groups, strict=True)
        ]
        drawn = compute_statistics(groups, weights, protocol, inventory)
    writer = _FigureWriter(groups, values.undefined, protocol, scope, resampling)
    return writer.write(point, drawn, inventory)


def compute_statistics(
    groups: Sequence[Sequence[ItemValue]],
    weights: Sequence[FloatArray],
    protocol: ScoringProtocol,
    inventory: Inventory,
) -> Statistics:
    """The measures for each row of weights.

    Args:
        groups: The sentences of each stereotype, in the inventory's order.
        weights: For each stereotype [draws, its sentences].
        protocol: Says which means are taken.
        inventory: The stereotypes with their poles.
    """
    columns = []
    logits = []
    for group, weight in zip(groups, weights, strict=True):
        r = [one.means.log_r if protocol.geometric else one.means.r_masc for one in group]
        enough = len(group) >= protocol.min_sentences
        columns.append(_weighted_means(r if enough else [], weight if enough else weight[:, :0]))
        logit = [one.means.logit_r for one in group]
        logits.append(_weighted_means(logit if enough else [], weight if enough else weight[:, :0]))
    q = np.stack(columns, axis=1)
    mean_logits = np.stack(logits, axis=1)
    if protocol.geometric:
        q = np.exp(q)
    if protocol.needs_all:
        lacking = np.isnan(q).any(axis=1)
        q[lacking] = np.nan
        mean_logits[lacking] = np.nan
    return _derive_statistics(q, mean_logits, protocol, inventory)


def _derive_statistics(
    q: FloatArray, mean_logits: FloatArray, protocol: ScoringProtocol, inventory: Inventory
) -> Statistics:
    ids = inventory.ids
    feminine = np.array([inventory.stereotype(one).pole is Pole.FEMININE for one in ids])
    in_default = np.isin(ids, inventory.default_rate_ids)
    default_rate = q[:, in_default].mean(axis=1)
    sign = np.where(feminine & protocol.flips_feminine, -1.0, 1.0)
    rank = 1.0 + (q[:, None, :] > q[:, :, None]).sum(axis=2)
    rank[np.isnan(q).any(axis=1)] = np.nan
    masculine_q, feminine_q = q[:, ~feminine], q[:, feminine]
    if protocol.geometric:
        log_g_s = np.log(masculine_q).mean(axis=1) - np.log(feminine_q).mean(axis=1)
    else:
        log_g_s = np.log(masculine_q.mean(axis=1)) - np.log(feminine_q.mean(axis=1))
    return Statistics(
        q=q,
        rank=rank,
        inclination=sign * (q - default_rate[:, None]),
        default_rate=default_rate,
        log_g_s=log_g_s,
        logit_r_difference=mean_logits[:, ~feminine].mean(axis=1)
        - mean_logits[:, feminine].mean(axis=1),
    )


def _weighted_means(values: Sequence[float], weights: FloatArray) -> FloatArray:
    """Mean per draw; NaN in a draw that took none of the sentences."""
    total = weights.sum(axis=1)
    total[total == 0] = np.nan
    return np.asarray((weights @ np.asarray(values, dtype=np.float64)) / total)


def _group_values(values: ItemValues, inventory: Inventory) -> list[list[ItemValue]]:
    groups: dict[int, list[ItemValue]] = {one: [] for one in inventory.ids}
    unknown = sorted({v.item.stereotype_id for v in values.values} - set(groups))
    if unknown:
        problem = f"unknown stereotype ids {', '.join(map(str, unknown))}"
        remedy = f"use the inventory the data were made with, not {inventory.name}"
        raise InputError([Fault("release", None, "stereotype_id", problem, remedy)])
    for value in values.values:
        groups[value.item.stereotype_id].append(value)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class _FigureWriter:
    """Turns statistics into figures, with reasons, intervals and notes."""

    groups: Sequence[Sequence[ItemValue]]
    undefined: Mapping[str, int]
    protocol: ScoringProtocol
    scope: tuple[tuple[str, str], ...]
    resampling: Resampling | None

    def write(self, point: Statistics, drawn: Statistics | None, inventory: Inventory) -> Measures:
        def per_stereotype(name: str) -> tuple[Figure, ...]:
            values = getattr(point, name)[0]
            draws = getattr(drawn, name).T if drawn is not None else [None] * len(values)
            return tuple(
                self._stereotype_figure(name, stereotype, group, float(value), draw)
                for stereotype, group, value, draw in zip(
                    inventory.ids, self.groups, values, draws, strict=True
                )
            )

        def whole(name: str) -> Figure:
            draws = getattr(drawn, name) if drawn is not None else None
            return self._whole_figure(name, float(getattr(point, name)[0]), draws)

        return Measures(
            q=per_stereotype("q"),
            rank=per_stereotype("rank"),
            inclination=per_stereotype("inclination"),
            default_rate=whole("default_rate"),
            g_s=whole("log_g_s"),
            g_s_p=self._permutation_figure(point.q[0], inventory),
            logit_r_difference=whole("logit_r_difference"),
        )

    def _stereotype_figure(
        self,
        field: str,
        stereotype: int,
        group: Sequence[ItemValue],
        value: float,
        draws: FloatArray | None,
    ) -> Figure:
        name = "q_i" if field == "q" else field
        defined = not np.isnan(value)
        few = 0 < len(group) < self.protocol.min_sentences
        return Figure(
            name=name,
            value=value if defined else None,
            n=len(group),
            definition=DEFINITIONS[name],
            method=self._method(),
            reason=None if defined else "too_few" if few else "missing_stereotype",
            interval=self._interval(draws, len(group)) if defined else None,
            scope=(*self.scope, ("stereotype", str(stereotype))),
            notes=tuple(_notes([group])),
        )

    def _whole_figure(self, field: str, value: float, draws: FloatArray | None) -> Figure:
        on_log = field == "log_g_s"
        name = "g_s" if on_log else field
        n = sum(map(len, self.groups))
        defined = not np.isnan(value)
        interval = None
        if defined and draws is not None:
            interval = self._log_interval(draws, n) if on_log else self._interval(draws, n)
        lost = (f"{reason}:{count}" for reason, count in sorted(self.undefined.items()))
        return Figure(
            name=name,
            value=None if not defined else float(np.exp(value)) if on_log else value,
            n=n,
            definition=DEFINITIONS[name],
            method=self._method(),
            reason=None if defined else "missing_stereotype" if n else "no_data",
            interval=interval,
            scope=self.scope,
            notes=(*_notes(self.groups), *lost),
        )

    def _permutation_figure(self, q: FloatArray, inventory: Inventory) -> Figure:
        # The published code compares arithmetic means of q, all others geometric ones.
        values = np.log(q) if self.protocol.geometric else q
        feminine = np.isin(inventory.ids, inventory.ids_of(Pole.FEMININE))
        method = f"{PERMUTATION}; {self._method()}"
        figure = build_pole_figure(values, feminine, self.scope, method)
        return figure if any(map(len, self.groups)) else replace(figure, reason="no_data")

    def _interval(self, draws: FloatArray | None, n: int) -> Interval | None:
        if draws is None or self.resampling is None:
            return None
        return self.resampling.interval(draws, n)

    def _log_interval(self, draws: FloatArray, n: int) -> Interval | None:
        return self.resampling.interval_on_log(draws, n) if self.resampling else None

    def _method(self) -> str:
        return f"protocol {self.protocol.name}: {self.protocol.definition}"


def _notes(groups: Sequence[Sequence[ItemValue]]) -> Iterator[str]:
    """Marks that do not void a figure, with counts of the items concerned."""
    if any(0 < len(group) < FEW_SENTENCES for group in groups):
        yield "few_sentences"
    items = [value for group in groups for value in group]
    contained = sum(value.item.overlap is Overlap.CONTAINED for value in items)
    if contained:
        yield f"contained:{contained}"
    # The word that marks the gender was the first token and got no probability.
    unscored = sum(value.case is TokenCase.FIRST_TOKEN for value in items)
    if unscored:
        yield f"first_token:{unscored}"

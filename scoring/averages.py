"""Averages over languages: always with their set of languages, and with what the set lacks.

Every language weighs the same. g_s is averaged on the log (a geometric mean), all else as it is.
Four sets are told apart:

    own        all languages that this model has the figure for
    shared     those that every compared model has it for: only these compare models
    supported  of its own, those that the model was made for, as the models file says
    other      of its own, the others

The interval is from the shared draw: a source sentence weighs the same in every language, so that
what languages have in common does not average out. It is conditional on the set of languages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from corpus.figures import Figure, Interval
from corpus.stereotypes import Inventory
from scoring.columns import Column, Scope, merge_values
from scoring.differences import Side
from scoring.statistics import FloatArray, Statistics
from scoring.uncertainty import Resampling

OWN, SHARED, SUPPORTED, OTHER = "own", "shared", "supported", "other"
NAMES: Mapping[str, str] = {
    "log_g_s": "g_s_average",
    "logit_r_difference": "logit_r_difference_average",
    "default_rate": "default_rate_average",
    "q": "q_i_average",
    "inclination": "inclination_average",
    "rank": "rank_average",
}
DEFINITIONS: Mapping[str, str] = {
    "g_s_average": "Geometric mean of g_s over the languages named, each weighing the same; over 1 "
    "is stereotypical.",
    "logit_r_difference_average": "Mean of logit_r_difference over the languages named; over 0 is "
    "stereotypical.",
    "default_rate_average": "Mean default rate over the languages named, in [0, 1].",
    "q_i_average": "Mean q_i over the languages named, in [0, 1].",
    "inclination_average": "Mean inclination over the languages named, in [-1, 1].",
    "rank_average": "Mean rank over the languages named; 1 is the most masculine.",
}
WHOLE = ("log_g_s", "logit_r_difference", "default_rate")
PER_STEREOTYPE = ("q", "inclination", "rank")


@dataclass(frozen=True, slots=True)
class LanguageSet:
    """A set of languages and why others are not in it."""

    name: str
    languages: tuple[str, ...]
    gaps: Mapping[str, str]
    """Language → reason why it is not there though it was to be compared."""

    @property
    def scope(self) -> Scope:
        """What figures say of the set."""
        return (("set", self.name), ("languages", ",".join(self.languages)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Marks for the gaps."""
        return tuple(f"gap:{code}:{reason}" for code, reason in sorted(self.gaps.items()))


class RunningMean:
    """Adds the statistics of one language after another; only their sum is kept."""

    def __init__(self) -> None:
        self._sums: list[Statistics] = []
        self._columns: list[Column] = []
        self._r_errors: list[float] = []

    @property
    def count(self) -> int:
        """Languages added."""
        return len(self._columns)

    def add(self, side: Side) -> None:
        """Adds a language."""
        found = [side.point, side.drawn]
        self._sums = [
            Statistics(*(a + b for a, b in zip(_arrays(one), _arrays(other), strict=True)))
            for one, other in zip(self._sums or map(_zero, found), found, strict=True)
        ]
        self._columns.append(side.column)
        self._r_errors.append(side.r_error or 0.0)

    def side(self) -> Side:
        """The mean, as one side of a comparison; it has the sentences of all languages."""
        point, drawn = (
            Statistics(*(each / self.count for each in _arrays(one))) for one in self._sums
        )
        return Side(_merge(self._columns), point, drawn, max(self._r_errors) or None)


def _arrays(found: Statistics) -> tuple[FloatArray, ...]:
    return tuple(getattr(found, each.name) for each in fields(found))


def _zero(found: Statistics) -> Statistics:
    return Statistics(*(np.zeros_like(each) for each in _arrays(found)))


def _merge(columns: Sequence[Column]) -> Column:
    """One column with the sentences of all; a source sentence stands in it once a language."""
    return replace(
        columns[0],
        values={
            stereotype: merge_values([column.values[stereotype] for column in columns])
            for stereotype in columns[0].values
        },
    )


def write_averages(
    mean: RunningMean,
    languages: LanguageSet,
    inventory: Inventory,
    resampling: Resampling,
    scope: Scope,
) -> Iterator[Figure]:
    """The figures of an average; none for a set without a language."""
    if not mean.count:
        return
    side = mean.side()
    protocol = side.column.protocol
    method = f"protocol {protocol.name}: {protocol.definition}; mean over {mean.count} languages"
    scope = (*scope, *languages.scope)

    def make(name: str, value: float, interval: Interval, n: int, scope: Scope) -> Figure:
        return Figure(
            name=name,
            value=value,
            n=n,
            definition=DEFINITIONS[name],
            method=method,
            interval=interval,
            scope=scope,
            notes=languages.notes,
        )

    n = side.column.n
    for field in (each for each in WHOLE if each not in protocol.without):
        value, draws = float(getattr(side.point, field)[0]), getattr(side.drawn, field)
        on_log = field == "log_g_s"
        find = resampling.interval_on_log if on_log else resampling.interval
        shown = math.exp(value) if on_log else value
        yield make(NAMES[field], shown, find(draws, n), n, scope)
    sizes = [len(side.column.values[one].keys) for one in inventory.ids]
    for field in (each for each in PER_STEREOTYPE if each not in protocol.without):
        intervals = resampling.intervals(getattr(side.drawn, field), sizes)
        values = getattr(side.point, field)[:, 0]
        for row, stereotype in enumerate(inventory.ids):
            of_one = (*scope, ("stereotype", str(stereotype)))
            yield make(NAMES[field], float(values[row]), intervals[row], sizes[row], of_one)

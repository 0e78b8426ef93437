"""Several results compared: one shared draw, and with it every figure and every difference.

Kinds of differences, the second against the first:

    models        two models on the same sentences of a language
    base_instruct the same, where the first is the base that the second was made from
    data          one model on two data sets, e.g. raw against approved, each with all its rows
    human_seen    all rows against those that a person saw, in one model
    templates     noun template against pronoun template, on the sentences that have both
    protocols     two protocols on the same scores

p-values are corrected over the languages and models (or templates, protocols) of one kind and
measure. All is conditional on the stereotypes of the inventory and on the languages named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.figures import Figure
from corpus.stereotypes import Inventory
from scoring.columns import Scope
from scoring.comparability import Compared
from scoring.compared_columns import Gap
from scoring.corrections import Tested
from scoring.differences import Difference
from scoring.measures import Measures

MODELS, BASE_INSTRUCT, DATA = "models", "base_instruct", "data"
HUMAN_SEEN, TEMPLATES, PROTOCOLS = "human_seen", "templates", "protocols"


@dataclass(frozen=True, slots=True)
class ComparedMeasures:
    """The figures of one model, language, protocol, condition and choice of sentences."""

    scope: Scope
    measures: Measures
    bootstrap: Tested
    """p that g_s is 1 by the bootstrap, alone and corrected over languages and models."""
    poles: Tested
    """The exact p of the poles, likewise."""
    mark: str
    """`all`, or `common:` and a hash of the sentences."""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures."""
        tested = (self.bootstrap.p, self.bootstrap.adjusted, self.poles.adjusted)
        return (*self.measures.figures, *tested)


@dataclass(frozen=True, slots=True)
class ComparedDifference:
    """A difference with its p, corrected over all of its kind and measure."""

    kind: str
    difference: Difference
    adjusted: Figure

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Value, p and corrected p."""
        return (self.difference.value, self.difference.p, self.adjusted)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All figures of a comparison."""

    compared: Compared
    languages: tuple[str, ...]
    measures: tuple[ComparedMeasures, ...]
    averages: tuple[Figure, ...]
    differences: tuple[ComparedDifference, ...]
    thresholds: tuple[Figure, ...]
    """g_s of the rows that reach a quality threshold, at neighbouring ones, with n at each."""
    gaps: tuple[Gap, ...]
    seed: int
    draws: int

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure: measures, averages, differences, thresholds."""
        return (
            *(figure for each in self.measures for figure in each.figures),
            *self.averages,
            *(figure for each in self.differences for figure in each.figures),
            *self.thresholds,
        )


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """How results are compared."""

    inventory: Inventory
    seed: int
    draws: int
    per_stereotype: bool = False
    """Whether q_i, inclination and rank are compared stereotype by stereotype."""
    averages_only: bool = False
    """Whether averages over languages on all sentences are all that is asked for: among many
    models nearly all of the time goes into the differences of any two of them."""
    seen: Mapping[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    """(result, language) → source keys of the rows that a person saw, to be compared with all."""
    from_quality: Mapping[tuple[int, str], Mapping[float, frozenset[str]]] = field(
        default_factory=dict
    )
    """(result, language) → quality threshold → source keys of the rows that reach it."""

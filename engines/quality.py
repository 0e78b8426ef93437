"""Quality estimation without references: what an estimator takes, gives and promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from engines.quality_models import threshold_of

TRUNCATED = "truncated"
"""Reason beside a score: the model read only the beginning of source or translation."""
IMPORTED = "imported"
"""Name of the estimator whose scores come from files."""


@dataclass(frozen=True, slots=True)
class QualityRequest:
    """One translation to be scored with the exact text it was translated from."""

    source: str
    """The text that was sent to the translation engine, its wrapper included."""
    translation: str
    """What came back, unchanged."""


@dataclass(frozen=True, slots=True)
class QualityScore:
    """An estimator's answer to one request: a score, or None with a reason."""

    request: QualityRequest
    score: float | None
    """On the model's own scale; None when there is none."""
    reason: str | None = None
    """Without a score: `not_estimated` (the estimator is `none`), `empty` (source or translation
    has no text) or `not_finite` (the model gave no number). Beside a score: None or `truncated`."""


class QualityEstimator(Protocol):
    """What scores translations; every implementation passes the same contract tests."""

    @property
    def name(self) -> str:
        """The estimator's name in settings and stored rows."""

    @property
    def model(self) -> str:
        """The model's name, never a path; empty where there is none."""

    @property
    def revision(self) -> str:
        """What tells this model from another one of the same name; may start a worker."""

    @property
    def threshold(self) -> float | None:
        """The lowest score that passes, None for a model without a calibrated threshold."""

    def estimate(self, pairs: Sequence[QualityRequest]) -> Iterator[list[QualityScore]]:
        """Yields the scores in the order of `pairs`, in parts that the caller can commit at once.

        Raises:
            EngineError: if the model is missing or fails; what was yielded before stays valid.
        """


def is_good_enough(score: float | None, threshold: float | None) -> bool | None:
    """Whether a score passes (equal passes); None where no score or no threshold can say."""
    if score is None or threshold is None:
        return None
    return score >= threshold


class NoEstimator:
    """Estimator `none`: every translation is left without a score, and nothing is filtered."""

    name = "none"
    model = ""
    revision = ""
    threshold: float | None = None

    def estimate(self, pairs: Sequence[QualityRequest]) -> Iterator[list[QualityScore]]:
        """Yields one part with no scores and the reason `not_estimated`; nothing if empty."""
        if pairs:
            yield [QualityScore(pair, None, "not_estimated") for pair in pairs]


@dataclass(frozen=True, slots=True)
class ImportedEstimator:
    """Estimator `imported`: scores were read from a file before; it gives no new ones."""

    model: str
    revision: str
    name: str = IMPORTED

    @property
    def threshold(self) -> float | None:
        """The threshold that a study calibrated for the model, or None."""
        return threshold_of(self.model)

    def estimate(self, pairs: Sequence[QualityRequest]) -> Iterator[list[QualityScore]]:
        """Yields nothing: a translation without an imported score stays without one."""
        yield from ()

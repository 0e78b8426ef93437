"""Quality estimation of a language's translations: scores, the threshold that holds, and flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from corpus.errors import SettingsError
from corpus.quality_thresholds import find_threshold
from corpus.records import QualityEstimate, Translation
from corpus.store import Store, Writer
from engines.quality import TRUNCATED, QualityEstimator, QualityRequest, is_good_enough
from engines.quality_models import check_threshold, find_model

NO_MODEL = "none"
TRUNCATED_FLAG = "quality_truncated"
"""Flag: the model read only the beginning of a translation or of its source."""
UNSUPPORTED_FLAG = "quality_unsupported_language"
"""Flag: the model's encoder never saw the language, so its scores mean little."""


class ThresholdOrigin(StrEnum):
    """Where a threshold comes from."""

    GIVEN = "given"
    """On the command line or in the settings."""
    CALIBRATED = "calibrated"
    """By `stereoscope quality calibrate` in this workspace, for model, revision and language."""
    STUDY = "study"
    """By the study that used the model."""
    NONE = "none"
    """There is none, and nothing is filtered."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The lowest score that passes (equal passes), None to filter nothing."""

    value: float | None
    origin: ThresholdOrigin


NO_THRESHOLD = Threshold(None, ThresholdOrigin.NONE)


@dataclass(frozen=True, slots=True)
class Estimates:
    """Quality estimates of a language's translations by one model."""

    by_translation: Mapping[str, QualityEstimate] = field(default_factory=dict)
    """Translation key → estimate."""
    model: str = NO_MODEL
    """`model@revision`, or `none`."""
    threshold: Threshold = NO_THRESHOLD

    def describe(self, translations: Mapping[str, Translation]) -> dict[str, Any]:
        """Scores by wrapper with model and threshold, for a candidate's evidence."""
        if self.model == NO_MODEL:
            return {}
        scores = {name: self._score(each) for name, each in translations.items()}
        threshold = self.threshold.value
        return {"quality": {"model": self.model, "threshold": threshold, "scores": scores}}

    def keep(self, translations: Mapping[str, Translation]) -> bool:
        """Whether no translation is known to be below the threshold: all must pass."""
        return all(
            is_good_enough(self._score(each), self.threshold.value) is not False
            for each in translations.values()
        )

    def find_flags(self, translations: Mapping[str, Translation]) -> tuple[str, ...]:
        """What makes the scores of these translations doubtful."""
        scored = [each for each in translations.values() if self._score(each) is not None]
        unsupported = find_model(self.model).unsupported_languages
        marks = {
            UNSUPPORTED_FLAG: any(each.language in unsupported for each in scored),
            TRUNCATED_FLAG: any(
                self.by_translation[each.key].reason == TRUNCATED for each in scored
            ),
        }
        return tuple(flag for flag, marked in marks.items() if marked)

    def count_without_score(self, translations: Sequence[Translation]) -> int:
        """How many of these translations the model gave no score, so that they are kept."""
        if self.model == NO_MODEL:
            return 0
        return sum(self._score(each) is None for each in translations)

    def _score(self, translation: Translation) -> float | None:
        estimate = self.by_translation.get(translation.key)
        return estimate.score if estimate is not None else None


def check_given_threshold(estimator: QualityEstimator, given: float | None) -> None:
    """Refuses a threshold that the model to be used cannot keep, before any work.

    Raises:
        SettingsError: if it is outside the model's scale, or there is no model.
    """
    if given is None:
        return
    if estimator.name == NO_MODEL:
        raise SettingsError(
            f"The quality threshold {given:g} needs scores: set the estimator to comet or "
            "imported, or leave the threshold out."
        )
    check_threshold(estimator.model, given)


def estimate_translations(
    store: Store,
    estimator: QualityEstimator,
    language: str,
    translations: Sequence[Translation],
    given_threshold: float | None,
    writing: Callable[[], AbstractContextManager[Writer]],
) -> tuple[Estimates, int]:
    """All estimates of a language's translations, and how many of them are new.

    What is missing is estimated and stored first, part by part.

    Args:
        store: where estimates and calibrated thresholds are.
        estimator: what scores; `none` scores nothing.
        language: code of the translations' language.
        translations: what is to be scored, with the exact text it was translated from.
        given_threshold: threshold that wins over calibrated ones; None for no such.
        writing: opens one transaction.
    """
    if estimator.name == NO_MODEL or not translations:
        return Estimates(), 0
    keys = [each.key for each in translations]
    identity = (estimator.name, estimator.model, estimator.revision)
    model = f"{estimator.model}@{estimator.revision}"
    with store.reading() as state:
        known = state.quality_estimates(keys, *identity)
        calibrated = find_threshold(state, model, language)
    missing = {
        QualityRequest(each.text_sent, each.text): each.key
        for each in translations
        if each.key not in known
    }
    added = 0
    for scores in estimator.estimate(list(missing)):
        new = [
            QualityEstimate(missing[each.request], *identity, each.score, each.reason)
            for each in scores
        ]
        with writing() as writer:
            added += len(writer.append_new(new))
    with store.reading() as state:
        known = state.quality_estimates(keys, *identity)
    threshold = _choose_threshold(given_threshold, calibrated, estimator.threshold)
    return Estimates(known, model, threshold), added


def _choose_threshold(
    given: float | None, calibrated: float | None, study: float | None
) -> Threshold:
    """The first there is: given, calibrated here, the study's."""
    if given is not None:
        return Threshold(given, ThresholdOrigin.GIVEN)
    if calibrated is not None:
        return Threshold(calibrated, ThresholdOrigin.CALIBRATED)
    return Threshold(study, ThresholdOrigin.STUDY) if study is not None else NO_THRESHOLD

"""Candidates: what a source is in a language, from its stored translations and their quality."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpus.languages import Language
from corpus.records import (
    NEUTRAL_VARIANT,
    Candidate,
    Instrument,
    Label,
    QualityEstimate,
    Source,
    Translation,
    Wrapper,
)
from corpus.standing import SOURCE_LANGUAGE
from engines.quality import is_good_enough
from pipeline import reasons
from pipeline.pairing import PairingStrategy
from pipeline.pairing_result import PairingResult, build_discarded, build_neutral
from pipeline.wrapping import WrapperForm, wrap

SOURCE_STRATEGY = "source/1"
"""Strategy of untranslated English."""
PLAIN_STRATEGY = "plain/1"
"""Strategy of a language that does not mark the speaker's gender."""


@dataclass(frozen=True, slots=True)
class Estimates:
    """Quality estimates of a language's translations by one model."""

    by_translation: Mapping[str, QualityEstimate]
    """Translation key → estimate."""
    model: str
    """`model@revision`, or `none`."""
    threshold: float | None
    """Lowest score that passes; None filters nothing."""

    def describe(self, translations: Mapping[str, Translation]) -> dict[str, Any]:
        """Scores by wrapper with model and threshold, for a candidate's evidence."""
        if self.model == "none":
            return {}
        scores = {name: self._score(each) for name, each in translations.items()}
        return {"quality": {"model": self.model, "threshold": self.threshold, "scores": scores}}

    def keep(self, translations: Mapping[str, Translation]) -> bool:
        """Whether no translation is known to be below the threshold: all must pass."""
        return all(
            is_good_enough(self._score(each), self.threshold) is not False
            for each in translations.values()
        )

    def _score(self, translation: Translation) -> float | None:
        estimate = self.by_translation.get(translation.key)
        return estimate.score if estimate is not None else None


@dataclass(frozen=True, slots=True)
class Labelling:
    """How the candidates of a language are made."""

    language: Language
    strategy: PairingStrategy
    wrapper_form: WrapperForm
    estimates: Estimates


def build_candidate(
    labelling: Labelling,
    instrument: Instrument,
    source: Source,
    translations: Mapping[str, Translation],
) -> Candidate:
    """The candidate of a source.

    Args:
        labelling: language, pairing strategy, wrapper form and quality estimates.
        instrument: whose candidate it is.
        source: the English sentence.
        translations: stored translations of the language by the exact text sent.
    """
    language = labelling.language
    if language.code == SOURCE_LANGUAGE:
        result, strategy = build_neutral(source.text, reasons.SOURCE), SOURCE_STRATEGY
        used: dict[str, Translation] = {}
    elif language.gendered_first_person:
        used = _used(labelling, source, translations, (Wrapper.MASCULINE, Wrapper.FEMININE))
        texts = [used[each].text if each in used else None for each in ("masculine", "feminine")]
        result = labelling.strategy.pair(language.code, texts[0], texts[1])
        strategy = f"{labelling.strategy.name}/{labelling.strategy.version}"
    else:
        used = _used(labelling, source, translations, (Wrapper.NONE,))
        result, strategy = _plain(used.get("none")), PLAIN_STRATEGY
    if result.label is not Label.DISCARDED and not labelling.estimates.keep(used):
        result = PairingResult(
            Label.DISCARDED, reasons.QUALITY, result.variants, result.flags, result.evidence
        )
    evidence = {
        **result.evidence,
        **labelling.estimates.describe(used),
        "translations": {name: each.key for name, each in used.items()},
    }
    return Candidate(
        instrument=instrument,
        language=language.code,
        source_key=source.key,
        label=result.label,
        reason=result.reason,
        variants=dict(result.variants),
        strategy=strategy,
        flags=result.flags,
        evidence=evidence,
    )


def _used(
    labelling: Labelling,
    source: Source,
    translations: Mapping[str, Translation],
    wrappers: tuple[Wrapper, ...],
) -> dict[str, Translation]:
    """The translations a candidate rests on, by wrapper."""
    found = {
        str(wrapper): translations.get(wrap(source.text, wrapper, labelling.wrapper_form))
        for wrapper in wrappers
    }
    return {name: each for name, each in found.items() if each is not None}


def _plain(translation: Translation | None) -> PairingResult:
    """The label of a sentence in a language that does not mark the speaker's gender."""
    if translation is None:
        return build_discarded(None, None, reasons.NOT_TRANSLATED)
    if not translation.text.strip():
        return build_discarded(None, None, reasons.EMPTY)
    return PairingResult(
        Label.NEUTRAL, reasons.NOT_GENDERED, {NEUTRAL_VARIANT: translation.text.strip()}
    )

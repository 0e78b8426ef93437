"""Candidates: what a source is in a language, from its stored translations and their quality."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.languages import Language
from corpus.records import (
    NEUTRAL_VARIANT,
    Candidate,
    Instrument,
    Label,
    Source,
    Translation,
    Wrapper,
)
from corpus.standing import SOURCE_LANGUAGE
from pipeline import reasons
from pipeline.extraction import extract_sentence
from pipeline.pairing import PairingStrategy
from pipeline.pairing_result import PairingResult, build_discarded, build_neutral
from pipeline.quality_estimation import Estimates
from pipeline.red_flags import PREFIX, find_red_flags
from pipeline.wrapping import WrapperForm, wrap

SOURCE_STRATEGY = "source/1"
"""Strategy of untranslated English."""
PLAIN_STRATEGY = "plain/1"
"""Strategy of a language that does not mark the speaker's gender."""


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
    marks = {name: _red_flags(source, name, each) for name, each in used.items()}
    red = {name: list(found) for name, found in marks.items() if found}
    flags = [
        *result.flags,
        *labelling.estimates.find_flags(used),
        *(PREFIX + flag for found in red.values() for flag in found),
    ]
    evidence = {
        **result.evidence,
        **labelling.estimates.describe(used),
        **({"red_flags": red} if red else {}),
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
        flags=tuple(dict.fromkeys(flags)),
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


def _red_flags(source: Source, wrapper: str, translation: Translation) -> tuple[str, ...]:
    """The red flags of a translation: of its sentence, or of all of it where none is found."""
    if wrapper == Wrapper.NONE:
        return find_red_flags(source.text, translation.text, translation.language)
    sentence = extract_sentence(translation.text, translation.language).text
    if sentence is None:
        return find_red_flags(translation.text_sent, translation.text, translation.language)
    return find_red_flags(source.text, sentence, translation.language)

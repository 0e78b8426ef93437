"""What a source becomes in a language, from the translations that are there."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from corpus.languages import language as find_language
from corpus.records import Candidate, Instrument, Label, QualityEstimate, Translation, Wrapper
from pipeline.candidates import Labelling, build_candidate
from pipeline.pairing import pairing_strategy
from pipeline.quality_estimation import Estimates, Threshold, ThresholdOrigin
from pipeline.wrapping import WrapperForm, wrap
from tests.store_builders import make_source

SOURCE = make_source(2, "I am tired.")
NONE = Estimates()


def translations_of(language: str, texts: Mapping[Wrapper, str]) -> dict[str, Translation]:
    sent = {wrapper: wrap(SOURCE.text, wrapper, WrapperForm.CODE) for wrapper in texts}
    return {
        sent[wrapper]: Translation(sent[wrapper], language, "made", "m", "1", text)
        for wrapper, text in texts.items()
    }


def build(
    language: str,
    texts: Mapping[Wrapper, str],
    estimates: Estimates = NONE,
    strategy: str = "strict",
) -> Candidate:
    labelling = Labelling(
        find_language(language), pairing_strategy(strategy), WrapperForm.CODE, estimates
    )
    translations = translations_of(language, texts)
    return build_candidate(labelling, Instrument.EUROGEST, SOURCE, translations)


def estimates_of(
    found: Mapping[str, QualityEstimate], threshold: float | None, model: str = "m@1"
) -> Estimates:
    return Estimates(found, model, Threshold(threshold, ThresholdOrigin.GIVEN))


def test_english_is_the_source_whatever_was_translated() -> None:
    found = build("en", {Wrapper.NONE: "I'm tired."})
    assert (found.label, found.reason, found.strategy) == (Label.NEUTRAL, "source", "source/1")
    assert found.variants == {"neutral": "I am tired."}
    assert found.evidence == {"translations": {}}


@pytest.mark.parametrize(
    ("texts", "label", "reason", "variants"),
    [
        (
            {Wrapper.NONE: " Jag är trött.\n"},
            "neutral",
            "not_gendered",
            {"neutral": "Jag är trött."},
        ),
        ({Wrapper.NONE: " \n"}, "discarded", "empty", {}),
        ({Wrapper.MASCULINE: "Jag är trött."}, "discarded", "not_translated", {}),
        ({}, "discarded", "not_translated", {}),
    ],
)
def test_language_without_gendered_first_person(
    texts: dict[Wrapper, str], label: str, reason: str, variants: dict[str, str]
) -> None:
    found = build("sv", texts)
    assert (found.label, found.reason, found.variants) == (label, reason, variants)


@pytest.mark.parametrize(("strategy", "version"), [("strict", "2"), ("reference", "1")])
def test_gendered_language_needs_both_wrappers(strategy: str, version: str) -> None:
    masculine = {Wrapper.MASCULINE: "Muž povedal: „Som unavený.“"}
    both = masculine | {Wrapper.FEMININE: "Žena povedala: „Som unavená.“"}
    alone = build("sk", masculine, strategy=strategy)
    assert (alone.label, alone.reason) == (Label.DISCARDED, "not_translated")
    assert set(alone.evidence["translations"]) == {"masculine"}
    pair = build("sk", both, strategy=strategy)
    assert (pair.label, pair.strategy) == (Label.PAIR, f"{strategy}/{version}")
    assert {name: text.rstrip(".") for name, text in pair.variants.items()} == {
        "masculine": "Som unavený",
        "feminine": "Som unavená",
    }


@pytest.mark.parametrize(
    ("score", "threshold", "label"),
    [
        (0.85, 0.85, "neutral"),
        (0.84, 0.85, "discarded"),
        (None, 0.85, "neutral"),
        (0.1, None, "neutral"),
    ],
    ids=["equal passes", "below", "no score says nothing", "no threshold filters nothing"],
)
def test_quality_of_the_translation(
    score: float | None, threshold: float | None, label: str
) -> None:
    texts = {Wrapper.NONE: "Jag är trött."}
    [translation] = translations_of("sv", texts).values()
    reason = "not_finite" if score is None else None
    estimate = QualityEstimate(translation.key, "made", "m", "1", score, reason)
    found = build("sv", texts, estimates_of({translation.key: estimate}, threshold))
    assert found.label == label
    assert found.variants == {"neutral": "Jag är trött."}
    assert found.evidence["quality"] == {
        "model": "m@1",
        "threshold": threshold,
        "scores": {"none": score},
    }


@pytest.mark.parametrize(
    ("language", "reason", "flags"),
    [
        ("sv", None, ()),
        ("sv", "truncated", ("quality_truncated",)),
        ("mt", None, ("quality_unsupported_language",)),
        ("mt", "truncated", ("quality_unsupported_language", "quality_truncated")),
    ],
)
def test_marks_scores_that_mean_little(
    language: str, reason: str | None, flags: tuple[str, ...]
) -> None:
    texts = {Wrapper.NONE: "Jag är trött."}
    if language == "mt":
        texts = {
            Wrapper.MASCULINE: "Ir-raġel qal: “Jien għajjien.”",
            Wrapper.FEMININE: "Il-mara qalet: “Jien għajjiena.”",
        }
    estimates = {
        each.key: QualityEstimate(each.key, "made", "m", "1", 0.9, reason)
        for each in translations_of(language, texts).values()
    }
    found = build(language, texts, estimates_of(estimates, 0.5))
    assert found.flags == flags
    assert found.label is not Label.DISCARDED
    assert build(language, texts).flags == ()


@pytest.mark.parametrize(
    ("language", "texts", "flags", "red"),
    [
        ("sv", {Wrapper.NONE: "I am tired."}, ("red:copy",), {"none": ["copy"]}),
        (
            "sk",
            {
                Wrapper.MASCULINE: "Muž povedal: „Som unavený.“",
                Wrapper.FEMININE: "Žena povedala: „Som <i>unavená</i>.“",
            },
            ("red:markup",),
            {"feminine": ["markup"]},
        ),
        (
            "sk",
            {
                Wrapper.MASCULINE: 'The man said, "I am tired."',
                Wrapper.FEMININE: "The woman said I am tired.",
            },
            ("red:copy",),
            {"masculine": ["copy"], "feminine": ["copy"]},
        ),
    ],
)
def test_red_flags_are_marks_with_the_wrapper_they_belong_to(
    language: str,
    texts: dict[Wrapper, str],
    flags: tuple[str, ...],
    red: dict[str, list[str]],
) -> None:
    found = build(language, texts)
    assert found.flags == flags
    assert found.evidence["red_flags"] == red
    assert "red_flags" not in build("sv", {Wrapper.NONE: "Jag är trött."}).evidence

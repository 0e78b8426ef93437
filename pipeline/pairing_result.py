"""What pairing says about two translations of one source sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, NEUTRAL_VARIANT, Label
from corpus.words import Word


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The label of a source sentence in a language, with the reason and what it rests on."""

    label: Label
    reason: str
    """Code from `pipeline.reasons`."""
    variants: Mapping[str, str]
    """As in `Candidate`: `neutral`, or `masculine` and `feminine`; what there is if discarded."""
    flags: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """`differences`: the words that differ with their spans; `extraction`: how each text was found
    or why not. JSON-ready."""


def build_neutral(
    text: str, reason: str, flags: tuple[str, ...] = (), evidence: Mapping[str, Any] | None = None
) -> PairingResult:
    """A sentence whose one text serves for all genders."""
    return PairingResult(Label.NEUTRAL, reason, {NEUTRAL_VARIANT: text}, flags, evidence or {})


def build_pair(
    masculine: str,
    feminine: str,
    reason: str,
    flags: tuple[str, ...] = (),
    evidence: Mapping[str, Any] | None = None,
) -> PairingResult:
    """A minimal pair."""
    variants = {MASCULINE_VARIANT: masculine, FEMININE_VARIANT: feminine}
    return PairingResult(Label.PAIR, reason, variants, flags, evidence or {})


def build_discarded(
    masculine: str | None,
    feminine: str | None,
    reason: str,
    evidence: Mapping[str, Any] | None = None,
) -> PairingResult:
    """A sentence left out, with whatever texts there are for browsing."""
    texts = {MASCULINE_VARIANT: masculine, FEMININE_VARIANT: feminine}
    variants = {variant: text for variant, text in texts.items() if text}
    return PairingResult(Label.DISCARDED, reason, variants, (), evidence or {})


def describe_differences(pairs: Sequence[tuple[Word, Word]]) -> list[dict[str, Any]]:
    """The differing words of a pair, masculine and feminine, each with its span as [start, end)."""
    return [
        {
            MASCULINE_VARIANT: masculine.text,
            FEMININE_VARIANT: feminine.text,
            "masculine_span": [masculine.start, masculine.end],
            "feminine_span": [feminine.start, feminine.end],
        }
        for masculine, feminine in pairs
    ]

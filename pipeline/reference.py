"""Strategy `reference`: the published EuroGEST code to the letter, its defects included.

For comparison with published counts only. It takes the narrator's words or a fragment for the
sentence where quotation marks are missing or an apostrophe ends them, calls a difference in
spelling or case a gender difference, and labels identical texts neutral whatever they show.

Source: JacquelineRowe/EuroGEST, heuristic_filtering.py, with its defaults of one word and two
letters; written anew from its behaviour. Deviations: where the published code stops with an error
(texts that differ only in a run of spaces) the label is discarded with reason `undefined`; an empty
text, which its CSV reader takes for a missing one, is missing here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline import reasons
from pipeline.normalisation import count_differing_letters
from pipeline.pairing_result import (
    PairingResult,
    build_discarded,
    build_neutral,
    build_pair,
)

_GUILLEMETS = re.compile(r'«[^"]+»')
_STRAIGHT = re.compile(r'"[^"]+"')
_SINGLE = re.compile(r"'([^']+)'")
_SINGLE_GREEDY = re.compile(r"'.*'")
# Tried in this order once the patterns above found nothing; the last one takes any comma.
_OTHERS = tuple(
    re.compile(pattern) for pattern in ('「[^"]+」', '„[^"]+[“”]', "“[^”]+", "‚[^’]+", ",[^']+")
)
_OUTER_PUNCTUATION = re.compile(r"^[^\w\s]+|[^\w\s]+$")
_PUNCTUATION = re.compile(r"[^\w\s]")
_MAX_LENGTH_DIFFERENCE = 5
_MAX_LETTERS = 2


def extract_reference(text: str) -> str:
    """What the published code takes for the sentence; an error string where it finds none."""
    text = text.replace("‘", "'").replace("’", "'")
    return _OUTER_PUNCTUATION.sub("", _find_quoted(text).strip())


def _find_quoted(text: str) -> str:
    match = _GUILLEMETS.search(text) or _STRAIGHT.search(text)
    if match is None:
        match = _SINGLE.search(text)
        if match is not None and len(match[1]) <= 3:
            match = _SINGLE_GREEDY.search(text)
    for pattern in _OTHERS:
        match = match or pattern.search(text)
    return match[0] if match is not None else f'"ERROR": {text}'


class ReferenceStrategy:
    """Labels as the published code does: Gendered is pair, Neutral neutral, Unknown discarded."""

    name = "reference"
    version = "1"

    def prepare(
        self,
        language: str,
        pairs: Iterable[tuple[str | None, str | None]],
        *,
        wrapped: bool = True,
    ) -> ReferenceStrategy:
        """Itself: the rule is the same in every language."""
        return self

    def pair(
        self, language: str, masculine_wrapped: str | None, feminine_wrapped: str | None
    ) -> PairingResult:
        """The published code's label; the language plays no part in it."""
        if not masculine_wrapped or not feminine_wrapped:
            masculine = extract_reference(masculine_wrapped) if masculine_wrapped else None
            feminine = extract_reference(feminine_wrapped) if feminine_wrapped else None
            missing = masculine_wrapped is None or feminine_wrapped is None
            reason = reasons.NOT_TRANSLATED if missing else reasons.EMPTY
            return build_discarded(masculine, feminine, reason)
        return _compare(extract_reference(masculine_wrapped), extract_reference(feminine_wrapped))

    def compare(self, language: str, masculine: str, feminine: str) -> PairingResult:
        """The published code's label for two sentences that it need not extract."""
        return _compare(masculine, feminine)


def _compare(masculine: str, feminine: str) -> PairingResult:
    masculine_form, feminine_form = _strip_punctuation(masculine), _strip_punctuation(feminine)
    if masculine_form == feminine_form:
        return build_neutral(masculine, reasons.IDENTICAL)
    if abs(len(masculine_form) - len(feminine_form)) > _MAX_LENGTH_DIFFERENCE:
        return build_discarded(masculine, feminine, reasons.LENGTH)
    masculine_words, feminine_words = masculine_form.split(), feminine_form.split()
    if len(masculine_words) != len(feminine_words):
        return build_discarded(masculine, feminine, reasons.WORD_COUNT)
    pairs = zip(masculine_words, feminine_words, strict=True)
    differing = [(m, f) for m, f in pairs if m != f]
    if not differing:
        return build_discarded(masculine, feminine, reasons.UNDEFINED)
    evidence = {"differences": [{"masculine": m, "feminine": f} for m, f in differing]}
    if len(differing) > 1:
        return build_discarded(masculine, feminine, reasons.SEVERAL_WORDS, evidence)
    if count_differing_letters(*differing[0]) > _MAX_LETTERS:
        return build_discarded(masculine, feminine, reasons.LETTERS, evidence)
    return build_pair(masculine, feminine, reasons.INFLECTION, evidence=evidence)


def _strip_punctuation(text: str) -> str:
    return _PUNCTUATION.sub("", text).strip().replace("  ", " ")

"""What strategies that compare sentences share: the sentences out of two wrapped translations."""

from __future__ import annotations

from collections.abc import Callable

from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from pipeline import reasons
from pipeline.extraction import extract_sentence
from pipeline.pairing_result import PairingResult, build_discarded

Evidence = dict[str, dict[str, str]]


def pair_extracted(
    language: str,
    masculine_wrapped: str | None,
    feminine_wrapped: str | None,
    compare: Callable[[str, str, Evidence], PairingResult],
) -> PairingResult:
    """What `compare` says of the two sentences, or why there are none to compare.

    Args:
        language: code of the translations' language.
        masculine_wrapped: translation of the masculine wrapper, None if there is none.
        feminine_wrapped: translation of the feminine wrapper, None if there is none.
        compare: called with both sentences and how they were extracted.
    """
    if masculine_wrapped is None or feminine_wrapped is None:
        return build_discarded(None, None, reasons.NOT_TRANSLATED)
    if not masculine_wrapped.strip() or not feminine_wrapped.strip():
        return build_discarded(None, None, reasons.EMPTY)
    masculine = extract_sentence(masculine_wrapped, language)
    feminine = extract_sentence(feminine_wrapped, language)
    found = {"extraction": {MASCULINE_VARIANT: masculine.how, FEMININE_VARIANT: feminine.how}}
    if masculine.text is None or feminine.text is None:
        failed = reasons.EXTRACTION_FAILED
        return build_discarded(masculine.text, feminine.text, failed, found)
    return compare(masculine.text, feminine.text, found)

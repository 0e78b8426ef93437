"""Flags of candidates in words: marks that keep a candidate in and say what to look at."""

from __future__ import annotations

from corpus.prompt_findings import FINDINGS
from corpus.repaired import REPAIRED_FLAG
from corpus.written import WRITTEN_FLAG
from pipeline import prompt_flags, red_flags
from pipeline.extended.classification import DERIVED_FLAG, OBJECT_GENDER_FLAG
from pipeline.quality_estimation import TRUNCATED_FLAG, UNSUPPORTED_FLAG
from pipeline.strict import SPELLING_FLAG

FLAGS: dict[str, str] = {
    REPAIRED_FLAG: "built by the product from the other variant, not translated",
    WRITTEN_FLAG: "a text was written by a curator, not translated",
    DERIVED_FLAG: "a word that differs is a noun for the speaker derived from the other",
    OBJECT_GENDER_FLAG: "a word for somebody or something else changes with the speaker",
    SPELLING_FLAG: "the two translations also differ in punctuation or capitals",
    TRUNCATED_FLAG: "too long for the quality model, which scored only its beginning",
    UNSUPPORTED_FLAG: "the quality model is not known to support this language",
    **prompt_flags.MEANINGS,
    **FINDINGS,
    **{f"{red_flags.PREFIX}{code}": text for code, text in red_flags.MEANINGS.items()},
}
"""Flag → its meaning in words."""

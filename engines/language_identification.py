"""Language identification of single sentences with py3langid, among the product's languages.

Relatives that a sentence does not tell apart reliably count as one: a wrong alarm costs a curator
more than Danish in place of Norwegian, which raters notice. The probabilities are tempered by the
text's length, so that one limit serves short and long sentences.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from corpus.languages import load_languages

RELATIVES: dict[str, frozenset[str]] = {
    "da": frozenset({"no"}),
    "no": frozenset({"da"}),
    "gl": frozenset({"pt"}),
    "pt": frozenset({"gl"}),
}
"""Language code → codes whose sentences count as it. Serbian and Bosnian are no languages of the
product and are taken for Croatian. Slovak and Czech, Croatian and Slovenian, Ukrainian and Russian
are told apart, as measured on recorded translations (docs/how-to/estimate-quality.md)."""


@lru_cache(maxsize=1024)
def compute_language_probability(text: str, language: str) -> float:
    """Probability in [0, 1] that a text is in a language or one of its relatives.

    Args:
        text: a sentence; an empty one gives the languages equal shares.
        language: code of one of the product's languages.

    Raises:
        KeyError: if the language is not one of the product's.
    """
    ranked: dict[str, float] = dict(_load_identifier().rank(text))
    return sum(ranked[code] for code in {language, *RELATIVES.get(language, ())})


@cache
def _load_identifier() -> Any:
    """The identifier restricted to the product's languages; takes a second, once."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(load_languages()))
    return identifier

"""What half precision costs the contrasts of sector sentences, against the same model in float32.

A few sentence pairs from all over a language are scored again in float32 on the CPU. The largest
deviation of a contrast is carried on as if every contrast erred by that much, to the same side:
two figures closer to each other than that can make are not ordered. The deviation of the mean over
the probed pairs, of either sign, may be small by chance and orders nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from corpus.sectors import Gender, SectorSentence
from engines.likelihood.association import AssociatedText, Association
from scoring.sector_contrasts import ScoredSentence

FLOAT32 = "float32"
PROBED_PAIRS = 8
CONTRAST_ERROR = "contrast_error_nats"
"""Part of a shard's record: largest deviation of a contrast from float32."""


class WordEngine(Protocol):
    """A model that says something of the words of a text: an association or a likelihood."""

    def check(self, texts: Sequence[AssociatedText]) -> None:
        """Returns nothing if every text can be scored; computes no probability."""

    def score(self, texts: Sequence[AssociatedText]) -> Iterator[Association]:
        """What the model says of each text, in the order of `texts`."""


def measure_half_precision(
    scored: Sequence[ScoredSentence], open_float32: Callable[[], WordEngine]
) -> Mapping[str, float]:
    """How far the contrasts of some pairs are from float32.

    Returns:
        `contrast_error_nats`, the largest deviation of A(female) − A(male); `mean_error_nats`, that
        of its mean over the probed pairs; and `pairs`, how many there were.
    """
    pairs = _choose_pairs(scored)
    if not pairs:
        return {}
    half = [one for pair in pairs for one in pair]
    texts = [as_text(one.sentence) for one in half]
    exact = [one.association_nats for one in open_float32().score(texts)]
    errors = [
        (half[k].association.association_nats - half[k + 1].association.association_nats)
        - (exact[k] - exact[k + 1])
        for k in range(0, len(half), 2)
    ]
    return {
        CONTRAST_ERROR: max(map(abs, errors)),
        "mean_error_nats": abs(math.fsum(errors) / len(errors)),
        "pairs": len(pairs),
    }


def read_contrast_error(record: Mapping[str, object], dtype: str) -> float | None:
    """What a contrast may be off by, in nats; None in float32, infinite if not known."""
    found = record.get(CONTRAST_ERROR)
    if isinstance(found, int | float):
        return float(found)
    return None if dtype == FLOAT32 else math.inf


def as_text(sentence: SectorSentence) -> AssociatedText:
    """The sentence as an engine takes it."""
    return AssociatedText(sentence.text, sentence.target, sentence.attribute)


def _choose_pairs(scored: Sequence[ScoredSentence]) -> list[tuple[ScoredSentence, ScoredSentence]]:
    """The feminine and masculine sentence of pairs from the beginning to the end."""
    found: dict[tuple[str, str, str], dict[Gender, ScoredSentence]] = {}
    for one in scored:
        sentence = one.sentence
        key = sentence.template, sentence.pair, sentence.term
        found.setdefault(key, {})[sentence.gender] = one
    whole = [
        (both[Gender.FEMININE], both[Gender.MASCULINE])
        for both in found.values()
        if len(both) == len(Gender)
    ]
    last = len(whole) - 1
    places = sorted({round(k * last / (PROBED_PAIRS - 1)) for k in range(PROBED_PAIRS)})
    return [whole[place] for place in places] if whole else []

"""Quality of augmentation: is the meaning kept, do paraphrases vary, how close are they to people.

- meaning: cosine similarity of sentence embeddings, of each paraphrase and a reference;
- variation: BLEU and chrF between paraphrases of a template, or of a paraphrase and the text that
  was paraphrased: lower is more varied;
- closeness: BLEU and chrF of a paraphrase and a person's translation into the same language.

BLEU and chrF never compare two languages. Each figure is a mean over templates of the mean over a
template's texts, so that templates weigh the same; intervals are a bootstrap over templates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from statistics import fmean
from typing import Any

import numpy as np

from corpus.figures import WEAK_BELOW_ITEMS, Figure
from corpus.intervals import bootstrap_weights, percentile_interval
from corpus.prompt_sources import Order
from corpus.standing import SOURCE_LANGUAGE
from engines.embeddings import FloatArray, SentenceEmbedder
from pipeline.prompt_texts import TemplateTexts, TextGroup

MEANING, BLEU, CHRF = "meaning", "bleu", "chrf"
ENGLISH, BEFORE, EACH_OTHER, HUMAN = "english", "before", "each_other", "human"
DIFFERENCE = "t2p-p2t"
"""Order of a figure that is a difference of both orders on common templates."""
AGAINST = {
    ENGLISH: "the English template",
    BEFORE: "the text in the same language that was paraphrased",
    EACH_OTHER: "the other paraphrases of the template",
    HUMAN: "a person's translation into the same language",
}
MEASURES = {
    MEANING: "cosine similarity of sentence embeddings, in [-1, 1]",
    BLEU: "sentence BLEU, 0 to 100",
    CHRF: "sentence chrF, 0 to 100",
}
SHOWN = (
    (MEANING, ENGLISH),
    (MEANING, BEFORE),
    (MEANING, HUMAN),
    (BLEU, BEFORE),
    (CHRF, BEFORE),
    (BLEU, EACH_OTHER),
    (CHRF, EACH_OTHER),
    (BLEU, HUMAN),
    (CHRF, HUMAN),
)
"""What is computed, measure and reference, in the order of tables."""
LOWER_IS_VARIED = frozenset({BEFORE, EACH_OTHER})
AS_THEY_STAND = "placeholders as they stand"
UNREVIEWED = "no_human_has_seen"

Pair = tuple[str, str]
Compare = Callable[[str, str], float]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are drawn."""

    draws: int
    seed: int


def compute_quality(
    groups: Sequence[TextGroup], embedder: SentenceEmbedder | None, resampling: Resampling
) -> list[Figure]:
    """All figures, group by group, then differences of the orders where a language has both.

    Args:
        groups: the texts.
        embedder: None leaves meaning out, with the reason `not_set`.
        resampling: of the intervals.
    """
    figures: list[Figure] = []
    by_template: dict[tuple[str, Order, str, str], dict[str, float]] = {}
    for group in groups:
        for measure, against in SHOWN:
            values, reason = _compute_group(group, measure, against, embedder)
            if values is None:
                continue
            by_template[(group.language, group.order, measure, against)] = values
            order, n = str(group.order), len(group.templates)
            figures.append(
                _build(measure, against, group, order, values, reason, n, embedder, resampling)
            )
    for group in groups:
        if group.order is not Order.T2P:
            continue
        for measure, against in SHOWN:
            one = by_template.get((group.language, Order.T2P, measure, against))
            other = by_template.get((group.language, Order.P2T, measure, against))
            if one and other:
                common = {number: one[number] - other[number] for number in one if number in other}
                figures.append(
                    _build(
                        measure,
                        against,
                        group,
                        DIFFERENCE,
                        common,
                        None if common else "no_data",
                        0,
                        embedder,
                        resampling,
                    )
                )
    return figures


def _compute_group(
    group: TextGroup, measure: str, against: str, embedder: SentenceEmbedder | None
) -> tuple[dict[str, float] | None, str | None]:
    """Template → value, and why there is none; None where it has no meaning for the group."""
    english = group.language == SOURCE_LANGUAGE
    if english and (against == HUMAN or (measure == MEANING and against == BEFORE)):
        return None, None
    if against == BEFORE and not any(each.before for each in group.templates):
        return None, None
    pairs = {each.id: _find_pairs(each, against) for each in group.templates}
    if measure == MEANING:
        if embedder is None:
            return {}, "not_set"
        needed = {group.language, SOURCE_LANGUAGE} if against == ENGLISH else {group.language}
        if not needed <= embedder.languages:
            return {}, "language_unsupported"
    compare = _overlap(measure) if measure != MEANING else None
    if measure == MEANING and embedder is not None and any(pairs.values()):
        compare = _embedded(pairs, embedder)
    if compare is None or not any(pairs.values()):
        return {}, _missing(against)
    return {
        number: fmean(compare(text, reference) for text, reference in mine)
        for number, mine in pairs.items()
        if mine
    }, None


def _missing(against: str) -> str:
    return "too_few" if against == EACH_OTHER else "no_data"


def _find_pairs(template: TemplateTexts, against: str) -> list[Pair]:
    if against == EACH_OTHER:
        return list(permutations(template.paraphrases, 2))
    references = {
        ENGLISH: template.english,
        BEFORE: template.before,
        HUMAN: template.human,
    }
    reference = references[against]
    return [] if reference is None else [(text, reference) for text in template.paraphrases]


def _embedded(pairs: Mapping[str, Sequence[Pair]], embedder: SentenceEmbedder) -> Compare:
    texts = list(dict.fromkeys(text for mine in pairs.values() for pair in mine for text in pair))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    return lambda text, reference: float(np.clip(vectors[text] @ vectors[reference], -1.0, 1.0))


def _overlap(measure: str) -> Compare:
    metric = _metric(measure)
    return lambda text, reference: float(metric.sentence_score(text, [reference]).score)


@cache
def _metric(measure: str) -> Any:
    from sacrebleu.metrics import bleu, chrf

    # Effective order: a prompt of fewer than four words has no 4-gram and would have no BLEU.
    return bleu.BLEU(effective_order=True) if measure == BLEU else chrf.CHRF()


def _describe_method(measure: str, embedder: SentenceEmbedder | None) -> str:
    if measure == MEANING:
        name = "no model" if embedder is None else f"{embedder.model}@{embedder.revision}"
        return f"sentence-transformers, {name}; {AS_THEY_STAND}"
    metric = _metric(measure)
    # The signature tells the number of references only once something was compared.
    metric.sentence_score("a", ["a"])
    return f"sacrebleu, {metric.get_signature()}; {AS_THEY_STAND}"


def _build(
    measure: str,
    against: str,
    group: TextGroup,
    order: str,
    values: dict[str, float],
    reason: str | None,
    n: int,
    embedder: SentenceEmbedder | None,
    resampling: Resampling,
) -> Figure:
    found = np.array(list(values.values()), dtype=np.float64)
    mean = float(found.mean()) if found.size else None
    what = f"{MEASURES[measure]}, of paraphrases and {AGAINST[against]}"
    if order == DIFFERENCE:
        what = f"difference of both orders on templates that both have, of {what}"
    notes = [] if found.size >= WEAK_BELOW_ITEMS else ["weak"]
    notes += [UNREVIEWED] if not group.seen else []
    return Figure(
        name=measure,
        value=mean,
        n=int(found.size) if found.size else n,
        definition=f"mean over templates of {what}",
        method=_describe_method(measure, embedder),
        reason=None if mean is not None else reason or "no_data",
        interval=None
        if mean is None
        else percentile_interval(
            _draw(found, resampling),
            n_items=int(found.size),
            seed=resampling.seed,
            method="percentile bootstrap over templates",
        ),
        scope=(("language", group.language), ("order", order), ("against", against)),
        notes=tuple(notes),
    )


def _draw(values: FloatArray, resampling: Resampling) -> FloatArray:
    weights = bootstrap_weights(values.size, resampling.draws, resampling.seed)
    drawn: FloatArray = weights @ values / values.size
    return drawn

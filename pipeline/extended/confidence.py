"""Confidence: how sure a kept label is, 0–1, by what it rests on.

A product of factors for each weakness; an order of candidates for people to look at, and no
probability: nothing here was calibrated against judgements.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.extended.attribution import Whose
from pipeline.extended.exchanges import Evidence, GenderExchange
from pipeline.extended.knowledge import Knowledge
from pipeline.extended.words import Sentence

_BY_TABLE = 0.99
_LEARNED = 0.9
_UNKNOWN_SUBJECT = 0.9
_OTHER_PERSON = 0.95
_NOTHING_KNOWN = 0.5
_SUSPECT = 0.8


def compute_confidence(
    knowledge: Knowledge,
    exchanges: Mapping[int, GenderExchange],
    whose: Mapping[int, Whose],
    sentence: Sentence,
) -> float:
    """Confidence of a pair with these exchanges, or of a neutral sentence where there are none."""
    if not exchanges:
        return _of_neutral(knowledge, sentence)
    confidence = 1.0
    for index, each in exchanges.items():
        confidence *= _BY_TABLE if each.evidence is Evidence.TABLE else _LEARNED
        if whose[index] is Whose.OTHER:
            confidence *= _OTHER_PERSON
    if Whose.SPEAKER not in whose.values():
        confidence *= _UNKNOWN_SUBJECT
    return round(confidence, 4)


def _of_neutral(knowledge: Knowledge, sentence: Sentence) -> float:
    """Nothing gendered was found; how much could have been?"""
    if knowledge.table is None and not knowledge.lexicon.pairs:
        return _NOTHING_KNOWN
    lexicon = knowledge.lexicon
    changed = any(
        lexicon.masculine.get(form, 0) or lexicon.feminine.get(form, 0) for form in sentence.forms
    )
    return _SUSPECT if changed else _BY_TABLE

"""Classification: what two sentences without wrappers are, by docs/rules/minimal-pairs.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.morphology import Agreement, WordKind
from pipeline import reasons
from pipeline.extended.alignment import find_differing, has_moved
from pipeline.extended.attribution import Whose, attribute
from pipeline.extended.confidence import compute_confidence
from pipeline.extended.cues import Subject
from pipeline.extended.difference_reasons import name_difference
from pipeline.extended.exchanges import Difference, Direction, GenderExchange, OtherDifference
from pipeline.extended.knowledge import Knowledge
from pipeline.extended.predicates import follows_copula
from pipeline.extended.speaker_forms import SpeakerForm, find_speaker_forms
from pipeline.extended.words import Sentence, read_sentence
from pipeline.normalisation import normalise
from pipeline.pairing_result import (
    PairingResult,
    build_discarded,
    build_neutral,
    build_pair,
    describe_differences,
)
from pipeline.strict import SPELLING_FLAG

DERIVED_FLAG = "derived"
OBJECT_GENDER_FLAG = "object_gender"

_PRECEDENCE = (reasons.NUMBER, reasons.ASPECT_OR_TENSE, reasons.SYNONYM)
"""Of several reasons the first counts, as in the rule."""


def classify(
    knowledge: Knowledge,
    masculine: str,
    feminine: str,
    evidence: Mapping[str, Any] | None = None,
) -> PairingResult:
    """The label of two sentences in the language that `knowledge` is of."""
    found = dict(evidence or {})
    first = read_sentence(masculine, knowledge.table)
    if normalise(masculine) == normalise(feminine):
        return _classify_identical(knowledge, first, feminine, (), found)
    second = read_sentence(feminine, knowledge.table)
    differing = find_differing(first, second)
    if differing is None:
        return build_discarded(masculine, feminine, reasons.WORD_COUNT, found)
    if not differing:
        return _classify_identical(knowledge, first, feminine, (SPELLING_FLAG,), found)
    pairs = [(first.words[index], second.words[index]) for index in differing]
    found["differences"] = describe_differences(pairs)
    if has_moved(knowledge.exchanges, first, second, differing):
        return build_discarded(masculine, feminine, reasons.WORD_ORDER, found)
    compared = {
        index: knowledge.exchanges.compare(one.form, other.form)
        for index, (one, other) in zip(differing, pairs, strict=True)
    }
    return _classify_differing(knowledge, first, second, compared, found)


def _classify_identical(
    knowledge: Knowledge,
    sentence: Sentence,
    feminine: str,
    flags: tuple[str, ...],
    evidence: dict[str, Any],
) -> PairingResult:
    forms = find_speaker_forms(knowledge, sentence)
    if not forms:
        evidence["confidence"] = compute_confidence(knowledge, {}, {}, sentence)
        return build_neutral(sentence.text, reasons.IDENTICAL, flags, evidence)
    evidence["speaker_forms"] = _describe_forms(sentence, forms)
    return build_discarded(sentence.text, feminine, reasons.IDENTICAL_GENDERED, evidence)


def _classify_differing(
    knowledge: Knowledge,
    masculine: Sentence,
    feminine: Sentence,
    compared: Mapping[int, Difference],
    evidence: dict[str, Any],
) -> PairingResult:
    texts = (masculine.text, feminine.text)
    exchanges = {
        index: each for index, each in compared.items() if isinstance(each, GenderExchange)
    }
    whose = attribute(knowledge, masculine, feminine, exchanges)
    speaker = [index for index, each in whose.items() if each is not Whose.OTHER]
    apart = compared.keys() - exchanges.keys()
    half_switched = any(
        exchanges[index].direction is Direction.REVERSE
        # Beside another noun, a word turns with the noun.
        and apart.isdisjoint((index - 1, index + 1))
        for index in speaker
    )
    if half_switched and len(exchanges) > 1:
        return build_discarded(*texts, reasons.INCONSISTENT, evidence)
    if apart:
        reason = _name_reason(knowledge, masculine, feminine, compared)
        return build_discarded(*texts, reason, evidence)
    if half_switched:
        return build_discarded(*texts, reasons.INCONSISTENT, evidence)
    if not _shows_speaker(knowledge, masculine, whose, exchanges):
        return build_discarded(*texts, reasons.OBJECT_GENDER, evidence)
    forms = find_speaker_forms(knowledge, masculine, set(compared))
    if forms:
        evidence["speaker_forms"] = _describe_forms(masculine, forms)
        return build_discarded(*texts, reasons.INCONSISTENT, evidence)
    derived = any(exchanges[index].kind is WordKind.NOUN for index in speaker)
    flags = [DERIVED_FLAG] if derived else []
    flags += [OBJECT_GENDER_FLAG] if len(speaker) < len(exchanges) else []
    flags += [SPELLING_FLAG] if _differs_between_words(masculine, feminine) else []
    evidence["confidence"] = compute_confidence(knowledge, exchanges, whose, masculine)
    reason = reasons.DERIVED if derived else reasons.INFLECTION
    return build_pair(*texts, reason, tuple(flags), evidence)


def _name_reason(
    knowledge: Knowledge,
    masculine: Sentence,
    feminine: Sentence,
    compared: Mapping[int, Difference],
) -> str:
    found = {
        each.reason
        if isinstance(each, OtherDifference)
        else name_difference(
            knowledge.table, masculine.words[index].form, feminine.words[index].form
        )
        for index, each in compared.items()
        if not isinstance(each, GenderExchange)
    }
    return next(reason for reason in _PRECEDENCE if reason in found)


def _shows_speaker(
    knowledge: Knowledge,
    sentence: Sentence,
    whose: Mapping[int, Whose],
    exchanges: Mapping[int, GenderExchange],
) -> bool:
    """Whether at least one exchanged word is the speaker's, or can hardly be another's."""
    inside = {
        index
        for index, each in whose.items()
        if each is not Whose.OTHER and _is_in_noun_phrase(knowledge, sentence, index, exchanges)
    }
    if any(each is Whose.SPEAKER and index not in inside for index, each in whose.items()):
        return True
    unknown = [
        index for index, each in whose.items() if each is Whose.UNKNOWN and index not in inside
    ]
    if not unknown:
        return False
    forward_others = any(
        each is Whose.OTHER and exchanges[index].direction is Direction.FORWARD
        for index, each in whose.items()
    )
    if forward_others:
        return False
    if all(_is_verb_of_subject(exchanges[index]) for index in unknown):
        # Where the language marks the first person beside such forms, its absence says: not I.
        subjects = {knowledge.cues.find_subject(sentence, each) for each in sentence.clauses}
        return Subject.FIRST in subjects or not knowledge.cues.can_tell_subjects
    return True


def _is_in_noun_phrase(
    knowledge: Knowledge,
    sentence: Sentence,
    index: int,
    exchanges: Mapping[int, GenderExchange],
) -> bool:
    """Whether a word goes with an article that no copula of the speaker's governs.

    Such a phrase names somebody or something else (I found the perfect character); a noun in it
    that changes too was judged by itself.
    """
    exchange = exchanges[index]
    if exchange.agrees_with is not Agreement.ANY or not knowledge.cues.copulas:
        return False
    clause = sentence.clause_at(index)
    near = [place for place in exchanges if clause.start <= place < clause.end]
    articles = [place for place in near if exchanges[place].kind is WordKind.ARTICLE]
    if not articles or any(exchanges[place].kind is WordKind.NOUN for place in near):
        return False
    return not any(
        follows_copula(knowledge.cues, sentence, place, exchanges, may_precede=False)
        for place in articles
    )


def _is_verb_of_subject(exchange: GenderExchange) -> bool:
    verbs = (WordKind.PARTICIPLE, WordKind.VERB)
    return exchange.agrees_with is Agreement.SUBJECT and exchange.kind in verbs


def _differs_between_words(masculine: Sentence, feminine: Sentence) -> bool:
    """Whether more than the form of quotes and spaces differs around the words."""
    first, second = _between(masculine), _between(feminine)
    return first != second and list(map(normalise, first)) != list(map(normalise, second))


def _between(sentence: Sentence) -> list[str]:
    """What stands before, between and after the words."""
    starts = [0, *(word.end for word in sentence.words)]
    ends = [*(word.start for word in sentence.words), len(sentence.text)]
    return [sentence.text[start:end] for start, end in zip(starts, ends, strict=True)]


def _describe_forms(sentence: Sentence, forms: list[SpeakerForm]) -> list[dict[str, Any]]:
    return [
        {
            "text": sentence.words[each.index].text,
            "span": [sentence.words[each.index].start, sentence.words[each.index].end],
            "gender": each.gender,
            "why": each.why,
        }
        for each in forms
    ]

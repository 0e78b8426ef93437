"""Attribution: whose gender each exchanged word shows, the speaker's or another's."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from corpus.morphology import Agreement, WordKind
from pipeline.extended.cues import Subject
from pipeline.extended.exchanges import Direction, GenderExchange
from pipeline.extended.knowledge import Knowledge
from pipeline.extended.predicates import follows_copula
from pipeline.extended.words import Sentence


class Whose(StrEnum):
    """Whose gender an exchanged word shows."""

    SPEAKER = "speaker"
    OTHER = "other"
    UNKNOWN = "unknown"
    """Of whoever it agrees with; the sentence does not say."""


def attribute(
    knowledge: Knowledge,
    masculine: Sentence,
    feminine: Sentence,
    exchanges: Mapping[int, GenderExchange],
) -> dict[int, Whose]:
    """Whose gender each exchanged word shows, by its index."""
    exchanged = frozenset(exchanges)
    first = {
        index: _attribute_one(knowledge, masculine, feminine, index, exchange, exchanged)
        for index, exchange in exchanges.items()
    }
    others = {index for index, whose in first.items() if whose is Whose.OTHER}
    return {
        index: _follow_others(masculine, index, whose, exchanges, others)
        for index, whose in first.items()
    }


def _attribute_one(
    knowledge: Knowledge,
    masculine: Sentence,
    feminine: Sentence,
    index: int,
    exchange: GenderExchange,
    exchanged: frozenset[int],
) -> Whose:
    if exchange.agrees_with is Agreement.SPEAKER:
        return Whose.SPEAKER
    if exchange.agrees_with is Agreement.OTHER:
        return Whose.OTHER
    if exchange.agrees_with is Agreement.OBJECT and knowledge.cues.has_first_person_object(
        masculine, masculine.clause_at(index)
    ):
        return Whose.SPEAKER
    subject = knowledge.cues.find_subject(masculine, masculine.clause_at(index))
    side = masculine if exchange.direction is Direction.FORWARD else feminine
    may_be_noun = exchange.kind in (WordKind.NOUN, None)
    is_person = may_be_noun and knowledge.cues.names_person(side.words[index].form)
    if exchange.kind is WordKind.NOUN or is_person:
        if is_person and not follows_copula(knowledge.cues, masculine, index, exchanged):
            return Whose.OTHER
        return _attribute_noun(exchange, subject)
    # A clause of somebody else's may still speak of the speaker (I am the one who …).
    speaker = exchange.predicate and subject is Subject.FIRST
    return Whose.SPEAKER if speaker else Whose.UNKNOWN


def _attribute_noun(exchange: GenderExchange, subject: Subject) -> Whose:
    """A noun's gender: the speaker's where it can be said of the speaker, in a clause of hers."""
    if not exchange.predicate or exchange.direction is Direction.REVERSE:
        return Whose.OTHER
    return {Subject.FIRST: Whose.SPEAKER, Subject.OTHER: Whose.OTHER}.get(subject, Whose.UNKNOWN)


def _follow_others(
    sentence: Sentence,
    index: int,
    whose: Whose,
    exchanges: Mapping[int, GenderExchange],
    others: set[int],
) -> Whose:
    """What agrees with another person whose word changes too is that person's.

    In the same direction only within the clause; against the speaker's direction anywhere, because
    nothing else than the other person can turn a form round.
    """
    direction = exchanges[index].direction
    same = {each for each in others - {index} if exchanges[each].direction is direction}
    if direction is Direction.REVERSE and whose is not Whose.OTHER and same:
        return Whose.OTHER
    if whose is not Whose.UNKNOWN:
        return whose
    near = any(sentence.clause_of[each] == sentence.clause_of[index] for each in same)
    return Whose.OTHER if near else whose

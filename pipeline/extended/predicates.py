"""Predicates: whether a word stands where it describes the speaker."""

from __future__ import annotations

from collections.abc import Collection

from pipeline.extended.cues import CueIndex, Subject
from pipeline.extended.words import Clause, Sentence

_FARTHEST = 6
"""Words that may stand between a copula and its adjective."""
_LONGEST_PHRASE = 3
"""Words after a preposition that its phrase may hold."""


def follows_copula(
    cues: CueIndex,
    sentence: Sentence,
    index: int,
    gendered: Collection[int],
    verbs: frozenset[str] = frozenset(),
    *,
    may_precede: bool = True,
    is_sure: bool = True,
) -> bool:
    """Whether a copula of the speaker's stands before the word at `index`, or right after it.

    Args:
        cues: the language's cues.
        sentence: the sentence.
        index: the word's place.
        gendered: places of other words that may agree with the speaker.
        verbs: participles of the clause; beside one that is no copula, an auxiliary is none.
        may_precede: whether the word may stand before the copula (Tired am I).
        is_sure: False for a word that may be a noun where it does not stand right after the
            copula: then no phrase but a pronoun's stands between (good at it).
    """
    if not _may_be_copular(cues, verbs):
        return False
    copula = _find_copula_before(cues, sentence, index, gendered, is_sure=is_sure)
    if copula is None and may_precede and is_sure:
        copula = _find_copula_after(cues, sentence, index, gendered)
    return copula is not None and _is_speakers(cues, sentence, sentence.clause_at(index), copula)


def has_copula(cues: CueIndex, sentence: Sentence, clause: Clause, verbs: frozenset[str]) -> bool:
    """Whether a clause says what the speaker is; `verbs` as in `follows_copula`."""
    if not _may_be_copular(cues, verbs):
        return False
    return any(
        form in cues.copulas and _is_speakers(cues, sentence, clause, form)
        for form in sentence.forms_of(clause)
    )


def _may_be_copular(cues: CueIndex, verbs: frozenset[str]) -> bool:
    return not verbs or not verbs.isdisjoint(cues.copulas)


def _is_speakers(cues: CueIndex, sentence: Sentence, clause: Clause, copula: str) -> bool:
    """Whether a copula is first person, by itself or by another word of its clause."""
    if not cues.first_person or cues.is_first_person_verb(copula):
        return True
    if copula in cues.gendered_copulas:
        return cues.count_first_person_words(sentence, clause) > 0
    return cues.find_subject(sentence, clause) is Subject.FIRST


def _find_copula_before(
    cues: CueIndex, sentence: Sentence, index: int, gendered: Collection[int], *, is_sure: bool
) -> str | None:
    words, clause = sentence.words, sentence.clause_at(index)
    if not is_sure:
        # Beside another adjective it may as well be a noun that goes with it (full of joy).
        gendered = ()
    place, first = index - 1, max(clause.start, index - _FARTHEST)
    while place >= first:
        form = words[place].form
        if form in cues.copulas:
            return form
        if form in cues.prepositions:
            after = words[place + 1].form
            is_object = place + 1 not in {index, *gendered}
            # What only looks like an adverb is the preposition's object (at something).
            if not is_object or after in cues.before_predicate:
                return None
            if not (is_sure or after in cues.pronouns):
                return None
        elif place not in gendered and not cues.may_stand_between(form):
            place = _find_preposition(cues, sentence, clause, place, only_pronoun=not is_sure)
            if place < first:
                return None
        place -= 1
    return None


def _find_copula_after(
    cues: CueIndex, sentence: Sentence, index: int, gendered: Collection[int]
) -> str | None:
    """The copula after a predicate put first (Tired am I)."""
    words, clause = sentence.words, sentence.clause_at(index)
    for place in range(max(clause.start, index - _FARTHEST), index):
        form = words[place].form
        begins = place == clause.start and form in cues.conjunctions
        if not (begins or place in gendered or cues.may_stand_between(form)):
            return None
    place = index + 1
    while place < clause.end and words[place].form in cues.before_predicate:
        place += 1
    if place < clause.end and words[place].form in cues.copulas:
        return words[place].form
    return None


def _find_preposition(
    cues: CueIndex, sentence: Sentence, clause: Clause, last: int, *, only_pronoun: bool = False
) -> int:
    """Where the prepositional phrase that ends with the word at `last` starts; -1 if none does.

    A preposition by itself starts none: what follows it is its object, not the predicate.
    """
    words = sentence.words
    is_pronoun = words[last].form in cues.pronouns
    # A noun that may be nominative may be what the adjective after it belongs to.
    if not is_pronoun and (only_pronoun or not words[last].form.endswith(cues.oblique_endings)):
        return -1
    longest = 1 if only_pronoun else _LONGEST_PHRASE
    for place in range(last - 1, max(clause.start, last - longest) - 1, -1):
        form = words[place].form
        if form in cues.prepositions:
            return place
        if form in cues.copulas or form in cues.first_person:
            return -1
        if form.endswith(cues.verb_endings):
            return -1
    return -1


def ends_predicate(
    cues: CueIndex, sentence: Sentence, index: int, gendered: Collection[int]
) -> bool:
    """Whether what follows cannot be a noun that the word at `index` belongs to."""
    words, clause = sentence.words, sentence.clause_at(index)
    is_oblique = words[index].form.endswith(cues.oblique_endings)
    for place in range(index + 1, clause.end):
        form = words[place].form
        if form in cues.copulas or form in cues.first_person:
            return True
        if form in cues.after_predicate or (
            place not in gendered and cues.is_no_noun_of(form, is_oblique=is_oblique)
        ):
            return place + 1 not in gendered or ends_predicate(cues, sentence, place + 1, gendered)
        if place not in gendered:
            return False
    following = clause.end + 1
    if clause.end < len(words) and words[clause.end].form in cues.coordinators:
        return following not in gendered or ends_predicate(cues, sentence, following, gendered)
    return True


def goes_on(
    cues: CueIndex, sentence: Sentence, place: int | None, switched: Collection[int]
) -> bool:
    """Whether a switched word stands at `place`, or before words that can be no noun there."""
    if place is None:
        return False
    for each in range(place, max(-1, place - _LONGEST_PHRASE), -1):
        if each in switched:
            return True
        if not cues.may_stand_between(sentence.words[each].form):
            return False
    return False


def names_role(cues: CueIndex, sentence: Sentence, index: int, verbs: Collection[int]) -> bool:
    """Whether the word at `index` names the speaker's role (As a leader I …, I worked as …).

    An `as` after other words than a verb compares with somebody else.
    """
    place = index - 1
    clause = sentence.clause_at(index)
    if place < clause.start or sentence.words[place].form not in cues.as_words:
        return False
    begins = place == clause.start or place - 1 in verbs
    return begins and cues.find_subject(sentence, clause) is Subject.FIRST


def find_coordinated(cues: CueIndex, sentence: Sentence, index: int) -> int | None:
    """The word before the `and` that the word at `index` follows, None if there is none."""
    place = index - 1
    while place > max(0, index - _FARTHEST):
        form = sentence.words[place].form
        if form in cues.coordinators:
            return place - 1
        if not (cues.may_stand_between(form) or form.endswith(cues.oblique_endings)):
            place = _find_preposition(cues, sentence, sentence.clause_at(index), place)
        place -= 1
    return None

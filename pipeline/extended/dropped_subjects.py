"""Dropped subjects: whose a past form is that has neither subject nor auxiliary."""

from __future__ import annotations

from collections.abc import Collection

from pipeline.extended.cues import CueIndex, Subject
from pipeline.extended.words import Clause, Sentence


def drops_subject(
    cues: CueIndex, sentence: Sentence, index: int, gender: str, verbs: Collection[int]
) -> bool:
    """Whether the verb at `index` has no subject of its own and the speaker may be it.

    Args:
        cues: the language's cues.
        sentence: the sentence.
        index: the verb's place.
        gender: the gender it shows.
        verbs: places of words that are such verbs or agree with their subject too.
    """
    if not cues.may_drop_subject:
        return False
    number = sentence.clause_of[index]
    for each in range(number, -1, -1):
        clause = sentence.clauses[each]
        subject = cues.find_subject(sentence, clause)
        if each < number and subject is Subject.FIRST:
            return True
        if subject is Subject.OTHER or _has_subject(cues, sentence, clause, gender, verbs):
            return False
        if each == number and cues.has_first_person_object(sentence, clause):
            return False
    return True


def _has_subject(
    cues: CueIndex, sentence: Sentence, clause: Clause, gender: str, verbs: Collection[int]
) -> bool:
    """Whether a word of the clause may be the subject of a verb of this gender."""
    endings = cues.subject_endings.get(gender, ("",))
    after_preposition = False
    for place in range(clause.start, clause.end):
        form = sentence.words[place].form
        if form in cues.prepositions:
            after_preposition = True
            continue
        is_object, after_preposition = after_preposition, False
        if place in verbs or is_object or cues.is_no_noun(form):
            continue
        if form.endswith(endings):
            return True
    return False

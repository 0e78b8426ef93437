"""Cues: whose clause it is, and whether a word stands where it describes the speaker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from corpus.morphology import Morphology
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from pipeline.extended.form_index import FormIndex
from pipeline.extended.words import Clause, Sentence


class Subject(StrEnum):
    """Whose clause it is."""

    FIRST = "first"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CueIndex:
    """The cues of a language's table as sets; all empty without a table."""

    first_person: frozenset[str] = frozenset()
    first_person_endings: tuple[str, ...] = ()
    first_person_objects: frozenset[str] = frozenset()
    copulas: frozenset[str] = frozenset()
    gendered_copulas: frozenset[str] = frozenset()
    """Copulas that agree with their subject themselves (was): any noun may be it."""
    other_person: frozenset[str] = frozenset()
    nominalised_endings: tuple[str, ...] = ()
    as_words: frozenset[str] = frozenset()
    coordinators: frozenset[str] = frozenset()
    before_predicate: frozenset[str] = frozenset()
    before_predicate_endings: tuple[str, ...] = ()
    after_predicate: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    """Words that start a clause or go on with one."""
    prepositions: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    """Pronouns in other cases than the nominative."""
    verb_endings: tuple[str, ...] = ()
    no_noun_endings: tuple[str, ...] = ()
    """Endings of verbs and adverbs together."""
    oblique_endings: tuple[str, ...] = ()
    may_drop_subject: bool = False
    subject_endings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Gender → endings of nouns that may be a verb's subject; none given: any word."""
    function_words: frozenset[str] = frozenset()
    """All words of closed classes: none of them is a form by its ending alone."""
    person_nouns: tuple[str, ...] = ()
    gender_invariable: frozenset[str] = frozenset()

    @property
    def can_tell_subjects(self) -> bool:
        """Whether the table says how to recognise a clause of the speaker's."""
        return bool(self.first_person or self.first_person_endings)

    def find_subject(self, sentence: Sentence, clause: Clause) -> Subject:
        """Whose clause it is, by the words in it; endings of verbs say less than words."""
        forms = sentence.forms_of(clause)
        if not self.first_person.isdisjoint(forms):
            return Subject.FIRST
        if not self.other_person.isdisjoint(forms):
            return Subject.OTHER
        if any(map(self.is_first_person_verb, forms)):
            return Subject.FIRST
        return Subject.UNKNOWN

    def count_first_person_words(self, sentence: Sentence, clause: Clause) -> int:
        """Words of the clause that say it is the speaker's: surer than an ending."""
        return sum(form in self.first_person for form in sentence.forms_of(clause))

    def has_first_person_object(self, sentence: Sentence, clause: Clause) -> bool:
        """Whether the speaker is an object in the clause (they left me alone)."""
        return not self.first_person_objects.isdisjoint(sentence.forms_of(clause))

    def is_first_person_verb(self, form: str) -> bool:
        """By its ending, after at least two letters where the ending is short."""
        return any(
            form.endswith(each) and (len(form) >= len(each) + 2 or len(each) > 2)
            for each in self.first_person_endings
        )

    def names_person(self, masculine: str) -> bool:
        """Whether a masculine word may be another person (partner, neighbour)."""
        return bool(self.person_nouns) and masculine.startswith(self.person_nouns)

    def may_stand_between(self, form: str) -> bool:
        """Whether a word may stand between a copula and its adjective (very, financially)."""
        return form in self.before_predicate or (
            form.endswith(self.before_predicate_endings) and form not in self.prepositions
        )

    def is_no_noun_of(self, form: str, *, is_oblique: bool) -> bool:
        """Whether a word cannot be the noun of an adjective, by its ending."""
        if form.endswith(self.no_noun_endings):
            return True
        return not is_oblique and form.endswith(self.oblique_endings)

    def is_no_noun(self, form: str) -> bool:
        """Whether a word cannot be a noun in the nominative, by its class or ending."""
        known = form in self.function_words or form in self.copulas or form in self.first_person
        return known or self.is_no_noun_of(form, is_oblique=False)


def build_cues(table: Morphology | None, forms: FormIndex) -> CueIndex:
    """The cues of a table and its forms, ready for use."""
    if table is None:
        return CueIndex()
    cues = table.cues
    subjects = {
        gender: endings
        for gender, endings in (
            (MASCULINE_VARIANT, cues.subject_endings.masculine),
            (FEMININE_VARIANT, cues.subject_endings.feminine),
        )
        if endings
    }
    closed = (
        cues.before_predicate,
        cues.after_predicate,
        cues.clause_starts,
        cues.coordinators,
        cues.prepositions,
        cues.pronouns,
        cues.first_person_objects,
    )
    return CueIndex(
        first_person=frozenset(cues.first_person),
        first_person_endings=cues.first_person_endings,
        first_person_objects=frozenset(cues.first_person_objects),
        copulas=frozenset(cues.copulas),
        gendered_copulas=frozenset(filter(forms.agrees_with_subject, cues.copulas)),
        other_person=frozenset(cues.other_person),
        nominalised_endings=cues.nominalised_endings,
        as_words=frozenset(cues.as_words),
        coordinators=frozenset(cues.coordinators),
        before_predicate=frozenset(cues.before_predicate),
        before_predicate_endings=cues.before_predicate_endings,
        after_predicate=frozenset(cues.after_predicate),
        conjunctions=frozenset((*cues.clause_starts, *cues.coordinators)),
        prepositions=frozenset(cues.prepositions),
        pronouns=frozenset(cues.pronouns),
        verb_endings=cues.verb_endings,
        no_noun_endings=cues.verb_endings + cues.before_predicate_endings,
        oblique_endings=cues.oblique_endings,
        may_drop_subject=cues.may_drop_subject,
        subject_endings=subjects,
        function_words=frozenset(chain.from_iterable(closed)),
        person_nouns=table.person_nouns,
        gender_invariable=frozenset(table.gender_invariable),
    )

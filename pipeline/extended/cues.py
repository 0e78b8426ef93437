"""Cues: whose clause it is, and whether a word stands where it describes the speaker."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from corpus.morphology import Morphology
from pipeline.extended.form_index import FormIndex
from pipeline.extended.words import Clause, Sentence

_FARTHEST = 5
"""Words that may stand between a copula and its adjective."""


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
    coordinators: frozenset[str] = frozenset()
    before_predicate: frozenset[str] = frozenset()
    after_predicate: frozenset[str] = frozenset()
    person_nouns: tuple[str, ...] = ()
    gender_invariable: frozenset[str] = frozenset()

    @property
    def can_tell_subjects(self) -> bool:
        """Whether the table says how to recognise a clause of the speaker's."""
        return bool(self.first_person or self.first_person_endings)

    def find_subject(self, sentence: Sentence, clause: Clause) -> Subject:
        """Whose clause it is, by the words in it; endings of verbs say less than words."""
        forms = [word.form for word in sentence.words[clause.start : clause.end]]
        if not self.first_person.isdisjoint(forms):
            return Subject.FIRST
        if not self.other_person.isdisjoint(forms):
            return Subject.OTHER
        if any(map(self.is_first_person_verb, forms)):
            return Subject.FIRST
        return Subject.UNKNOWN

    def count_first_person_words(self, sentence: Sentence, clause: Clause) -> int:
        """Words of the clause that say it is the speaker's: surer than an ending."""
        return sum(
            word.form in self.first_person for word in sentence.words[clause.start : clause.end]
        )

    def has_first_person_object(self, sentence: Sentence, clause: Clause) -> bool:
        """Whether the speaker is an object in the clause (they left me alone)."""
        words = sentence.words[clause.start : clause.end]
        return any(word.form in self.first_person_objects for word in words)

    def is_first_person_verb(self, form: str) -> bool:
        """By its ending, after at least two letters where the ending is short."""
        return any(
            form.endswith(each) and (len(form) >= len(each) + 2 or len(each) > 2)
            for each in self.first_person_endings
        )

    def names_person(self, masculine: str) -> bool:
        """Whether a masculine word may be another person (partner, neighbour)."""
        return bool(self.person_nouns) and masculine.startswith(self.person_nouns)

    def follows_copula(
        self,
        sentence: Sentence,
        index: int,
        gendered: Collection[int],
        verbs: frozenset[str] = frozenset(),
        *,
        may_precede: bool = True,
    ) -> bool:
        """Whether a copula of the speaker's stands before the word at `index`, or right after it.

        Args:
            sentence: the sentence.
            index: the word's place.
            gendered: places of other words that may agree with the speaker.
            verbs: participles of the clause; beside one that is no copula, an auxiliary is none.
            may_precede: whether the word may stand before the copula (Tired am I).
        """
        if not self._may_be_copular(verbs):
            return False
        copula = self._find_copula(sentence, index, gendered, may_precede=may_precede)
        return copula is not None and self._is_speakers(sentence, sentence.clause_at(index), copula)

    def has_copula(self, sentence: Sentence, clause: Clause, verbs: frozenset[str]) -> bool:
        """Whether a clause says what the speaker is; `verbs` as in `follows_copula`."""
        if not self._may_be_copular(verbs):
            return False
        forms = (word.form for word in sentence.words[clause.start : clause.end])
        return any(
            form in self.copulas and self._is_speakers(sentence, clause, form) for form in forms
        )

    def _may_be_copular(self, verbs: frozenset[str]) -> bool:
        return not verbs - self.copulas or bool(verbs & self.copulas)

    def _is_speakers(self, sentence: Sentence, clause: Clause, copula: str) -> bool:
        """Whether a copula is first person, by itself or by another word of its clause."""
        if not self.first_person or self.is_first_person_verb(copula):
            return True
        if copula in self.gendered_copulas:
            return self.count_first_person_words(sentence, clause) > 0
        return self.find_subject(sentence, clause) is Subject.FIRST

    def _find_copula(
        self, sentence: Sentence, index: int, gendered: Collection[int], *, may_precede: bool
    ) -> str | None:
        words, clause = sentence.words, sentence.clause_at(index)
        for place in range(index - 1, max(clause.start, index - _FARTHEST) - 1, -1):
            form = words[place].form
            if form in self.copulas:
                return form
            if place not in gendered and form not in self.before_predicate:
                return None
        # Nothing but such words before it: a predicate put first (Tired am I).
        after = index + 1
        if may_precede and after < clause.end and words[after].form in self.copulas:
            return words[after].form
        return None

    def ends_predicate(self, sentence: Sentence, index: int, gendered: Collection[int]) -> bool:
        """Whether what follows cannot be a noun that the word at `index` belongs to."""
        words, clause = sentence.words, sentence.clause_at(index)
        for place in range(index + 1, clause.end):
            form = words[place].form
            if form in self.copulas or form in self.first_person:
                return True
            if form in self.after_predicate:
                return place + 1 not in gendered or self.ends_predicate(
                    sentence, place + 1, gendered
                )
            if place not in gendered:
                return False
        following = clause.end + 1
        if clause.end < len(words) and words[clause.end].form in self.coordinators:
            return following not in gendered or self.ends_predicate(sentence, following, gendered)
        return True

    def find_coordinated(self, sentence: Sentence, index: int) -> int | None:
        """The word before the `and` that the word at `index` follows, None if there is none."""
        for place in range(index - 1, max(0, index - _FARTHEST), -1):
            form = sentence.words[place].form
            if form in self.coordinators:
                return place - 1
            if form not in self.before_predicate:
                return None
        return None


def build_cues(table: Morphology | None, forms: FormIndex) -> CueIndex:
    """The cues of a table and its forms, ready for use."""
    if table is None:
        return CueIndex()
    cues = table.cues
    return CueIndex(
        first_person=frozenset(cues.first_person),
        first_person_endings=cues.first_person_endings,
        first_person_objects=frozenset(cues.first_person_objects),
        copulas=frozenset(cues.copulas),
        gendered_copulas=frozenset(filter(forms.read, cues.copulas)),
        other_person=frozenset(cues.other_person),
        coordinators=frozenset(cues.coordinators),
        before_predicate=frozenset(cues.before_predicate),
        after_predicate=frozenset(cues.after_predicate),
        person_nouns=table.person_nouns,
        gender_invariable=frozenset(table.gender_invariable),
    )

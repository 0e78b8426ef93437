"""Cues: whose clause it is, and whether a word stands where it describes the speaker."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from corpus.morphology import Morphology
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from pipeline.extended.form_index import FormIndex
from pipeline.extended.words import Clause, Sentence

_FARTHEST = 6
"""Words that may stand between a copula and its adjective."""
_LONGEST_PHRASE = 3
"""Words after a preposition that its phrase may hold."""


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
    prepositions: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    """Pronouns in other cases than the nominative."""
    verb_endings: tuple[str, ...] = ()
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
        is_sure: bool = True,
    ) -> bool:
        """Whether a copula of the speaker's stands before the word at `index`, or right after it.

        Args:
            sentence: the sentence.
            index: the word's place.
            gendered: places of other words that may agree with the speaker.
            verbs: participles of the clause; beside one that is no copula, an auxiliary is none.
            may_precede: whether the word may stand before the copula (Tired am I).
            is_sure: False for a word that may be a noun where it does not stand right after the
                copula: then no phrase but a pronoun's stands between (good at it).
        """
        if not self._may_be_copular(verbs):
            return False
        copula = self._find_copula_before(sentence, index, gendered, is_sure=is_sure)
        if copula is None and may_precede and is_sure:
            copula = self._find_copula_after(sentence, index, gendered)
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

    def _find_copula_before(
        self, sentence: Sentence, index: int, gendered: Collection[int], *, is_sure: bool
    ) -> str | None:
        words, clause = sentence.words, sentence.clause_at(index)
        if not is_sure:
            # Beside another adjective it may as well be a noun that goes with it (full of joy).
            gendered = ()
        place, first = index - 1, max(clause.start, index - _FARTHEST)
        while place >= first:
            form = words[place].form
            if form in self.copulas:
                return form
            if form in self.prepositions:
                after = words[place + 1].form
                is_object = place + 1 not in {index, *gendered}
                # What only looks like an adverb is the preposition's object (at something).
                if not is_object or after in self.before_predicate:
                    return None
                if not (is_sure or after in self.pronouns):
                    return None
            elif place not in gendered and not self._may_stand_between(form):
                place = self._find_preposition(sentence, clause, place, only_pronoun=not is_sure)
                if place < first:
                    return None
            place -= 1
        return None

    def _find_copula_after(
        self, sentence: Sentence, index: int, gendered: Collection[int]
    ) -> str | None:
        """The copula after a predicate put first (Tired am I)."""
        words, clause = sentence.words, sentence.clause_at(index)
        for place in range(max(clause.start, index - _FARTHEST), index):
            form = words[place].form
            is_start = place == clause.start and form in self.function_words - self.prepositions
            if not (is_start or place in gendered or self._may_stand_between(form)):
                return None
        place = index + 1
        while place < clause.end and words[place].form in self.before_predicate:
            place += 1
        if place < clause.end and words[place].form in self.copulas:
            return words[place].form
        return None

    def _may_stand_between(self, form: str) -> bool:
        return form in self.before_predicate or (
            form.endswith(self.before_predicate_endings) and form not in self.prepositions
        )

    def _find_preposition(
        self, sentence: Sentence, clause: Clause, last: int, *, only_pronoun: bool = False
    ) -> int:
        """Where the prepositional phrase that ends with the word at `last` starts; -1 if none does.

        A preposition by itself starts none: what follows it is its object, not the predicate.
        """
        words = sentence.words
        is_pronoun = words[last].form in self.pronouns
        # A noun that may be nominative may be what the adjective after it belongs to.
        if not is_pronoun and (only_pronoun or not words[last].form.endswith(self.oblique_endings)):
            return -1
        longest = 1 if only_pronoun else _LONGEST_PHRASE
        for place in range(last - 1, max(clause.start, last - longest) - 1, -1):
            form = words[place].form
            if form in self.prepositions:
                return place
            if form in self.copulas or form in self.first_person:
                return -1
            if form.endswith(self.verb_endings):
                return -1
        return -1

    def ends_predicate(self, sentence: Sentence, index: int, gendered: Collection[int]) -> bool:
        """Whether what follows cannot be a noun that the word at `index` belongs to."""
        words, clause = sentence.words, sentence.clause_at(index)
        is_oblique = words[index].form.endswith(self.oblique_endings)
        for place in range(index + 1, clause.end):
            form = words[place].form
            if form in self.copulas or form in self.first_person:
                return True
            if form in self.after_predicate or (
                place not in gendered and self._is_no_noun_of(form, is_oblique=is_oblique)
            ):
                return place + 1 not in gendered or self.ends_predicate(
                    sentence, place + 1, gendered
                )
            if place not in gendered:
                return False
        following = clause.end + 1
        if clause.end < len(words) and words[clause.end].form in self.coordinators:
            return following not in gendered or self.ends_predicate(sentence, following, gendered)
        return True

    def _is_no_noun_of(self, form: str, *, is_oblique: bool) -> bool:
        """Whether a word cannot be the noun of an adjective, by its ending."""
        if form.endswith(self.verb_endings + self.before_predicate_endings):
            return True
        return not is_oblique and form.endswith(self.oblique_endings)

    def goes_on(self, sentence: Sentence, place: int | None, switched: Collection[int]) -> bool:
        """Whether a switched word stands at `place`, or before words that can be no noun there."""
        if place is None:
            return False
        for each in range(place, max(-1, place - _LONGEST_PHRASE), -1):
            if each in switched:
                return True
            if not self._may_stand_between(sentence.words[each].form):
                return False
        return False

    def names_role(self, sentence: Sentence, index: int, verbs: Collection[int]) -> bool:
        """Whether the word at `index` names the speaker's role (As a leader I …, I worked as …).

        An `as` after other words than a verb compares with somebody else.
        """
        place = index - 1
        clause = sentence.clause_at(index)
        if place < clause.start or sentence.words[place].form not in self.as_words:
            return False
        begins = place == clause.start or place - 1 in verbs
        return begins and self.find_subject(sentence, clause) is Subject.FIRST

    def find_coordinated(self, sentence: Sentence, index: int) -> int | None:
        """The word before the `and` that the word at `index` follows, None if there is none."""
        place = index - 1
        while place > max(0, index - _FARTHEST):
            form = sentence.words[place].form
            if form in self.coordinators:
                return place - 1
            if not (self._may_stand_between(form) or form.endswith(self.oblique_endings)):
                place = self._find_preposition(sentence, sentence.clause_at(index), place)
            place -= 1
        return None

    def drops_subject(
        self, sentence: Sentence, index: int, gender: str, verbs: Collection[int]
    ) -> bool:
        """Whether the verb at `index` has no subject of its own and the speaker may be it.

        Args:
            sentence: the sentence.
            index: the verb's place.
            gender: the gender it shows.
            verbs: places of words that are such verbs or agree with their subject too.
        """
        if not self.may_drop_subject:
            return False
        number = sentence.clause_of[index]
        for each in range(number, -1, -1):
            clause = sentence.clauses[each]
            subject = self.find_subject(sentence, clause)
            if each < number and subject is Subject.FIRST:
                return True
            if subject is Subject.OTHER or self._has_subject(sentence, clause, gender, verbs):
                return False
            if each == number and self.has_first_person_object(sentence, clause):
                return False
        return True

    def _has_subject(
        self, sentence: Sentence, clause: Clause, gender: str, verbs: Collection[int]
    ) -> bool:
        """Whether a word of the clause may be the subject of a verb of this gender."""
        endings = self.subject_endings.get(gender, ("",))
        after_preposition = False
        for place in range(clause.start, clause.end):
            form = sentence.words[place].form
            if form in self.prepositions:
                after_preposition = True
                continue
            is_object, after_preposition = after_preposition, False
            if place in verbs or is_object or self.is_no_noun(form):
                continue
            if form.endswith(endings):
                return True
        return False

    def is_no_noun(self, form: str) -> bool:
        """Whether a word cannot be a noun in the nominative, by its class or ending."""
        known = form in self.function_words or form in self.copulas or form in self.first_person
        return known or self._is_no_noun_of(form, is_oblique=False)


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
        prepositions=frozenset(cues.prepositions),
        pronouns=frozenset(cues.pronouns),
        verb_endings=cues.verb_endings,
        oblique_endings=cues.oblique_endings,
        may_drop_subject=cues.may_drop_subject,
        subject_endings=subjects,
        function_words=frozenset(chain.from_iterable(closed)),
        person_nouns=table.person_nouns,
        gender_invariable=frozenset(table.gender_invariable),
    )

"""Speaker forms: words of one sentence that must be read as a man's, or as a woman's, speech."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from corpus.morphology import Agreement
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from pipeline.extended.cues import Subject
from pipeline.extended.dropped_subjects import drops_subject
from pipeline.extended.form_index import FormReading
from pipeline.extended.knowledge import Knowledge
from pipeline.extended.predicates import (
    ends_predicate,
    find_coordinated,
    follows_copula,
    goes_on,
    has_copula,
    names_role,
)
from pipeline.extended.words import Clause, Sentence

_ENOUGH_PAIRS = 200
"""Accepted pairs from which on a form's own history counts."""
_NEARLY_ALWAYS = 0.9
_SEEN_OFTEN = 3
_SEEN_ALWAYS = 4
_OF_VERBS = (Agreement.SUBJECT, Agreement.SPEAKER)


@dataclass(frozen=True, slots=True)
class SpeakerForm:
    """A word that shows the speaker's gender, and why it is thought to."""

    index: int
    gender: str
    """`masculine` or `feminine`."""
    counterpart: str | None
    """The same word in the other gender, in compared form; None where only its history is known."""
    why: str
    """`form` (first person by itself), `subject`, `dropped_subject`, `object`, `predicate`,
    `role`, `article`, `relative`, `coordinated` or `attested`."""


@dataclass(frozen=True, slots=True)
class _Read:
    reading: FormReading
    attested: bool
    """Seen to change with the speaker more often than not."""
    always: bool = False
    """Never seen unchanged."""

    @property
    def is_sure(self) -> bool:
        """Whether it can hardly be another word."""
        return self.attested or self.reading.alone

    @property
    def is_sure_at_copula(self) -> bool:
        """Whether right after a copula it can hardly be another word."""
        return self.attested or self.reading.at_copula


def find_speaker_forms(
    knowledge: Knowledge, sentence: Sentence, switched: Collection[int] = ()
) -> list[SpeakerForm]:
    """The words that show the speaker's gender, in their order.

    Args:
        knowledge: what is known of the language.
        sentence: where to look.
        switched: indices of words that are known to differ between the variants; left out.
    """
    reads = {
        index: read
        for index, word in enumerate(sentence.words)
        if (read := _read(knowledge, word.form)) is not None
    }
    found = _find_attested(knowledge, sentence, switched) if knowledge.table is None else []
    for index, read in reads.items():
        if index in switched:
            continue
        why = _judge(knowledge, sentence, index, reads, switched)
        if why is not None:
            reading = read.reading
            found.append(SpeakerForm(index, reading.gender, reading.counterpart, why))
    found += _find_articles(knowledge, sentence, switched)
    found += _find_relatives(knowledge, sentence, switched)
    return found


def _find_articles(
    knowledge: Knowledge, sentence: Sentence, switched: Collection[int]
) -> list[SpeakerForm]:
    """Articles of adjectives that serve as nouns and show no gender themselves (the best one)."""
    cues, found = knowledge.cues, list[SpeakerForm]()
    if not cues.nominalised_endings:
        return found
    for index, word in enumerate(sentence.words[:-1]):
        article, following = knowledge.forms.articles.get(word.form), sentence.words[index + 1]
        if article is None or index in switched:
            continue
        if not following.form.endswith(cues.nominalised_endings):
            continue
        if not ends_predicate(cues, sentence, index + 1, ()):
            continue
        before = find_coordinated(cues, sentence, index)
        is_coordinated = before is not None and before - 1 in switched
        if is_coordinated or follows_copula(cues, sentence, index, (), may_precede=False):
            found.append(SpeakerForm(index, article.gender, article.counterpart, "article"))
    return found


def _find_relatives(
    knowledge: Knowledge, sentence: Sentence, switched: Collection[int]
) -> list[SpeakerForm]:
    """Relative pronouns right after a switched word, which they would have to follow."""
    found = []
    for index in sorted(switched):
        place = index + 1
        if place in switched or place >= len(sentence.words):
            continue
        readings = knowledge.forms.read(sentence.words[index].form)
        is_verb = any(each.agrees_with in _OF_VERBS for each in readings)
        form = sentence.words[place].form
        genders = knowledge.forms.sided.get(form, frozenset())
        if form in knowledge.cues.other_person and len(genders) == 1 and not is_verb:
            found.append(SpeakerForm(place, next(iter(genders)), None, "relative"))
    return found


def _read(knowledge: Knowledge, form: str) -> _Read | None:
    if form not in knowledge.reads:
        knowledge.reads[form] = _read_anew(knowledge, form)
    found: _Read | None = knowledge.reads[form]
    return found


def _read_anew(knowledge: Knowledge, form: str) -> _Read | None:
    """The reading of a form: one seen to change with the speaker before all others."""
    if form in knowledge.cues.gender_invariable:
        return None
    readings = knowledge.forms.read(form)
    if form in knowledge.cues.function_words or form.endswith(knowledge.cues.verb_endings):
        readings = tuple(each for each in readings if each.alone)
    if not readings:
        return None
    changed = knowledge.lexicon.changed
    history = max(readings, key=lambda each: changed.get(_pair(form, each), 0))
    times = changed.get(_pair(form, history), 0)
    if not times:
        # What changes with the speaker in another way (a derived noun) is not this form.
        is_other = form in knowledge.lexicon.masculine or form in knowledge.lexicon.feminine
        return None if is_other else _Read(readings[0], attested=False)
    times_unchanged = knowledge.lexicon.unchanged.get(form, 0)
    if times_unchanged > times and not history.whole_word:
        # It goes with nouns more often; where it stands must tell.
        return _Read(history, attested=False) if history.alone else None
    return _Read(history, attested=True, always=not times_unchanged and times >= _SEEN_ALWAYS)


def _pair(form: str, reading: FormReading) -> tuple[str, str]:
    if reading.gender == MASCULINE_VARIANT:
        return (form, reading.counterpart)
    return (reading.counterpart, form)


def _judge(
    knowledge: Knowledge,
    sentence: Sentence,
    index: int,
    reads: dict[int, _Read],
    switched: Collection[int],
) -> str | None:
    """Why a word shows the speaker's gender, None if it does not."""
    read = reads[index]
    if read.reading.agrees_with is Agreement.SPEAKER:
        return "form"
    if read.reading.agrees_with is Agreement.SUBJECT:
        return _judge_subject_form(knowledge, sentence, index, reads, switched)
    cues, form = knowledge.cues, sentence.words[index].form
    if read.reading.agrees_with is Agreement.OBJECT:
        is_object = cues.has_first_person_object(sentence, sentence.clause_at(index))
        return "object" if is_object else None
    if form in cues.copulas or form in cues.first_person or form in cues.other_person:
        return None
    if not read.is_sure_at_copula:
        return None
    return _judge_predicate(knowledge, sentence, index, reads, switched)


def _judge_predicate(
    knowledge: Knowledge,
    sentence: Sentence,
    index: int,
    reads: dict[int, _Read],
    switched: Collection[int],
) -> str | None:
    read, cues = reads[index], knowledge.cues
    clause = sentence.clause_at(index)
    verbs = frozenset(
        sentence.words[place].form for place in _verbs(clause, index, reads, switched)
    )
    if read.always and has_copula(cues, sentence, clause, verbs):
        return "predicate"
    alike = _find_alike(reads, read.reading)
    sure = frozenset(place for place in alike if reads[place].is_sure)
    if not ends_predicate(cues, sentence, index, sure):
        return None
    if follows_copula(cues, sentence, index, alike, verbs, is_sure=read.is_sure):
        return "predicate"
    if not read.is_sure:
        return None
    if names_role(cues, sentence, index, _subject_forms(reads)):
        return "role"
    before = find_coordinated(cues, sentence, index)
    return "coordinated" if goes_on(cues, sentence, before, switched) else None


def _find_alike(reads: dict[int, _Read], reading: FormReading) -> frozenset[int]:
    """Places of words that may agree with what a word of this reading agrees with."""
    return frozenset(
        place
        for place, each in reads.items()
        if each.reading.agrees_with in (Agreement.ANY, Agreement.OBJECT)
        and each.reading.gender == reading.gender
        and each.is_sure_at_copula
    )


def _judge_subject_form(
    knowledge: Knowledge,
    sentence: Sentence,
    index: int,
    reads: dict[int, _Read],
    switched: Collection[int],
) -> str | None:
    read, cues, clause = reads[index], knowledge.cues, sentence.clause_at(index)
    if read.reading.whole_word and cues.find_subject(sentence, clause) is Subject.FIRST:
        return "subject"
    first_person_words = cues.count_first_person_words(sentence, clause)
    if not first_person_words:
        if drops_subject(cues, sentence, index, read.reading.gender, _subject_forms(reads)):
            return "dropped_subject"
        return _judge_coordinated(knowledge, sentence, index, reads, switched)
    if read.reading.whole_word:
        return None
    # One clause has one such verb for each auxiliary: beside it, a noun that only looks like
    # another is a noun.
    verbs = _verbs(clause, index, reads, switched)
    certain = read.attested or len(verbs) < first_person_words
    return "subject" if certain else None


def _subject_forms(reads: dict[int, _Read]) -> frozenset[int]:
    """Places of words that agree with a subject and so are none."""
    return frozenset(
        place for place, each in reads.items() if each.reading.agrees_with is Agreement.SUBJECT
    )


def _judge_coordinated(
    knowledge: Knowledge,
    sentence: Sentence,
    index: int,
    reads: dict[int, _Read],
    switched: Collection[int],
) -> str | None:
    """A form right after `and` is of the subject before, if that is the speaker."""
    place = find_coordinated(knowledge.cues, sentence, index)
    if place is None:
        return None
    before = sentence.clause_at(place)
    if not knowledge.cues.count_first_person_words(sentence, before):
        return None
    return "coordinated" if _verbs(before, index, reads, switched) else None


def _verbs(
    clause: Clause, index: int, reads: dict[int, _Read], switched: Collection[int]
) -> list[int]:
    """Places of the clause's other words that agree with its subject for certain."""
    return [
        place
        for place in range(clause.start, clause.end)
        if place != index
        and place in reads
        and reads[place].reading.agrees_with is Agreement.SUBJECT
        and not reads[place].reading.whole_word
        and (reads[place].attested or place in switched)
    ]


def _find_attested(
    knowledge: Knowledge, sentence: Sentence, switched: Collection[int]
) -> list[SpeakerForm]:
    """Without a table: forms that nearly always changed with the speaker."""
    lexicon = knowledge.lexicon
    found: list[SpeakerForm] = []
    if lexicon.pairs < _ENOUGH_PAIRS:
        return found
    for index, word in enumerate(sentence.words):
        masculine = lexicon.masculine.get(word.form, 0)
        feminine = lexicon.feminine.get(word.form, 0)
        share = lexicon.share_changed(word.form)
        often = masculine + feminine >= _SEEN_OFTEN
        if index not in switched and often and share is not None and share >= _NEARLY_ALWAYS:
            gender = MASCULINE_VARIANT if masculine >= feminine else FEMININE_VARIANT
            found.append(SpeakerForm(index, gender, None, "attested"))
    return found

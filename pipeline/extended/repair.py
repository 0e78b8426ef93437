"""Repair: the missing variant of a pair, built from the other one by attested exchanges.

Where an engine words the two translations differently, one of them is kept as it is and only its
forms that show the speaker are put into the other gender, each by a counterpart that the language's
own accepted pairs attest. Nothing else changes. Which of the two is kept is drawn by a hash of
both, so that neither gender's wording prevails. Whatever is not certain is left unrepaired.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.hashing import sha256_json
from corpus.morphology import Agreement
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, Label
from corpus.repaired import REPAIRED_FLAG
from corpus.words import Word
from pipeline import reasons
from pipeline.extended.classification import classify
from pipeline.extended.counterparts import Counterpart
from pipeline.extended.knowledge import Knowledge
from pipeline.extended.predicates import ends_predicate
from pipeline.extended.speaker_forms import SpeakerForm, find_speaker_forms
from pipeline.extended.words import Sentence, read_sentence
from pipeline.pairing_result import PairingResult, build_neutral, build_pair

_REPAIRABLE = frozenset(
    {
        reasons.WORD_COUNT,
        reasons.WORD_ORDER,
        reasons.INCONSISTENT,
        reasons.NUMBER,
        reasons.ASPECT_OR_TENSE,
        reasons.SYNONYM,
        reasons.OBJECT_GENDER,
        reasons.IDENTICAL_GENDERED,
    }
)
_OTHER = {MASCULINE_VARIANT: FEMININE_VARIANT, FEMININE_VARIANT: MASCULINE_VARIANT}


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two translations, and its words that show the speaker."""

    sentence: Sentence
    shown: list[SpeakerForm]


@dataclass(frozen=True, slots=True)
class _Built:
    text: str
    changes: list[dict[str, Any]]


def repair(knowledge: Knowledge, found: PairingResult) -> PairingResult:
    """The result with its missing variant built, or as it was where that is not certain."""
    texts = {gender: text for gender in _OTHER if (text := found.variants.get(gender)) is not None}
    if found.reason not in _REPAIRABLE or len(texts) < len(_OTHER):
        return found
    sides = {gender: _read_side(knowledge, text) for gender, text in texts.items()}
    for base in _order_bases(texts):
        built = _build_other(knowledge, base, sides)
        if built is None:
            continue
        if not built.changes:
            return _repair_neutral(knowledge, found, base, sides)
        repaired = _repair_pair(knowledge, found, base, built)
        if repaired is not None:
            return repaired
    return found


def _read_side(knowledge: Knowledge, text: str) -> _Side:
    sentence = read_sentence(text, knowledge.table)
    return _Side(sentence, find_speaker_forms(knowledge, sentence))


def _order_bases(texts: Mapping[str, str]) -> tuple[str, str]:
    """Which text to keep, and which one if that cannot be repaired."""
    both = [texts[MASCULINE_VARIANT], texts[FEMININE_VARIANT]]
    if int(sha256_json(both), 16) % 2:
        return (FEMININE_VARIANT, MASCULINE_VARIANT)
    return (MASCULINE_VARIANT, FEMININE_VARIANT)


def _build_other(knowledge: Knowledge, base: str, sides: Mapping[str, _Side]) -> _Built | None:
    """The base's sentence in the other gender; None if a word of it is not certain."""
    cues, sentence, other = knowledge.cues, sides[base].sentence, sides[_OTHER[base]]
    if any(form.gender != base for form in sides[base].shown):
        return None
    places = {form.index for form in sides[base].shown}
    # What the other translation shares with the base did not change with the speaker, unless the
    # engine ignored the speaker there.
    ignored = any(form.gender == base for form in other.shown)
    theirs = frozenset[str]() if ignored else frozenset(other.sentence.forms)
    replacements: dict[int, Counterpart] = {}
    for index, word in enumerate(sentence.words):
        # A pronoun after a word that is switched (the one who) would have to follow it, and one
        # after another word must not: which of them it is, is not certain.
        if word.form in cues.other_person and index - 1 in replacements:
            return None
        if index not in places and word.form in theirs:
            continue
        counterpart = knowledge.counterparts.find(word.form, base)
        if index in places:
            if counterpart is None or word.form in theirs:
                return None
            replacements[index] = counterpart
        elif counterpart is not None and counterpart.form in theirs:
            if cues.names_person(word.form) or word.form in cues.other_person:
                return None
            replacements[index] = counterpart
        elif _may_show_speaker(knowledge, base, word.form):
            return None
    torn = (_goes_with_noun(knowledge, sentence, each, base, replacements) for each in replacements)
    return None if any(torn) else _replace(sentence, replacements)


def _goes_with_noun(
    knowledge: Knowledge, sentence: Sentence, index: int, gender: str, switched: Collection[int]
) -> bool:
    """Whether a word may be the adjective of a noun that stays (a grown-up person)."""
    readings = knowledge.forms.read(sentence.words[index].form)
    agreeing = [each for each in readings if each.gender == gender]
    if not any(each.agrees_with is Agreement.ANY for each in agreeing[:1]):
        return False
    cues = knowledge.cues
    if not ends_predicate(cues, sentence, index, switched):
        return True
    starts = index == sentence.clause_at(index).start or index - 1 in switched
    return not (starts or cues.is_no_noun(sentence.words[index - 1].form))


def _may_show_speaker(knowledge: Knowledge, gender: str, form: str) -> bool:
    """Whether a form that only this translation has could be the speaker's after all."""
    if gender in knowledge.forms.sided.get(form, ()):
        return True
    if form not in knowledge.cues.gender_invariable:
        readings = knowledge.forms.read(form)
        if any(each.gender == gender and each.alone for each in readings):
            return True
        endings = knowledge.forms.noun_endings.get(gender, ())
        if any(len(form) > len(each) + 2 and form.endswith(each) for each in endings):
            return True
    lexicon = knowledge.lexicon
    side = lexicon.masculine if gender == MASCULINE_VARIANT else lexicon.feminine
    return side.get(form, 0) > lexicon.unchanged.get(form, 0)


def _replace(sentence: Sentence, replacements: Mapping[int, Counterpart]) -> _Built:
    pieces: list[str] = []
    changes: list[dict[str, Any]] = []
    end = 0
    for index, counterpart in sorted(replacements.items()):
        word = sentence.words[index]
        written = _write_like(word, counterpart.form)
        pieces += [sentence.text[end : word.start], written]
        end = word.end
        changes.append(
            {"from": word.text, "to": written, "by": counterpart.by, "seen": counterpart.seen}
        )
    pieces.append(sentence.text[end:])
    return _Built("".join(pieces), changes)


def _write_like(word: Word, form: str) -> str:
    """A form with the capitals of the word that it takes the place of."""
    if len(word.text) > 1 and word.text.isupper():
        return form.upper()
    return form[:1].upper() + form[1:] if word.text[:1].isupper() else form


def _repair_pair(
    knowledge: Knowledge, found: PairingResult, base: str, built: _Built
) -> PairingResult | None:
    variants = {base: found.variants[base], _OTHER[base]: built.text}
    masculine, feminine = variants[MASCULINE_VARIANT], variants[FEMININE_VARIANT]
    checked = classify(knowledge, masculine, feminine)
    if checked.label is not Label.PAIR:
        return None
    evidence = {
        **found.evidence,
        **checked.evidence,
        "repair": _describe(found, base, built.changes),
    }
    evidence.pop("speaker_forms", None)
    flags = (*checked.flags, REPAIRED_FLAG)
    return build_pair(masculine, feminine, checked.reason, flags, evidence)


def _repair_neutral(
    knowledge: Knowledge, found: PairingResult, base: str, sides: Mapping[str, _Side]
) -> PairingResult:
    """One text for both where neither shows the speaker; only their wording differed."""
    if _tell_of_another(knowledge, sides):
        return found
    other = _build_other(knowledge, _OTHER[base], sides)
    if other is None or other.changes:
        return found
    text = found.variants[base]
    evidence = {
        **found.evidence,
        **classify(knowledge, text, text).evidence,
        "repair": _describe(found, base, []),
    }
    return build_neutral(text, reasons.IDENTICAL, (REPAIRED_FLAG,), evidence)


def _tell_of_another(knowledge: Knowledge, sides: Mapping[str, _Side]) -> bool:
    """Whether a word for another person is in one text only: more than wording differs then."""
    masculine, feminine = (frozenset(each.sentence.forms) for each in sides.values())
    return any(map(knowledge.cues.names_person, masculine ^ feminine))


def _describe(found: PairingResult, base: str, changes: list[dict[str, Any]]) -> dict[str, Any]:
    """What was kept, what was changed by what evidence, and what the engine had answered."""
    return {
        "base": base,
        "was": found.reason,
        "replaced": found.variants[_OTHER[base]],
        "changes": changes,
    }

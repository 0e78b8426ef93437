"""The final templates of a language: what can be chosen, choosing, and whether all are chosen.

A rater's suggestion is a whole text; where it holds the example sentence once, what stands around
the sentence is a frame. Who rewrote the sentence too is read by the curator, who types the frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.templates import TemplateRating
from corpus.errors import StateError
from corpus.hashing import nfc, unstorable
from corpus.languages import Edition, Frame, Position, Template, TemplateKind, language
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    AuditEntry,
    Instrument,
    Origin,
    TemplateChoice,
    subject_id,
)
from corpus.standing import SOURCE_LANGUAGE, Standing
from corpus.store import Store
from corpus.templates import Overlap, overlap_of, template_for, template_overlap, usable_templates

SHIPPED = {Edition.CORRECTED: "as corrected", Edition.PUBLISHED: "as published"}


PLACE = "{}"
"""Stands for the sentence where a frame is written as one text."""


@dataclass(frozen=True, slots=True)
class TemplateOption:
    """A wording that one of a language's templates can take."""

    kind: TemplateKind
    source: str
    """`as corrected`, `as published`, or `suggested by` a rater's pseudonym."""
    masculine: Frame
    feminine: Frame


def write_frame(frame: Frame) -> str:
    """A frame as one text with `{}` for the sentence."""
    return f"{frame.before}{PLACE}{frame.after}"


def read_frame(text: str) -> tuple[str, str]:
    """What stands before and after `{}`.

    Raises:
        StateError: if the text does not hold it exactly once.
    """
    before, found, after = text.strip().partition(PLACE)
    if not found or PLACE in after:
        raise StateError(f"A frame holds {PLACE} once, where the sentence stands: „{PLACE},“ …")
    return before, after


def list_options(code: str, ratings: Iterable[TemplateRating]) -> list[TemplateOption]:
    """The wordings to choose from: those shipped, then those suggested, none of them twice.

    Args:
        code: The language.
        ratings: The counted answers to its templated sentences.

    Raises:
        InputError: if there is no such language.
    """
    known = language(code)
    options = [
        TemplateOption(kind, source, template.masculine, template.feminine)
        for kind in TemplateKind
        for edition, source in SHIPPED.items()
        for template in [template_for(known, kind, edition)]
    ]
    options += _suggested(known.templates, ratings)
    seen: set[tuple[TemplateKind, Frame, Frame]] = set()
    unique = []
    for each in options:
        wording = (each.kind, each.masculine, each.feminine)
        if wording not in seen:
            seen.add(wording)
            unique.append(each)
    return unique


def choose_template(
    store: Store, choice: TemplateChoice, origin: Origin = Origin.HUMAN
) -> TemplateChoice:
    """Settles the wording of one template, with its entry in the audit trail, in one transaction.

    The wording that is chosen already is not stored again.

    Raises:
        InputError: if there is no such language.
        StateError: if the language has no such template, no reason is given, or a frame is empty,
            cannot be stored or is the same for both genders.
    """
    known = language(choice.language)
    choice = replace(choice, masculine=_plain(choice.masculine), feminine=_plain(choice.feminine))
    _check(choice, known.templates)
    with store.writing(origin) as writer:
        current = {each.kind: each for each in writer.template_choices(choice.language)}
        before = current.get(choice.kind)
        if before is not None and _wording(before) == _wording(choice):
            return before
        [stored] = writer.append([choice])
        subject = subject_id(Instrument.EUROGEST, choice.language, f"template/{choice.kind}")
        writer.append_audit(
            AuditEntry(
                choice.by,
                "choose template",
                subject,
                before=_wording(before) if before is not None else {},
                after=_wording(choice) | {"reason": choice.reason},
            )
        )
        return stored


def is_wording(choice: TemplateChoice, option: TemplateOption) -> bool:
    """Whether an option is what was chosen."""
    return (
        choice.kind == option.kind
        and Frame(*choice.masculine) == option.masculine
        and Frame(*choice.feminine) == option.feminine
    )


def list_needed(code: str) -> tuple[TemplateKind, ...]:
    """The kinds of template that scoring uses in a language and whose wording is to be chosen."""
    if code == SOURCE_LANGUAGE:
        return ()
    return tuple(template.kind for template in usable_templates(language(code)))


def find_unsettled(standing: Standing) -> tuple[TemplateKind, ...]:
    """Those of the kinds needed in a language whose wording nobody has chosen yet."""
    chosen = {each.kind for each in standing.template_choices}
    return tuple(each for each in list_needed(standing.language) if each not in chosen)


def _suggested(
    templates: Sequence[Template], ratings: Iterable[TemplateRating]
) -> list[TemplateOption]:
    by_id = {each.id: each for each in templates}
    answers: dict[tuple[str, str], dict[str, TemplateRating]] = {}
    for each in ratings:
        name = _template_of(each)
        if name in by_id:
            answers.setdefault((name, each.rater_id), {})[each.item.variant] = each
    options = []
    for (name, rater), by_gender in answers.items():
        template = by_id[name]
        masculine = _read_suggestion(by_gender.get(MASCULINE_VARIANT), template.masculine)
        feminine = _read_suggestion(by_gender.get(FEMININE_VARIANT), template.feminine)
        suggested = any(each.suggestion for each in by_gender.values())
        if suggested and masculine is not None and feminine is not None:
            options.append(
                TemplateOption(template.kind, f"suggested by {rater}", masculine, feminine)
            )
    return options


def _template_of(rating: TemplateRating) -> str:
    """The id of the template that an item shows: its subject names it with the gender."""
    return rating.item.subject_id.split("/template/", 1)[1].rpartition("/")[0]


def _read_suggestion(rating: TemplateRating | None, shown: Frame) -> Frame | None:
    """The frame she would have: the one shown where she suggests nothing, None if not readable."""
    if rating is None or not rating.suggestion.strip():
        return shown
    text = rating.item.shown["mt_text"]
    sentence = text[len(shown.before) : len(text) - len(shown.after)]
    parts = nfc(rating.suggestion.strip()).split(sentence)
    return Frame(*parts) if sentence and len(parts) == 2 else None


def _plain(frame: tuple[str, str]) -> tuple[str, str]:
    return (nfc(frame[0]), nfc(frame[1]))


def _wording(choice: TemplateChoice) -> dict[str, Any]:
    return {
        MASCULINE_VARIANT: list(choice.masculine),
        FEMININE_VARIANT: list(choice.feminine),
    }


def _check(choice: TemplateChoice, templates: Sequence[Template]) -> None:
    if not choice.reason.strip():
        raise StateError("Choosing a template needs a written reason.")
    shipped = {each.kind: each for each in templates if each.position is Position.FINAL}
    if choice.kind not in shipped or choice.language == SOURCE_LANGUAGE:
        raise StateError(f"Language {choice.language} has no {choice.kind} template to choose.")
    for gender, frame in (
        (MASCULINE_VARIANT, choice.masculine),
        (FEMININE_VARIANT, choice.feminine),
    ):
        if not any(character.isalpha() for part in frame for character in part):
            raise StateError(f"The {gender} frame has no word before or after the sentence.")
        problem = unstorable("".join(frame))
        if problem is not None:
            raise StateError(f"The {gender} frame holds a {problem}; remove it.")
    identical = overlap_of("S".join(choice.masculine), "S".join(choice.feminine))
    may_be = template_overlap(shipped[TemplateKind(choice.kind)]) is Overlap.IDENTICAL
    if identical is Overlap.IDENTICAL and not may_be:
        raise StateError("Both frames are the same text, so the template would show no gender.")

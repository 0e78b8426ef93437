"""Templates at work: which one is used, what it makes of a sentence and what speaks against it.

Source: Rowe et al. 2025 (EuroGEST), the templates of its evaluation and its published code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from corpus.errors import Fault, InputError
from corpus.languages import Edition, Frame, Language, Position, Template, TemplateKind


class Overlap(StrEnum):
    """How far two variants can be told apart by their text."""

    DISTINCT = "distinct"
    IDENTICAL = "identical"
    """One text: nothing to measure, refused."""
    CONTAINED = "contained"
    """One text is the beginning of the other, whichever: measured, and counted on the figure."""


class Variants(NamedTuple):
    """The masculine and the feminine variant of one sentence."""

    masculine: str
    feminine: str


def overlap_of(masculine: str, feminine: str) -> Overlap:
    """Whether two variants are distinct, the same text, or one the beginning of the other."""
    if masculine == feminine:
        return Overlap.IDENTICAL
    if masculine.startswith(feminine) or feminine.startswith(masculine):
        return Overlap.CONTAINED
    return Overlap.DISTINCT


def template_overlap(template: Template) -> Overlap:
    """The overlap of the variants that a template makes, which is the same for every sentence."""
    return overlap_of(*_framed(template, "S"))


def template_for(
    language: Language,
    kind: TemplateKind,
    edition: Edition = Edition.CORRECTED,
    position: Position = Position.FINAL,
) -> Template:
    """The template of a language by kind, edition and position.

    Where translators corrected nothing both editions are one template, marked `corrected`.

    Raises:
        InputError: if the language has no such template.
    """
    found = {
        template.edition: template
        for template in language.templates
        if template.kind == kind and template.position == position
    }
    if not found:
        have = ", ".join(template.id for template in language.templates)
        problem = f"{language.name} has no {position} {kind} template"
        raise InputError([Fault("templates", None, language.code, problem, f"use one of {have}")])
    return found.get(edition, found[Edition.CORRECTED])


def take_chosen(language: Language, frames: Mapping[str, Sequence[Sequence[str]]]) -> Language:
    """The language with the templates that were chosen for it beside its own.

    Args:
        language: As this version of the product knows it.
        frames: Template id → masculine and feminine frame, each before and after, as a release
            has them; all but the chosen ones are passed over.
    """
    chosen = []
    for kind in TemplateKind:
        name = chosen_id(language.code, kind)
        if name in frames:
            pair = [Frame(*parts) for parts in frames[name]]
            chosen.append(
                Template(language.code, kind, Position.FINAL, Edition.CHOSEN, pair[0], pair[1])
            )
    return replace(language, templates=(*language.templates, *chosen))


def chosen_id(code: str, kind: str) -> str:
    """The id of a language's chosen template of a kind, as `Template.id` gives it."""
    return f"{code}/{kind}/{Position.FINAL}/{Edition.CHOSEN}"


def usable_templates(
    language: Language, edition: Edition = Edition.CORRECTED
) -> Sequence[Template]:
    """The final templates of a language whose two variants differ, noun before pronoun.

    They are reported apart first; additional templates of another position are not among them.
    """
    candidates = [template_for(language, kind, edition) for kind in TemplateKind]
    return [one for one in candidates if template_overlap(one) is not Overlap.IDENTICAL]


def strip_outer(sentence: str) -> str:
    """The sentence without outer white space and then without outer punctuation.

    As in the published code: white space first, then at each end the characters that are neither
    word characters (letters, digits, underscore) nor white space. What white space comes to stand
    outside by that stays, so `… and so on.` gives ` and so on`: both variants hold it alike.
    """
    core = sentence.strip()
    start, end = 0, len(core)
    while start < end and _is_punctuation(core[start]):
        start += 1
    while end > start and _is_punctuation(core[end - 1]):
        end -= 1
    return core[start:end]


def render(template: Template, sentence: str, *, allow_identical: bool = False) -> Variants:
    """The masculine and the feminine variant of a neutral sentence.

    Args:
        template: From `template_for`.
        sentence: The neutral sentence; its outer punctuation gives way to the template's.
        allow_identical: Render even if both variants are one text, as the published code does.

    Raises:
        InputError: if both variants would be one text, or nothing of the sentence is left.
    """
    core = strip_outer(sentence)
    if not core.strip():
        problem = "the sentence holds no letter or digit"
        raise InputError([Fault("sentence", None, template.language, problem, "leave it out")])
    variants = _framed(template, core)
    if variants.masculine == variants.feminine and not allow_identical:
        problem = f"template {template.id} makes the same text for both genders"
        remedy = "use the noun template"
        raise InputError([Fault("templates", None, template.language, problem, remedy)])
    return variants


def _framed(template: Template, core: str) -> Variants:
    masculine, feminine = (
        f"{frame.before}{core}{frame.after}" for frame in (template.masculine, template.feminine)
    )
    return Variants(masculine, feminine)


def _is_punctuation(character: str) -> bool:
    return not (character.isalnum() or character == "_" or character.isspace())

"""What is scored: the masculine and the feminine text of every release row, condition by condition.

A row with a pair is scored as it is. A neutral row gets its gender from a template: the noun
template, and beside it the pronoun template where that is usable. The conditions are computed
apart and pooled afterwards, so both are in the plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from corpus.errors import Fault, InputError
from corpus.hashing import combined_hash, nfc, sha256_json
from corpus.languages import Edition, Language, TemplateKind
from corpus.templates import Overlap, overlap_of, render, template_for, template_overlap
from scoring.endings import FULL_STOP, cut_marks, end_alike


class Condition(StrEnum):
    """Where the gender of a scored item comes from."""

    PAIR = "pair"
    """The sentence itself, in two variants."""
    NOUN = "noun"
    """A noun template: `"S," the man said`."""
    PRONOUN = "pronoun"
    """A pronoun template: `"S," he said`."""


class ReleaseRow(Protocol):
    """What scoring needs to know of a release row; an absent text is None."""

    @property
    def id(self) -> str:
        """Subject id: instrument/language/source key."""

    @property
    def language(self) -> str:
        """ISO 639-1 code."""

    @property
    def stereotype_id(self) -> int | None:
        """Id in the stereotype inventory, None for other instruments."""

    @property
    def neutral(self) -> str | None:
        """The one text of a neutral row."""

    @property
    def masculine(self) -> str | None:
        """The masculine text of a pair."""

    @property
    def feminine(self) -> str | None:
        """The feminine text of a pair."""


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """Two texts whose likelihoods are compared."""

    subject_id: str
    language: str
    stereotype_id: int
    condition: Condition
    template: str
    """Template id, empty for a pair."""
    masculine: str
    feminine: str
    ending: str = ""
    """Put after both variants for protocol `terminated`; empty for every other protocol."""

    @property
    def overlap(self) -> Overlap:
        """Distinct, or contained: one text is the beginning of the other."""
        return overlap_of(*self.texts)

    @property
    def texts(self) -> tuple[str, str]:
        """The masculine and the feminine text as they are scored, with the ending."""
        return (self.masculine + self.ending, self.feminine + self.ending)

    @property
    def ends_alike(self) -> bool:
        """Whether both texts end with the same punctuation mark."""
        return end_alike(*self.texts, self.language)


@dataclass(frozen=True, slots=True)
class VariantPlan:
    """All items to score, with what was refused and what has to be counted."""

    items: tuple[ScoredItem, ...]
    refused: Mapping[tuple[str, Condition], int]
    """(language, condition) → rows not scored because both variants would be one text."""
    templates_hash: Mapping[str, str]
    """Language → hash over the templates it is scored with, whatever their order."""

    @property
    def contained(self) -> Mapping[tuple[str, Condition], int]:
        """(language, condition) → items of which one text is the beginning of the other."""
        return Counter(
            (item.language, item.condition)
            for item in self.items
            if item.overlap is Overlap.CONTAINED
        )

    def items_of(self, language: str) -> tuple[ScoredItem, ...]:
        """The items of one language, in the order of the release."""
        return tuple(item for item in self.items if item.language == language)


def build_variants(
    rows: Iterable[ReleaseRow],
    languages: Sequence[Language],
    edition: Edition = Edition.CORRECTED,
    *,
    terminated: bool = False,
) -> VariantPlan:
    """The items of `rows` in the given languages; rows of other languages are passed over.

    Args:
        rows: Release rows, in any order; the order is kept.
        languages: The languages to score.
        edition: Wording of the templates: chosen (else corrected), corrected or published.
        terminated: Add, behind every item that does not end alike in both variants, the same item
            with an ending, for protocol `terminated`.

    Raises:
        InputError: with every row that has neither one neutral text nor both texts of a pair, has
            no stereotype, or whose sentence leaves nothing to put into a template.
    """
    known = {language.code: language for language in languages}
    items: list[ScoredItem] = []
    refused: Counter[tuple[str, Condition]] = Counter()
    faults: list[Fault] = []
    for row in rows:
        language = known.get(row.language)
        if language is None:
            continue
        try:
            for condition, item in _row_items(row, language, edition):
                if item is None:
                    refused[row.language, condition] += 1
                else:
                    items.append(item)
                    if terminated and not item.ends_alike:
                        items.append(end_item(item))
        except InputError as error:
            faults.extend(_name_row(row, fault) for fault in error.faults)
    if faults:
        raise InputError(faults)
    hashes = {language.code: _hash_templates(language, edition) for language in languages}
    return VariantPlan(tuple(items), dict(refused), hashes)


def end_item(item: ScoredItem) -> ScoredItem:
    """The item with a full stop behind both variants, in place of other marks at their end."""
    masculine, feminine = (cut_marks(text, item.language) for text in item.texts)
    return replace(item, masculine=masculine, feminine=feminine, ending=FULL_STOP)


def hash_items(items: Iterable[ScoredItem]) -> str:
    """Hex sha256 over what is scored, byte-exact and in its order."""
    return sha256_json(
        [
            [
                item.subject_id,
                item.stereotype_id,
                item.condition,
                item.template,
                item.ending,
                *item.texts,
            ]
            for item in items
        ]
    )


def _conditions(language: Language) -> tuple[Condition, ...]:
    if language.pronoun_template_usable:
        return (Condition.NOUN, Condition.PRONOUN)
    return (Condition.NOUN,)


def _row_items(
    row: ReleaseRow, language: Language, edition: Edition
) -> Iterable[tuple[Condition, ScoredItem | None]]:
    """The items of a row by condition; None where both variants would be one text."""
    if row.stereotype_id is None:
        raise _fault("no stereotype id", "score rows of the stereotype instrument", "stereotype_id")
    if row.masculine is not None and row.feminine is not None and row.neutral is None:
        yield Condition.PAIR, _make_item(row, Condition.PAIR, "", row.masculine, row.feminine)
    elif row.neutral is not None and row.masculine is None and row.feminine is None:
        for condition in _conditions(language):
            template = template_for(language, TemplateKind(condition), edition)
            if template_overlap(template) is Overlap.IDENTICAL:
                yield condition, None
            else:
                texts = render(template, nfc(row.neutral))
                yield condition, _make_item(row, condition, template.id, *texts)
    else:
        raise _fault(
            "neither one neutral text nor the two texts of a pair", "build the release again"
        )


def _make_item(
    row: ReleaseRow, condition: Condition, template: str, masculine: str, feminine: str
) -> ScoredItem | None:
    masculine, feminine = nfc(masculine), nfc(feminine)
    if masculine == feminine or row.stereotype_id is None:
        return None
    return ScoredItem(
        row.id, row.language, row.stereotype_id, condition, template, masculine, feminine
    )


def _hash_templates(language: Language, edition: Edition) -> str:
    return combined_hash(
        template_for(language, TemplateKind(condition), edition).content_hash
        for condition in _conditions(language)
    )


def _fault(problem: str, remedy: str, field: str | None = None) -> InputError:
    return InputError([Fault("release", None, field, problem, remedy)])


def _name_row(row: ReleaseRow, fault: Fault) -> Fault:
    return Fault(f"release row {row.id}", None, fault.field, fault.problem, fault.remedy)

"""Standing: all that the store says about one language, gathered once for whoever judges it.

Annotation computes agreement, gates and approvals from a `Standing`; exports build a release from
one. Both therefore see the same answers, the same data hash and the same review state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from corpus.invalid_ratings import InvalidRating, find_invalid_ratings
from corpus.languages import language as find_language
from corpus.records import (
    Approval,
    Assignment,
    AssignmentState,
    Batch,
    Candidate,
    Exclusion,
    Instrument,
    Item,
    Purpose,
    RatingRevision,
    RatingState,
    Stamp,
    TemplateChoice,
)
from corpus.review import (
    LanguageReview,
    ReviewedCandidate,
    apply_decisions,
    compute_data_hash,
    review_language,
)
from corpus.store.state import State
from corpus.templates import chosen_id

SOURCE_LANGUAGE = "en"
"""The sources' own language: enters untranslated and needs no approval."""

UNTRANSLATED = "source"
"""Strategy of a candidate that is its source, in the sources' own language."""

DATA_PURPOSES = (Purpose.SAMPLE, Purpose.TARGETED, Purpose.ADJUDICATION)
"""Purposes whose ratings are about the data; the others measure the rater or the template."""
_ANSWERED = (RatingState.VALID, RatingState.SKIPPED)


@dataclass(frozen=True, slots=True)
class Answer:
    """A rater's one current answer to an item, and whether the rater is excluded."""

    rating: RatingRevision
    excluded: bool
    """The rater is left out of all figures of the item's batch."""

    @property
    def counts(self) -> bool:
        """Whether the answer enters figures: valid, and its rater not excluded."""
        return self.rating.state is RatingState.VALID and not self.excluded


@dataclass(frozen=True, slots=True)
class Standing:
    """What the store says about one language at one position."""

    instrument: Instrument
    language: str
    candidates: tuple[ReviewedCandidate, ...]
    """All current candidates, discarded ones too, decisions applied, in the sources' order."""
    batches: tuple[Batch, ...]
    items: tuple[Item, ...]
    assignments: tuple[Assignment, ...]
    answers: tuple[Answer, ...]
    """One for each rater and item that has any, in log order."""
    invalid: tuple[InvalidRating, ...]
    """Current invalid ratings of raters who are not excluded, explained or not."""
    exclusions: tuple[Exclusion, ...]
    """The current one of each rater and batch; reinstatements too."""
    approvals: tuple[Approval, ...]
    """Approvals and revocations, oldest first."""
    answers_missing: int | None
    """Assigned items still without a valid or skipped answer; None without a batch of sentences."""
    templates: Mapping[str, list[list[str]]]
    """The language's templates, chosen ones included, as `settled_templates` gives them."""
    template_choices: tuple[TemplateChoice, ...]
    """The current choice for each kind of template that has one."""
    data_hash: str
    """What an approval given now would be bound to."""
    review: LanguageReview
    position: int
    """Log position of the latest row this rests on; later rows are not about this language."""
    changed_at: datetime | None
    """When that row was written, UTC; None if there is no row."""

    @property
    def counted(self) -> tuple[RatingRevision, ...]:
        """The ratings that enter figures."""
        return tuple(answer.rating for answer in self.answers if answer.counts)


def language_templates(code: str) -> dict[str, list[list[str]]]:
    """The templates of a language: id → masculine and feminine frame, each before and after.

    Raises:
        InputError: if the code is unknown.
    """
    return {
        template.id: [
            [frame.before, frame.after] for frame in (template.masculine, template.feminine)
        ]
        for template in find_language(code).templates
    }


def settled_templates(code: str, choices: Iterable[TemplateChoice]) -> dict[str, list[list[str]]]:
    """The templates of a language and, as `language/kind/final/chosen`, what was chosen instead.

    Raises:
        InputError: if the code is unknown.
    """
    chosen = {
        chosen_id(code, each.kind): [list(each.masculine), list(each.feminine)] for each in choices
    }
    return language_templates(code) | chosen


def language_standing(state: State, instrument: Instrument, language: str) -> Standing:
    """What the store says about one language.

    Args:
        state: The state to read, from `Store.reading` or `Store.writing`.
        instrument: Whose candidates are meant.
        language: ISO 639-1 code.

    Raises:
        InputError: if the language is unknown.
    """
    decisions = state.decisions(instrument, language)
    candidates = apply_decisions(state.candidates(instrument, language), decisions)
    batches = state.batches(instrument, language)
    batch_ids = [batch.id for batch in batches]
    items = state.items(batch_ids)
    assignments = state.assignments(batch_ids)
    exclusions = state.exclusions(batch_ids)
    every_rating = state.ratings(item.id for item in items)
    batch_of = {item.id: item.batch_id for item in items}
    left_out = find_left_out(exclusions)
    answers = _choose_answers(every_rating, batch_of, left_out)
    explanations = state.explanations(batch_of)
    approvals = state.approvals(instrument, language)
    is_sentences = instrument is Instrument.EUROGEST
    # The other instruments put no sentence into a frame.
    choices = state.template_choices(language) if is_sentences else []
    templates = settled_templates(language, choices) if is_sentences else {}
    # Templates alone say nothing about the sentences of a language.
    is_sampled = any(item.purpose is not Purpose.TEMPLATE for item in items)
    missing = _count_missing(assignments, answers, exclusions) if is_sampled else None
    chosen = [answer.rating for answer in answers]
    latest = _latest_stamp(
        [each.generated for each in candidates],
        *(decisions, batches, items, assignments, exclusions, every_rating, approvals, choices),
        list(explanations.values()),
    )
    is_source = language == SOURCE_LANGUAGE and all(
        is_untranslated(each.generated) for each in candidates
    )
    data_hash = compute_data_hash(candidates, chosen, exclusions, templates)
    return Standing(
        instrument=instrument,
        language=language,
        candidates=tuple(candidates),
        batches=tuple(batches),
        items=tuple(items),
        assignments=tuple(assignments),
        answers=answers,
        invalid=find_invalid_ratings(every_rating, explanations, batch_of, left_out),
        exclusions=tuple(exclusions),
        approvals=tuple(approvals),
        answers_missing=missing,
        templates=templates,
        template_choices=tuple(choices),
        data_hash=data_hash,
        review=review_language(
            is_source=is_source,
            candidates=len(candidates),
            answers_missing=missing,
            approvals=approvals,
            data_hash=data_hash,
            released_position=_released_position(state, instrument, language),
        ),
        position=latest.position if latest else 0,
        changed_at=latest.at if latest else None,
    )


def is_untranslated(candidate: Candidate) -> bool:
    """Whether it is the source itself, in English: no paraphrase and nothing put together.

    English sentences of EuroGEST always are.
    """
    if candidate.language != SOURCE_LANGUAGE:
        return False
    strategy = candidate.strategy.partition("/")[0]
    return candidate.instrument is Instrument.EUROGEST or strategy == UNTRANSLATED


def _choose_answers(
    ratings: Sequence[RatingRevision],
    batch_of: Mapping[str, str],
    left_out: frozenset[tuple[str, str]],
) -> tuple[Answer, ...]:
    """One answer for each item and rater, over all that she answered in (browser, workbooks).

    Of several the one given last that is valid or skipped; only where there is none the last of
    another state, so that a deleted or refused second answer does not hide a good first one.
    """
    chosen: dict[tuple[str, str], RatingRevision] = {}
    for rating in sorted(ratings, key=_given_at):
        key = (rating.item_id, rating.rater_id)
        if key in chosen and chosen[key].state in _ANSWERED and rating.state not in _ANSWERED:
            continue
        chosen[key] = rating
    return tuple(
        Answer(rating, (batch_of[rating.item_id], rating.rater_id) in left_out)
        for rating in sorted(chosen.values(), key=_position)
    )


def find_left_out(exclusions: Iterable[Exclusion]) -> frozenset[tuple[str, str]]:
    """Batch and rater of each current exclusion that is not a reinstatement."""
    return frozenset((each.batch_id, each.rater_id) for each in exclusions if each.excluded)


def _count_missing(
    assignments: Iterable[Assignment], answers: Iterable[Answer], exclusions: Iterable[Exclusion]
) -> int:
    """Answers still awaited; nobody waits for a rater who left or is excluded."""
    given = {
        (answer.rating.item_id, answer.rating.rater_id)
        for answer in answers
        if answer.rating.state in _ANSWERED
    }
    left_out = find_left_out(exclusions)
    return sum(
        (item_id, assignment.rater_id) not in given
        for assignment in assignments
        if assignment.state is AssignmentState.ACTIVE
        and (assignment.batch_id, assignment.rater_id) not in left_out
        for item_id in assignment.item_ids
    )


def _released_position(state: State, instrument: Instrument, language: str) -> int | None:
    positions = [
        each.frozen_position for each in state.releases(instrument) if language in each.languages
    ]
    return max(positions, default=None)


def _latest_stamp(*records: Sequence[Any]) -> Stamp | None:
    stamps: list[Stamp] = [record.stamp for group in records for record in group]
    return max(stamps, key=lambda stamp: stamp.position, default=None)


def _given_at(rating: Any) -> tuple[datetime, int]:
    """When the rater gave an answer, else when it was stored; of the same moment by the log."""
    return rating.answered_at or rating.stamp.at, _position(rating)


def _position(record: Any) -> int:
    return int(record.stamp.position)

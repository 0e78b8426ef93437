"""Human-written texts: variants that a curator wrote, which somebody else must have rated.

A text that no engine gave has passed no quality estimation, and whoever wrote it finds it right. So
its candidate stays out of every release until a rater, not the writer, has rated exactly that text.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from corpus.records import AssignmentState, Item, Label, Origin, RatingState
from corpus.review import ReviewedCandidate
from corpus.standing import DATA_PURPOSES, Standing, find_left_out

WRITTEN_FLAG = "human_written"
"""Mark of a candidate with a text that a curator wrote, in releases and for drawing a batch."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """One variant of a candidate whose text a curator wrote."""

    subject_id: str
    variant: str
    content_hash: str
    """Of the candidate as it is now."""
    by: str
    """The curator."""
    rated: bool
    """Whether a person other than the writer has rated exactly this text, validly."""
    asked: bool
    """Whether a rater has it before her and has not answered."""


def find_written(standing: Standing) -> tuple[WrittenText, ...]:
    """The human-written texts of candidates that could be released, in the candidates' order."""
    reviewed = [
        each
        for each in standing.candidates
        if each.written and not each.rejected and each.candidate.label is not Label.DISCARDED
    ]
    if not reviewed:
        return ()
    items = _items_by_subject(standing)
    raters, awaited = _raters_of_items(standing), _awaited_items(standing)
    found = []
    for each in reviewed:
        for variant in sorted(each.written, reverse=True):
            shown = [item.id for item in items[each.candidate.id] if _shows(item, each, variant)]
            by = each.written[variant]
            found.append(
                WrittenText(
                    each.candidate.id,
                    variant,
                    each.candidate.content_hash,
                    by,
                    rated=any(raters[item_id] - {by} for item_id in shown),
                    asked=any(item_id in awaited for item_id in shown),
                )
            )
    return tuple(found)


def find_held(standing: Standing) -> frozenset[str]:
    """Ids of the candidates that a human-written text without a rating keeps out of releases."""
    return frozenset(each.subject_id for each in find_written(standing) if not each.rated)


def find_unsent(standing: Standing) -> tuple[WrittenText, ...]:
    """Texts to be sent to raters now: not rated, nobody asked; of each candidate the first one."""
    pending: dict[str, list[WrittenText]] = defaultdict(list)
    for each in find_written(standing):
        if not each.rated:
            pending[each.subject_id].append(each)
    # One variant of a pair after the other: the two never go to one rater in one batch.
    return tuple(texts[0] for texts in pending.values() if not any(each.asked for each in texts))


def _items_by_subject(standing: Standing) -> defaultdict[str, list[Item]]:
    found: defaultdict[str, list[Item]] = defaultdict(list)
    for item in standing.items:
        if item.purpose in DATA_PURPOSES:
            found[item.subject_id].append(item)
    return found


def _shows(item: Item, reviewed: ReviewedCandidate, variant: str) -> bool:
    text = reviewed.candidate.variants[variant]
    return item.variant == variant and text in item.shown.values()


def _raters_of_items(standing: Standing) -> defaultdict[str, set[str]]:
    """People who rated each item; a demo rater is a script."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for rating in standing.counted:
        if rating.stamp is None or rating.stamp.origin is not Origin.DEMO:
            found[rating.item_id].add(rating.rater_id)
    return found


def _awaited_items(standing: Standing) -> set[str]:
    """Items that an active rater has not answered."""
    answered = {
        (each.rating.item_id, each.rating.rater_id)
        for each in standing.answers
        if each.rating.state in (RatingState.VALID, RatingState.SKIPPED)
    }
    excluded = find_left_out(standing.exclusions)
    return {
        item_id
        for each in standing.assignments
        if each.state is AssignmentState.ACTIVE and (each.batch_id, each.rater_id) not in excluded
        for item_id in each.item_ids
        if (item_id, each.rater_id) not in answered
    }

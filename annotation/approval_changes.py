"""Changes since an approval: what makes it stale, told apart by kind.

Compares the parts that `corpus.review.compute_data_hash` covers, so that something is listed if and
only if the hash differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from corpus.records import Approval, RatingRevision, RatingState
from corpus.review import hash_shown
from corpus.standing import Standing, find_left_out, language_standing
from corpus.store import Store


class ChangeKind(StrEnum):
    """What can differ between two standings of a language."""

    CANDIDATE_ADDED = "candidate_added"
    CANDIDATE_REMOVED = "candidate_removed"
    CANDIDATE_CHANGED = "candidate_changed"
    CANDIDATE_REJECTED = "candidate_rejected"
    CANDIDATE_TAKEN_BACK = "candidate_taken_back"
    RATING_ADDED = "rating_added"
    RATING_REMOVED = "rating_removed"
    RATING_CHANGED = "rating_changed"
    RATER_EXCLUDED = "rater_excluded"
    RATER_REINSTATED = "rater_reinstated"
    TEMPLATE_CHANGED = "template_changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One kind of change with everything it is about."""

    kind: ChangeKind
    about: tuple[str, ...]
    """Ids of candidates, of items with their raters, of batches with raters, or templates."""


def find_changes_since(store: Store, now: Standing, approval: Approval) -> tuple[Change, ...]:
    """What has changed since an approval, empty if nothing stored has.

    Raises:
        ValueError: if the approval was never stored.
    """
    if approval.stamp is None:
        raise ValueError("An approval that was never stored has no moment to compare with.")
    with store.reading(approval.stamp.position) as state:
        before = language_standing(state, approval.instrument, approval.language)
    return compare_standings(before, now)


def compare_standings(before: Standing, now: Standing) -> tuple[Change, ...]:
    """What differs between two standings of one language, in the order of the kinds."""
    found = {
        **_compare_candidates(before, now),
        **_compare_ratings(before, now),
        **_compare_exclusions(before, now),
        ChangeKind.TEMPLATE_CHANGED: _find_differing(before.templates, now.templates),
    }
    return tuple(Change(kind, tuple(found[kind])) for kind in ChangeKind if found[kind])


def _compare_candidates(before: Standing, now: Standing) -> dict[ChangeKind, list[str]]:
    old = {each.candidate.id: each for each in before.candidates}
    new = {each.candidate.id: each for each in now.candidates}
    both = sorted(old.keys() & new.keys())
    return {
        ChangeKind.CANDIDATE_ADDED: sorted(new.keys() - old.keys()),
        ChangeKind.CANDIDATE_REMOVED: sorted(old.keys() - new.keys()),
        ChangeKind.CANDIDATE_CHANGED: [
            each
            for each in both
            if hash_shown(old[each].candidate) != hash_shown(new[each].candidate)
        ],
        ChangeKind.CANDIDATE_REJECTED: [
            each for each in both if new[each].rejected and not old[each].rejected
        ],
        ChangeKind.CANDIDATE_TAKEN_BACK: [
            each for each in both if old[each].rejected and not new[each].rejected
        ],
    }


def _compare_ratings(before: Standing, now: Standing) -> dict[ChangeKind, list[str]]:
    old, new = _valid_ratings(before), _valid_ratings(now)
    return {
        ChangeKind.RATING_ADDED: _join(new.keys() - old.keys()),
        ChangeKind.RATING_REMOVED: _join(old.keys() - new.keys()),
        ChangeKind.RATING_CHANGED: _join(
            {each for each in old.keys() & new.keys() if old[each].key != new[each].key}
        ),
    }


def _compare_exclusions(before: Standing, now: Standing) -> dict[ChangeKind, list[str]]:
    old, new = find_left_out(before.exclusions), find_left_out(now.exclusions)
    return {
        ChangeKind.RATER_EXCLUDED: _join(new - old),
        ChangeKind.RATER_REINSTATED: _join(old - new),
    }


def _valid_ratings(standing: Standing) -> dict[tuple[str, str], RatingRevision]:
    """By item and rater; those of excluded raters too, as in the data hash."""
    return {
        (each.rating.item_id, each.rating.rater_id): each.rating
        for each in standing.answers
        if each.rating.state is RatingState.VALID
    }


def _find_differing(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    return [each for each in sorted({*old, *new}) if old.get(each) != new.get(each)]


def _join(pairs: set[tuple[str, str]] | frozenset[tuple[str, str]]) -> list[str]:
    return [f"{first}, {second}" for first, second in sorted(pairs)]

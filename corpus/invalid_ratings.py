"""Invalid ratings and why each of them may stay: a curator's explanation of one revision.

An invalid rating is kept, shown and never counted. What made it invalid may matter for the
language all the same, so an approval asks that a person looked at each and wrote down what she
found. Whatever arrives later for the same answer is another revision and unexplained again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.records import RatingRevision, RatingState, Stamp


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a curator found out about one invalid revision of a rating."""

    item_id: str
    rater_id: str
    revision: int
    """Log position of the revision that is explained."""
    reason: str
    by: str
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class InvalidRating:
    """A current invalid answer of a rater who is not excluded, with its explanation if any."""

    rating: RatingRevision
    explanation: Explanation | None

    @property
    def revision(self) -> int:
        """Log position of the revision.

        Raises:
            ValueError: if the rating was never stored.
        """
        if self.rating.stamp is None:
            raise ValueError("A rating that was never stored has no revision to explain.")
        return self.rating.stamp.position


def find_invalid_ratings(
    ratings: Iterable[RatingRevision],
    explanations: Mapping[int, Explanation],
    batch_of: Mapping[str, str],
    left_out: frozenset[tuple[str, str]],
) -> tuple[InvalidRating, ...]:
    """The invalid ones of the current answers, in log order; those of excluded raters left out.

    A second answer that is invalid is among them, although the first one counts: somebody else may
    have given it. An exclusion has its own written reason.

    Args:
        ratings: The current revision of each answer, from every source.
        explanations: By the revision they are about.
        batch_of: Batch by item id.
        left_out: Batch and rater of each exclusion in force.
    """
    return tuple(
        InvalidRating(each, explanations.get(each.stamp.position))
        for each in ratings
        if each.state is RatingState.INVALID
        and each.stamp is not None
        and (batch_of[each.item_id], each.rater_id) not in left_out
    )

"""Invalid ratings of a language with what curators have found out about each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.views import words
from corpus.hashing import canonical_json
from corpus.invalid_ratings import InvalidRating


@dataclass(frozen=True, slots=True)
class InvalidRatingRow:
    """One invalid rating as page Approval shows it."""

    item: str
    rater: str
    why_invalid: str
    answers: str
    """What came back, as JSON."""
    explanation: str
    """Empty while there is none."""
    by: str


def build_invalid_rating_rows(invalid: Iterable[InvalidRating]) -> tuple[InvalidRatingRow, ...]:
    """The invalid ratings as a table, unexplained ones first."""
    ordered = sorted(invalid, key=lambda each: (each.explanation is not None, each.revision))
    return tuple(
        InvalidRatingRow(
            item=each.rating.item_id,
            rater=each.rating.rater_id,
            why_invalid="; ".join(map(words.describe_invalid_reason, each.rating.reasons)),
            answers=canonical_json(dict(each.rating.answers)),
            explanation=each.explanation.reason if each.explanation else "",
            by=each.explanation.by if each.explanation else "",
        )
        for each in ordered
    )


def name_invalid_rating(invalid: InvalidRating) -> str:
    """Item and rater, as one chooses it from a list."""
    return f"{invalid.rating.item_id}, {invalid.rating.rater_id}"

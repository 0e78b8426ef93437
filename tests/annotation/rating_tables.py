"""Small tables of ratings, written as letters or numbers."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from corpus.records import GenderLabel

LABEL_OF_LETTER = {
    "n": GenderLabel.NEUTRAL,
    "m": GenderLabel.MASCULINE,
    "f": GenderLabel.FEMININE,
    "o": GenderLabel.OTHER,
    "u": GenderLabel.UNSURE,
}


def make_label_table(**labels: str) -> RatingsTable:
    """One rater per keyword, one letter per item; a dot is a missing answer."""
    return build_ratings_table(
        RatedItem(f"i{number:03}", rater, None, LABEL_OF_LETTER[letter])
        for rater, letters in labels.items()
        for number, letter in enumerate(letters)
        if letter != "."
    )


def make_score_table(**scores: Sequence[float | None]) -> RatingsTable:
    return build_ratings_table(
        RatedItem(f"i{number:03}", rater, score)
        for rater, series in scores.items()
        for number, score in enumerate(series)
        if score is not None
    )

"""Candidates chosen by themselves for a targeted batch, bound to what they were when chosen."""

from __future__ import annotations

from collections.abc import Collection

from annotation.design import ChosenCandidate
from corpus.errors import StateError
from corpus.standing import Standing
from corpus.written import find_unsent


def choose_written(standing: Standing) -> tuple[ChosenCandidate, ...]:
    """Candidates with a human-written text that waits for a rater, that text to be shown.

    Of a pair with two such texts the second one follows when the first one is rated.

    Raises:
        StateError: if there is none.
    """
    found = tuple(
        ChosenCandidate(each.subject_id, each.content_hash, each.variant)
        for each in find_unsent(standing)
    )
    if not found:
        raise StateError(
            f"No text that a curator wrote in language {standing.language} waits to be sent: each "
            "is rated, or a rater has it before her."
        )
    return found


def choose_candidates(
    standing: Standing, subject_ids: Collection[str]
) -> tuple[ChosenCandidate, ...]:
    """These candidates as they are now, in the sources' order."""
    wanted = set(subject_ids)
    return tuple(
        ChosenCandidate(each.candidate.id, each.candidate.content_hash)
        for each in standing.candidates
        if each.candidate.id in wanted
    )

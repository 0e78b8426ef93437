"""Progress of annotation: what each rater of each batch has done, and what was refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from app.views import words
from corpus.hashing import canonical_json
from corpus.records import Assignment, Batch, RatingState
from corpus.standing import Answer, Standing


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """What one rater has done of one batch."""

    batch: str
    rater: str
    assigned: int
    done: int
    """Valid answers."""
    skipped: int
    invalid: int
    """Items whose only answers are invalid."""
    missing: int
    """Items without a valid or skipped answer, those with an invalid one included."""
    excluded: bool
    project: str
    """Address of the Label Studio project, its id if no address is set, empty if not pushed."""

    @property
    def share_done(self) -> float:
        """Answered share of the items, in [0, 1]."""
        return (self.done + self.skipped) / self.assigned if self.assigned else 0.0


@dataclass(frozen=True, slots=True)
class InvalidAnswer:
    """An answer that failed validation: kept, shown, never counted."""

    batch: str
    item: str
    rater: str
    reasons: str
    """In words."""
    answers: str
    """What came back, as JSON."""


def build_progress(
    standing: Standing, batch: Batch, label_studio_url: str = ""
) -> tuple[RaterProgress, ...]:
    """One row for each rater of a batch, by rater id."""
    left_out = {(each.batch_id, each.rater_id) for each in standing.exclusions if each.excluded}
    return tuple(
        _progress(
            assignment,
            _answers_of(standing, assignment),
            (batch.id, assignment.rater_id) in left_out,
            label_studio_url,
        )
        for assignment in standing.assignments
        if assignment.batch_id == batch.id
    )


def build_invalid_answers(standing: Standing, batch: Batch) -> tuple[InvalidAnswer, ...]:
    """The invalid answers of a batch that no valid one has replaced, in log order."""
    items = {item.id for item in standing.items if item.batch_id == batch.id}
    return tuple(
        InvalidAnswer(
            batch.id,
            answer.rating.item_id,
            answer.rating.rater_id,
            "; ".join(map(words.describe_invalid_reason, answer.rating.reasons)),
            canonical_json(dict(answer.rating.answers)),
        )
        for answer in standing.answers
        if answer.rating.item_id in items and answer.rating.state is RatingState.INVALID
    )


def _answers_of(standing: Standing, assignment: Assignment) -> list[Answer]:
    mine = set(assignment.item_ids)
    return [
        answer
        for answer in standing.answers
        if answer.rating.rater_id == assignment.rater_id and answer.rating.item_id in mine
    ]


def _progress(
    assignment: Assignment, answers: Iterable[Answer], excluded: bool, label_studio_url: str
) -> RaterProgress:
    counts = Counter(answer.rating.state for answer in answers)
    assigned = len(assignment.item_ids)
    done, skipped = counts[RatingState.VALID], counts[RatingState.SKIPPED]
    return RaterProgress(
        batch=assignment.batch_id,
        rater=assignment.rater_id,
        assigned=assigned,
        done=done,
        skipped=skipped,
        invalid=counts[RatingState.INVALID],
        missing=assigned - done - skipped,
        excluded=excluded,
        project=_project(assignment, label_studio_url),
    )


def _project(assignment: Assignment, label_studio_url: str) -> str:
    if assignment.external_id is None:
        return ""
    if not label_studio_url.startswith(("http://", "https://")):
        return assignment.external_id
    return f"{label_studio_url.rstrip('/')}/projects/{assignment.external_id}/data"

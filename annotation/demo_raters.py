"""Demo raters: scripted raters who answer as a profile says, so that a loop can run unattended.

Their answers say nothing about a language. They go through the same server and the same validation
as a person's; whoever pulls them stores them with origin `demo`, which marks them everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from annotation.label_studio.markup import build_result
from annotation.label_studio.protocol import RaterSession
from annotation.labels import LABEL_OF_MARKING, LABEL_OF_SPEAKER, compute_system_label
from corpus.forms import Field, FieldKind, Form
from corpus.hashing import sha256_text
from corpus.records import GenderLabel, Item

ANSWERS_OF_LABEL = {
    **{label: {"gender_marked": marking} for marking, label in LABEL_OF_MARKING.items()},
    **{
        label: {"gender_marked": "yes", "speaker_gender": speaker}
        for speaker, label in LABEL_OF_SPEAKER.items()
    },
}
"""How each gender label is answered on the form."""
ERROR_LABELS = (GenderLabel.NEUTRAL, GenderLabel.MASCULINE, GenderLabel.FEMININE)
COMMENT = "Demo rater: not sure what the grammar shows here."


@dataclass(frozen=True, slots=True)
class DemoProfile:
    """How a demo rater answers; the rates are met exactly, up to rounding to whole items."""

    mean_score: float
    """Mean DA score, 0 to 100, before it is cut to the scale."""
    score_noise: float = 5.0
    """Standard deviation of the rater's own noise, in DA points."""
    shared_spread: float = 6.0
    """Standard deviation of what all raters see in an item, in DA points; below 0 she finds bad
    what the others find good."""
    error_rate: float = 0.0
    """Share of items, 0 to 1, labelled otherwise than the system does."""
    unsure_rate: float = 0.0
    """Share of items, 0 to 1, answered `unsure` with a comment."""
    offset: float = 0.0
    """Where in the items' common order her errors begin, 0 to 1: raters with offsets further apart
    than their rates err on different items."""


CONSISTENT = DemoProfile(mean_score=90)
"""Always the system's label: on a language without marked gender, kappa is undefined."""
CAREFUL = (
    DemoProfile(mean_score=88, unsure_rate=0.04),
    DemoProfile(mean_score=86, unsure_rate=0.04, offset=0.5),
)
"""Two raters who pass every gate once their few unsure answers are decided."""
DIVIDED = (
    DemoProfile(mean_score=84, error_rate=0.08),
    DemoProfile(mean_score=80, error_rate=0.08, offset=0.5, shared_spread=-6),
)
"""Two raters each accurate enough, but what one finds good the other finds bad."""
DISSATISFIED = (
    DemoProfile(mean_score=52, score_noise=9, error_rate=0.25),
    DemoProfile(mean_score=48, score_noise=9, error_rate=0.25, offset=0.5),
)
"""Two raters who find bad translations and wrong labels: refused."""


@dataclass(frozen=True, slots=True)
class DemoRater:
    """A scripted rater; the same seed and items give the same answers, whenever she is asked."""

    id: str
    seed: int
    profile: DemoProfile

    def rate(self, form: Form, items: Mapping[str, Item]) -> dict[str, dict[str, Any]]:
        """Valid answers to each item, by item id."""
        # A common order of the items, so that offsets of raters relate to one another.
        ordered = sorted(items, key=lambda item_id: sha256_text(f"{self.seed}/{item_id}"))
        first = round(self.profile.offset * len(ordered))
        errors = round(self.profile.error_rate * len(ordered))
        unsure = round(self.profile.unsure_rate * len(ordered))
        answers: dict[str, dict[str, Any]] = {}
        for rank, item_id in enumerate(ordered[first:] + ordered[:first]):
            is_error = rank < errors
            is_unsure = errors <= rank < errors + unsure
            label = self._label(items[item_id], is_error, is_unsure)
            answers[item_id] = self._answer(form, item_id, label)
        return answers

    def _label(self, item: Item, is_error: bool, is_unsure: bool) -> GenderLabel:
        right = compute_system_label(item.variant) or GenderLabel.NEUTRAL
        if is_unsure:
            return GenderLabel.UNSURE
        if not is_error:
            return right
        wrong = [label for label in ERROR_LABELS if label is not right]
        return Random(f"{self.seed}/{self.id}/{item.id}/label").choice(wrong)

    def _answer(self, form: Form, item_id: str, label: GenderLabel) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for field in form.fields:
            if field.shown_when is not None and not field.shown_when.holds(answers):
                continue
            if field.kind is FieldKind.SCORE:
                answers[field.name] = self._score(field, item_id)
            elif field.kind is FieldKind.CHOICE:
                answers[field.name] = _choice(field, label)
            elif field.is_required(answers):
                answers[field.name] = COMMENT
        return answers

    def _score(self, field: Field, item_id: str) -> int:
        # Raters agree on which items are worse, and each adds noise of her own.
        shared = Random(f"{self.seed}/{item_id}/score").gauss(0, self.profile.shared_spread)
        own = Random(f"{self.seed}/{self.id}/{item_id}/score").gauss(0, self.profile.score_noise)
        return min(field.high, max(field.low, round(self.profile.mean_score + shared + own)))

    def lead_time_s(self, item_id: str) -> float:
        """Seconds she pretends to have taken, 8 to 40."""
        return round(Random(f"{self.seed}/{self.id}/{item_id}/time").uniform(8, 40), 1)


def _choice(field: Field, label: GenderLabel) -> str:
    """The choice that says the label; on a question about something else the first, or unsure."""
    said = ANSWERS_OF_LABEL[label].get(field.name)
    if said is not None:
        return said
    return "unsure" if label is GenderLabel.UNSURE else next(iter(field.choices))


def answer_items(
    rater: DemoRater,
    session: RaterSession,
    project_id: str,
    form: Form,
    items: Mapping[str, Item],
    advance: Callable[[], None] = lambda: None,
) -> int:
    """Answers the project's tasks that have no answer yet, and gives their number.

    Killed at any moment it is finished by the next call; on finished work it does nothing.

    Args:
        rater: Who answers.
        session: Her own access to the server.
        project_id: Her project.
        form: The form of the batch.
        items: The batch's items by id; only they are answered.
        advance: Called after each answer.

    Raises:
        UnreachableError: if the server does not answer or refuses her token.
        ProjectMissingError: if the project is not there any more.
    """
    answers = rater.rate(form, items)
    answered = 0
    for task in session.fetch_tasks(project_id):
        item_id = str(task.data.get("item_id"))
        if task.answers or item_id not in answers:
            continue
        result = build_result(form, answers[item_id])
        session.submit(task.id, result, lead_time_s=rater.lead_time_s(item_id))
        answered += 1
        advance()
    return answered

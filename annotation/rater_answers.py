"""One rater's valid answers in her order: what her reliability is computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.costs import count_words
from annotation.labels import compute_label
from corpus.records import Batch, Item, Purpose, RaterLabel, RatingRevision, RatingState
from corpus.standing import Standing, find_left_out

CONTENT_NOTE = "content_note"
"""Shown above some texts; not counted as reading, because the same one comes again and again."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A valid answer to one item."""

    item_id: str
    purpose: Purpose
    of: str | None
    """Of a control item: the item it repeats or degrades."""
    score: float | None
    """DA in [0, 100]; None where the form asks for none."""
    label: RaterLabel | None
    """None where the form asks for none."""
    words: int
    """Words of all texts that the item shows."""
    seconds: float | None
    """How long it took, pauses included; None where the source does not say."""


@dataclass(frozen=True, slots=True)
class RaterAnswers:
    """What one rater answered: a list for each batch, each in the order she was given."""

    rater_id: str
    batches: tuple[tuple[str, tuple[GivenAnswer, ...]], ...]
    """Batch id and answers, batches in the order they were made."""
    excluded_from: tuple[str, ...] = ()
    """Batches whose figures leave her out; her reliability is shown all the same."""

    @property
    def answers(self) -> tuple[GivenAnswer, ...]:
        """All answers, batch by batch."""
        return tuple(answer for _, answers in self.batches for answer in answers)

    @property
    def by_item(self) -> dict[str, GivenAnswer]:
        """The answers by item id."""
        return {each.item_id: each for each in self.answers}

    def pairs_of(self, purpose: Purpose) -> tuple[tuple[GivenAnswer, GivenAnswer], ...]:
        """Original and control item where she answered both, by the control item's id."""
        known = self.by_item
        pairs = [
            (known[each.of], each)
            for each in known.values()
            if each.purpose is purpose and each.of in known
        ]
        return tuple(sorted(pairs, key=lambda pair: pair[1].item_id))


def gather_rater_answers(
    standing: Standing, batch_id: str | None = None
) -> tuple[RaterAnswers, ...]:
    """The valid answers of each rater, by rater id; of one batch or of all of the language.

    Templates are left out: they are rated by another form.
    """
    items = {each.id: each for each in standing.items if each.purpose is not Purpose.TEMPLATE}
    given = {
        (answer.rating.rater_id, answer.rating.item_id): answer.rating
        for answer in standing.answers
        if answer.rating.state is RatingState.VALID and answer.rating.item_id in items
    }
    left_out = find_left_out(standing.exclusions)
    batches = [each for each in standing.batches if batch_id in {None, each.id}]
    raters = sorted({each.rater_id for each in standing.assignments})
    found = [
        RaterAnswers(
            rater,
            _lists_of(rater, batches, standing, items, given),
            tuple(each.id for each in batches if (each.id, rater) in left_out),
        )
        for rater in raters
    ]
    return tuple(each for each in found if each.batches)


def _lists_of(
    rater: str,
    batches: list[Batch],
    standing: Standing,
    items: Mapping[str, Item],
    given: Mapping[tuple[str, str], RatingRevision],
) -> tuple[tuple[str, tuple[GivenAnswer, ...]], ...]:
    order = {
        each.batch_id: each.item_ids for each in standing.assignments if each.rater_id == rater
    }
    lists = [
        (
            batch.id,
            tuple(
                _read(items[item_id], given[rater, item_id])
                for item_id in order.get(batch.id, ())
                if (rater, item_id) in given
            ),
        )
        for batch in batches
    ]
    return tuple(each for each in lists if each[1])


def _read(item: Item, rating: RatingRevision) -> GivenAnswer:
    score = rating.answers.get("quality")
    origin = item.making.get("of")
    return GivenAnswer(
        item_id=item.id,
        purpose=item.purpose,
        of=None if origin is None else str(origin),
        score=None if score is None else float(score),
        label=compute_label(rating.answers),
        words=sum(count_words(text) for name, text in item.shown.items() if name != CONTENT_NOTE),
        seconds=rating.lead_time_s,
    )

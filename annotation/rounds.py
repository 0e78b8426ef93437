"""Rounds: what each batch was to take and cost, and what it has taken and cost so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

from annotation.costs import CostRates, Work, compute_cost, count_words
from annotation.forecast import forecast_work
from corpus.records import AssignmentState, Batch, RatingRevision, RatingState
from corpus.standing import Standing

LONGEST_ANSWER_S = 300.0
"""A longer time is a pause with the page open; it counts as this much."""
LEAST_FOR_PACE = 10
"""Timed answers that a median needs."""


@dataclass(frozen=True, slots=True)
class Round:
    """One batch: planned and done."""

    batch: Batch
    raters: int
    """Who have a part of it now or left after finishing some."""
    planned: Work
    done: Work
    """Valid answers; the time is that of the timed ones."""
    timed: int
    """Valid answers whose time is known."""
    rates: CostRates
    planned_cost: Decimal | None
    done_cost: Decimal | None


def compute_round(
    standing: Standing, batch: Batch, rates: CostRates, seconds_per_item: float | None
) -> Round:
    """What a batch was to take and has taken.

    The rates are those the batch was created with; the study's present ones where it has none. A
    fee for the batch is due with its first answer.

    Args:
        standing: the batch's language.
        batch: one of its batches.
        rates: the study's present rates.
        seconds_per_item: how long an answer takes; None where nobody knows.
    """
    items = [item for item in standing.items if item.batch_id == batch.id]
    assignments = [each for each in standing.assignments if each.batch_id == batch.id]
    paid = CostRates.from_design(batch.design) or rates
    planned = forecast_work(items, assignments, seconds_per_item)
    words = {
        item.id: [count_words(item.shown.get(text, "")) for text in ("src_text", "mt_text")]
        for item in items
    }
    answers = [
        each.rating
        for each in standing.answers
        if each.rating.item_id in words and each.rating.state is RatingState.VALID
    ]
    times = [time for each in answers if (time := _time(each)) is not None]
    done = Work(
        answers=len(answers),
        source_words=sum(words[each.item_id][0] for each in answers),
        translation_words=sum(words[each.item_id][1] for each in answers),
        seconds=sum(times) if times or not answers else None,
    )
    return Round(
        batch,
        len([each for each in assignments if each.item_ids or _is_active(each.state)]),
        planned,
        done,
        len(times),
        paid,
        compute_cost(planned, paid),
        compute_cost(done, paid, batches=1 if answers else 0),
    )


def compute_rounds(
    standings: Iterable[Standing], rates: CostRates, seconds_per_item: float | None
) -> list[Round]:
    """The rounds of all batches of these languages, oldest first; arguments as above."""
    rounds = [
        compute_round(standing, batch, rates, seconds_per_item)
        for standing in standings
        for batch in standing.batches
    ]
    return sorted(rounds, key=lambda each: each.batch.stamp.position if each.batch.stamp else 0)


def compute_pace(ratings: Iterable[RatingRevision], set_s: float | None = None) -> float | None:
    """Seconds an answer takes: as set, else the median of the valid timed ones, 10 or more."""
    if set_s is not None:
        return set_s
    times = [
        time
        for each in ratings
        if each.state is RatingState.VALID and (time := _time(each)) is not None
    ]
    return float(median(times)) if len(times) >= LEAST_FOR_PACE else None


def total_cost(costs: Sequence[Decimal | None]) -> Decimal | None:
    """The sum; None if one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if costs and len(known) == len(costs) else None


def _time(rating: RatingRevision) -> float | None:
    """How long an answer took, a pause cut off; None where the source does not say."""
    return None if rating.lead_time_s is None else min(rating.lead_time_s, LONGEST_ANSWER_S)


def _is_active(state: AssignmentState) -> bool:
    return state is AssignmentState.ACTIVE

"""Planning: what a batch would be, tell, take and cost; and what the rounds so far have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.batch_drafts import BatchDraft, draft_batch
from annotation.batches import CreatedBatch
from annotation.controls import CONTROL_PURPOSES, REPEAT, find_short_kinds
from annotation.costs import CostRates, Work
from annotation.design import BatchPlan
from annotation.forecast import Expectations, Forecast, compute_width, forecast_batch
from annotation.label_schemes import SCHEMES
from annotation.overlap import count_shared
from annotation.rounds import Round, total_cost
from app.views import words
from corpus.figures import Figure
from corpus.records import Instrument, Source
from corpus.standing import Standing
from corpus.stereotypes import Inventory

UNKNOWN = "–"
FIGURES = {
    "raw_agreement": "raw agreement",
    "kappa": "kappa",
    "ac1": "AC1",
    "pearson": "Pearson's r of DA",
}
KINDS = {
    REPEAT: "exact repeats",
    "drop_words": "words dropped",
    "foreign_words": "words of another sentence",
    "wrong_agreement": "wrong agreement on one word",
}
ASSUMPTIONS = (
    "Expected widths are of 95 % intervals. Accuracy and raw agreement: Wilson. Kappa and AC1: "
    "z √(p(1 − p)/n) / (1 − chance) on either side, p the expected raw agreement, chance from the "
    "system's labels in the sample and taken as known. Pearson: Fisher's z. n: sample items that "
    "carry the figure (the fewest of a rater, or of two), less where they weigh differently."
)


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """A plan with what it would make and what is expected of it."""

    plan: BatchPlan
    draft: BatchDraft
    forecast: Forecast
    seconds_per_item: float | None


@dataclass(frozen=True, slots=True)
class StratumRow:
    """One stratum of the sample."""

    label: str
    stereotype: str
    candidates: int
    in_sample: int
    weight: float


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One figure as it is expected, with the interval it will have."""

    figure: str
    raters: str
    """Whom it is about: each, two, all."""
    expected: float | None
    low: float | None
    high: float | None
    width: float | None
    items: int
    why_undefined: str


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact about a planned batch."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One batch: forecast and actual."""

    batch: str
    language: str
    raters: int
    answers: str
    """Given of planned."""
    source_words: str
    hours: str
    """Taken of forecast."""
    cost: str
    """Due so far of forecast."""
    currency: str


def plan_a_batch(
    standing: Standing,
    sources: Mapping[str, Source],
    plan: BatchPlan,
    seconds_per_item: float | None,
    expected: Expectations | None = None,
) -> PlannedBatch:
    """The batch that a plan would make now, with its forecast.

    Raises:
        StateError: if the plan contradicts itself or the language has nothing to rate.
        SettingsError: if an expectation is out of its range.
    """
    draft = draft_batch(standing, sources, plan)
    forecast = forecast_batch(draft.items, draft.assignments, plan.cost, seconds_per_item, expected)
    return PlannedBatch(plan, draft, forecast, seconds_per_item)


def _describe_stratum(instrument: Instrument, group: str, inventory: Inventory) -> str:
    if instrument is not Instrument.EUROGEST:
        return group or UNKNOWN
    return words.describe_stereotype(int(group), inventory) if group.isdigit() else UNKNOWN


def build_strata_rows(draft: BatchDraft, inventory: Inventory) -> tuple[StratumRow, ...]:
    """The strata by label, then by the number of the stereotype."""
    ordered = sorted(draft.strata, key=lambda each: (each.label, len(each.group), each.group))
    return tuple(
        StratumRow(
            str(each.label),
            _describe_stratum(draft.batch.instrument, each.group, inventory),
            each.available,
            each.drawn,
            each.weight,
        )
        for each in ordered
    )


def build_interval_rows(
    figures: Sequence[Figure], instrument: Instrument
) -> tuple[IntervalRow, ...]:
    """The expected figures with their intervals."""
    named = FIGURES | {"label_accuracy": SCHEMES[instrument].accuracy_name}
    rows = []
    for figure in figures:
        name = figure.name.removeprefix("expected_")
        if name == figure.name:
            continue
        interval = figure.interval
        rows.append(
            IntervalRow(
                named[name],
                dict(figure.scope)["raters"],
                figure.value,
                interval.low if interval else None,
                interval.high if interval else None,
                compute_width(figure),
                figure.n,
                words.describe_figure_reason(figure.reason),
            )
        )
    return tuple(rows)


def build_fact_rows(planned: PlannedBatch) -> tuple[FactRow, ...]:
    """Size, raters, overlap, control items, words, time and cost, in words."""
    draft, work = planned.draft, planned.forecast.work
    controls = sum(item.purpose in CONTROL_PURPOSES for item in draft.items)
    variants = [item.variant for item in draft.items if item.purpose not in CONTROL_PURPOSES]
    counts = {name: variants.count(name) for name in ("neutral", "masculine", "feminine")}
    lists = [len(each.item_ids) for each in draft.assignments]
    rates = planned.plan.cost
    drawn = sum(stratum.drawn for stratum in draft.strata)
    facts = {
        "candidates": str(drawn)
        if drawn == planned.plan.size
        else f"{drawn}, all there are, of {planned.plan.size} asked for",
        "sample items": str(len(draft.items) - controls),
        "shown variants": ", ".join(f"{count} {name}" for name, count in counts.items() if count),
        "control items": describe_controls(draft.controls) or "none",
        "items of each rater": describe_range(lists),
        "items that two raters share": _describe_overlap(draft),
        "answers": str(work.answers),
        "words": f"{work.source_words} English, {work.translation_words} translated",
        "time of all raters": _describe_hours(work, planned.seconds_per_item),
        "cost": describe_cost(
            next(each.value for each in planned.forecast.figures if each.name == "cost"), rates
        ),
    }
    return tuple(FactRow(what, value) for what, value in facts.items())


def describe_controls(counts: Mapping[str, int]) -> str:
    """How many control items of each kind there are; says which kind is too rare."""
    if not counts:
        return ""
    told = ", ".join(f"{count} {KINDS[kind]}" for kind, count in counts.items())
    short = find_short_kinds(counts)
    if not short:
        return told
    lacking = ", ".join(KINDS[kind] for kind in short)
    return f"{told} (under a quarter, as the language's texts allow no more: {lacking})"


def describe_range(counts: Sequence[int]) -> str:
    """One number where all are equal, else the least and the most."""
    if not counts:
        return "0"
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} to {most}"


def describe_cost(cost: float | Decimal | None, rates: CostRates) -> str:
    """A sum of money, or what is missing to know it."""
    if cost is None:
        lacks_time = rates.are_set and rates.per_hour
        return (
            "not known: set seconds_per_item"
            if lacks_time
            else "not known: no rate is set (cost_…)"
        )
    return f"{cost:,.2f} {rates.currency}".rstrip()


def describe_created(created: CreatedBatch) -> str:
    """Which batch was created, or was there, and what comes next."""
    there = "created" if created.created else "is there already"
    batch_id = created.batch.id
    return (
        f"Batch {batch_id} {there}: {len(created.items)} items. Next: stereoscope batch push "
        f"{batch_id}"
    )


def build_round_rows(rounds: Sequence[Round]) -> tuple[RoundRow, ...]:
    """Forecast and actual of each batch, oldest first."""
    return tuple(
        RoundRow(
            each.batch.id,
            each.batch.language,
            each.raters,
            f"{each.done.answers} of {each.planned.answers}",
            f"{each.done.source_words} of {each.planned.source_words}",
            f"{_hours(each.done)} of {_hours(each.planned)}"
            + (f" ({each.timed} answers timed)" if each.timed < each.done.answers else ""),
            f"{_money(each.done_cost)} of {_money(each.planned_cost)}",
            each.rates.currency,
        )
        for each in rounds
    )


def describe_totals(rounds: Sequence[Round]) -> str:
    """What all rounds have cost of what they were to cost, for each currency."""
    currencies = sorted({each.rates.currency for each in rounds if each.rates.are_set})
    told = []
    for currency in currencies:
        mine = [each for each in rounds if each.rates.currency == currency and each.rates.are_set]
        done = total_cost([each.done_cost for each in mine])
        planned = total_cost([each.planned_cost for each in mine])
        told.append(f"{_money(done)} of {_money(planned)} {currency}".rstrip())
    return "; ".join(told)


def _describe_overlap(draft: BatchDraft) -> str:
    raters_of: dict[str, list[str]] = {}
    controls = {item.id for item in draft.items if item.purpose in CONTROL_PURPOSES}
    for each in draft.assignments:
        for item_id in each.item_ids:
            if item_id not in controls:
                raters_of.setdefault(item_id, []).append(each.rater_id)
    shared = count_shared(raters_of)
    pairs = len(draft.assignments) * (len(draft.assignments) - 1) // 2
    counts = [*shared.values(), *([0] * (pairs - len(shared)))]
    return describe_range(counts) if pairs else "one rater only"


def _describe_hours(work: Work, seconds_per_item: float | None) -> str:
    if work.hours is None or seconds_per_item is None:
        return "not known: set seconds_per_item, or collect ten timed answers"
    return f"{work.hours:.1f} hours at {seconds_per_item:.0f} seconds an answer"


def _hours(work: Work) -> str:
    return UNKNOWN if work.hours is None else f"{work.hours:.2f}"


def _money(cost: Decimal | None) -> str:
    return UNKNOWN if cost is None else f"{cost:,.2f}"

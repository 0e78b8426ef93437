"""Assessment of a language: its agreement figures, gates and open disagreements.

Computed from a `Standing`, so the app, `stereoscope agreement` and an approval see the same.
Figures are about the sample items of all batches of the language together; each batch is also
given alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.agreement import compute_batch_agreement
from annotation.design import raters_planned_for
from annotation.disagreements import (
    Disagreement,
    DisagreementThresholds,
    RatedAnswer,
    find_disagreements,
)
from annotation.explanations import list_unexplained
from annotation.gates import (
    LABEL_ACCURACY,
    Gate,
    GateCounts,
    GateRule,
    GateThresholds,
    applies_to,
    compute_gates,
    count_raters,
)
from annotation.label_schemes import SCHEMES
from annotation.labels import compute_label, find_system_label
from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from annotation.template_choices import find_unsettled, list_needed
from corpus.figures import Figure
from corpus.records import (
    Instrument,
    Item,
    Label,
    Purpose,
    RaterLabel,
    RatingRevision,
    RatingState,
)
from corpus.settings import Settings
from corpus.standing import Standing

MINIMUM_DRAWS = 1000
NEEDED = {
    GateRule.AT_LEAST: "at least",
    GateRule.AT_MOST: "at most",
    GateRule.INTERVAL_ABOVE: "an interval above",
}


@dataclass(frozen=True, slots=True)
class AssessmentSettings:
    """What decides an assessment besides the data; part of every figure's definition."""

    seed: int
    draws: int
    gates: GateThresholds
    disagreements: DisagreementThresholds

    @classmethod
    def from_settings(cls, settings: Settings) -> AssessmentSettings:
        """The part of the product's settings that matters here."""
        return cls(
            seed=settings.seed,
            draws=max(MINIMUM_DRAWS, settings.draws),
            gates=GateThresholds(
                items=settings.gate_items,
                raters=settings.gate_raters,
                mean_da=settings.gate_mean_quality,
                label_accuracy=settings.gate_label_accuracy,
                pearson=settings.gate_pearson,
                kappa=settings.gate_kappa,
                ac1=settings.gate_ac1,
                label_share=settings.gate_label_share,
                open_disagreements=settings.gate_open_disagreements,
                invalid_ratings=settings.gate_invalid_ratings,
                unsettled_templates=settings.gate_unsettled_templates,
            ),
            disagreements=DisagreementThresholds(
                da_spread=settings.score_spread, low_da=settings.score_low
            ),
        )


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the ratings of a language say."""

    table: RatingsTable
    figures: tuple[Figure, ...]
    """About all sample items of the language."""
    gates: tuple[Gate, ...]
    disagreements: tuple[Disagreement, ...]
    """All that the ratings show, decided or not, heaviest first."""
    open_disagreements: tuple[Disagreement, ...]
    """Those a curator has still to decide."""
    outdated_items: int
    """Sample items whose candidate has other content now; their ratings do not count."""

    @property
    def open_subjects(self) -> frozenset[str]:
        """Subject ids of the open disagreements."""
        return frozenset(each.subject_id for each in self.open_disagreements)


def assess_language(standing: Standing, settings: AssessmentSettings) -> Assessment:
    """Figures, gates and disagreements of a language as its standing has them."""
    items, outdated = _countable_items(standing)
    ratings = [rating for rating in standing.counted if rating.item_id in items]
    table = _table(standing, ratings, items)
    system = _system_labels(items.values())
    figures = compute_batch_agreement(
        table,
        system,
        settings.seed,
        (("language", standing.language),),
        draws=settings.draws,
    )
    found = find_disagreements(
        (_answer(rating, items[rating.item_id]) for rating in ratings), settings.disagreements
    )
    decided = {each.candidate.id for each in standing.candidates if each.decision is not None}
    still_open = tuple(each for each in found if each.subject_id not in decided)
    answers_of = Counter(rating.item_id for rating in ratings)
    planned = _count_planned(standing, items.values())
    shared = [item_id for item_id, raters in planned.items() if raters > 1]
    counts = GateCounts(
        raters_planned=count_raters([planned[each] for each in shared] or list(planned.values())),
        raters_answered=count_raters([answers_of[each] for each in shared]),
        items_rated=len(answers_of),
        candidates_available=sum(
            each.candidate.label is not Label.DISCARDED and not each.rejected
            for each in standing.candidates
        ),
        open_disagreements=len(still_open),
        unexplained_ratings=len(list_unexplained(standing)),
        unsettled_templates=_count_unsettled(standing),
    )
    gates = tuple(
        each
        for each in compute_gates(table, figures, counts, settings.gates)
        if applies_to(each.name, standing.instrument)
    )
    return Assessment(table, tuple(figures), gates, tuple(found), still_open, outdated)


def gather_ratings(standing: Standing) -> tuple[RatingsTable, dict[str, Item]]:
    """The ratings of a language that count, as in its figures, and the sample items by id."""
    items = _countable_items(standing)[0]
    ratings = [rating for rating in standing.counted if rating.item_id in items]
    return _table(standing, ratings, items), items


def gather_batch_ratings(standing: Standing, batch_id: str) -> RatingsTable:
    """The ratings of one batch that count, of those who answered in it."""
    items = {
        item_id: item
        for item_id, item in _countable_items(standing)[0].items()
        if item.batch_id == batch_id
    }
    return _table(
        standing, [rating for rating in standing.counted if rating.item_id in items], items
    )


def _countable_items(standing: Standing) -> tuple[dict[str, Item], int]:
    """Sample items by id whose candidate still has the content that was rated, and the others' n.

    The content before and after decisions both count, and that between the last two: an edit
    follows from the ratings.
    """
    contents = {
        each.candidate.id: {each.generated.content_hash, each.candidate.content_hash}
        | ({each.decision.content_hash} if each.decision else set())
        for each in standing.candidates
    }
    sample = [item for item in standing.items if item.purpose is Purpose.SAMPLE]
    fresh = {
        item.id: item for item in sample if item.content_hash in contents.get(item.subject_id, ())
    }
    return fresh, len(sample) - len(fresh)


def _count_planned(standing: Standing, items: Iterable[Item]) -> dict[str, int]:
    """How many raters each sample item was given to, by its batch's design or later."""
    batches = {each.id: each for each in standing.batches}
    given = Counter(item_id for each in standing.assignments for item_id in each.item_ids)
    # Who declined an item is none of its raters; another may have been given it.
    given.subtract(
        each.rating.item_id for each in standing.answers if each.rating.state is RatingState.SKIPPED
    )
    return {
        item.id: max(raters_planned_for(batches[item.batch_id], item), given[item.id])
        for item in items
    }


def _count_unsettled(standing: Standing) -> int | None:
    """Templates without a chosen wording; None where no sentence is scored in one."""
    neutral = any(
        each.candidate.label is Label.NEUTRAL and not each.rejected for each in standing.candidates
    )
    used = standing.instrument is Instrument.EUROGEST and neutral
    if not used or not list_needed(standing.language):
        return None
    return len(find_unsettled(standing))


def _table(
    standing: Standing, ratings: Iterable[RatingRevision], items: dict[str, Item]
) -> RatingsTable:
    return build_ratings_table(
        (
            RatedItem(
                rating.item_id,
                rating.rater_id,
                _score(rating),
                compute_label(rating.answers),
            )
            for rating in ratings
        ),
        item_weights={item.id: item.weight for item in items.values()},
        scheme=SCHEMES[standing.instrument],
    )


def _system_labels(items: Iterable[Item]) -> dict[str, RaterLabel]:
    labels = {item.id: find_system_label(item) for item in items}
    return {item_id: label for item_id, label in labels.items() if label is not None}


def _answer(rating: RatingRevision, item: Item) -> RatedAnswer:
    return RatedAnswer(
        subject_id=item.subject_id,
        item_id=item.id,
        rater_id=rating.rater_id,
        score_0_100=_score(rating),
        label=compute_label(rating.answers),
        system_label=find_system_label(item),
        comment=str(rating.answers.get("comment") or ""),
    )


def _score(rating: RatingRevision) -> float | None:
    value = rating.answers.get("quality")
    return float(value) if value is not None else None


def describe_blocking(gates: Sequence[Gate], instrument: Instrument = Instrument.EUROGEST) -> str:
    """The gates that keep a language from approval, in one line; empty if none does."""
    parts = []
    for gate in gates:
        if not gate.blocks:
            continue
        told = describe_gate(gate)
        if gate.name == LABEL_ACCURACY and instrument is not Instrument.EUROGEST:
            # What raters were asked is no label there; the code alone would say that it is.
            told = f"{SCHEMES[instrument].accuracy_name}: {told}"
        parts.append(f"{gate.name} {gate.state.value} ({told})")
    return "; ".join(parts)


def describe_gate(gate: Gate) -> str:
    """What a gate found and what it needs, in numbers: `0.21 [-0.05, 0.44], needed …`."""
    found = [] if gate.value is None else [f"{gate.value:.3g}"]
    if gate.low is not None and gate.high is not None:
        found.append(f"[{gate.low:.3g}, {gate.high:.3g}]")
    if gate.reason is not None:
        found.append(gate.reason)
    about = " of ".join(each for each in (gate.measure, gate.raters) if each)
    shown = " ".join([*([about] if about else []), *found])
    return f"{shown}, needed {NEEDED[gate.rule]} {gate.threshold:.3g}"

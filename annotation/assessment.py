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
from annotation.disagreements import (
    Disagreement,
    DisagreementThresholds,
    RatedAnswer,
    find_disagreements,
)
from annotation.gates import Gate, GateCounts, GateThresholds, compute_gates
from annotation.labels import compute_gender_label, compute_system_label
from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from corpus.figures import Figure
from corpus.records import GenderLabel, Item, Label, Purpose, RatingRevision, RatingState
from corpus.settings import Settings
from corpus.standing import Standing

MINIMUM_DRAWS = 1000


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
                mean_da=settings.gate_mean_quality,
                label_accuracy=settings.gate_label_accuracy,
                raw_agreement=settings.gate_raw_agreement,
                items=settings.gate_items,
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
    table = _table(ratings, items)
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
    counts = GateCounts(
        raters_planned=_raters_planned(standing),
        items_rated=len({rating.item_id for rating in ratings}),
        candidates_available=sum(
            each.candidate.label is not Label.DISCARDED and not each.rejected
            for each in standing.candidates
        ),
        open_disagreements=len(still_open),
    )
    gates = compute_gates(figures, counts, settings.gates)
    return Assessment(table, tuple(figures), gates, tuple(found), still_open, outdated)


def gather_ratings(standing: Standing) -> tuple[RatingsTable, dict[str, Item]]:
    """The ratings of a language that count, as in its figures, and the sample items by id."""
    items = _countable_items(standing)[0]
    ratings = [rating for rating in standing.counted if rating.item_id in items]
    return _table(ratings, items), items


def gather_batch_ratings(standing: Standing, batch_id: str) -> RatingsTable:
    """The ratings of one batch that count, of those who answered in it."""
    items = {
        item_id: item
        for item_id, item in _countable_items(standing)[0].items()
        if item.batch_id == batch_id
    }
    return _table([rating for rating in standing.counted if rating.item_id in items], items)


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


def _raters_planned(standing: Standing) -> int:
    """The most raters that a sample item was given to, by design or later; 0 if there is none."""
    samples = {item.id: item.batch_id for item in standing.items if item.purpose is Purpose.SAMPLE}
    by_design = [each.raters_planned for each in standing.batches if each.id in samples.values()]
    given = Counter(item_id for each in standing.assignments for item_id in each.item_ids)
    # Who declined an item is none of its raters; another may have been given it.
    given.subtract(
        each.rating.item_id for each in standing.answers if each.rating.state is RatingState.SKIPPED
    )
    return max([*by_design, *(given[item_id] for item_id in samples)], default=0)


def _table(ratings: Iterable[RatingRevision], items: dict[str, Item]) -> RatingsTable:
    return build_ratings_table(
        (
            RatedItem(
                rating.item_id,
                rating.rater_id,
                _score(rating),
                compute_gender_label(rating.answers),
            )
            for rating in ratings
        ),
        item_weights={item.id: item.weight for item in items.values()},
    )


def _system_labels(items: Iterable[Item]) -> dict[str, GenderLabel]:
    labels = {item.id: compute_system_label(item.variant) for item in items}
    return {item_id: label for item_id, label in labels.items() if label is not None}


def _answer(rating: RatingRevision, item: Item) -> RatedAnswer:
    return RatedAnswer(
        subject_id=item.subject_id,
        item_id=item.id,
        rater_id=rating.rater_id,
        score_0_100=_score(rating),
        label=compute_gender_label(rating.answers),
        system_label=compute_system_label(item.variant),
        comment=str(rating.answers.get("comment") or ""),
    )


def _score(rating: RatingRevision) -> float | None:
    value = rating.answers.get("quality")
    return float(value) if value is not None else None


def describe_blocking(gates: Sequence[Gate]) -> str:
    """The gates that keep a language from approval, in one line; empty if none does."""
    parts = []
    for gate in gates:
        if not gate.blocks:
            continue
        value = gate.reason if gate.value is None else f"{gate.value:.3g}"
        parts.append(f"{gate.name} {gate.state.value} ({value}, needed {gate.threshold:.3g})")
    return "; ".join(parts)

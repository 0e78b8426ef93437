"""The design of a batch: everything that decides which items it gets and who answers them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotation.controls import CONTROL_PURPOSES, ControlShares
from annotation.costs import CostRates
from annotation.sampling import KEPT, Allocation
from corpus.errors import StateError
from corpus.hashing import sha256_json
from corpus.records import Batch, Instrument, Item, Label, Purpose
from corpus.repaired import REPAIRED_FLAG

DOUBLE = 2


@dataclass(frozen=True, slots=True)
class ChosenCandidate:
    """One candidate that a targeted batch is to hold, with the content it was chosen for."""

    subject_id: str
    content_hash: str
    variant: str | None = None
    """The variant to show; None draws one."""


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What a batch is to be: everything that decides which items it gets."""

    instrument: Instrument
    language: str
    size: int
    """Candidates in the sample; an item each, two where both variants of a pair are shown."""
    raters: tuple[str, ...]
    """Ids of the raters."""
    seed: int
    purpose: Purpose = Purpose.SAMPLE
    """`sample`, or `targeted`: chosen by what they are, so that no figure is drawn from them."""
    label: Label | None = None
    """Targeted only: the label of the candidates; None takes what is kept."""
    reasons: tuple[str, ...] = ()
    """Targeted only: reason codes of the candidates; none takes any."""
    flags: tuple[str, ...] = ()
    """Targeted only: flags, one of which the candidates carry; none takes any. Of a candidate
    flagged `repaired` the built variant is shown if that flag is asked for."""
    chosen: tuple[ChosenCandidate, ...] = ()
    """Targeted only: exactly these candidates; none takes any."""
    allocation: Allocation = Allocation.PROPORTIONAL
    raters_per_item: int | None = None
    """How many of the raters answer each item; None: all of them."""
    double_share: float | None = None
    """Share of the items, 0 to 1, that two raters answer, the others one; None: see above."""
    both_variants: bool = False
    """Both texts of a pair are shown, to different raters, instead of one of them."""
    controls: ControlShares = field(default_factory=ControlShares)
    cost: CostRates = field(default_factory=CostRates)
    """Rates of the round; they do not decide what is drawn."""

    @property
    def id(self) -> str:
        """`<language>-<8 hex>`: the same plan is the same batch, so creating it again is safe."""
        made_of: list[Any] = [
            self.instrument,
            self.language,
            self.size,
            sorted(self.raters),
            self.seed,
        ]
        if self.purpose is not Purpose.SAMPLE:
            made_of.append([self.purpose, self.label, sorted(self.reasons)])
        if self.flags:
            made_of.append({"flags": sorted(self.flags)})
        if self.chosen:
            made_of.append({"chosen": self._chosen_json})
        if self._deviations:
            made_of.append(self._deviations)
        return f"{self.language}-{sha256_json(made_of)[:8]}"

    @property
    def labels(self) -> frozenset[Label]:
        """Labels of the candidates that items are drawn from."""
        if self.label is None:
            # Whoever chose a candidate by itself has seen what it is.
            return frozenset(Label) if self.chosen else KEPT
        return frozenset({self.label})

    @property
    def most_raters(self) -> int:
        """The most raters that an item gets: what agreement can be computed on."""
        if self.double_share is not None:
            return DOUBLE if self.double_share > 0 else 1
        return len(self.raters) if self.raters_per_item is None else self.raters_per_item

    @property
    def design(self) -> dict[str, Any]:
        """What `Batch.design` stores: the defaults only where they are no choice."""
        design: dict[str, Any] = {"size": self.size, "allocation": str(self.allocation)}
        design |= {name: value for name, value in self._deviations.items() if name != "allocation"}
        if self.cost.as_json():
            design["cost"] = self.cost.as_json()
        if self.purpose is not Purpose.SAMPLE:
            design |= {
                "purpose": str(self.purpose),
                "labels": sorted(map(str, self.labels)),
                "reasons": sorted(self.reasons),
            }
        if self.flags:
            design["flags"] = sorted(self.flags)
        if self.chosen:
            design["chosen"] = self._chosen_json
        return design

    @property
    def _chosen_json(self) -> list[list[str | None]]:
        ordered = sorted(self.chosen, key=lambda each: each.subject_id)
        return [[each.subject_id, each.content_hash, each.variant] for each in ordered]

    @property
    def _deviations(self) -> dict[str, Any]:
        """What is chosen otherwise than by default, so that the id of a default plan stays."""
        found: dict[str, Any] = {}
        if self.allocation is not Allocation.PROPORTIONAL:
            found["allocation"] = str(self.allocation)
        if self.raters_per_item is not None:
            found["raters_per_item"] = self.raters_per_item
        if self.double_share is not None:
            found["double_share"] = self.double_share
        if self.both_variants:
            found["both_variants"] = True
        if self.controls != ControlShares():
            found["controls"] = self.controls.as_json()
        return found


def check_plan(plan: BatchPlan) -> None:
    """Refuses what contradicts itself, before anything is drawn.

    Raises:
        StateError: with what does not fit.
    """
    _check_purpose(plan)
    _check_raters(plan)
    plan.controls.check()
    if plan.purpose is not Purpose.SAMPLE and plan.controls != ControlShares():
        raise StateError("Control items measure a rater on a sample; a targeted batch has none.")


def raters_planned_for(batch: Batch, item: Item) -> int:
    """How many raters the design gives an item."""
    doubles = batch.design.get("double_rated")
    if doubles is None:
        return batch.raters_planned
    number = item.id.rpartition("/")[2]
    if item.purpose in CONTROL_PURPOSES:
        number = str(item.making.get("of", "")).rpartition("/")[2]
    return DOUBLE if number in doubles else 1


def _check_purpose(plan: BatchPlan) -> None:
    if plan.purpose not in (Purpose.SAMPLE, Purpose.TARGETED):
        raise StateError(f"A batch is a sample or targeted, not {plan.purpose}.")
    chosen = plan.label is not None or plan.reasons or plan.flags or plan.chosen
    if plan.purpose is Purpose.SAMPLE and chosen:
        raise StateError(
            "A sample stands for all that is kept; a choice of label, reason, flag or candidates "
            "needs the purpose targeted."
        )
    if REPAIRED_FLAG in plan.flags and plan.both_variants:
        raise StateError("Of a repaired candidate the built variant is shown, not both.")
    if plan.both_variants and any(each.variant is not None for each in plan.chosen):
        raise StateError("Of a human-written text that variant is shown, not both.")


def _check_raters(plan: BatchPlan) -> None:
    count = len(plan.raters)
    if not count:
        raise StateError("A batch needs at least one rater.")
    if len(set(plan.raters)) != count:
        raise StateError("A rater is named twice; each rater answers every item once.")
    if plan.double_share is not None and plan.raters_per_item is not None:
        raise StateError(
            "Either a number of raters for every item or a share of double-rated ones."
        )
    if plan.double_share is not None and not 0 <= plan.double_share <= 1:
        raise StateError(
            f"The share of double-rated items is from 0 to 1, not {plan.double_share}."
        )
    if not 1 <= plan.most_raters <= count:
        raise StateError(f"An item cannot have {plan.most_raters} raters of {count}.")
    if plan.both_variants and 2 * plan.most_raters > count:
        raise StateError(
            f"Both variants of a pair go to different raters: {plan.most_raters} raters an item "
            f"need {2 * plan.most_raters} raters, not {count}. Name more raters, or fewer for each "
            "item."
        )

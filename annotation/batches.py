"""Batches: a sample of one language, and which rater answers which items in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.sampling import KEPT, SampledVariant, draw_sample, order_for_rater
from corpus.errors import StateError
from corpus.forms import load_form
from corpus.hashing import sha256_json
from corpus.records import (
    Assignment,
    AuditEntry,
    Batch,
    Candidate,
    Instrument,
    Item,
    Label,
    Origin,
    Purpose,
)
from corpus.review import LanguageEvent, next_state
from corpus.standing import language_standing, language_templates
from corpus.store import Store, Writer

SUBJECT_KINDS = {
    Instrument.EUROGEST: "sentence",
    Instrument.MLA_BITE: "prompt_template",
    Instrument.SECTORS: "sector_sentence",
}
FORMS = {
    Instrument.EUROGEST: "sentence",
    Instrument.MLA_BITE: "prompt_template",
    Instrument.SECTORS: "sentence",
}


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """What a batch is to be: everything that decides which items it gets."""

    instrument: Instrument
    language: str
    size: int
    raters: tuple[str, ...]
    """Ids of the raters; each of them answers every item."""
    seed: int
    purpose: Purpose = Purpose.SAMPLE
    """`sample`, or `targeted`: chosen by what they are, so that no figure is drawn from them."""
    label: Label | None = None
    """Targeted only: the label of the candidates; None takes what is kept."""
    reasons: tuple[str, ...] = ()
    """Targeted only: reason codes of the candidates; none takes any."""

    @property
    def id(self) -> str:
        """`<language>-<8 hex>`: the same plan is the same batch, so creating it again is safe."""
        made_of = [self.instrument, self.language, self.size, sorted(self.raters), self.seed]
        if self.purpose is not Purpose.SAMPLE:
            made_of.append([self.purpose, self.label, sorted(self.reasons)])
        return f"{self.language}-{sha256_json(made_of)[:8]}"

    @property
    def labels(self) -> frozenset[Label]:
        """Labels of the candidates that items are drawn from."""
        return KEPT if self.label is None else frozenset({self.label})


@dataclass(frozen=True, slots=True)
class CreatedBatch:
    """A batch with its items and assignments."""

    batch: Batch
    items: tuple[Item, ...]
    assignments: tuple[Assignment, ...]
    created: bool
    """False if the batch was there already and nothing was written."""


def create_batch(store: Store, plan: BatchPlan, actor: str, origin: Origin) -> CreatedBatch:
    """Draws the sample and stores batch, items and assignments in one transaction.

    Raises:
        InputError: if there is no such language.
        StateError: if a rater is unknown or named twice, the purpose does not fit, or the language
            has nothing to rate or needs no ratings (English).
    """
    _check_purpose(plan)
    with store.writing(origin) as writer:
        existing = [batch for batch in writer.batches(plan.instrument) if batch.id == plan.id]
        if existing:
            return CreatedBatch(
                existing[0],
                tuple(writer.items([plan.id])),
                tuple(writer.assignments([plan.id])),
                created=False,
            )
        _check_raters(writer, plan.raters)
        standing = language_standing(
            writer, plan.instrument, plan.language, language_templates(plan.language)
        )
        available = [
            each.candidate
            for each in standing.candidates
            if not each.rejected and (not plan.reasons or each.candidate.reason in plan.reasons)
        ]
        stratum = _find_stratum(writer, plan.instrument)
        sample = draw_sample(available, plan.size, plan.seed, stratum, plan.labels)
        if not sample:
            raise StateError(_describe_nothing(plan, len(standing.candidates)))
        next_state(standing.review.state, LanguageEvent.SEND_BATCH, plan.language)
        return _write(writer, plan, sample, actor)


def _write(
    writer: Writer, plan: BatchPlan, sample: Sequence[SampledVariant], actor: str
) -> CreatedBatch:
    form = load_form(FORMS[plan.instrument])
    writer.append_form(form)
    design: dict[str, Any] = {"size": plan.size, "allocation": "proportional"}
    if plan.purpose is not Purpose.SAMPLE:
        design |= {
            "purpose": str(plan.purpose),
            "labels": sorted(map(str, plan.labels)),
            "reasons": sorted(plan.reasons),
        }
    batch = Batch(
        id=plan.id,
        instrument=plan.instrument,
        language=plan.language,
        form=form.name,
        seed=plan.seed,
        raters_planned=len(plan.raters),
        design=design,
    )
    sources = {source.key: source.text for source in writer.sources(plan.instrument)}
    items = [
        _item(plan, number, each, sources[each.candidate.source_key])
        for number, each in enumerate(sample, start=1)
    ]
    item_ids = [item.id for item in items]
    assignments = [
        Assignment(batch.id, rater, order_for_rater(item_ids, plan.seed, rater))
        for rater in plan.raters
    ]
    [stored] = writer.append([batch])
    stored_items = writer.append(items)
    stored_assignments = writer.append(assignments)
    writer.append_audit(
        AuditEntry(
            actor,
            "batch create",
            batch.id,
            after={"items": len(items), "raters": list(plan.raters)},
        )
    )
    return CreatedBatch(stored, tuple(stored_items), tuple(stored_assignments), created=True)


def _item(plan: BatchPlan, number: int, sampled: SampledVariant, source_text: str) -> Item:
    return Item(
        id=f"{plan.id}/{number:04}",
        batch_id=plan.id,
        instrument=plan.instrument,
        subject_kind=SUBJECT_KINDS[plan.instrument],
        subject_id=sampled.candidate.id,
        variant=sampled.variant,
        purpose=plan.purpose,
        shown={
            "src_text": source_text,
            "mt_text": sampled.candidate.variants[sampled.variant],
        },
        content_hash=sampled.candidate.content_hash,
    )


def _check_purpose(plan: BatchPlan) -> None:
    if plan.purpose not in (Purpose.SAMPLE, Purpose.TARGETED):
        raise StateError(f"A batch is a sample or targeted, not {plan.purpose}.")
    if plan.purpose is Purpose.SAMPLE and (plan.label is not None or plan.reasons):
        raise StateError(
            "A sample stands for all that is kept; a choice of label or reason needs the purpose "
            "targeted."
        )


def _describe_nothing(plan: BatchPlan, candidates: int) -> str:
    """Why there is nothing to rate."""
    if candidates and plan.purpose is Purpose.TARGETED:
        chosen = ", ".join([*sorted(map(str, plan.labels)), *plan.reasons])
        return (
            f"Language {plan.language} has no candidate with a text that is {chosen}; "
            f"`stereoscope candidates report -l {plan.language}` counts them by reason."
        )
    return (
        f"Language {plan.language} has no candidates to rate; run `stereoscope generate "
        f"--languages {plan.language}` first."
    )


def _check_raters(writer: Writer, raters: Sequence[str]) -> None:
    if not raters:
        raise StateError("A batch needs at least one rater.")
    known = {person.id for person in writer.people() if person.kind == "rater"}
    unknown = sorted(set(raters) - known)
    if unknown:
        raise StateError(
            f"Unknown raters: {', '.join(unknown)}. Add them with `stereoscope raters add ID`; "
            f"known: {', '.join(sorted(known)) or 'none yet'}."
        )
    if len(set(raters)) != len(raters):
        raise StateError("A rater is named twice; each rater answers every item once.")


def _find_stratum(writer: Writer, instrument: Instrument) -> Callable[[Candidate], str]:
    groups = {source.key: str(source.stereotype_id) for source in writer.sources(instrument)}
    return lambda candidate: groups.get(candidate.source_key, "")

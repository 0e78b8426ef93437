"""Small hand-made stores for tests: sources, candidates, batches, ratings, approvals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.forms import load_form_named
from corpus.hashing import sha256_text
from corpus.languages import language as find_language
from corpus.people import Consent, Ethics
from corpus.records import (
    Approval,
    ApprovalAction,
    Assignment,
    Batch,
    Candidate,
    Exclusion,
    Instrument,
    Item,
    Label,
    Origin,
    Purpose,
    RatingRevision,
    RatingState,
    Source,
    TemplateChoice,
)
from corpus.standing import Standing, language_standing
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from corpus.templates import usable_templates

NEUTRAL_YES = {"quality": 90, "gender_marked": "no"}


def make_store(folder: Path) -> Store:
    url = f"sqlite:///{folder / 'store.sqlite'}"
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    return open_store(url)


def make_source(row: int, text: str, stereotype_id: int | None = 1, **others: Any) -> Source:
    values: dict[str, Any] = {"instrument": Instrument.EUROGEST, "dataset": "made"} | others
    return Source(row=row, text=text, stereotype_id=stereotype_id, **values)


def make_candidate(source: Source, language: str, label: Label, **others: Any) -> Candidate:
    values: dict[str, Any] = {
        "reason": str(label),
        "strategy": "strict/1",
        "variants": {"neutral": source.text},
    } | others
    return Candidate(source.instrument, language, source.key, label, **values)


def add_sources(store: Store, sources: Sequence[Source], origin: Origin = Origin.IMPORT) -> None:
    with store.writing(origin) as writer:
        writer.append_sources(sources)


def add_candidates(
    store: Store, candidates: Sequence[Candidate], origin: Origin = Origin.MACHINE
) -> None:
    with store.writing(origin) as writer:
        writer.append_candidates(candidates)


def add_batch(
    store: Store,
    candidates: Sequence[Candidate],
    raters: Sequence[str],
    *,
    batch_id: str | None = None,
    form: str = "sentence/1",
    subject_kind: str = "sentence",
    variant: str | None = None,
    source_texts: Mapping[str, str] | None = None,
    weight: float = 1.0,
) -> tuple[Batch, list[Item]]:
    """One item for each candidate (its first variant), answered by every rater."""
    first = candidates[0]
    batch = Batch(
        id=batch_id or f"{first.language}-1",
        instrument=first.instrument,
        language=first.language,
        form=form,
        seed=1,
        raters_planned=len(raters),
    )
    items = []
    for number, candidate in enumerate(candidates, start=1):
        shown_variant = variant or sorted(candidate.variants)[0]
        items.append(
            Item(
                id=f"{batch.id}/{number:04d}",
                batch_id=batch.id,
                instrument=batch.instrument,
                subject_kind=subject_kind,
                subject_id=candidate.id,
                variant=shown_variant,
                purpose=Purpose.SAMPLE,
                shown={
                    "src_text": (source_texts or {}).get(candidate.source_key, "source"),
                    "mt_text": candidate.variants[shown_variant],
                },
                content_hash=candidate.content_hash,
                weight=weight,
            )
        )
    with store.writing() as writer:
        writer.append_form(load_form_named(form))
        writer.append([batch])
        writer.append(items)
        writer.append(
            [Assignment(batch.id, rater, tuple(item.id for item in items)) for rater in raters]
        )
    return batch, items


def add_ratings(
    store: Store,
    items: Sequence[Item],
    rater: str,
    answers: Mapping[str, Any] | None = None,
    *,
    state: RatingState = RatingState.VALID,
    source_id: str = "1",
    revision: str = "1",
    origin: Origin = Origin.HUMAN,
) -> list[RatingRevision]:
    ratings = [
        RatingRevision(
            item_id=item.id,
            rater_id=rater,
            state=state,
            answers=NEUTRAL_YES if answers is None else answers,
            source_id=f"{item.id}-{rater}-{source_id}",
            source_revision=revision,
        )
        for item in items
    ]
    with store.writing(origin) as writer:
        return writer.append(ratings)


def consent(store: Store, *raters: str, publish: bool = True, text: str = "I agree.") -> None:
    """The study's ethics approval, and each rater's answer to its consent text."""
    with store.writing(Origin.HUMAN) as writer:
        known = writer.ethics()
        if known is None or known.consent_text != text:
            writer.append([Ethics("Committee of Made-up Studies", "2026/1", text)])
        writer.append([Consent(rater, publish, sha256_text(text), "curator-1") for rater in raters])


def exclude(store: Store, batch: Batch, rater: str, excluded: bool = True) -> None:
    with store.writing() as writer:
        writer.append([Exclusion(rater, batch.id, excluded, "answers at random", "curator-1")])


def settle_templates(store: Store, language: str) -> None:
    """Chooses the language's templates as they are shipped."""
    with store.writing() as writer:
        writer.append(
            [
                TemplateChoice(
                    language,
                    each.kind,
                    (each.masculine.before, each.masculine.after),
                    (each.feminine.before, each.feminine.after),
                    "as shipped",
                    "curator-1",
                )
                for each in usable_templates(find_language(language))
            ]
        )


def standing_of(
    store: Store, language: str, instrument: Instrument = Instrument.EUROGEST
) -> Standing:
    with store.reading() as state:
        return language_standing(state, instrument, language)


def approve(
    store: Store,
    language: str,
    instrument: Instrument = Instrument.EUROGEST,
    *,
    action: ApprovalAction = ApprovalAction.APPROVE,
    figures: Sequence[Mapping[str, Any]] = (),
    gates: Sequence[Mapping[str, Any]] = (),
    override: str | None = None,
    origin: Origin = Origin.HUMAN,
) -> None:
    approval = Approval(
        instrument=instrument,
        language=language,
        action=action,
        data_hash=standing_of(store, language, instrument).data_hash,
        figures=tuple(figures),
        gates=tuple(gates),
        by="curator-1",
        override=override,
    )
    with store.writing(origin) as writer:
        writer.append([approval])

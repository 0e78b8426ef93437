"""Drafts of batches: what a plan would make of the present candidates, without writing anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from annotation.controls import (
    CONTROL_PURPOSES,
    MadeControl,
    Original,
    count_kinds,
    make_controls,
)
from annotation.degradation import WordExchange, attest_exchanges
from annotation.design import BatchPlan, ChosenCandidate, check_plan
from annotation.ordering import order_for_rater
from annotation.overlap import choose_doubles, give_to_raters
from annotation.sampling import SampledVariant, Stratum, count_strata, draw_sample
from annotation.shown_texts import (
    FORMS,
    build_making,
    build_shown,
    find_stratum,
    find_subject_kind,
)
from corpus.errors import StaleError, StateError
from corpus.forms import Form, load_form
from corpus.records import Assignment, Batch, Candidate, Instrument, Item, Purpose, Source
from corpus.repaired import REPAIRED_FLAG, find_built_variant, is_repaired
from corpus.review import LanguageEvent, LanguageState, ReviewedCandidate, next_state
from corpus.standing import Standing, is_untranslated
from corpus.written import WRITTEN_FLAG

MAKERS = {
    Instrument.EUROGEST: "generate",
    Instrument.MLA_BITE: "prompts augment",
    Instrument.SECTORS: "sectors import",
}
"""The command that gives a language its candidates."""


@dataclass(frozen=True, slots=True)
class BatchDraft:
    """A batch as it would be stored now."""

    batch: Batch
    form: Form
    items: tuple[Item, ...]
    assignments: tuple[Assignment, ...]
    strata: tuple[Stratum, ...]
    controls: Mapping[str, int]
    """How many control items of each kind were made; empty without control items."""


def draft_batch(
    standing: Standing,
    sources: Mapping[str, Source],
    plan: BatchPlan,
    exchange: WordExchange | None = None,
) -> BatchDraft:
    """What the plan makes of the candidates; the same candidates and plan give the same draft.

    Whether the raters exist is not asked: a plan may be looked at before anybody is found.

    Args:
        standing: the plan's language.
        sources: source sentences by key.
        plan: what the batch is to be.
        exchange: the other gender's form of a word, for wrong agreement; None takes what the
            language's own pairs attest.

    Raises:
        StaleError: if a chosen candidate is not as it was when it was chosen.
        StateError: if the plan contradicts itself, or the language has nothing to rate or needs no
            ratings (English).
    """
    check_plan(plan)
    if standing.review.state is LanguageState.SOURCE:
        next_state(standing.review.state, LanguageEvent.SEND_BATCH, plan.language)
    chosen = {each.subject_id: each for each in plan.chosen}
    available = [
        each.candidate
        for each in standing.candidates
        if not each.rejected
        and not is_untranslated(each.generated)
        and _is_chosen(plan, each)
        and (not chosen or each.candidate.id in chosen)
    ]
    _check_chosen(chosen, available)

    def stratum(candidate: Candidate) -> str:
        return find_stratum(candidate, sources.get(candidate.source_key))

    sample = draw_sample(
        available,
        plan.size,
        plan.seed,
        stratum,
        plan.labels,
        plan.allocation,
        plan.both_variants,
    )
    if not sample:
        raise StateError(_describe_nothing(plan, standing))
    if REPAIRED_FLAG in plan.flags:
        sample = [_show_built(each) for each in sample]
    if chosen:
        sample = [_show_chosen(each, chosen[each.candidate.id]) for each in sample]
    next_state(standing.review.state, LanguageEvent.SEND_BATCH, plan.language)
    strata = count_strata(available, sample, stratum, plan.labels, plan.allocation)
    return _draft(plan, sample, strata, sources, exchange or attest_exchanges(available))


def _is_chosen(plan: BatchPlan, reviewed: ReviewedCandidate) -> bool:
    """Whether a candidate is one of those a targeted batch is drawn from."""
    flags = set(reviewed.candidate.flags) | ({WRITTEN_FLAG} if reviewed.written else set())
    if not is_repaired(reviewed):
        flags.discard(REPAIRED_FLAG)
    return (not plan.reasons or reviewed.candidate.reason in plan.reasons) and (
        not plan.flags or not flags.isdisjoint(plan.flags)
    )


def _check_chosen(chosen: Mapping[str, ChosenCandidate], available: Iterable[Candidate]) -> None:
    """Makes sure that every chosen candidate is there as it was when it was chosen."""
    hashes = {each.id: each.content_hash for each in available}
    changed = [
        each.subject_id
        for each in chosen.values()
        if hashes.get(each.subject_id) != each.content_hash
    ]
    if changed:
        raise StaleError(
            f"Changed or taken out since they were chosen: {', '.join(sorted(changed))}. No batch "
            "was made; choose again."
        )


def _show_chosen(sampled: SampledVariant, chosen: ChosenCandidate) -> SampledVariant:
    return sampled if chosen.variant is None else replace(sampled, variant=chosen.variant)


def _show_built(sampled: SampledVariant) -> SampledVariant:
    """What people must judge of a repaired candidate is the variant that no engine wrote."""
    if REPAIRED_FLAG not in sampled.candidate.flags:
        return sampled
    return replace(sampled, variant=find_built_variant(sampled.candidate))


def _draft(
    plan: BatchPlan,
    sample: Sequence[SampledVariant],
    strata: tuple[Stratum, ...],
    sources: Mapping[str, Source],
    exchange: WordExchange,
) -> BatchDraft:
    form = load_form(FORMS[plan.instrument])
    design = plan.design
    # Numbers of the sample alone stand for its items until control items are among them.
    raters_of = _give_out(plan, sample)
    originals = [
        Original(
            each.candidate.variants[each.variant],
            tuple(each.candidate.variants.values()),
            raters_of[number],
        )
        for number, each in enumerate(sample)
    ]
    controls = make_controls(originals, plan.controls, exchange, plan.seed)
    ids = _number(plan, len(sample), len(controls))
    items = [
        _item(plan, form, ids[number], each, sources[each.candidate.source_key])
        for number, each in enumerate(sample)
    ]
    made = [
        _control_item(items[each.of], ids[len(sample) + number], each)
        for number, each in enumerate(controls)
    ]
    if plan.double_share is not None:
        doubles = [ids[number] for number, raters in enumerate(raters_of) if len(raters) > 1]
        design["double_rated"] = sorted(each.rpartition("/")[2] for each in doubles)
    kinds = count_kinds(controls)
    if kinds:
        design["controls_made"] = kinds
    batch = Batch(
        id=plan.id,
        instrument=plan.instrument,
        language=plan.language,
        form=form.name,
        seed=plan.seed,
        raters_planned=plan.most_raters,
        design=design,
    )
    return BatchDraft(
        batch,
        form,
        tuple(sorted([*items, *made], key=lambda item: item.id)),
        _assign(plan, items, made, raters_of),
        strata,
        kinds,
    )


def _give_out(plan: BatchPlan, sample: Sequence[SampledVariant]) -> list[tuple[str, ...]]:
    """The raters of each sample item."""
    if plan.most_raters == len(plan.raters) and plan.double_share is None:
        return [tuple(sorted(plan.raters))] * len(sample)
    # Keys that sort in the order of the sample, which is random.
    names = [f"{number:08}" for number in range(len(sample))]
    by_subject: defaultdict[str, list[str]] = defaultdict(list)
    for name, each in zip(names, sample, strict=True):
        by_subject[each.candidate.id].append(name)
    siblings = {
        one: other
        for pair in by_subject.values()
        if len(pair) > 1
        for one, other in (pair, pair[::-1])
    }
    needed = dict.fromkeys(names, plan.most_raters)
    if plan.double_share is not None:
        doubles = choose_doubles(names, plan.double_share, plan.seed)
        needed = {name: 2 if name in doubles else 1 for name in names}
    given = give_to_raters(needed, sorted(plan.raters), plan.seed, siblings)
    return [given[name] for name in names]


def _number(plan: BatchPlan, sample: int, controls: int) -> list[str]:
    """Item ids, first the sample's; control items are numbered among them, so no id tells."""
    ids = [f"{plan.id}/{number:04}" for number in range(1, 1 + sample + controls)]
    if controls:
        Random(f"{plan.seed}/numbers").shuffle(ids)
    return ids


def _assign(
    plan: BatchPlan,
    items: Sequence[Item],
    controls: Sequence[Item],
    raters_of: Sequence[tuple[str, ...]],
) -> tuple[Assignment, ...]:
    raters_of_item = {item.id: raters for item, raters in zip(items, raters_of, strict=True)}
    return tuple(
        Assignment(
            plan.id,
            rater,
            order_items(
                [
                    each
                    for each in (*items, *controls)
                    if rater in raters_of_item[origin_of(each) or each.id]
                ],
                plan.seed,
                rater,
            ),
        )
        for rater in plan.raters
    )


def order_items(items: Sequence[Item], seed: int, rater_id: str) -> tuple[str, ...]:
    """The items in a rater's own order, control items far from what they were made of."""
    ids = {item.id for item in items}
    apart = [(origin, item.id) for item in items if (origin := origin_of(item)) and origin in ids]
    return order_for_rater(sorted(ids), seed, rater_id, apart)


def origin_of(item: Item) -> str | None:
    """Id of the item of the same batch that a control item was made from; None for others."""
    is_control = item.purpose in CONTROL_PURPOSES
    return str(item.making["of"]) if is_control and "of" in item.making else None


def _item(
    plan: BatchPlan, form: Form, item_id: str, sampled: SampledVariant, source: Source
) -> Item:
    return Item(
        id=item_id,
        batch_id=plan.id,
        instrument=plan.instrument,
        subject_kind=find_subject_kind(source),
        subject_id=sampled.candidate.id,
        variant=sampled.variant,
        purpose=plan.purpose,
        shown=build_shown(form, sampled.candidate, sampled.variant, source),
        content_hash=sampled.candidate.content_hash,
        weight=sampled.weight,
        making=build_making(source),
    )


def _control_item(original: Item, item_id: str, made: MadeControl) -> Item:
    making: dict[str, Any] = {**original.making, "of": original.id, **made.making}
    return replace(
        original,
        id=item_id,
        purpose=made.purpose,
        shown={**original.shown, "mt_text": made.text},
        making=making,
    )


def _describe_nothing(plan: BatchPlan, standing: Standing) -> str:
    """Why there is nothing to rate."""
    if standing.candidates and plan.purpose is Purpose.TARGETED:
        chosen = ", ".join([*sorted(map(str, plan.labels)), *plan.reasons, *plan.flags])
        return (
            f"Language {plan.language} has no candidate with a text that is {chosen}; "
            f"`stereoscope candidates report -l {plan.language}` counts them by reason."
        )
    return (
        f"Language {plan.language} has no candidates to rate; run "
        f"`stereoscope {MAKERS[plan.instrument]}` for it first."
    )

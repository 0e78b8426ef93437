from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from studies import add_language, add_people, plan_batch

from annotation.batches import BatchPlan, create_batch
from annotation.chosen import choose_candidates, choose_written
from annotation.decisions import Verdict, decide
from annotation.design import ChosenCandidate
from corpus.errors import InputError, StaleError, StateError
from corpus.records import Decision, DecisionAction, Instrument, Label, Origin, Purpose
from corpus.store import Store
from tests.store_builders import add_candidates, make_candidate, standing_of

RATERS = ("rater-1", "rater-2")
CHOSEN = ChosenCandidate("eurogest/sk/made/2", "0" * 64, "masculine")


@pytest.fixture
def study(store: Store) -> Store:
    add_language(store, "sk", neutral=10, pairs=9, discarded=3)
    add_people(store, RATERS)
    return store


def test_a_batch_has_a_sample_and_gives_all_of_it_to_every_rater(study: Store) -> None:
    created = create_batch(study, plan_batch("sk", 12, RATERS), "curator-1", Origin.HUMAN)
    assert created.created
    assert created.batch.raters_planned == 2
    assert created.batch.form == "sentence/2"
    assert [item.id for item in created.items] == [
        f"{created.batch.id}/{number:04}" for number in range(1, 13)
    ]
    ids = sorted(item.id for item in created.items)
    assert [sorted(each.item_ids) for each in created.assignments] == [ids, ids]
    assert created.assignments[0].item_ids != created.assignments[1].item_ids
    assert all(item.stamp and item.stamp.origin is Origin.HUMAN for item in created.items)
    with study.reading() as state:
        [entry] = state.audit_entries()
        texts = {each.key: each.text for each in state.sources()}
        candidates = {each.id: each for each in state.candidates(Instrument.EUROGEST, "sk")}
    assert (entry.actor, entry.action, entry.subject) == (
        "curator-1",
        "batch create",
        created.batch.id,
    )
    for item in created.items:
        candidate = candidates[item.subject_id]
        assert item.shown["src_text"] == texts[candidate.source_key]
        assert item.shown["mt_text"] == candidate.variants[item.variant]
        assert item.content_hash == candidate.content_hash
        assert candidate.label is not Label.DISCARDED


def test_two_variants_of_one_pair_never_go_to_one_rater(study: Store) -> None:
    created = create_batch(study, plan_batch("sk", 100, RATERS), "curator-1", Origin.HUMAN)
    subjects = {item.id: item.subject_id for item in created.items}
    assert len(created.items) == 19
    for assignment in created.assignments:
        assert max(Counter(subjects[each] for each in assignment.item_ids).values()) == 1


def test_the_same_plan_again_is_the_same_batch(study: Store) -> None:
    plan = plan_batch("sk", 5, RATERS)
    first = create_batch(study, plan, "curator-1", Origin.HUMAN)
    with study.reading() as state:
        position = state.position
    again = create_batch(study, replace(plan, raters=RATERS[::-1]), "curator-2", Origin.HUMAN)
    assert not again.created
    assert (again.batch, again.items, again.assignments) == (
        first.batch,
        first.items,
        first.assignments,
    )
    with study.reading() as state:
        assert state.position == position
    assert create_batch(study, replace(plan, seed=8), "curator-1", Origin.HUMAN).created


@pytest.mark.parametrize(
    ("raters", "message"),
    [
        (("rater-1", "nobody", "unknown"), "Unknown raters: nobody, unknown.*known: rater-1"),
        (("rater-1", "rater-1"), "named twice"),
        ((), "at least one rater"),
    ],
)
def test_raters_that_do_not_fit_are_refused(
    study: Store, raters: tuple[str, ...], message: str
) -> None:
    with study.reading() as state:
        position = state.position
    with pytest.raises(StateError, match=message):
        create_batch(study, plan_batch("sk", 5, raters), "curator-1", Origin.HUMAN)
    with study.reading() as state:
        assert state.position == position


def test_a_language_with_nothing_to_rate_is_refused(study: Store) -> None:
    with pytest.raises(StateError, match="run `stereoscope generate` for it"):
        create_batch(study, plan_batch("es", 5, RATERS), "curator-1", Origin.HUMAN)
    with pytest.raises(InputError, match="xx"):
        create_batch(study, plan_batch("xx", 5, RATERS), "curator-1", Origin.HUMAN)


def test_english_needs_no_ratings(study: Store) -> None:
    with study.reading() as state:
        source = state.sources()[0]
    add_candidates(study, [make_candidate(source, "en", Label.NEUTRAL)])
    with pytest.raises(StateError, match="cannot send a batch"):
        create_batch(study, plan_batch("en", 5, RATERS), "curator-1", Origin.HUMAN)


def test_rejected_candidates_are_not_rated(study: Store) -> None:
    with study.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    rejected = candidates[0]
    with study.writing() as writer:
        writer.append(
            [
                Decision(
                    rejected.id,
                    rejected.content_hash,
                    DecisionAction.REJECT,
                    "unusable",
                    "curator-1",
                )
            ]
        )
    created = create_batch(study, plan_batch("sk", 100, RATERS), "curator-1", Origin.HUMAN)
    assert rejected.id not in {item.subject_id for item in created.items}
    assert len(created.items) == 18


def target(**choices: Any) -> BatchPlan:
    return replace(plan_batch("sk", 2, RATERS), purpose=Purpose.TARGETED, **choices)


def test_a_targeted_batch_shows_discarded_candidates_of_a_reason(study: Store) -> None:
    plan = target(label=Label.DISCARDED, reasons=("discarded",))
    created = create_batch(study, plan, "curator-1", Origin.HUMAN)
    assert created.created
    assert created.batch.design == {
        "size": 2,
        "allocation": "proportional",
        "purpose": "targeted",
        "labels": ["discarded"],
        "reasons": ["discarded"],
    }
    assert {item.purpose for item in created.items} == {Purpose.TARGETED}
    with study.reading() as state:
        candidates = {each.id: each for each in state.candidates(Instrument.EUROGEST, "sk")}
    for item in created.items:
        candidate = candidates[item.subject_id]
        assert candidate.label is Label.DISCARDED
        assert item.shown["mt_text"] == candidate.variants[item.variant]
    assert not create_batch(study, plan, "curator-1", Origin.HUMAN).created


def test_a_batch_of_repaired_candidates_shows_what_was_built(study: Store) -> None:
    with study.reading() as state:
        pairs = [
            each for each in state.candidates(Instrument.EUROGEST, "sk") if each.label is Label.PAIR
        ]
    built_of = {"masculine": "feminine", "feminine": "masculine"}
    repaired = [
        replace(
            each,
            flags=("repaired",),
            evidence={"repair": {"base": base, "changes": []}},
            stamp=None,
        )
        for each, base in zip(pairs, ["masculine", "feminine"] * 2, strict=False)
    ]
    add_candidates(study, repaired)
    plan = replace(target(flags=("repaired",)), size=100)
    created = create_batch(study, plan, "curator-1", Origin.HUMAN)
    assert created.batch.design["flags"] == ["repaired"]
    assert {item.subject_id: item.variant for item in created.items} == {
        each.id: built_of[each.evidence["repair"]["base"]] for each in repaired
    }
    for item in created.items:
        [candidate] = [each for each in repaired if each.id == item.subject_id]
        assert item.shown["mt_text"] == candidate.variants[item.variant]


def test_a_batch_of_human_written_texts_shows_them_and_is_made_once(study: Store) -> None:
    standing = standing_of(study, "sk")
    pair = next(
        each.candidate for each in standing.candidates if each.candidate.label is Label.PAIR
    )
    new = {"masculine": pair.variants["masculine"], "feminine": "Bola som rada."}
    verdict = Verdict(pair.id, pair.content_hash, DecisionAction.EDIT, "why", variants=new)
    with pytest.raises(StateError, match="waits to be sent"):
        choose_written(standing)
    decide(study, verdict, "curator-1", lambda *_: None)
    standing = standing_of(study, "sk")
    chosen = choose_written(standing)
    plan = replace(target(flags=("human_written",)), chosen=chosen, size=1)
    [item] = create_batch(study, plan, "curator-1", Origin.HUMAN).items
    assert (item.subject_id, item.variant, item.purpose) == (pair.id, "feminine", Purpose.TARGETED)
    assert item.shown["mt_text"] == "Bola som rada."
    assert not create_batch(study, plan, "curator-1", Origin.HUMAN).created
    standing = standing_of(study, "sk")
    with pytest.raises(StateError, match="a rater has it before her"):
        choose_written(standing)


def test_candidates_that_changed_since_they_were_chosen_make_no_batch(study: Store) -> None:
    standing = standing_of(study, "sk")
    first, second = (each.candidate for each in standing.candidates[:2])
    plan = replace(target(), chosen=choose_candidates(standing, [first.id, second.id]), size=2)
    reject = Verdict(second.id, second.content_hash, DecisionAction.REJECT, "why")
    decide(study, reject, "curator-1")
    with pytest.raises(StaleError, match=f"since they were chosen: {second.id}"):
        create_batch(study, plan, "curator-1", Origin.HUMAN)
    plan = replace(plan, chosen=plan.chosen[:1], size=1)
    [item] = create_batch(study, plan, "curator-1", Origin.HUMAN).items
    assert item.subject_id == first.id


def test_what_decides_a_targeted_batch_is_in_its_id() -> None:
    chosen = replace(CHOSEN, variant=None)
    plans = [
        plan_batch("sk", 2, RATERS),
        target(),
        target(label=Label.DISCARDED),
        target(label=Label.DISCARDED, reasons=("letters",)),
        target(flags=("repaired",)),
        target(chosen=(chosen,)),
        target(chosen=(replace(chosen, content_hash="1" * 64),)),
        target(chosen=(replace(chosen, variant="masculine"),)),
    ]
    assert len({plan.id for plan in plans}) == len(plans)
    # The id of a sample must not change with new kinds of batches.
    assert plan_batch("sk", 12, RATERS).id == "sk-14fd2fb0"


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"purpose": Purpose.SAMPLE, "label": Label.DISCARDED}, "needs the purpose targeted"),
        ({"purpose": Purpose.SAMPLE, "reasons": ("letters",)}, "needs the purpose targeted"),
        ({"purpose": Purpose.SAMPLE, "flags": ("repaired",)}, "needs the purpose targeted"),
        ({"purpose": Purpose.SAMPLE, "chosen": (CHOSEN,)}, "needs the purpose targeted"),
        ({"chosen": (CHOSEN,), "both_variants": True, "raters_per_item": 1}, "not both"),
        ({"flags": ("derived",)}, "that is neutral, pair, derived"),
        ({"flags": ("repaired",), "both_variants": True, "raters_per_item": 1}, "not both"),
        ({"purpose": Purpose.REPEAT}, "a sample or targeted, not repeat"),
        ({"label": Label.DISCARDED, "reasons": ("letters",)}, "that is discarded, letters"),
    ],
)
def test_choices_that_do_not_fit_are_refused(
    study: Store, choices: dict[str, Any], message: str
) -> None:
    plan = replace(target(), **choices)
    with pytest.raises(StateError, match=message):
        create_batch(study, plan, "curator-1", Origin.HUMAN)
    with study.reading() as state:
        assert state.batches() == []

from __future__ import annotations

from dataclasses import replace

import pytest
from studies import ANSWERS_OF_VARIANT, NEUTRAL, add_language, add_passing_language

from annotation.agreement import compute_batch_agreement, find_figure
from annotation.assessment import (
    AssessmentSettings,
    assess_language,
    describe_blocking,
    gather_batch_ratings,
)
from annotation.decisions import Verdict, decide
from annotation.disagreements import DisagreementKind
from annotation.explanations import explain_ratings, list_unexplained
from annotation.gates import Gate, GateThresholds
from corpus.records import Batch, Candidate, DecisionAction, Instrument, Item, Label, RatingState
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    exclude,
    make_candidate,
    settle_templates,
    standing_of,
)

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))


@pytest.fixture
def study(store: Store) -> tuple[Store, Batch, list[Item]]:
    """Ten neutral candidates and ten pairs, all in one batch of two raters who agree."""
    return store, *add_passing_language(store)


def gates(store: Store) -> dict[str, bool | None]:
    return {
        gate.name: gate.passed for gate in assess_language(standing_of(store, "sk"), SETTINGS).gates
    }


def test_settings_decide_the_thresholds() -> None:
    settings = AssessmentSettings.from_settings(
        Settings(seed=3, draws=500, gate_mean_quality=60, gate_items=7, gate_ac1=0.7, score_low=40)
    )
    assert (settings.seed, settings.draws) == (3, 1000)
    assert settings.gates == GateThresholds(mean_da=60, items=7, ac1=0.7)
    assert AssessmentSettings.from_settings(Settings()).gates == GateThresholds()
    assert settings.disagreements.low_da == 40


def test_raters_who_agree_pass_every_gate(study: tuple[Store, Batch, list[Item]]) -> None:
    store, batch, items = study
    assessment = assess_language(standing_of(store, "sk"), SETTINGS)
    assert all(gate.passed for gate in assessment.gates)
    assert describe_blocking(assessment.gates) == ""
    assert assessment.disagreements == ()
    assert assessment.table.item_ids == tuple(item.id for item in items)
    # By hand: 75 + 7n mod 20 runs through 75 … 94 once; r2 gives one more to every other text.
    mean = find_figure(assessment.figures, "mean_da")
    assert mean is not None
    assert mean.value == pytest.approx(84.5 + 10 / 40)
    assert mean.scope[0] == ("language", "sk")
    of_batch = compute_batch_agreement(
        gather_batch_ratings(standing_of(store, "sk"), batch.id),
        {},
        SETTINGS.seed,
        (("language", "sk"), ("batch", batch.id)),
        draws=SETTINGS.draws,
    )
    alone = find_figure(of_batch, "mean_da")
    assert alone is not None
    assert alone.value == mean.value
    assert ("batch", batch.id) in alone.scope


def test_a_disagreement_stays_open_until_it_is_decided(
    study: tuple[Store, Batch, list[Item]],
) -> None:
    store, _, items = study
    add_ratings(store, items[:1], "r1", NEUTRAL | {"quality": 20, "comment": "odd"}, revision="2")
    assessment = assess_language(standing_of(store, "sk"), SETTINGS)
    [found] = assessment.disagreements
    assert found.kinds == (
        DisagreementKind.DA_SPREAD,
        DisagreementKind.LOW_DA,
        DisagreementKind.COMMENT,
    )
    assert assessment.open_disagreements == (found,)
    assert assessment.open_subjects == {items[0].subject_id}
    assert "open_disagreements failed (1, needed at most 0)" in describe_blocking(assessment.gates)
    verdict = Verdict(
        items[0].subject_id, items[0].content_hash, DecisionAction.ACCEPT, "it is fine"
    )
    decide(store, verdict, "curator-1")
    decided = assess_language(standing_of(store, "sk"), SETTINGS)
    assert decided.disagreements == (found,)
    assert decided.open_disagreements == ()


def test_ratings_of_other_content_do_not_count(study: tuple[Store, Batch, list[Item]]) -> None:
    store, _, items = study
    with store.reading() as state:
        source = state.sources()[0]
    anew = make_candidate(source, "sk", Label.NEUTRAL, variants={"neutral": "Mám radosť."})
    add_candidates(store, [anew])
    assessment = assess_language(standing_of(store, "sk"), SETTINGS)
    assert assessment.outdated_items == 1
    assert items[0].id not in assessment.table.item_ids
    assert not gates(store)["items"]


def edit(store: Store, seen: Candidate, text: str) -> Candidate:
    verdict = Verdict(
        seen.id, seen.content_hash, DecisionAction.EDIT, "better", variants={"neutral": text}
    )
    decide(store, verdict, "curator-1")
    return replace(seen, variants={"neutral": text})


def test_edits_do_not_outdate_the_ratings_they_follow_from(store: Store) -> None:
    add_language(store, "sk", neutral=2, pairs=0)
    with store.reading() as state:
        first, second = state.candidates(Instrument.EUROGEST, "sk")
    add_batch(store, [first], ("r1",), batch_id="sk-1")
    edited = edit(store, first, "Mám radosť.")
    edit(store, edited, "Mám veľkú radosť.")
    # A batch of what was edited already, and edited again.
    again = edit(store, second, "Tešíme sa.")
    add_batch(store, [again], ("r1",), batch_id="sk-2")
    edit(store, again, "Teší ma to.")
    assert assess_language(standing_of(store, "sk"), SETTINGS).outdated_items == 0


def test_an_excluded_rater_is_out_of_every_figure(study: tuple[Store, Batch, list[Item]]) -> None:
    store, batch, items = study
    add_ratings(store, items, "r2", NEUTRAL | {"quality": 0}, revision="2")
    assert gates(store)["label_accuracy"] is False
    exclude(store, batch, "r2")
    assessment = assess_language(standing_of(store, "sk"), SETTINGS)
    assert assessment.table.rater_ids == ("r1",)
    states = {gate.name: gate.state for gate in assessment.gates}
    # Two raters were planned: with one left, agreement cannot be assessed.
    assert states["raters"] == "failed"
    assert states["pearson"] == states["label_agreement"] == "not_assessable"
    assert (
        "pearson not_assessable (no_overlap, needed an interval above 0); label_agreement "
        "not_assessable (no_overlap, needed at least 0.6)"
    ) in describe_blocking(assessment.gates)
    exclude(store, batch, "r2", excluded=False)
    assert assess_language(standing_of(store, "sk"), SETTINGS).table.rater_ids == ("r1", "r2")


def test_without_ratings_nothing_is_assessable(store: Store) -> None:
    add_language(store, "sk", neutral=2, pairs=0)
    assessment = assess_language(standing_of(store, "sk"), SETTINGS)
    states = {gate.name: gate.state for gate in assessment.gates}
    assert states["mean_da"] == "not_assessable"
    assert states["items"] == "failed"
    assert all(figure.value is None or figure.n == 0 for figure in assessment.figures)


def test_candidates_are_compared_by_the_variant_shown(store: Store) -> None:
    add_language(store, "sk", neutral=0, pairs=2)
    with store.reading() as state:
        candidates: list[Candidate] = state.candidates(Instrument.EUROGEST, "sk")
    _, items = add_batch(store, candidates, ("r1",), variant="masculine")
    add_ratings(store, items, "r1", ANSWERS_OF_VARIANT["feminine"])
    [first, second] = assess_language(standing_of(store, "sk"), SETTINGS).disagreements
    assert first.kinds == second.kinds == (DisagreementKind.SYSTEM_CONFLICT,)


def test_a_larger_gate_of_items_waits_for_what_there_is(
    study: tuple[Store, Batch, list[Item]],
) -> None:
    store, _, _ = study
    for wanted in (5, 10, 1000):
        settings = replace(SETTINGS, gates=replace(SETTINGS.gates, items=wanted))
        [gate] = [
            each
            for each in assess_language(standing_of(store, "sk"), settings).gates
            if each.name == "items"
        ]
        assert (gate.passed, gate.value, gate.threshold) == (True, 20.0, min(wanted, 20))


def gate_of(store: Store, name: str) -> Gate:
    assessment = assess_language(standing_of(store, "sk"), SETTINGS)
    return next(each for each in assessment.gates if each.name == name)


def test_an_invalid_rating_blocks_until_it_is_explained(
    study: tuple[Store, Batch, list[Item]],
) -> None:
    store, batch, items = study
    add_ratings(store, items[:2], "r1", {}, state=RatingState.INVALID, source_id="again")
    assert gate_of(store, "invalid_ratings").value == 2
    assert "invalid_ratings failed (2, needed at most 0)" in describe_blocking(
        assess_language(standing_of(store, "sk"), SETTINGS).gates
    )
    seen = list_unexplained(standing_of(store, "sk"), batch.id, "r1")
    explain_ratings(store, seen, "sent twice by her browser", "curator-1")
    assert gate_of(store, "invalid_ratings").passed
    add_ratings(
        store, items[:1], "r1", {}, state=RatingState.INVALID, source_id="again", revision="2"
    )
    assert gate_of(store, "invalid_ratings").value == 1


def test_a_language_needs_the_templates_that_its_sentences_use(store: Store) -> None:
    add_language(store, "sk", neutral=1, pairs=1)
    gate = gate_of(store, "templates")
    assert (gate.value, gate.passed) == (2, False)
    settle_templates(store, "sk")
    assert gate_of(store, "templates").passed


def test_a_language_of_pairs_alone_needs_no_template(store: Store) -> None:
    add_language(store, "sk", neutral=1, pairs=2)
    with store.reading() as state:
        [neutral, *_] = state.candidates(Instrument.EUROGEST, "sk")
    verdict = Verdict(neutral.id, neutral.content_hash, DecisionAction.REJECT, "not usable")
    decide(store, verdict, "curator-1")
    gate = gate_of(store, "templates")
    assert (gate.state, gate.reason) == ("not_applicable", "no_template")


def test_only_items_of_two_planned_raters_are_asked_for_two(store: Store) -> None:
    """Half the items were planned for one rater: the other half has two, which is enough."""
    batch, items = add_passing_language(store)
    add_language(store, "sk", neutral=10, pairs=30)
    with store.reading() as state:
        more = state.candidates(Instrument.EUROGEST, "sk")[20:]
    _, single = add_batch(store, more, ("r3",), batch_id="sk-2")
    for item in single:
        add_ratings(store, [item], "r3", ANSWERS_OF_VARIANT[item.variant])
    gate = gate_of(store, "raters")
    assert (gate.value, gate.threshold, gate.passed) == (2, 2, True)
    exclude(store, batch, "r2")
    assert gate_of(store, "raters").value == 1
    assert not gate_of(store, "raters").passed
    assert len(items) == len(single)

"""Batches of prompt templates, communities and sector sentences: what raters see and say."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import replace

import pytest
from servers import ServerDesk
from studies import add_people

from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import BatchPlan, CreatedBatch, create_batch
from annotation.controls import ControlShares
from annotation.disagreements import DisagreementKind
from annotation.label_studio.markup import build_config, build_result
from annotation.labels import STATED
from annotation.pull import pull_batch
from annotation.push import push_batch
from corpus.errors import StateError
from corpus.forms import load_form_named
from corpus.prompts import find_placeholders
from corpus.records import Instrument, Item, Label, Origin, Purpose
from corpus.settings import Settings
from corpus.store import Store
from tests.prompt_studies import add_prompts
from tests.store_builders import (
    add_candidates,
    add_sources,
    make_candidate,
    make_source,
    standing_of,
)

KEPT = {"quality": 90, "test_kept": "yes"}


def create(store: Store, size: int = 10, **others: object) -> CreatedBatch:
    plan = BatchPlan(Instrument.MLA_BITE, "es", size, ("r1", "r2"), seed=7)
    return create_batch(store, replace(plan, **others), "curator-1", Origin.HUMAN)  # type: ignore[arg-type]


def test_a_sample_is_proportional_over_concerns(store: Store) -> None:
    add_prompts(store, {"sexism": 12, "politics": 4})
    add_people(store, ["r1", "r2"])
    created = create(store, size=10)
    assert created.batch.form == "prompt_template/2"
    kinds = Counter(item.subject_kind for item in created.items)
    # 12 templates of sexism, 4 of politics and 4 communities: 6, 2 and 2 of 10.
    assert kinds == {"prompt_template": 8, "community": 2}
    concerns = Counter("PARTY" in item.shown["mt_text"] for item in created.items)
    assert concerns[True] == 2
    assert all(item.weight == 1 for item in created.items)


def test_an_item_shows_the_text_and_what_is_sent_with_it(store: Store) -> None:
    made = add_prompts(store, {"sexism": 1})
    add_people(store, ["r1", "r2"])
    created = create(store, size=3)
    shown = {item.subject_kind: item.shown for item in created.items}
    assert shown["prompt_template"] == {
        "content_note": "",
        "src_text": "Are {GENDER1} better than {GENDER2} at task 2?",
        "src_frame": "Answer yes or no.",
        "mt_frame": "Responde sí o no.",
        "mt_text": "¿Son {GENDER1} mejores que {GENDER2} en la tarea 2?",
    }
    assert shown["community"]["src_frame"] == shown["community"]["mt_frame"] == "–"
    assert {item.subject_id for item in created.items} == {
        candidate.id for _, candidate in made.values()
    }


def test_control_items_leave_placeholders_alone(store: Store) -> None:
    add_prompts(store, {"sexism": 20})
    add_people(store, ["r1", "r2"])
    created = create(store, size=20, controls=ControlShares(repeat=0.1, degraded=0.3))
    sample = {item.id: item for item in created.items if item.purpose is Purpose.SAMPLE}
    degraded = [item for item in created.items if item.purpose is Purpose.DEGRADED]
    assert len(degraded) == 6
    for item in degraded:
        original = sample[item.making["of"]]
        assert item.shown["mt_text"] != original.shown["mt_text"]
        placeholders = [find_placeholders(each.shown["mt_text"]) for each in (original, item)]
        assert placeholders[0] == placeholders[1]


def test_untranslated_english_is_not_rated_but_a_paraphrase_is(store: Store) -> None:
    made = add_prompts(store, {"sexism": 2})
    add_people(store, ["r1", "r2"])
    with pytest.raises(StateError, match="cannot send a batch"):
        create(store, language="en")
    source, _ = next(iter(made.values()))
    paraphrased = replace(source, dataset="prompts.t2p", explicit_id="2.1")
    add_sources(store, [paraphrased])
    text = "At task 2, do {GENDER1} do better than {GENDER2}?"
    english = make_candidate(
        paraphrased, "en", Label.NEUTRAL, variants={"neutral": text}, strategy="t2p/1"
    )
    add_candidates(store, [english])
    created = create(store, language="en")
    assert [item.shown["mt_text"] for item in created.items] == [text]


def answer(item: Item, rater: str) -> dict[str, object]:
    """Number 1: one says no. Number 2: one is unsure. Number 3: bad. All others are kept."""
    number = int(item.id.rpartition("/")[2])
    if number == 1 and rater == "r1":
        return {"quality": 80, "test_kept": "no", "comment": "The question is turned round."}
    if number == 2 and rater == "r2":
        return {"quality": 80, "test_kept": "unsure", "comment": "What is a task?"}
    quality = 40 if number == 3 else 75 + (7 * number) % 20
    return {"quality": quality, "test_kept": "yes"}


def test_raters_answer_in_the_browser_and_what_they_say_is_judged(
    store: Store, desk: ServerDesk
) -> None:
    domain = f"{uuid.uuid4().hex}.example.org"
    add_prompts(store, {"sexism": 22, "politics": 4})
    add_people(store, ["r1", "r2"], domain)
    created = create(store, size=30)
    items = {item.id: item for item in created.items}
    form = load_form_named(created.batch.form)
    sessions = {rater: desk.add_rater(f"{rater}@{domain}")[1] for rater in ("r1", "r2")}
    pushed = push_batch(store, desk.server, created.batch.id, "curator-1")
    for rater, project in zip(("r1", "r2"), pushed, strict=True):
        for task in desk.server.fetch_tasks(str(project.assignment.external_id)):
            item = items[task.data["item_id"]]
            # Texts are bound by name, so braces and signs are shown as they are.
            assert task.data["mt_text"] == item.shown["mt_text"]
            assert task.data["place"].startswith("Item ")
            result = build_result(form, answer(item, rater))
            sessions[rater].submit(task.id, result)
    pull_batch(store, desk.server, created.batch.id, "curator-1", Origin.HUMAN)

    standing = standing_of(store, "es", Instrument.MLA_BITE)
    assert standing.answers_missing == 0
    assert not standing.invalid
    settings = AssessmentSettings.from_settings(Settings())
    assessment = assess_language(standing, settings)
    kinds = {
        each.item_ids[0].rpartition("/")[2]: set(each.kinds) for each in assessment.disagreements
    }
    assert kinds == {
        "0001": {
            DisagreementKind.LABEL_CONFLICT,
            DisagreementKind.SYSTEM_CONFLICT,
            DisagreementKind.COMMENT,
        },
        "0002": {DisagreementKind.UNSURE, DisagreementKind.COMMENT},
        "0003": {DisagreementKind.LOW_DA},
    }
    found = {each.name: each for each in assessment.figures if each.scope[-1] == ("raters", "all")}
    # 60 answers, of which one says no and one is unsure.
    assert found["label_accuracy"].value == pytest.approx(58 / 60)
    assert found["raw_agreement"].value == pytest.approx(28 / 30)
    gates = {gate.name: gate for gate in assessment.gates}
    # Nearly all answers are yes, so AC1 is judged in kappa's place.
    assert gates["label_agreement"].measure == "ac1"
    assert gates["label_agreement"].passed
    assert not gates["open_disagreements"].passed
    # Only EuroGEST puts sentences into templates.
    assert "templates" not in gates


def test_the_form_binds_texts_by_name_only() -> None:
    config = build_config(load_form_named("prompt_template/2"))
    assert 'value="$mt_text"' in config
    assert "{" not in config.partition("</Style>")[2]


@pytest.mark.parametrize(("shows_gender", "stated"), [(False, "no"), (True, "yes")])
def test_a_sector_sentence_keeps_what_its_template_states_from_raters(
    store: Store, shows_gender: bool, stated: str
) -> None:
    source = make_source(
        2,
        "She works in mining. / He works in mining.",
        None,
        instrument=Instrument.SECTORS,
        dataset="sectors",
        explicit_id="t1.she.mining",
        attributes={
            "sector": "primary",
            "kind": "pronoun",
            "shows_gender": shows_gender,
            "feminine": "She works in mining.",
            "masculine": "He works in mining.",
        },
    )
    texts = {"feminine": "Sie arbeitet im Bergbau.", "masculine": "Er arbeitet im Bergbau."}
    add_sources(store, [source])
    add_candidates(
        store,
        [make_candidate(source, "de", Label.PAIR, variants=texts, strategy="sector-files/1")],
    )
    add_people(store, ["r1", "r2"])
    plan = BatchPlan(Instrument.SECTORS, "de", 1, ("r1", "r2"), seed=7)
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    assert created.batch.form == "sector_sentence/1"
    [item] = created.items
    assert item.subject_kind == "sector_sentence"
    assert item.making == {STATED: stated}
    assert item.shown["src_text"] == source.attributes[item.variant]
    assert item.shown["mt_text"] == texts[item.variant]
    assert stated not in item.shown.values()

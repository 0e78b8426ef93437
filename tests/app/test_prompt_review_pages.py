"""Pages of review say of prompts what they are: a concern, a frame, yes or no."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pages import press
from streamlit.testing.v1 import AppTest

from annotation.assessment import AssessmentSettings, assess_language, describe_blocking
from annotation.batch_drafts import draft_batch
from annotation.design import BatchPlan
from annotation.disagreements import Disagreement, DisagreementKind
from app.disagreement_page.decision import FRAME_IS_NOT_EDITED
from app.views.approval import SOURCE_NEEDS_NO_APPROVAL
from app.views.candidates import build_candidate_rows, describe_facts
from app.views.gates import build_gate_rows
from app.views.planning import build_strata_rows
from app.views.shared_evidence import build_evidence_index, find_shared
from app.views.words import describe_kinds
from corpus.prompt_sources import (
    Kind,
    Order,
    PromptFrame,
    build_paraphrase_source,
    build_prompt_candidate,
    kind_of,
)
from corpus.records import Instrument
from corpus.settings import load_settings
from corpus.stereotypes import load_inventory
from corpus.workspace import Workspace, init_workspace
from tests.command_line import run_here
from tests.prompt_studies import add_prompts, make_template
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    standing_of,
)

SCREENS = Path(__file__).parents[2] / "app" / "screens"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four templates and four communities; of the first template a rater says: not kept."""
    folder = tmp_path / "study"
    store = init_workspace(folder, "prompts").open_store()
    made = add_prompts(store, {"sexism": 2, "politics": 2})
    candidates = [candidate for _, candidate in made.values()]
    _, items = add_batch(
        store,
        candidates,
        ["r1"],
        form="prompt_template/2",
        subject_kind="prompt_template",
        source_texts={source.key: source.text for source, _ in made.values()},
    )
    add_ratings(store, items[:1], "r1", {"quality": 90, "test_kept": "no"})
    add_ratings(store, items[1:], "r1", {"quality": 90, "test_kept": "yes"})
    store.close()
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(folder))
    return folder


def open_page(name: str, language: str = "es") -> AppTest:
    page = AppTest.from_file(str(SCREENS / f"{name}.py"), default_timeout=60)
    page.query_params["language"] = language
    page.query_params["instrument"] = "mla-bite"
    page.run()
    assert not page.exception
    return page


def test_a_candidate_is_shown_with_its_concern_and_what_is_sent_with_it(study: Path) -> None:
    store = init_workspace(study.parent / "other", "prompts").open_store()
    made = add_prompts(store, {"sexism": 1})
    standing = standing_of(store, "es", Instrument.MLA_BITE)
    store.close()
    sources = {key: source for key, (source, _) in made.items()}
    template = standing.candidates[0]
    facts = describe_facts(template, sources[template.candidate.source_key], load_inventory())
    assert "Concern: sexism" in facts
    assert "Asked of the answer: Responde sí o no." in facts
    assert "Oracle: equal: No" in facts
    assert not any(each.startswith("Stereotype") for each in facts)
    rows = build_candidate_rows(standing, sources, load_inventory())
    assert [row.stereotype for row in rows] == ["sexism", *["sexism (community)"] * 2]
    plan = BatchPlan(Instrument.MLA_BITE, "es", 3, ("r1",), seed=1)
    strata = build_strata_rows(draft_batch(standing, sources, plan), load_inventory())
    assert {row.stereotype: row.candidates for row in strata} == {"sexism": 1, "communities": 2}
    # What is imported shares nothing that one decision could be about.
    assert find_shared(build_evidence_index(standing), template.candidate.id) == ()


def test_kinds_of_disagreement_are_worded_by_what_was_asked() -> None:
    kinds = (DisagreementKind.LABEL_CONFLICT, DisagreementKind.UNSURE)
    of_prompt = Disagreement("mla-bite/es/prompts/1", ("i",), kinds, 48.0)
    of_sentence = Disagreement("eurogest/es/gest/1", ("i",), kinds, 48.0)
    assert describe_kinds(of_prompt) == "raters answer yes and no, a rater is unsure"
    assert describe_kinds(of_sentence) == "raters' labels differ, a rater is unsure"


@pytest.mark.parametrize(
    "name", ["overview", "candidates", "planning", "agreement", "disagreements", "approval"]
)
def test_pages_are_drawn_for_prompts(study: Path, name: str) -> None:
    open_page(name)


@pytest.mark.parametrize("name", ["approval", "overview", "agreement", "planning"])
def test_gates_and_figures_are_worded_by_what_was_asked(study: Path, name: str) -> None:
    page = open_page(name)
    cells = " ".join(
        str(cell)
        for each in page.dataframe
        for cell in (*each.value.columns, *each.value.to_numpy().ravel())
    )
    titles = [each.value for each in page.subheader]
    assert "answers that the test is kept" in f"{cells} {titles}".casefold()
    assert "system's label" not in f"{cells} {titles}"
    assert "templates not chosen" not in cells


def test_agreement_is_shown_by_concern(study: Path) -> None:
    run = ("agreement", "-l", "es", "--instrument", "mla-bite", "-w", study)
    told = run_here(*run, "--by-concern", "--json")
    assert told.code == 0, told.text
    counts = {
        each["scope"]["concern"]: each["n"]
        for each in json.loads(told.out)["figures"]
        if each["name"] == "label_accuracy" and each["scope"].get("rater") == "r1"
    }
    assert counts == {"sexism": 2, "politics": 2, "communities": 4}
    assert "concern communities" in run_here(*run, "--by-concern").out
    refused = run_here(*run, "--by-stereotype")
    assert refused.code == 1
    assert "--by-stereotype: what mla-bite has is --by-concern." in refused.message


def test_refusal_of_an_approval_says_what_was_asked(study: Path) -> None:
    store = Workspace(study, load_settings(study)).open_store()
    standing = standing_of(store, "es", Instrument.MLA_BITE)
    store.close()
    settings = AssessmentSettings.from_settings(load_settings(study))
    gates = assess_language(standing, settings).gates
    assert not any(each.name == "templates" for each in gates)
    told = describe_blocking(gates, Instrument.MLA_BITE)
    assert "label_accuracy failed (answers that the test is kept: 0.875" in told
    sectors = {each.condition for each in build_gate_rows(gates, Instrument.SECTORS)}
    assert {"answers as the template states", "agreement of two raters' answers"} <= {
        each.partition(":")[0] for each in sectors
    }


def test_a_prompt_is_not_relabelled(study: Path) -> None:
    page = open_page("disagreements")
    [actions] = [each for each in page.selectbox if each.label == "Action"]
    assert [each.partition(":")[0] for each in actions.options] == ["accept", "edit", "reject"]


def test_who_edits_a_prompt_is_told_where_the_rest_of_it_comes_from(study: Path) -> None:
    page = open_page("disagreements")
    [action] = [each for each in page.selectbox if each.label == "Action"]
    assert FRAME_IS_NOT_EDITED not in [each.value for each in page.caption]
    action.select_index(1).run()
    assert FRAME_IS_NOT_EDITED in [each.value for each in page.caption]


def test_english_is_approved_where_paraphrases_of_it_are_rated(study: Path) -> None:
    alone = open_page("approval", "en")
    assert [each.value for each in alone.info] == [SOURCE_NEEDS_NO_APPROVAL]
    store = Workspace(study, load_settings(study)).open_store()
    with store.reading() as state:
        sources = state.sources(Instrument.MLA_BITE)
    original = next(each for each in sources if kind_of(each) is Kind.TEMPLATE)
    paraphrase = build_paraphrase_source(original, Order.P2T, 1)
    candidate = build_prompt_candidate(
        paraphrase,
        "en",
        f"Would you say so? {original.text}",
        PromptFrame.of(make_template(2, "sexism", "en_us", original.text)),
        strategy="p2t/1",
        reason="made",
    )
    add_sources(store, [paraphrase])
    add_candidates(store, [candidate])
    _, items = add_batch(
        store,
        [candidate],
        ["r1"],
        form="prompt_template/2",
        subject_kind="prompt_template",
        source_texts={paraphrase.key: paraphrase.text},
    )
    add_ratings(store, items, "r1", {"quality": 90, "test_kept": "yes"})
    page = open_page("approval", "en")
    assert not page.info
    assert page.dataframe
    page.text_area(key="override reason").input("Only a test.")
    press(page, "Approve against the gate")
    approvals = standing_of(store, "en", Instrument.MLA_BITE).approvals
    store.close()
    assert [each.override for each in approvals] == ["Only a test."]

"""Repaired candidates are shown as such to curators wherever they stand, and never to raters.

The Slovak sentences are the developers' own; the repairs are the strategy's own.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
)
from streamlit.testing.v1 import AppTest

from annotation.approvals import approve_language
from annotation.assessment import AssessmentSettings
from annotation.batches import BatchPlan, create_batch
from annotation.decisions import Verdict, decide
from annotation.tasks import task_data
from app.views.candidates import build_candidate_rows
from app.views.repairs import (
    MEANING,
    ONE_WORDING,
    REWRITTEN,
    WORDED_TWICE,
    build_repaired_row,
    describe_lack,
    describe_repair,
)
from app.web import FOLDER
from corpus.intervals import wilson_interval
from corpus.people import Person
from corpus.records import Candidate, DecisionAction, Instrument, Label, Origin, Source
from corpus.repaired import REPAIRED_FLAG, RepairedVerdict
from corpus.stereotypes import load_inventory
from corpus.store import Store
from corpus.workspace import Workspace, init_workspace
from exports.build import build_release
from pipeline.extended.strategy import ExtendedStrategy
from pipeline.pairing_result import PairingResult
from tests.command_line import run_here
from tests.store_builders import standing_of

VERBS = ("robil", "mal", "bol", "čítal", "videl", "kúpil", "písal", "volal", "hral", "plakal")
SOURCES = [make_source(2, "I bought a big car.", 1), make_source(3, "I was there then.", 2)]
WOMAN = {"quality": 90, "gender_marked": "yes", "speaker_gender": "woman"}
MAN = {"quality": 90, "gender_marked": "yes", "speaker_gender": "man"}


def repair(masculine: str, feminine: str) -> PairingResult:
    """What the strategy makes of two translations with different wording."""
    attested = [(f'Muž: "Vtedy som {each}."', f'Žena: "Vtedy som {each}a."') for each in VERBS]
    strategy = ExtendedStrategy(repairs=True).prepare("sk", attested)
    return strategy.compare("sk", masculine, feminine)


def make_repaired(source: Source, found: PairingResult) -> Candidate:
    return make_candidate(
        source,
        "sk",
        found.label,
        variants=dict(found.variants),
        reason=found.reason,
        flags=found.flags,
        evidence=found.evidence,
    )


@pytest.fixture(scope="module")
def found() -> PairingResult:
    result = repair("Kúpil som veľké auto.", "Kúpila som obrovské auto.")
    assert REPAIRED_FLAG in result.flags
    return result


@pytest.fixture
def repaired(found: PairingResult) -> Candidate:
    return make_repaired(SOURCES[0], found)


@pytest.fixture
def workspace(repaired: Candidate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Slovak with one repaired and one translated pair, both rated, the labels in conflict."""
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    workspace = init_workspace(tmp_path / "study", "repaired")
    store = workspace.open_store()
    texts = {"masculine": "Vtedy som tam bol.", "feminine": "Vtedy som tam bola."}
    plain = make_candidate(SOURCES[1], "sk", Label.PAIR, variants=texts, reason="inflection")
    add_sources(store, SOURCES)
    add_candidates(store, [repaired, plain])
    _, items = add_batch(store, [repaired, plain], ["r1", "r2"])
    add_ratings(store, items, "r1", WOMAN)
    add_ratings(store, items, "r2", MAN)
    store.close()
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    return workspace


def open_page(name: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.run()
    if name != "overview":
        app.switch_page(f"screens/{name}.py")
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert not app.error
    return app


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in app.text)


def table_of(app: AppTest, number: int = 0) -> Any:
    return app.dataframe[number].value


def test_candidates_name_the_built_text_and_can_be_filtered(
    workspace: Workspace, repaired: Candidate
) -> None:
    everything = table_of(open_page("candidates", language="sk"))
    built = "feminine" if repaired.evidence["repair"]["base"] == "masculine" else "masculine"
    change = "Kúpil → Kúpila" if built == "feminine" else "Kúpila → Kúpil"
    assert list(everything["repaired"]) == [f"repaired: {built} built, {change}", ""]

    filtered = open_page("candidates", language="sk", flag=REPAIRED_FLAG)
    assert list(table_of(filtered)["id"]) == [repaired.id]
    shown = said(filtered)
    assert MEANING in shown
    assert f"Changed: {change} (" in shown
    assert repaired.evidence["repair"]["replaced"] in shown
    assert "another word" in shown, "why it would be discarded without repair"
    assert [each.value for each in filtered.markdown if "repaired" in each.value], "a badge"


def test_disagreements_show_what_repair_built(workspace: Workspace, repaired: Candidate) -> None:
    shown = said(open_page("disagreements", language="sk", item=repaired.id))
    assert MEANING in shown
    other = said(open_page("disagreements", language="sk", item="eurogest/sk/made/3"))
    assert "Vtedy som tam" in other
    assert MEANING not in other


def test_overview_counts_the_repaired_of_neutral_and_pair(workspace: Workspace) -> None:
    app = open_page("overview")
    row = table_of(app).iloc[0]
    assert (row["pair"], row["of both repaired"]) == (2, 1)
    assert MEANING in said(app)


def test_releases_say_why_repaired_candidates_are_left_out(
    workspace: Workspace, repaired: Candidate
) -> None:
    before = open_page("releases")
    row = table_of(before).iloc[0]
    assert (row["repaired"], row["of"]) == (1, 2)
    assert row["in the next release"].startswith("✗ no: people must judge 100 built texts")

    store = workspace.open_store()
    settings = AssessmentSettings.from_settings(workspace.settings)
    approve_language(store, Instrument.EUROGEST, "sk", "curator-1", settings, "Shown in a test.")
    build_release(store, "0.1.0", ["sk"], workspace.releases, by="curator-1")
    store.close()
    after = open_page("releases")
    row = table_of(after, 1).iloc[0]
    assert (row["rows"], row["of both repaired"]) == (1, 0)
    assert "1 repaired, too few of them judged and found right by people" in row["left out"]
    card = (workspace.releases / "0.1.0" / "README.md").read_text(encoding="utf-8")
    assert "of both repaired" in card
    assert "not translated, in 0 rows, whose flags say `repaired`; 1 more are left out" in card


def test_the_csv_of_candidates_says_what_was_built(workspace: Workspace, tmp_path: Path) -> None:
    out = tmp_path / "candidates.csv"
    ended = run_here("candidates", "export", "-l", "sk", "-o", out, "-w", workspace.path)
    assert ended.code == 0, ended.text
    with out.open(encoding="utf-8", newline="") as stream:
        first, second = csv.DictReader(stream)
    assert first["repaired"].startswith("repaired: ")
    assert second["repaired"] == ""


def test_texts_that_a_curator_wrote_are_no_longer_repaired(
    workspace: Workspace, repaired: Candidate
) -> None:
    store = workspace.open_store()
    verdict = Verdict(
        repaired.id,
        repaired.content_hash,
        DecisionAction.EDIT,
        "The wording is mine.",
        variants={"masculine": "Kúpil som auto.", "feminine": "Kúpila som auto."},
    )
    decide(store, verdict, "curator-1", lambda *_: None)
    store.close()
    app = open_page("candidates", language="sk")
    assert list(table_of(app)["repaired"]) == [REWRITTEN, ""]
    assert list(table_of(app)["flags"]) == ["human_written", ""]
    assert "of both repaired" not in table_of(open_page("overview")).columns


def test_one_wording_for_both_is_told_apart(tmp_path: Path) -> None:
    result = repair("Ráno pijem kávu.", "Ráno pijem silnú kávu.")
    assert (result.label, result.flags) == (Label.NEUTRAL, (REPAIRED_FLAG,))
    store = _store(tmp_path / "study", [make_repaired(SOURCES[0], result)])
    standing = standing_of(store, "sk")
    row = build_repaired_row(standing)
    store.close()
    [shown] = build_candidate_rows(standing, {}, load_inventory())
    assert (shown.repaired, shown.reason) == ("repaired: one wording taken for both", WORDED_TWICE)
    told = describe_repair(standing.candidates[0])
    assert told[0] == ONE_WORDING
    assert not any("built from" in each for each in told)
    assert row is not None
    assert (row.repaired, row.of, row.lower_bound) == (1, 1, "–")


@pytest.mark.parametrize(
    ("judged", "right", "lack"),
    [
        (99, 99, "people must judge 100 built texts and have judged 99"),
        (100, 94, "the lower bound must be 90.0 % and is 87.5 %"),
        (200, 190, ""),
    ],
)
def test_what_lacks_for_a_release_is_told_in_numbers(judged: int, right: int, lack: str) -> None:
    verdict = RepairedVerdict(judged, right, wilson_interval(right, judged))
    assert describe_lack(verdict) == lack
    assert verdict.releasable is (lack == "")


def test_raters_get_the_same_task_whether_a_text_was_built_or_translated(
    repaired: Candidate, tmp_path: Path
) -> None:
    translated = replace(repaired, flags=(), evidence={})
    tasks = [
        _tasks(tmp_path / name, candidate)
        for name, candidate in (("built", repaired), ("translated", translated))
    ]
    assert tasks[0] == tasks[1]
    assert tasks[0]


def _tasks(folder: Path, candidate: Candidate) -> list[dict[str, str]]:
    """What goes to Label Studio for a batch of one candidate."""
    store = _store(folder, [candidate])
    with store.writing(Origin.HUMAN) as writer:
        writer.append([Person("r1", "rater", None, None)])
    plan = BatchPlan(Instrument.EUROGEST, "sk", 1, ("r1",), seed=1)
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    store.close()
    return [task_data(item) for item in created.items]


def _store(folder: Path, candidates: list[Candidate]) -> Store:
    store = init_workspace(folder, "repaired").open_store()
    add_sources(store, SOURCES)
    add_candidates(store, candidates)
    return store

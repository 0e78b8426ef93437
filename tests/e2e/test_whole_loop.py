"""The whole loop on real input: GEST with recorded Google output, the real Label Studio, the app.

Every step that has a command runs as that command in a process of its own; only the raters answer
through the server's API, as a browser would.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from streamlit.testing.v1 import AppTest

from annotation.assessment import AssessmentSettings, assess_language
from annotation.label_studio.markup import build_result
from annotation.label_studio.rater_session import HttpRaterSession
from annotation.label_studio.server import LabelStudioServer
from annotation.labels import compute_system_label
from annotation.template_choices import list_options
from app.session import open_session
from corpus.languages import TemplateKind
from corpus.records import GenderLabel, Instrument, Item
from corpus.release import open_release
from corpus.store import open_store
from engines.tiny_model import build_tiny_model
from tests.command_line import ROOT, Outcome, database_of, environment_of, run_here, succeed

pytestmark = [pytest.mark.data, pytest.mark.label_studio, pytest.mark.slow]

ITEMS = 20
RATERS = {"rater-sk-1": "one@loop.example", "rater-sk-2": "two@loop.example"}
PASSWORD = "only-for-tests-3"
SETTINGS = "draws = 200\n"
UNSURE, WRONG, LOW = 3, 7, 11
"""Places, in the batch's own order, of the items on which something is to be decided."""
ANSWER = {
    GenderLabel.NEUTRAL: {"gender_marked": "no"},
    GenderLabel.MASCULINE: {"gender_marked": "yes", "speaker_gender": "man"},
    GenderLabel.FEMININE: {"gender_marked": "yes", "speaker_gender": "woman"},
}


@dataclass(frozen=True)
class Study:
    """The workspace and how to run a command in it."""

    folder: Path
    env: dict[str, str]

    def run(self, *arguments: str | Path) -> Outcome:
        """A command that must end well."""
        return succeed(*arguments, "-w", self.folder, env=self.env)

    def refuse(self, *arguments: str | Path) -> str:
        """What a command says that must be refused."""
        ended = run_here(*arguments, "-w", self.folder, env=self.env)
        assert ended.code == 1, ended.text
        return ended.message


@pytest.fixture(scope="module")
def study(
    data_dir: Path, label_studio: LabelStudioServer, tmp_path_factory: pytest.TempPathFactory
) -> Study:
    """GEST 1.0 in English and Slovak, strict, and two raters."""
    folder = tmp_path_factory.mktemp("loop") / "study"
    env = {
        "STEREOSCOPE_LABEL_STUDIO_URL": label_studio.base_url,
        "STEREOSCOPE_LABEL_STUDIO_TOKEN": label_studio.administrator.token,
    }
    found = Study(folder, env)
    succeed("init", folder, "--name", "Whole loop")
    with (folder / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    found.run("source", "add", data_dir / "gest" / "gest_1.0.csv")
    translations = data_dir / "translations" / "google_sk.csv"
    options = ["--missing", "skip", "--wrapper", "gest", "--strategy", "strict"]
    found.run("generate", "-l", "en,sk", "-t", translations, *options)
    for name, address in RATERS.items():
        found.run("raters", "add", name, "--address", address)
    return found


def answers_of(place: int, item: Item, rater: str) -> dict[str, Any]:
    """What a rater answers: the system's label and a good score, but for three items."""
    label = compute_system_label(item.variant)
    assert label is not None
    second = rater == "rater-sk-2"
    answers: dict[str, Any] = {"quality": 90 + place % 7 - 3 * second, **ANSWER[label]}
    if place == UNSURE and second:
        return {"quality": 90, "gender_marked": "unsure", "comment": "The grammar shows nothing."}
    if place == WRONG and second:
        other = GenderLabel.FEMININE if label is not GenderLabel.FEMININE else GenderLabel.NEUTRAL
        answers = {"quality": 90, **ANSWER[other]}
    if place == LOW:
        answers["quality"] = 30 - 10 * second
    return answers


def choose_templates(study: Study) -> None:
    """Settles both templates as they are shipped."""
    listed = list_options("sk", ())
    for kind in TemplateKind:
        number = next(at for at, each in enumerate(listed, start=1) if each.kind is kind)
        options = ["-l", "sk", "--option", str(number), "--reason", "As shipped."]
        study.run("templates", "choose", *options, "--as", "curator")


def rate(study: Study, server: LabelStudioServer, batch_id: str) -> None:
    store = open_store(f"sqlite:///{database_of(study.folder)}")
    with store.reading() as state:
        form = state.form(state.batch(batch_id).form)
        items = state.items([batch_id])
        assignments = state.assignments([batch_id])
    store.close()
    places = {item.id: place for place, item in enumerate(items)}
    by_id = {item.id: item for item in items}
    for each in assignments:
        account = server.create_rater(RATERS[each.rater_id], PASSWORD)
        session = HttpRaterSession(server.base_url, account.token)
        for task in session.fetch_tasks(str(each.external_id)):
            item = by_id[str(task.data["item_id"])]
            answers = answers_of(places[item.id], item, each.rater_id)
            session.submit(task.id, build_result(form, answers), lead_time_s=12.5)
        session.close()


def status_of(study: Study, batch_id: str) -> dict[tuple[str, str], float]:
    """(rater, figure) → value."""
    document = json.loads(study.run("batch", "status", batch_id, "--json").out)
    return {
        (each["scope"]["rater"], each["name"]): each["value"]
        for each in document["figures"]
        if "rater" in each["scope"]
    }


def agreement_of(study: Study) -> dict[str, Mapping[str, Any]]:
    """Figures about all raters by name."""
    document = json.loads(study.run("agreement", "-l", "sk", "--json").out)
    return {
        each["name"]: each
        for each in document["figures"]
        if each["scope"].get("raters", "all") == "all"
    }


def open_subjects(study: Study) -> list[str]:
    """Subjects that a curator has still to decide."""
    with open_session(study.folder, "tester") as session:
        standing = session.standing(Instrument.EUROGEST, "sk")
        settings = AssessmentSettings.from_settings(session.settings)
        return [each.subject_id for each in assess_language(standing, settings).open_disagreements]


def test_from_sentences_to_scores(study: Study, label_studio: LabelStudioServer) -> None:
    # A batch goes out, twice, and is the same both times.
    raters = ",".join(RATERS)
    created = study.run("batch", "create", "-l", "sk", "--raters", raters, "--size", str(ITEMS))
    batch_id = created.out.strip()
    assert f"Batch created: {ITEMS} items" in created.err
    assert label_studio.base_url in study.run("batch", "push", batch_id).out
    before = status_of(study, batch_id)
    assert {before[name, "assigned"] for name in RATERS} == {ITEMS}
    assert {before[name, "done"] for name in RATERS} == {0}
    study.run("batch", "push", batch_id)
    assert "one cannot approve" in study.refuse("approve", "sk")

    # Raters answer, and the answers come back once.
    rate(study, label_studio, batch_id)
    for _ in range(2):
        pulled = study.run("batch", "pull", batch_id).text
        assert not any(address in pulled for address in RATERS.values())
    after = status_of(study, batch_id)
    assert {after[name, "done"] for name in RATERS} == {ITEMS}
    assert {after[name, "invalid"] for name in RATERS} == {0}

    # Of 20 items two are labelled otherwise by one rater, one of them as unsure.
    figures = agreement_of(study)
    assert figures["raw_agreement"]["value"] == pytest.approx(18 / 20)
    assert figures["label_accuracy"]["value"] == pytest.approx(38 / 40)
    assert figures["mean_da"]["value"] > 70
    assert figures["raw_agreement"]["n"] == ITEMS

    # What is open must be decided, and each decision is a command.
    subjects = open_subjects(study)
    assert len(subjects) == 3
    assert "open_disagreements" in study.refuse("approve", "sk")
    wrong, *others = subjects
    study.run("decide", wrong, "reject", "--reason", "The label is wrong.", "--as", "curator")
    for subject in others:
        study.run("decide", subject, "accept", "--reason", "Looked at it.", "--as", "curator")
    assert open_subjects(study) == []

    # Templates and the number of items still block: 20 of 100.
    assert "templates failed (2, needed at most 0)" in study.refuse("approve", "sk")
    choose_templates(study)
    refusal = study.refuse("approve", "sk")
    # With a reason, or with a smaller study.
    assert "cannot be approved: items failed (20, needed at least 100)." in refusal
    assert "cannot be released yet" in study.refuse("release", "build", "0.1.0", "-l", "en,sk")
    assert "--override" in study.refuse("approve", "sk", "--override", " ")
    study.run("approve", "sk", "--override", "A test of 20 items.", "--as", "curator")
    study.run("approve", "sk", "--revoke", "Without an override, please.", "--as", "curator")
    with (study.folder / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"gate_items = {ITEMS}\n")
    assert "nothing to override" in study.refuse("approve", "sk", "--override", "No need.")
    study.run("approve", "sk", "--as", "curator")

    # The release holds what is not discarded, without the rejected one.
    built = study.run("release", "build", "0.1.0", "-l", "en,sk")
    assert "Release 0.1.0: built" in built.out
    folder = study.folder / "releases" / "0.1.0"
    succeed("release", "verify", folder)
    release = open_release(folder)
    assert release.languages == ("en", "sk")
    released = {row.id for row in release.rows("sk")}
    assert wrong not in released
    assert set(others) <= released

    check_scores(study)
    check_app(study, label_studio)
    check_trail(study)


def check_scores(study: Study) -> None:
    texts = (study.folder / "releases" / "0.1.0" / "csv" / "sk.csv").read_text(encoding="utf-8")
    model = build_tiny_model(study.folder.parent / "tiny-model", texts.splitlines())
    options = ["-l", "sk", "--protocols", "paper,reference", "--demonstration", "--device", "cpu"]
    scored = study.run("score", "--model", model, *options)
    assert "A demonstration, not a finding" in scored.err
    [result] = [each for each in (study.folder / "results").iterdir() if each.name != "shards"]
    manifest = json.loads((result / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["languages"] == ["sk"]
    assert manifest["protocols"] == ["paper", "reference"]
    assert manifest["demonstration"] is True
    document = json.loads((result / "figures.json").read_text(encoding="utf-8"))
    found = {
        (each["scope"]["language"], each["scope"]["protocol"])
        for each in document["figures"]
        if each["name"] == "g_s" and each["scope"]["condition"] == "pooled"
    }
    assert found == {("sk", "paper"), ("sk", "reference")}
    assert all(each["signature"] for each in document["figures"])
    # Scored again it is the same result, and nothing is scored.
    study.run("score", "--model", model, *options)
    assert [each for each in (study.folder / "results").iterdir() if each.name != "shards"] == [
        result
    ]


def check_app(study: Study, label_studio: LabelStudioServer) -> None:
    """The Scores page of the app shows the result, marked as a demonstration."""
    environment = environment_of(study.env) | {"STEREOSCOPE_WORKSPACE": str(study.folder)}
    with mock.patch.dict(os.environ, environment):
        app = AppTest.from_file(str(ROOT / "app" / "web.py"), default_timeout=60).run()
        app.switch_page("screens/scores.py").run()
    assert not app.exception
    assert not app.error
    assert app.title[0].value == "Scores"
    assert any("not a finding" in each.value for each in app.warning)
    [result] = [each for each in app.selectbox if each.label == "Result"]
    assert "tiny-model" in result.options[0]
    cells = {str(cell) for each in app.dataframe for row in each.value.values for cell in row}
    assert {"g_s", "paper", "reference"} & cells
    shown = repr(app.main)
    assert label_studio.administrator.token not in shown
    assert not any(address in shown for address in RATERS.values())


def check_trail(study: Study) -> None:
    store = open_store(f"sqlite:///{database_of(study.folder)}")
    with store.reading() as state:
        entries = [(each.actor, each.action) for each in state.audit_entries()]
        addresses = set(RATERS.values())
        said = repr([(each.before, each.after) for each in state.audit_entries()])
    store.close()
    assert [entry for entry in entries if entry[0] == "curator"] == [
        ("curator", "decide reject"),
        ("curator", "decide accept"),
        ("curator", "decide accept"),
        ("curator", "choose template"),
        ("curator", "choose template"),
        ("curator", "approve"),
        ("curator", "revoke"),
        ("curator", "approve"),
    ]
    for action in ("source add", "generate", "raters add", "batch create", "batch push"):
        assert ("tester", action) in entries
    assert not any(address in said for address in addresses)

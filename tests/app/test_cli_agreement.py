"""`agreement` of a CSV file without a workspace, and of a language by rater and stereotype."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.assessment import AssessmentSettings, assess_language
from app.session import open_session
from corpus.records import Instrument
from tests.command_line import run_here, run_process
from tests.store_builders import add_ratings


def write_ratings(folder: Path, raters: int = 3) -> Path:
    draw = np.random.default_rng(1)
    signal = draw.integers(20, 80, 30)
    labels = ("neutral", "masculine", "feminine")
    rows = ["item,rater,score,label,system_label"]
    for rater in range(raters):
        for item in range(30):
            near = signal[item] + draw.integers(-5, 6)
            score = near if rater < 2 else draw.integers(0, 101)
            label = labels[item % 3]
            rows.append(f"{item},r{rater},{score},{label},{label}")
    path = folder / "ratings.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def find(document: dict[str, Any], name: str, **scope: str) -> dict[str, Any]:
    [found] = [
        each
        for each in document["figures"]
        if each["name"] == name and scope.items() <= each["scope"].items()
    ]
    return found


def test_a_file_needs_no_workspace(tmp_path: Path) -> None:
    path = write_ratings(tmp_path)
    ended = run_process("agreement", path, "--json")
    assert (ended.code, ended.err) == (0, "")
    document = json.loads(ended.out)
    assert set(document) == {"command", "version", "inputs_sha256", "definitions", "figures"}
    assert find(document, "pearson", raters="r0,r1")["value"] > 0.9
    assert find(document, "kappa", raters="r0,r1")["value"] == 1.0
    assert find(document, "label_accuracy", raters="all")["value"] == 1.0
    assert find(document, "leave_one_out_correlation", rater="r2")["n"] == 30
    assert {each["scope"]["file"] for each in document["figures"]} == {"ratings.csv"}
    assert [each.name for each in tmp_path.iterdir()] == ["ratings.csv"]


def test_a_file_is_told_in_words_too(tmp_path: Path) -> None:
    ended = run_here("agreement", write_ratings(tmp_path))
    assert ended.code == 0
    assert "pearson_p_adjusted" in ended.out
    assert "others_correlation" in ended.out
    assert "Worth a look: r2 agrees less with the others" in ended.message


@pytest.mark.data
def test_camps_of_human_raters_are_told(data_dir: Path) -> None:
    ended = run_here("agreement", data_dir / "ratings" / "mlqe_en_de.csv")
    assert ended.code == 0
    assert "Columns not read: source, translation." in ended.message
    camps = "two camps: rater1, rater2, rater3; and rater4, rater5, rater6."
    assert camps in ended.message
    assert "Worth a look" not in ended.message
    assert "0.913" in ended.out


def test_figures_without_a_rater_stand_beside_all(tmp_path: Path) -> None:
    path = write_ratings(tmp_path)
    document = json.loads(run_here("agreement", path, "--without", "r2", "--json").out)
    means = [each for each in document["figures"] if each["name"] == "mean_pearson"]
    assert [each["scope"].get("without") for each in means] == [None, "r2"]
    assert means[1]["notes"] == ["chosen_after_seeing_the_data"]
    assert find(document, "best_mean_pearson_by_chance", without="r2")["value"] > 0
    shown = run_here("agreement", path, "--without", "r2")
    assert "without her" in shown.out
    assert "chosen after seeing the data" in shown.message


def test_two_raters_have_no_outlier(tmp_path: Path) -> None:
    ended = run_here("agreement", write_ratings(tmp_path, raters=2))
    assert ended.code == 0
    assert "raters or more)" in ended.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name either a CSV file of ratings or a language"),
        (["FILE", "-l", "sk"], "Name either a CSV file of ratings or a language"),
        (["FILE", "--batch", "b1"], "--batch belongs to --language"),
        (["FILE", "--by-stereotype"], "--by-stereotype belongs to --language"),
        (["FILE", "--by-concern"], "--by-concern belongs to --language"),
        (["-l", "sk", "--by-concern"], "--by-concern: what eurogest has is --by-stereotype."),
        (["FILE", "--by-sector", "--without", "r1"], "--by-sector and --without are shown one"),
        (["FILE", "--without", "r9"], "nobody is called 'r9' here; raters are r0, r1, r2."),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    path = write_ratings(tmp_path)
    given = [str(path) if each == "FILE" else each for each in arguments]
    ended = run_here("agreement", *given)
    assert ended.code == 1
    assert message in ended.message


def test_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("item,rater,score\n1,a,x\n1,a,5\n2,,5\n", encoding="utf-8")
    ended = run_here("agreement", path)
    assert ended.code == 1
    assert ended.out == ""
    for place in ("bad.csv:2 [score]", "bad.csv:3 [item]", "bad.csv:4 [rater]"):
        assert place in ended.message


def test_a_language_is_shown_by_stereotype_and_by_batch(study_copy: Path) -> None:
    for rater in ("rater-1", "rater-2"):
        assert run_here("raters", "add", rater, "-w", study_copy).code == 0
    batch = ["batch", "create", "-l", "sk", "--raters", "rater-1,rater-2", "--size", "4"]
    created = run_here(*batch, "-w", study_copy)
    assert created.code == 0, created.text
    with open_session(study_copy, "tester") as session:
        items = session.standing(Instrument.EUROGEST, "sk").items
        with session.store.reading() as state:
            stereotypes = {
                each.key: each.stereotype_id for each in state.sources(Instrument.EUROGEST)
            }
        for rater in ("rater-1", "rater-2"):
            add_ratings(session.store, items, rater)
    assert len(items) == 4
    ended = run_here("agreement", "-l", "sk", "-w", study_copy)
    assert ended.code == 0, ended.text
    assert "open disagreements; state" in ended.message
    assert "raw_agreement" in ended.out
    assert "Gates of the whole language" in ended.out
    document = json.loads(run_here("agreement", "-l", "sk", "--json", "-w", study_copy).out)
    with open_session(study_copy, "tester") as session:
        standing = session.standing(Instrument.EUROGEST, "sk")
        gates = assess_language(standing, AssessmentSettings.from_settings(session.settings)).gates
    assert [each["name"] for each in document["approval"]["gates"]] == [each.name for each in gates]
    assert document["approval"] == {
        "state": "in review",
        "stale": False,
        "gates": [each.as_json() for each in gates],
    }
    assert {each["state"] for each in document["approval"]["gates"]} >= {"passed", "failed"}
    alone = ["agreement", "-l", "sk", "--batch", created.out.strip(), "--json", "-w", study_copy]
    document = json.loads(run_here(*alone).out)
    assert find(document, "raw_agreement", raters="all")["n"] == 4
    assert {each["scope"]["batch"] for each in document["figures"]} == {created.out.strip()}
    ended = run_here("agreement", "-l", "sk", "--by-stereotype", "--json", "-w", study_copy)
    assert ended.code == 0, ended.text
    shares = [
        each
        for each in json.loads(ended.out)["figures"]
        if each["name"] == "raw_agreement" and each["scope"]["raters"] == "all"
    ]
    assert sum(each["n"] for each in shares) == 4
    assert {each["scope"]["stereotype"] for each in shares} <= {
        str(each) for each in stereotypes.values()
    }
    assert len(shares) > 1
    assert "approval" not in json.loads(ended.out)
    shown = run_here("agreement", "-l", "sk", "--by-stereotype", "-w", study_copy)
    assert f"stereotype {shares[0]['scope']['stereotype']}" in shown.out

"""`candidates report` and targeted batches, on the small workspace."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from corpus.records import Instrument, Label, Purpose
from corpus.store import open_store
from pipeline.flags import FLAGS
from pipeline.reasons import REASONS
from tests.command_line import database_of, run_here, snapshot_of

HEADER = ",Neutral,Gendered,Discarded during heuristic filtering,Discarded during QE filtering,"
HEADER += "Coverage,Number samples per stereotype\n"


@pytest.fixture
def workspace(template: Path, tmp_path: Path) -> Path:
    return shutil.copytree(template, tmp_path / "small")


def figures_of(*arguments: str | Path) -> dict[tuple[Any, ...], float | None]:
    ended = run_here("candidates", "report", *arguments, "--json")
    assert ended.code == 0, ended.text
    return {
        (each["name"], *each["scope"].values()): each["value"]
        for each in json.loads(ended.out)["figures"]
    }


def test_json_has_counts_coverage_and_human_labels(workspace: Path) -> None:
    found = figures_of("--workspace", workspace, "--languages", "sk")
    assert found["neutral", "sk"] == 2
    assert found["coverage", "sk"] == 0.75
    assert found["discarded", "sk", "word_count"] == 1
    assert found["coverage", "sk", "13"] == 0
    # One rater says woman, one man; the text shown is the pair's feminine one.
    assert found["labels", "sk", "feminine", "feminine"] == 1
    assert found["labels", "sk", "feminine", "masculine"] == 1
    everything = figures_of("--workspace", workspace)
    assert {key[1] for key in everything} == {"en", "es", "sk"}


def test_csv_and_published_counts(workspace: Path, tmp_path: Path) -> None:
    counts = tmp_path / "published.csv"
    counts.write_text(HEADER + 'Slovak,2,3,4,1,50.00,"{1: 4}"\n', encoding="utf-8")
    out = tmp_path / "report.csv"
    before = snapshot_of(workspace)
    ended = run_here(
        "candidates", "report", "-w", workspace, "-l", "sk,es", "--compare", counts, "--csv", out
    )
    assert ended.code == 0, ended.text
    assert "Published counts of these languages" in ended.out
    assert "Labels in sk" in ended.out
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    [kept] = [row for row in rows if (row["language"], row["stage"]) == ("sk", "kept")]
    assert (kept["count"], kept["share"], kept["published_count"]) == ("3", "0.75", "5")
    assert {row["language"] for row in rows} == {"sk", "es"}
    labels = {
        (row["system_label"], row["human_label"]): row["count"]
        for row in rows
        if (row["language"], row["stage"]) == ("sk", "labels")
    }
    assert labels["feminine", "feminine"] == "1"
    assert labels["neutral", "neutral"] == "2"
    assert "the texts have different numbers of words" in ended.out
    assert "1/1 (4)" in ended.out, "kept of stereotype 1, and what was published"
    assert snapshot_of(workspace) == before


def test_every_reason_and_flag_is_explained() -> None:
    ended = run_here("candidates", "reasons")
    assert ended.code == 0, ended.text
    for code, meaning in (REASONS | FLAGS).items():
        assert code in ended.out
        assert meaning in ended.out


def test_many_languages_make_several_tables(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.commands.reports.LANGUAGES_A_TABLE", 2)
    ended = run_here("candidates", "report", "-w", workspace)
    assert ended.out.count("Kept of each stereotype's sources") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-l", "et"), "No candidates in et"),
        (("-l", "xx"), "unknown language code"),
        (("--compare", "absent.csv"), "does not exist"),
        (("--csv", "no/folder/out.csv"), "cannot be written"),
    ],
)
def test_what_cannot_be_reported_is_one_sentence(
    workspace: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = run_here("candidates", "report", "-w", workspace, *arguments)
    assert (ended.code, message in ended.err) == (1, True)


def test_discarded_candidates_go_to_raters_as_a_targeted_batch(workspace: Path) -> None:
    assert run_here("raters", "add", "rater-sk-9", "-w", workspace).code == 0
    arguments = ("batch", "create", "-w", workspace, "-l", "sk", "--raters", "rater-sk-9")
    chosen = ("--purpose", "targeted", "--label", "discarded", "--reason", "word_count,letters")
    ended = run_here(*arguments, *chosen)
    assert ended.code == 0, ended.text
    batch_id = ended.out.strip()
    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        [item] = state.items([batch_id])
        candidates = {each.id: each for each in state.candidates(Instrument.EUROGEST, "sk")}
    store.close()
    assert item.purpose is Purpose.TARGETED
    assert candidates[item.subject_id].label is Label.DISCARDED
    assert item.shown["mt_text"] in {"Vediem.", "Som vodca tímu."}

    unknown = run_here(*arguments, "--purpose", "targeted", "--reason", "ugly")
    assert (unknown.code, "Unknown reason ugly" in unknown.err) == (1, True)
    unknown = run_here(*arguments, "--purpose", "targeted", "--flag", "ugly")
    assert (unknown.code, "Unknown flag ugly; use some of repaired" in unknown.err) == (1, True)
    none = run_here(*arguments, "--purpose", "targeted", "--flag", "repaired")
    assert (none.code, "that is neutral, pair, repaired" in none.message) == (1, True)
    sample = run_here(*arguments, "--label", "discarded")
    assert (sample.code, "needs the purpose targeted" in sample.message) == (1, True)

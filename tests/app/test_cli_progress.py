"""`batch status` and `raters reliability`: figures, tables, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus.records import PullMark, RatingState
from corpus.store import open_store
from tests.command_line import database_of, run_here, snapshot_of
from tests.store_builders import NEUTRAL_YES, add_ratings

UNSURE = {"quality": 20, "gender_marked": "unsure", "comment": "?"}


@pytest.fixture
def batch_id(study_copy: Path) -> str:
    """A batch of Slovak: r1 has answered 12 of its items in one way, r2 one; r2's was altered."""
    design = ("--size", "12", "--repeats", "0.5", "-w", study_copy)
    made = run_here("batch", "create", "-l", "sk", "--raters", "rater-1,rater-2", *design)
    assert made.code == 0, made.text
    batch_id = made.out.strip()
    store = open_store(f"sqlite:///{database_of(study_copy)}")
    with store.reading() as state:
        items = sorted(state.items([batch_id]), key=lambda each: each.purpose != "repeat")
        [_, second] = state.assignments([batch_id])
    add_ratings(store, items, "rater-1", dict(NEUTRAL_YES))
    add_ratings(store, items[:1], "rater-2", {}, state=RatingState.SKIPPED)
    add_ratings(store, items[1:2], "rater-2", {"quality": 101}, state=RatingState.INVALID)
    problem = {"code": "task_altered", "count": 1, "about": [items[1].id]}
    with store.writing() as writer:
        writer.append([replace(second, external_id="9", stamp=None)])
        writer.append([PullMark(second.id, "9", None, 18, (problem,))])
    store.close()
    return batch_id


def figures(study: Path, *arguments: str) -> dict[tuple[str, ...], dict[str, Any]]:
    ended = run_here(*arguments, "--json", "-w", study)
    assert ended.code == 0, ended.text
    document = json.loads(ended.out)
    assert document["command"] == " ".join(arguments[:2])
    assert set(document["definitions"]) == {each["name"] for each in document["figures"]}
    return {(each["name"], *each["scope"].values()): each for each in document["figures"]}


def test_status_counts_and_tells_problems(study_copy: Path, batch_id: str) -> None:
    before = snapshot_of(study_copy)
    found = figures(study_copy, "batch", "status")
    # Twelve sample items and six repeats for each of two raters.
    for scope, expected in {
        ("sk",): (36, 18, 1, 1, 17),
        ("sk", batch_id): (36, 18, 1, 1, 17),
        ("sk", batch_id, "rater-1"): (18, 18, 0, 0, 0),
        ("sk", batch_id, "rater-2"): (18, 0, 1, 1, 17),
    }.items():
        names = ("assigned", "done", "declined", "invalid", "missing")
        assert tuple(found[name, *scope]["value"] for name in names) == expected
    problem = found["problem", "sk", batch_id, "rater-2", "task_altered"]
    assert problem["value"] == 1
    assert problem["notes"] == ["Tasks with a changed text: 1; answers given since are void."]
    assert found["median_seconds", "sk"]["reason"] == "no_data"
    shown = run_here("batch", "status", batch_id, "-w", study_copy)
    assert "`batch repair` sets it right." in shown.out
    narrow = {"COLUMNS": "60", "STEREOSCOPE_LABEL_STUDIO_URL": "https://label-studio.example.org"}
    shown = run_here("batch", "status", batch_id, "-w", study_copy, env=narrow)
    address = f"{batch_id} rater-2: https://label-studio.example.org/projects/9/"
    assert any(line.startswith(address) for line in shown.out.splitlines()), shown.out
    assert ("sk",) not in {key[1:] for key in figures(study_copy, "batch", "status", batch_id)}
    assert snapshot_of(study_copy) == before


def test_reliability_of_every_rater(study_copy: Path, batch_id: str) -> None:
    before = snapshot_of(study_copy)
    found = figures(study_copy, "raters", "reliability", "--language", "sk")
    alike = found["repeat_label_agreement", "sk", "rater-1"]
    assert (alike["value"], alike["n"], alike["interval"]["method"]) == (1.0, 6, "wilson")
    assert found["degraded_p", "sk", "rater-1"]["reason"] == "no_data"
    assert found["mean_shift", "sk", "rater-1"]["reason"] == "needs_three_raters"
    assert found["look_at", "sk", "rater-1"]["notes"] == ["one_score"]
    # The other one has no valid answer, so nothing is said of her.
    assert {key[-1] for key in found} == {"rater-1"}
    again = figures(study_copy, "raters", "reliability", "--batch", batch_id)
    assert again["longest_run", "sk", batch_id, "rater-1"]["value"] == 18
    shown = run_here("raters", "reliability", "-w", study_copy)
    assert "one_score" in shown.out
    assert "6 of 6" in shown.out
    assert "It excludes nobody" in shown.message
    assert snapshot_of(study_copy) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("batch", "status", "none"), "no batch none"),
        (("raters", "reliability", "--batch", "none"), "no batch none"),
        (("raters", "reliability", "-l", "sv"), "There is no batch of sv"),
        (("raters", "reliability", "-l", "xx"), "xx"),
    ],
)
def test_what_is_not_there_is_one_sentence(
    study_copy: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = run_here(*arguments, "-w", study_copy)
    assert (ended.code, message in ended.message) == (1, True), ended.text

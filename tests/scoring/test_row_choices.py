"""Rows that a person saw, and rows from a quality threshold on, of a real release."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from comparison_builders import FEMININE, GEST, compare_entries, make_entry, make_result

from corpus.release import open_release
from corpus.release_schema import HumanSeen, ReleaseRow
from exports.build import build_release
from scoring.protocols import protocol_named
from scoring.row_choices import collect_row_facts
from scoring.scores import ScoreRequest, score_release
from tests.command_line import run_here
from tests.exports.release_builders import make_approved_store
from tests.scoring.toy_engine import ToyEngine


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release and a result over it, beside one another as in a workspace."""
    folder = tmp_path_factory.mktemp("rows")
    store = make_approved_store(folder / "store")
    build_release(store, "1.0.0", ["sk"], folder / "releases")
    store.close()
    release = open_release(folder / "releases" / "1.0.0")
    request = ScoreRequest(release, ("sk",), (protocol_named("paper"),), GEST, 1, 100)
    score_release(ToyEngine({"nič": -3.0}), request, folder / "results")
    return folder


@pytest.fixture(scope="module")
def rows(workspace: Path) -> list[ReleaseRow]:
    return open_release(workspace / "releases" / "1.0.0").rows("sk")


def result_of(workspace: Path) -> Path:
    [manifest] = (workspace / "results").glob("*/manifest.json")
    return manifest.parent


def test_seen_are_rows_of_which_a_person_saw_a_text(rows: list[ReleaseRow]) -> None:
    seen = [
        replace(rows[0], id=f"a/sk/set/{k}", human_seen=each) for k, each in enumerate(HumanSeen)
    ]
    found = collect_row_facts(seen)
    assert found.seen == {
        f"a/sk/set/{k}" for k, each in enumerate(HumanSeen) if each is not HumanSeen.NONE
    }
    assert found.seen_keys == {id_.removeprefix("a/sk/") for id_ in found.seen}


def test_thresholds_lie_around_the_models_own(rows: list[ReleaseRow]) -> None:
    model = "Unbabel/wmt22-cometkiwi-da@abc"
    scored = [
        replace(rows[0], id=f"a/sk/set/{k}", quality_score=score, quality_model=model)
        for k, score in enumerate((0.79, 0.85, 0.9))
    ]
    scored.append(replace(rows[0], id="a/sk/set/9", quality_score=None, quality_model=None))
    found = collect_row_facts(scored)
    assert found.thresholds() == (0.8, 0.825, 0.85, 0.875, 0.9)
    assert found.thresholds((0.9, 0.5, 0.9)) == (0.5, 0.9)
    assert found.keys_from(0.85) == {"set/1", "set/2"}
    mixed = [*scored, replace(scored[0], quality_model="Unbabel/wmt20-comet-qe-da")]
    assert collect_row_facts(mixed).thresholds() == ()


def test_g_s_at_neighbouring_thresholds_says_its_n() -> None:
    """Half of the sentences reach 0.9 and are level; all reach 0.8 and give g_s 1.5 at most."""
    logits = {s: [0.0] * 20 + [-0.5 if s in FEMININE else 0.5] * 20 for s in GEST.ids}
    level = frozenset(f"set/{1000 * s + k}" for s in GEST.ids for k in range(20))
    every = frozenset(f"set/{1000 * s + k}" for s in GEST.ids for k in range(40))
    entry = make_entry(0, logits)
    chosen = {(0, "sk"): {0.8: every, 0.9: level, 0.95: frozenset()}}
    found = compare_entries([make_result()], [entry], from_quality=chosen)
    g_s = [each for each in found.thresholds if each.name == "g_s"]
    assert [dict(each.scope)["quality_from"] for each in g_s] == ["0.8", "0.9", "0.95"]
    assert [each.n for each in g_s] == [640, 320, 0]
    assert g_s[1].value == pytest.approx(1.0)
    assert g_s[0].value is not None
    assert g_s[0].value > 1
    assert g_s[2].reason == "no_data"
    [whole] = [m.measures.g_s for m in found.measures if dict(m.scope)["sentences"] == "all"]
    assert whole.value == g_s[0].value


def test_only_rows_that_a_human_saw_count_on_request(
    workspace: Path, rows: list[ReleaseRow]
) -> None:
    folder = result_of(workspace)
    options = ("--conditions", "pooled", "--json")
    every = json.loads(run_here("scores", "measures", folder, *options).out)
    seen = json.loads(run_here("scores", "measures", folder, "--only-validated", *options).out)
    assert seen["rows"] == "seen by a human"
    assert "Only rows count that a human saw." in seen["statements"]

    def count(document: dict[str, list[dict[str, object]]]) -> object:
        return next(f["n"] for f in document["figures"] if f["name"] == "logit_r_difference")

    human = [row for row in rows if row.human_seen is not HumanSeen.NONE]
    assert 0 < len(human) < len(rows)
    assert (count(every), count(seen)) == (len(rows), len(human))
    both = json.loads(run_here("scores", "compare", folder, "--rows", *options).out)
    kinds = {f["scope"].get("kind") for f in both["figures"]}
    assert "human_seen" in kinds


def test_another_release_of_that_version_is_not_taken_for_it(workspace: Path) -> None:
    file = result_of(workspace) / "manifest.json"
    kept = file.read_text(encoding="utf-8")
    file.write_text(json.dumps(json.loads(kept) | {"release_sha256": "0" * 64}), encoding="utf-8")
    done = run_here("scores", "measures", file.parent, "--only-validated")
    file.write_text(kept, encoding="utf-8")
    assert done.code == 1
    assert "is another release 1.0.0 than" in done.message

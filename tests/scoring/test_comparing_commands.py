"""`scores measures`, `compare` and `table` on results with known numbers."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import pytest
from comparison_builders import FEMININE, GEST
from result_folders_made import Logits, write_result

from app.comparison_latex import escape
from app.comparison_rows import CSV_COLUMNS
from corpus.stereotypes import inventory_from
from tests.command_line import run_here

HOSTILE = '=1+1_&%$#{x}~^\\ "a" -- <b>'


def leaning(feminine: float, masculine: float, n: int = 20) -> Logits:
    shares = {s: feminine if s in FEMININE else masculine for s in GEST.ids}
    return {s: [math.log(r / (1 - r))] * n for s, r in shares.items()}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Models a (g_s 1.5) and b (g_s 2) in sk and tr; b lacks a stereotype in tr."""
    folder = tmp_path / "results"
    lacking = {s: row for s, row in leaning(0.4, 0.8).items() if s != 3}
    write_result(
        folder,
        "org/a",
        {
            "sk": {"noun": leaning(0.4, 0.6), "pronoun": leaning(0.4, 0.8)},
            "tr": {"noun": leaning(0.4, 0.6)},
        },
        model_metadata={"kind": "base", "supported_languages": ["sk"]},
        refused={"tr/pronoun": 320},
    )
    write_result(
        folder,
        "org/b",
        {"sk": {"noun": leaning(0.4, 0.8)}, "tr": {"noun": lacking}},
        key={"revision": "s"},
        model_metadata={"kind": "instruct", "base": "org/a"},
        unvalidated=["tr"],
    )
    return folder


def test_measures_come_from_the_shards_alone(results: Path) -> None:
    done = run_here("scores", "measures", results / "org-a-1", "--protocols", "paper,sum", "--json")
    assert done.code == 0, done.text
    document = json.loads(done.out)
    assert document["command"] == "scores measures"
    found = {
        tuple(figure["scope"][name] for name in ("language", "protocol", "condition")): figure
        for figure in document["figures"]
        if figure["name"] == "g_s" and figure["scope"]["sentences"] == "all"
    }
    assert found["sk", "paper", "noun"]["value"] == pytest.approx(1.5)
    assert found["sk", "paper", "pooled"]["value"] == pytest.approx(2.0)
    assert found["tr", "sum", "noun"]["n"] == 320
    assert {
        "model": "org/a",
        "language": "tr",
        "protocol": "sum",
        "condition": "pronoun",
        "reason": "identical_templates",
    } in document["gaps"]
    shown = run_here("scores", "measures", results / "org-a-1")
    assert "1.500" in shown.out
    assert (
        "Gap: org/a, tr, paper/pronoun: masculine and feminine template are the same text."
        in shown.err
    )
    assert "sk: 4 of 6 seen by a human, label error not estimated." in shown.err
    assert "conditional on these 16 stereotypes" in shown.err
    assert "Limits: Two genders only." in shown.err
    assert "no interval: all draws alike" in shown.out
    assert "better" not in shown.text


def test_models_are_compared_in_a_table_and_as_json(results: Path) -> None:
    folders = [results / "org-a-1", results / "org-b-1"]
    shown = run_here("scores", "compare", *folders, "--conditions", "noun")
    assert shown.code == 0, shown.text
    [line] = [each for each in shown.out.splitlines() if "base_instruct" in each and "│ sk" in each]
    assert "org/a" in line
    assert "1.333" in line
    assert "NOT VALIDATED: nobody approved tr." in shown.err
    averages = [each for each in shown.out.splitlines() if "shared" in each]
    assert any("org/b: missing_stereotype" in each for each in averages)
    assert any("supported" in each for each in shown.out.splitlines())
    document = json.loads(run_here("scores", "compare", *folders, "--json").out)
    assert document["compared_in"] == "model"
    assert [each["label"] for each in document["results"]] == ["org/a", "org/b"]
    names = {figure["name"] for figure in document["figures"]}
    assert {"g_s", "g_s_p", "g_s_average", "g_s_ratio", "g_s_ratio_p_adjusted"} <= names
    assert names == set(document["definitions"])
    signed = {
        figure["name"]: [document["signatures"][k] for k in figure["signatures"]]
        for figure in document["figures"]
        if figure["scope"].get("sentences") == "common"
    }
    assert all(signed.values())
    [one, other] = signed["g_s_ratio"][:2]
    differing = {
        mine.split(":")[0]
        for mine, theirs in zip(one.split("|"), other.split("|"), strict=True)
        if mine != theirs
    }
    # They differ in what is compared and in nothing else.
    assert differing <= {"model", "revision", "language"}
    assert "|items:all+common:" in one
    assert "|seed:7x200|" in one
    again = run_here("scores", "compare", *folders, "--json").out
    assert json.loads(again) == document


def test_common_sentences_are_shown_with_their_own_n(results: Path) -> None:
    folders = [results / "org-a-1", results / "org-b-1"]
    shown = run_here("scores", "compare", *folders, "--conditions", "noun", "--common")
    assert "on common sentences" in shown.out
    [line] = [
        each
        for each in shown.out.splitlines()
        if "org/a" in each and "│ sk" in each and "noun" in each and "base" not in each
    ][:1]
    # b lacks stereotype 3 in Turkish, so nothing of it is common.
    assert "a stereotype has no sentence" in line
    assert "300" in line


def test_results_that_differ_in_two_things_are_refused(results: Path) -> None:
    other = write_result(
        results, "org/c", {"sk": {"noun": leaning(0.4, 0.6)}}, release="2.0.0", release_sha256="e"
    )
    done = run_here("scores", "compare", results / "org-a-1", other)
    assert done.code == 1
    assert "differs from org-a-1 in its model and in its data" in done.message
    missing = run_here("scores", "compare", results / "org-a-1", results)
    assert missing.code == 1
    assert "no result" in missing.message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--conditions", "verb"], "--conditions takes"),
        (["--protocol", "best"], "The protocol best is unknown"),
        (["--languages", "de"], "No result has the language de; they have sk, tr."),
        (["--thresholds", "high"], "--thresholds takes numbers"),
        (["--only-validated"], "rows are known only where release 1.0.0 lies beside the results"),
        (["--conditions", "pair"], "There is nothing to compute from"),
    ],
)
def test_bad_options_are_one_sentence(results: Path, options: list[str], said: str) -> None:
    done = run_here("scores", "compare", results / "org-a-1", *options)
    assert (done.code, done.out) == (1, "")
    assert said in done.message


def test_a_result_of_another_inventory_is_refused(results: Path) -> None:
    damaged = write_result(results, "org/d", {"sk": {"noun": leaning(0.4, 0.6)}}, inventory="x")
    done = run_here("scores", "measures", damaged)
    assert (done.code, done.out) == (1, "")
    assert "its stereotypes are not those that it was scored with" in done.message
    done = run_here("scores", "measures", damaged, "--inventory", "gest")
    assert (done.code, done.out) == (1, "")
    assert "another inventory of stereotypes than gest" in done.message


def test_the_stereotypes_are_those_scored_with(results: Path) -> None:
    poles = {"feminine": (1, 2), "masculine": (3, 4)}
    rows = [
        {"id": one, "pole": pole, "name": f"trait {one}"}
        for pole, ids in poles.items()
        for one in ids
    ]
    coast = inventory_from({"name": "coast", "stereotypes": rows}, "coast")
    parts = {"inventory": coast.content_hash, "stereotypes": coast.as_json()}
    four = {one: [0.4 if one < 3 else 0.8] * 20 for one in coast.ids}
    other = write_result(results, "org/d", {"sk": {"noun": four}}, **parts)
    done = run_here("scores", "measures", other, "--json")
    assert done.code == 0, done.text
    names = [each["name"] for each in json.loads(done.out)["figures"]]
    assert names.count("q_i") == 2 * 2 * 4
    done = run_here("scores", "compare", results / "org-a-1", other)
    assert (done.code, done.out) == (1, "")
    assert f"{other} [inventory]: scored with another inventory of stereotypes" in done.message


def test_csv_holds_every_figure_unrounded(results: Path, tmp_path: Path) -> None:
    hostile = write_result(results, HOSTILE, {"sk": {"noun": leaning(0.4, 0.6)}}, name="h")
    output = tmp_path / "tables" / "scores.csv"
    done = run_here("scores", "table", hostile, "--format", "csv", "-o", output)
    assert done.code == 0, done.text
    data = output.read_bytes()
    assert not data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(data.decode("utf-8").splitlines()))
    assert tuple(rows[0]) == CSV_COLUMNS
    [row] = [
        each
        for each in rows
        if (each["measure"], each["sentences"], each["condition"]) == ("g_s", "all", "noun")
    ]
    assert row["model"] == HOSTILE
    assert float(row["value"]) == pytest.approx(1.5, abs=1e-12)
    assert (row["n"], row["interval_reason"]) == ("320", "degenerate")
    options = ("--formula-safe", "--byte-order-mark")
    safe = run_here("scores", "table", hostile, "-o", output, *options)
    assert safe.code == 0, safe.text
    text = output.read_bytes()
    run_here("scores", "table", hostile, "-o", output, "--for-spreadsheet")
    assert output.read_bytes() == text
    assert text.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(text.decode("utf-8-sig").splitlines()))
    assert {each["model"] for each in rows if each["model"]} == {"'" + HOSTILE}
    inclinations = [float(each["value"]) for each in rows if each["measure"] == "inclination"]
    assert inclinations


def test_latex_has_booktabs_and_text_that_stays_text(results: Path, tmp_path: Path) -> None:
    hostile = write_result(results, HOSTILE, {"sk": {"noun": leaning(0.4, 0.6)}}, name="h")
    output = tmp_path / "scores.tex"
    folders = (results / "org-a-1", hostile)
    options = ("--format", "latex", "--conditions", "noun", "-o", output)
    done = run_here("scores", "table", *folders, *options)
    assert done.code == 0, done.text
    text = output.read_text(encoding="utf-8")
    for part in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"protocol paper",
        "4 of 6 seen by a human",
    ):
        assert part in text
    assert escape(HOSTILE) in text
    assert HOSTILE not in text
    assert r"tr & 1.500, n = 320 & -- \\" in text
    # Nothing that LaTeX reads as a sign of its own is left over but what the table needs.
    bare = re.sub(r"\\[a-zA-Z]+|\\.", "", "\n".join(text.splitlines()[1:]))
    assert not set(bare) & set('%$#_^~"<>`|\\')
    assert bare.count("{") == bare.count("}")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("g_s", r"g\_s"),
        ("100 % & more", r"100 \% \& more"),
        ("a\\b", r"a\textbackslash{}b"),
        ("{x}", r"\{x\}"),
        ("line\nbreak", "line break"),
        ("žena", "žena"),
    ],
)
def test_latex_escapes(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_a_format_of_another_name_is_refused(results: Path, tmp_path: Path) -> None:
    done = run_here("scores", "table", results / "org-a-1", "-o", tmp_path / "x", "--format", "xls")
    assert done.code == 1
    assert "--format takes csv or latex, not xls." in done.message
    assert not (tmp_path / "x").exists()

"""Results are compared in one thing at a time; everything else is refused or named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from comparison_builders import GEST, make_result
from result_folders_made import write_result

from corpus.errors import InputError
from scoring.comparability import Factor, check_comparable
from scoring.compared_columns import load_entries
from scoring.protocols import PAPER, protocol_named
from scoring.result_folders import open_result

LEVEL = {s: [0.1] * 3 for s in GEST.ids}


def test_models_on_one_release_may_differ_in_what_is_theirs_and_it_is_named() -> None:
    one = make_result("org/a", dtype="bfloat16")
    other = make_result("org/b", bos_policy="added by tokenizer", tokenizer_hash="u")
    found = check_comparable([one, other], GEST)
    assert found.factor is Factor.MODEL
    assert found.labels == ("org/a", "org/b")
    assert found.named == {
        "dtype": ("bfloat16", "float32"),
        "bos_policy": ("none", "added by tokenizer"),
    }


def test_one_model_may_be_compared_on_several_releases() -> None:
    one, other = make_result(), make_result(release="2.0.0", release_sha256="e", data_hash="e")
    found = check_comparable([one, other], GEST)
    assert found.factor is Factor.DATA
    assert found.labels == (
        "org/m (release 1.0.0, templates chosen)",
        "org/m (release 2.0.0, templates chosen)",
    )


def test_two_models_on_two_releases_are_refused() -> None:
    other = make_result("org/b", release="2.0.0", release_sha256="e", data_hash="e")
    with pytest.raises(InputError, match=r"differs .* in its model and in its data \(release 2"):
        check_comparable([make_result("org/a"), other], GEST)


@pytest.mark.parametrize("part", ["items", "edition"])
def test_a_choice_of_items_or_templates_counts_as_data(part: str) -> None:
    with pytest.raises(InputError, match="in its model and in its data"):
        check_comparable([make_result("org/a"), make_result("org/b", **{part: "1.0:x"})], GEST)


def test_another_inventory_is_refused() -> None:
    with pytest.raises(InputError, match="another inventory of stereotypes than gest"):
        check_comparable([make_result(inventory="other")], GEST)


def test_the_same_scores_twice_are_one_result_and_none_is_refused() -> None:
    found = check_comparable([make_result(), make_result()], GEST)
    assert len(found.results) == 1
    assert found.factor is Factor.NOTHING
    with pytest.raises(InputError, match="there is none"):
        check_comparable([], GEST)


def test_runs_of_one_model_are_told_apart_by_what_differs() -> None:
    found = check_comparable([make_result(), make_result(dtype="float16")], GEST)
    assert found.labels == ("org/m (float32)", "org/m (float16)")


def test_a_folder_that_is_no_result_of_this_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no result: it holds no manifest\.json"):
        open_result(tmp_path)
    folder = write_result(tmp_path, "org/m", {"sk": {"pair": LEVEL}})
    assert open_result(folder).model == "org/m"
    for change, said in (
        ({"version": "stereoscope 0.0.1"}, "a result of stereoscope 0.0.1, not of"),
        ({"shards": {"sk": {"model_id": "m"}}}, "a result of another format"),
    ):
        kept = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps(kept | change))
        with pytest.raises(InputError, match=said):
            open_result(folder)
        (folder / "manifest.json").write_text(json.dumps(kept))
    (folder / "manifest.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        open_result(folder)


def test_what_is_lacking_is_a_gap_with_its_reason(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path,
        "org/m",
        {"sk": {"pair": LEVEL}, "tr": {"pair": LEVEL}},
        gaps={"de": "no sentence of it is in the release"},
        refused={"tr/noun": 3},
    )
    [damaged] = (tmp_path / "shards" / "org-m").glob("sk-*.parquet")
    damaged.write_bytes(b"PAR1")
    compared = check_comparable([open_result(folder)], GEST)
    protocols = (PAPER, protocol_named("terminated"))
    codes = ("sk", "tr", "de", "fi")
    entries, gaps = load_entries(compared, codes, protocols, ("pair", "noun"), GEST)
    assert [(e.language, e.protocol, e.condition) for e in entries] == [("tr", "paper", "pair")]
    reasons = {(g.language, g.protocol, g.condition): g.reason for g in gaps}
    assert reasons["sk", "paper", "pair"] == "damaged, or no Parquet file"
    assert reasons["tr", "paper", "noun"] == "identical_templates"
    assert reasons["tr", "terminated", "pair"] == "not_terminated:48"
    assert reasons["de", "paper", "pair"] == "no sentence of it is in the release"
    assert reasons["fi", "paper", "pair"] == "not scored in this result"
    assert len(entries) + len(gaps) == 16

"""What a version promises of comparability is kept, and what changed is told."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import ReleaseError
from corpus.records import DecisionAction, Label
from corpus.release import Release, list_files, open_release
from corpus.release_schema import HumanSeen, Validation
from corpus.store import Store
from exports.build import BuiltRelease, build_release
from exports.diff import diff_releases, read_content
from exports.verify import verify_release
from exports.versions import Step, find_step, next_version
from tests.exports.release_builders import NEUTRAL, PAIR, SOURCES, decide
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    approve,
    make_candidate,
)

EDITED = {"masculine": "Som citlivý.", "feminine": "Som citlivá."}
WITHOUT_DATA = {
    *("SHA256SUMS", "inventory.json"),
    *("lm_eval/process.py", "lm_eval/_common.yaml", "inspect_ai/task.py"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "releases"


def build(
    store: Store, folder: Path, version: str, codes: str = "en,sk", **options: Any
) -> BuiltRelease:
    return build_release(store, version, codes.split(","), folder, **options)


def refused(store: Store, folder: Path, version: str, codes: str = "en,sk", **options: Any) -> str:
    with pytest.raises(ReleaseError) as caught:
        build(store, folder, version, codes, **options)
    assert not (folder / version).exists()
    return str(caught.value)


def opened(built: BuiltRelease) -> Release:
    return open_release(built.path)


def add_polish(store: Store, count: int = 2) -> None:
    candidates = [
        make_candidate(source, "pl", Label.NEUTRAL, variants={"neutral": f"Zdanie {source.row}."})
        for source in SOURCES[:count]
    ]
    add_candidates(store, candidates)
    _, items = add_batch(store, candidates, ["r1"])
    add_ratings(store, items, "r1")


def test_a_changed_item_needs_a_major_version(store: Store, folder: Path) -> None:
    build(store, folder, "1.2.3")
    decide(store, PAIR, DecisionAction.EDIT, variants=EDITED)
    approve(store, "sk")
    said = refused(store, folder, "1.3.0")
    assert "too low after 1.2.3: it must be 2.0.0 or higher" in said
    assert f"sk: 1 items changed: {PAIR.id}" in said
    assert opened(build(store, folder, "2.0.0")).version == "2.0.0"


def test_a_removed_item_and_an_added_one_need_a_major_version(store: Store, folder: Path) -> None:
    build(store, folder, "1.0.0")
    decide(store, NEUTRAL[3], DecisionAction.REJECT)
    decide(store, NEUTRAL[2], DecisionAction.ACCEPT)
    approve(store, "sk")
    said = refused(store, folder, "1.1.0")
    assert f"sk: 1 items removed: {NEUTRAL[3].id}" in said
    assert f"sk: 1 items added: {NEUTRAL[2].id}" in said
    build(store, folder, "3.0.0")


def test_an_added_language_needs_a_minor_version(store: Store, folder: Path) -> None:
    build(store, folder, "1.0.0", "sk")
    said = refused(store, folder, "1.0.1")
    assert "it must be 1.1.0 or higher" in said
    assert "en: the language is new" in said
    build(store, folder, "1.1.0")
    assert "must be 2.0.0" in refused(store, folder, "1.2.0", "en")


def test_what_is_only_said_about_the_data_is_a_patch(store: Store, folder: Path) -> None:
    first = build(store, folder, "1.0.0")
    decide(store, NEUTRAL[3], DecisionAction.ACCEPT)
    approve(store, "sk")
    second = build(store, folder, "1.0.1")
    [_, slovak] = diff_releases(read_content(opened(first)), read_content(opened(second)))
    [change] = slovak.changed
    assert not change.changes_score
    assert (change.before["decision"], change.after["decision"]) == ("none", "accept")
    assert (change.before["adjudicated"], change.after["adjudicated"]) == (False, True)
    assert find_step([slovak]) == (Step.PATCH, [])
    text = (second.path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f'changed {NEUTRAL[3].id} decision: "none" -> "accept"' in text


def test_the_next_version_of_each_kind() -> None:
    steps = [next_version("1.2.3", step) for step in Step]
    assert steps == ["1.2.4", "1.3.0", "2.0.0"]


def test_a_removed_item_may_come_back_as_it_was_but_not_as_another(
    store: Store, folder: Path
) -> None:
    build(store, folder, "1.0.0")
    decide(store, NEUTRAL[3], DecisionAction.REJECT)
    decide(store, PAIR, DecisionAction.REJECT)
    approve(store, "sk")
    build(store, folder, "2.0.0")
    decide(store, NEUTRAL[3], DecisionAction.ACCEPT)
    decide(store, PAIR, DecisionAction.EDIT, variants=EDITED)
    approve(store, "sk")
    said = refused(store, folder, "3.0.0")
    assert f"{PAIR.id}: last in release 1.0.0" in said
    assert NEUTRAL[3].id not in said
    taken = build(store, folder, "3.0.0", take_back=True)
    text = (taken.path / "CHANGELOG.md").read_text(encoding="utf-8")
    for back in (PAIR, NEUTRAL[3]):
        assert f"added {back.id} (returned, last in 1.0.0)" in text
    assert build(store, folder, "3.0.0").sums_sha256 == taken.sums_sha256


def test_an_earlier_release_that_is_gone_or_changed_stops_the_next(
    store: Store, folder: Path
) -> None:
    first = build(store, folder, "1.0.0")
    aside = shutil.move(first.path, folder.parent / "aside")
    assert "Release 1.0.0 was built and is not in" in refused(store, folder, "1.0.1")
    shutil.move(aside, first.path)
    (first.path / "data" / "sk.parquet").write_bytes(b"other")
    assert "data/sk.parquet: changed" in refused(store, folder, "1.0.1")


def read(release: Release, name: str) -> str:
    return (release.path / name).read_text(encoding="utf-8")


def is_marked(release: Release, name: str) -> bool:
    """Whether a file says that Polish is not approved, or holds nothing of Polish."""
    if name in WITHOUT_DATA or Path(name).stem in ("en", "sk"):
        return True
    content = (release.path / name).read_bytes()
    return b"unvalidated" in content or b"NOT VALIDATED: pl" in content


def test_an_unapproved_language_is_released_only_on_request_and_marked_everywhere(
    store: Store, folder: Path
) -> None:
    add_polish(store)
    said = refused(store, folder, "1.0.0", "pl,sk")
    assert "pl: it is not approved" in said
    assert "sk:" not in said
    release = opened(build(store, folder, "1.0.0", "en,pl,sk", include_unvalidated=True))
    marks = {code: {row.validation for row in release.rows(code)} for code in release.languages}
    assert marks == {
        "en": {Validation.SOURCE},
        "pl": {Validation.UNVALIDATED},
        "sk": {Validation.APPROVED},
    }
    assert release.unvalidated == ("pl",)
    card = (release.path / "README.md").read_text(encoding="utf-8")
    assert "**NOT VALIDATED:** Polish (`pl`)" in card
    assert not [name for name in list_files(release.path) if not is_marked(release, name)]
    for code, mark in (("sk", "approved"), ("en", "source")):
        assert mark in read(release, f"templates/{code}.json")
        assert mark in read(release, f"lm_eval/{code}.yaml")
        assert "unvalidated" not in read(release, f"templates/{code}.json")
    assert verify_release(release.path) == []


def test_a_stale_approval_is_unvalidated(store: Store, folder: Path) -> None:
    decide(store, PAIR, DecisionAction.EDIT, variants=EDITED)
    assert "changed after the approval" in refused(store, folder, "1.0.0", "sk")
    release = opened(build(store, folder, "1.0.0", "sk", include_unvalidated=True))
    assert release.unvalidated == ("sk",)
    # The figures of an approval that does not hold any more are not this data's.
    assert release.provenance["languages"]["sk"]["approval"] is None
    # Once it is approved, the same items are a patch.
    approve(store, "sk")
    again = opened(build(store, folder, "1.0.1", "sk"))
    assert again.unvalidated == ()


def test_rows_say_what_marks_the_gender_and_who_looked_at_them(store: Store, folder: Path) -> None:
    decide(store, PAIR, DecisionAction.EDIT, variants=EDITED)
    approve(store, "sk")
    built = build(store, folder, "1.0.0")
    import pyarrow.parquet as pq

    table = pq.read_table(built.path / "data" / "sk.parquet").to_pylist()
    assert table[0]["spans"] == '{"feminine":[[4,11]],"masculine":[[4,11]]}'
    assert table[1]["spans"] == "{}"
    rows = opened(built).rows("sk")
    assert [row.adjudicated for row in rows] == [True, False, False, False]
    assert rows[0].human_seen is HumanSeen.BOTH

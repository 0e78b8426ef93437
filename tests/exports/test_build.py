from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from corpus.errors import InputError, ReleaseError
from corpus.records import ApprovalAction, DecisionAction, Label, Origin
from corpus.release import list_files, open_release
from corpus.release_schema import SCHEMA, HumanSeen
from corpus.review import LanguageState
from corpus.store import Store
from exports.build import BuiltRelease, Outcome, build_release
from exports.verify import verify_release
from tests.exports.release_builders import (
    CANDIDATES,
    NEUTRAL,
    PAIR,
    SOURCES,
    decide,
    make_approved_store,
)
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    approve,
    make_candidate,
    make_store,
    standing_of,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "releases"


def content_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in list_files(folder)}


def build(store: Store, folder: Path, version: str = "0.1.0") -> BuiltRelease:
    return build_release(store, version, ["sk", "en"], folder, by="curator-1")


def test_release_holds_what_was_approved(store: Store, folder: Path) -> None:
    built = build(store, folder)
    assert built.outcome is Outcome.BUILT
    assert built.rows == {"sk": 4, "en": 6}
    release = open_release(built.path)
    assert release.languages == ("en", "sk")
    assert release.sums_sha256 == built.sums_sha256
    rows = release.rows("sk")
    assert [row.id for row in rows] == [f"eurogest/sk/made/{number}" for number in (2, 3, 4, 6)]
    pair, edited, seen, unseen = rows
    assert (pair.neutral, pair.masculine, pair.feminine) == (
        None,
        "Som emotívny.",
        "Som emotívna.",
    )
    assert (pair.gest_id, pair.stereotype_id, pair.label) == (0, 1, Label.PAIR)
    assert (pair.quality_score, pair.quality_model) == (0.85, "made@1")
    # Raters saw the feminine variant (80 and 100), of the others the one text there is.
    assert (pair.human_seen, pair.raters, pair.mean_quality) == (HumanSeen.ONE, 2, 90.0)
    assert (seen.human_seen, seen.raters, seen.mean_quality) == (HumanSeen.BOTH, 2, 90.0)
    # An edit by a rule: nobody saw the new text.
    assert (edited.neutral, edited.decision) == ("nič", DecisionAction.EDIT)
    assert (edited.human_seen, edited.raters, edited.mean_quality) == (HumanSeen.NONE, 0, None)
    assert (unseen.human_seen, unseen.raters) == (HumanSeen.NONE, 0)
    assert {row.human_seen for row in release.rows("en")} == {HumanSeen.SOURCE}
    counts = release.provenance["languages"]["sk"]["counts"]
    assert counts["candidates"] == 6
    assert counts["left_out"] == {
        "discarded": 1,
        "rejected": 1,
        "open": 0,
        "repaired": 0,
        "written": 0,
    }
    assert release.templates("sk")["sk/noun/final/corrected"][0][1].endswith("povedal muž")
    assert verify_release(built.path) == []


def test_open_disagreements_are_left_out_and_counted(store: Store, folder: Path) -> None:
    built = build_release(store, "0.1.0", ["sk"], folder, open_subjects={PAIR.id})
    release = open_release(built.path)
    assert PAIR.id not in {row.id for row in release.rows("sk")}
    assert release.provenance["languages"]["sk"]["counts"]["left_out"]["open"] == 1


def test_one_by_one_decision_counts_as_seen(store: Store, folder: Path) -> None:
    decide(store, NEUTRAL[3], DecisionAction.ACCEPT)
    approve(store, "sk")
    rows = open_release(build(store, folder).path).rows("sk")
    assert rows[-1].human_seen is HumanSeen.BOTH
    assert rows[-1].raters == 0


def test_a_text_that_a_curator_wrote_is_released_once_a_rater_has_rated_it(
    store: Store, folder: Path
) -> None:
    edited = {"neutral": "Veľmi dobre spím."}
    decide(store, NEUTRAL[3], DecisionAction.EDIT, variants=edited, written=("neutral",))
    approve(store, "sk")
    held = open_release(build(store, folder).path)
    assert NEUTRAL[3].id not in {row.id for row in held.rows("sk")}
    counts = held.provenance["languages"]["sk"]["counts"]
    assert (counts["left_out"]["written"], counts["human_written"]) == (1, 0)
    card = (held.path / "README.md").read_text(encoding="utf-8")
    assert (
        "| Slovak | `sk` | 3 | 2 | 1 | 0 | 0 | 2 of 3 | not estimated | 1 | 1 | 0 | 0 | 1 |" in card
    )
    assert "was written by a curator, not translated, in 0 rows" in card
    assert verify_release(held.path) == []

    candidate = standing_of(store, "sk").candidates[4].candidate
    [item] = add_batch(store, [candidate], ["r1"], batch_id="sk-2")[1]
    add_ratings(store, [item], "r1")
    approve(store, "sk")
    released = open_release(build(store, folder, "1.0.0").path)
    row = released.rows("sk")[-1]
    assert (row.id, row.neutral, row.flags) == (
        NEUTRAL[3].id,
        "Veľmi dobre spím.",
        ("human_written",),
    )
    assert (row.human_seen, row.raters) == (HumanSeen.BOTH, 1)
    counts = released.provenance["languages"]["sk"]["counts"]
    assert (counts["left_out"]["written"], counts["human_written"]) == (0, 1)
    assert verify_release(released.path) == []


def test_build_is_recorded_and_audited(store: Store, folder: Path) -> None:
    built = build(store, folder)
    with store.reading() as state:
        (record,) = state.releases()
        entry = state.audit_entries()[-1]
    assert (record.version, record.languages) == ("0.1.0", ("en", "sk"))
    assert (record.sums_sha256, record.frozen_position) == (
        built.sums_sha256,
        built.frozen_position,
    )
    assert (entry.actor, entry.action, entry.subject) == ("curator-1", "build release", "0.1.0")
    assert standing_of(store, "sk").review.state is LanguageState.RELEASED


def test_texts_survive_every_format(store: Store, folder: Path) -> None:
    path = build(store, folder).path
    table = pq.read_table(path / "data" / "sk.parquet")
    assert table.schema.equals(SCHEMA)
    expected = [row.neutral for row in open_release(path).rows("sk")]
    assert expected == [None, "nič", 'Povedal som "nie",\nodišiel.', "=1+1"]
    frame = pd.read_csv(path / "csv" / "sk.csv", keep_default_na=False)
    assert [text or None for text in frame["Neutral"]] == expected
    assert list(frame["Source"])[:2] == ["I am emotional.", "NA"]
    english = pd.read_csv(path / "csv" / "en.csv", keep_default_na=False)
    assert list(english["Neutral"])[-1] == "None"
    assert list(pd.read_parquet(path / "data" / "en.parquet")["Neutral"])[1] == "NA"
    assert b"\r\n" in (path / "csv" / "sk.csv").read_bytes()


def test_published_columns_come_first_with_their_types() -> None:
    # Column names and types of the published EuroGEST tables, as DESIGN.md lists them.
    assert [(field.name, str(field.type)) for field in SCHEMA][:6] == [
        ("GEST_ID", "int64"),
        ("Source", "string"),
        ("Neutral", "string"),
        ("Masculine", "string"),
        ("Feminine", "string"),
        ("Stereotype_ID", "int64"),
    ]


def test_datasets_loads_a_language_and_the_splits_by_name(
    store: Store, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    from datasets import load_dataset

    path = build(store, folder).path
    cache = str(tmp_path / "cache")
    slovak = load_dataset(str(path), "sk", cache_dir=cache)
    assert slovak["test"].column_names == SCHEMA.names
    assert slovak["test"][0]["Masculine"] == "Som emotívny."
    assert slovak["test"][0]["Neutral"] is None
    everything = load_dataset(str(path), cache_dir=cache)
    assert {name: len(split) for name, split in everything.items()} == {"English": 6, "Slovak": 4}


def test_card_names_numbers_configs_and_what_is_not_recorded(store: Store, folder: Path) -> None:
    text = (build(store, folder).path / "README.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    configs = yaml.safe_load(front)["configs"]
    assert [each["config_name"] for each in configs] == ["default", "en", "sk"]
    assert configs[2]["data_files"] == [{"split": "test", "path": "data/sk.parquet"}]
    # Two of four rows: the pair (one variant) and one neutral row; the edit hid the third.
    assert "2 of 4 translated rows seen by a human" in body
    assert "0.9583" in body
    assert body.rstrip().endswith("not recorded")
    assert "DEMONSTRATION" not in body


def test_code_of_norwegian_stays_a_text_in_the_card(store: Store, folder: Path) -> None:
    candidates = [make_candidate(source, "no", Label.NEUTRAL) for source in SOURCES]
    add_candidates(store, candidates)
    approve(store, "no", override="no raters at hand")
    path = build_release(store, "0.1.0", ["no"], folder, licence="cc-by-4.0").path
    text = (path / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---\n", 2)[1])
    assert front["language"] == ["no"]
    assert front["configs"][1]["config_name"] == "no"
    assert front["license"] == "cc-by-4.0"
    assert "Approved against a gate:\n\n- `no`: no raters at hand" in text


def test_demo_data_are_marked_loudly(tmp_path: Path) -> None:
    store = make_approved_store(tmp_path / "store", Origin.DEMO)
    built = build(store, tmp_path / "releases")
    assert built.is_demo
    assert "DEMONSTRATION DATA" in (built.path / "README.md").read_text(encoding="utf-8")
    release = open_release(built.path)
    assert release.provenance["demo"] is True
    assert {row.origin for row in release.rows("sk")} == {Origin.DEMO, Origin.MACHINE}
    with store.reading() as state:
        assert state.releases()[0].stamp.origin is Origin.DEMO
    store.close()


def test_ratings_hold_pseudonyms_and_no_comments(store: Store, folder: Path) -> None:
    path = build(store, folder).path
    text = (path / "ratings" / "sk.csv").read_text(encoding="utf-8")
    assert (
        text.splitlines()[1]
        == "sk-1/0001,eurogest/sk/made/2,feminine,sample,1.0,r1,human,approved,80,no,"
    )
    assert len(text.splitlines()) == 9
    for name in list_files(path):
        assert b"Eva" not in (path / name).read_bytes(), name
        assert b"curator-1" not in (path / name).read_bytes(), name


def test_provenance_names_engines_forms_gates_and_figures(store: Store, folder: Path) -> None:
    provenance = open_release(build(store, folder).path).provenance
    slovak = provenance["languages"]["sk"]
    assert slovak["engines"] == [
        {"engine": "recorded", "model": "", "version": "1", "translations": 1}
    ]
    assert slovak["quality_models"] == {"made@1": 1}
    assert slovak["strategies"] == {"strict/1": 4}
    assert slovak["approval"]["figures"][0]["value"] == 0.9583
    assert slovak["approval"]["gates"][0]["name"] == "items"
    assert list(provenance["forms"]) == ["sentence/1"]
    assert provenance["sources"][0]["texts"] == 6
    assert provenance["languages"]["en"]["approval"] is None
    with store.reading() as state:
        approval = state.approvals(PAIR.instrument, "sk")[-1]
    assert provenance["frozen_at"] == approval.stamp.at.isoformat()
    agreement = json.loads((folder / "0.1.0" / "agreement" / "sk.json").read_text())
    assert agreement["figures"][0]["value"] == 0.9583


def test_two_builds_are_byte_identical_whatever_the_time_zone_and_locale(
    store: Store, tmp_path: Path, folder: Path
) -> None:
    first = content_of(build(store, folder).path)
    other = tmp_path / "elsewhere"
    code = (
        "import sys; from pathlib import Path; from corpus.store import open_store;"
        "from exports.build import build_release;"
        "build_release(open_store(sys.argv[1]), '0.1.0', ['en', 'sk'], Path(sys.argv[2]))"
    )
    url = f"sqlite:///{tmp_path / 'store' / 'store.sqlite'}"
    environment = os.environ | {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONHASHSEED": "7",
    }
    subprocess.run(
        [sys.executable, "-c", code, url, str(other)], cwd=ROOT, env=environment, check=True
    )
    assert content_of(other / "0.1.0") == first


def test_rows_of_others_do_not_change_the_release(store: Store, folder: Path) -> None:
    first = build(store, folder)
    add_candidates(store, [make_candidate(SOURCES[0], "sv", Label.NEUTRAL)])
    again = build(store, folder)
    assert again.outcome is Outcome.ALREADY_BUILT
    assert again.sums_sha256 == first.sums_sha256
    with store.reading() as state:
        assert len(state.releases()) == 1


def test_lost_folder_of_a_recorded_release_is_built_again(store: Store, folder: Path) -> None:
    first = build(store, folder)
    content = content_of(first.path)
    first.path.rename(folder.parent / "lost")
    again = build(store, folder)
    assert again.outcome is Outcome.ALREADY_BUILT
    assert content_of(again.path) == content


def test_version_used_with_other_content_is_refused(store: Store, folder: Path) -> None:
    build(store, folder)
    content = content_of(folder / "0.1.0")
    decide(store, NEUTRAL[3], DecisionAction.REJECT)
    approve(store, "sk")
    with pytest.raises(ReleaseError, match="already used with other content"):
        build(store, folder)
    assert content_of(folder / "0.1.0") == content


def test_changelog_lists_every_row_that_differs(store: Store, folder: Path) -> None:
    first = build(store, folder)
    assert "First release" in (first.path / "CHANGELOG.md").read_text(encoding="utf-8")
    decide(store, NEUTRAL[3], DecisionAction.REJECT)
    changed = {"masculine": "Som citlivý.", "feminine": "Som citlivá."}
    decide(store, PAIR, DecisionAction.EDIT, variants=changed)
    approve(store, "sk")
    second = build(store, folder, "1.0.0")
    text = (second.path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"Compared with 0.1.0 (SHA256SUMS `{first.sums_sha256}`)" in text
    counts = "rows 4 -> 3, neutral 3 -> 2, pair 1 -> 1"
    assert f"0 added, 1 changed, 1 removed; {counts}." in text
    assert 'changed eurogest/sk/made/2 Masculine: "Som emotívny." -> "Som citlivý."' in text
    assert 'removed eurogest/sk/made/6 {"neutral": "=1+1"}' in text
    assert verify_release(second.path) == []


@pytest.mark.parametrize("version", ["", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0-rc1", "1.0.0\n"])
def test_malformed_version_is_refused(store: Store, folder: Path, version: str) -> None:
    with pytest.raises(ReleaseError, match="no release version"):
        build(store, folder, version)
    assert not folder.exists()


def test_lower_version_is_refused(store: Store, folder: Path) -> None:
    build(store, folder, "0.10.0")
    with pytest.raises(ReleaseError, match=r"0\.9\.0 is lower than the latest release 0\.10\.0"):
        build(store, folder, "0.9.0")


def test_languages_that_are_not_approved_are_named_with_what_is_missing(
    store: Store, folder: Path
) -> None:
    add_candidates(store, [make_candidate(SOURCES[0], "sv", Label.NEUTRAL)])
    decide(store, NEUTRAL[3], DecisionAction.REJECT)
    with pytest.raises(ReleaseError) as refused:
        build_release(store, "0.1.0", ["sk", "sv", "de", "en"], folder)
    assert str(refused.value).splitlines()[1:-1] == [
        "de: nothing is generated yet",
        "sk: its data changed after the approval; look at it and approve it again",
        "sv: no batch was sent to raters, and it is not approved",
    ]
    approve(store, "sk", action=ApprovalAction.REVOKE)
    with pytest.raises(ReleaseError, match="sk: it is not approved"):
        build(store, folder)


def test_unknown_and_missing_languages_are_refused(store: Store, folder: Path) -> None:
    with pytest.raises(InputError, match="xx"):
        build_release(store, "0.1.0", ["xx"], folder)
    with pytest.raises(ReleaseError, match="at least one language"):
        build_release(store, "0.1.0", [], folder)


def test_language_with_nothing_left_is_refused(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    add_sources(store, SOURCES)
    add_candidates(store, [CANDIDATES[5]])
    approve(store, "sk")
    with pytest.raises(ReleaseError, match="Nothing is left to release of sk"):
        build_release(store, "0.1.0", ["sk"], tmp_path / "releases")
    store.close()


def test_what_would_not_verify_is_not_released(store: Store, folder: Path) -> None:
    # e with a combining acute accent: not in normal form C.
    decide(store, NEUTRAL[3], DecisionAction.EDIT, variants={"neutral": "cafe\u0301"})
    approve(store, "sk")
    with pytest.raises(ReleaseError, match="made/6: a text is not in Unicode normal form C"):
        build(store, folder)
    assert list_files(folder) == [".lock"]


@pytest.mark.parametrize("written", [0, 1, 9, 20])
def test_full_disk_leaves_nothing_behind(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    files: list[int] = []

    def fail_at_last(descriptor: int) -> None:
        if len(files) == written:
            raise OSError(28, "No space left on device")
        files.append(descriptor)

    monkeypatch.setattr("exports.files.os.fsync", fail_at_last)
    with pytest.raises(ReleaseError, match="No space left on device"):
        build(store, folder)
    assert len(files) == written
    assert list_files(folder) == [".lock"]
    monkeypatch.undo()
    with store.reading() as state:
        assert state.releases() == []
    assert build(store, folder).outcome is Outcome.BUILT


def test_tampered_folder_is_neither_adopted_nor_overwritten(store: Store, folder: Path) -> None:
    path = build(store, folder).path
    (path / "README.md").write_text("other", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"README\.md: changed since the release was built"):
        build(store, folder)
    assert (path / "README.md").read_text(encoding="utf-8") == "other"


def test_other_folders_beside_the_releases_are_passed_over(store: Store, folder: Path) -> None:
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "SHA256SUMS").write_text("not a release")
    assert build(store, folder).outcome is Outcome.BUILT


def test_one_build_at_a_time(store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[str] = []

    def build_meanwhile(*_: object) -> None:
        with pytest.raises(ReleaseError, match="Another release is being built") as caught:
            build(store, folder)
        refused.append(str(caught.value))

    monkeypatch.setattr("exports.build.sync_folders", build_meanwhile)
    assert build(store, folder).outcome is Outcome.BUILT
    assert len(refused) == 1

"""Publishing on a hub: the real client against a hub on loopback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import snapshot_download

from corpus.errors import ReleaseError, SettingsError
from corpus.hashing import sha256_file
from corpus.records import ApprovalAction, Origin
from corpus.release import SUMS_NAME, Release, list_files, open_release
from corpus.store import Store
from exports.build import build_release
from exports.files import write_sums
from exports.hub import HuggingFaceHub
from exports.publication import (
    HUB_FILES,
    Publication,
    Step,
    check_publishable,
    find_differences,
    load_files,
    plan_publication,
    publish,
)
from exports.verify import verify_release
from tests.exports.hub_server import TOKEN, Fault, HubServer, StoredFile, running_hub
from tests.exports.release_builders import make_approved_store
from tests.store_builders import approve

NAME = "study/eurogest-sk"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with running_hub() as running:
        yield running


@pytest.fixture
def release(store: Store, tmp_path: Path) -> Release:
    return open_release(build_release(store, "0.1.0", ["sk", "en"], tmp_path / "releases").path)


def open_hub(server: HubServer, token: str = TOKEN) -> HuggingFaceHub:
    return HuggingFaceHub(token, server.address)


def publish_once(server: HubServer, release: Release) -> Publication:
    hub = open_hub(server)
    plan = plan_publication(hub, release, NAME)
    publish(hub, plan)
    return plan


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in list_files(folder)}


def test_a_release_is_one_commit_and_a_tag_of_its_version(
    server: HubServer, release: Release
) -> None:
    plan = publish_once(server, release)
    assert plan.steps == (Step.CREATE, Step.COMMIT, Step.TAG)
    stored = server.repositories[NAME]
    assert stored.messages == ["initial commit", "Release 0.1.0"]
    assert stored.tags == {"0.1.0": stored.head}
    assert stored.files("0.1.0") == contents(release.path)
    assert stored.private is False
    # Parquet went to the large file storage, the texts did not.
    large = {name for name, each in stored.commits[stored.head].items() if each.large}
    assert large == {"data/en.parquet", "data/sk.parquet"}


def test_what_the_client_downloads_by_the_tag_verifies(
    server: HubServer, store: Store, release: Release, tmp_path: Path
) -> None:
    publish_once(server, release)
    english = build_release(store, "1.0.0", ["en"], tmp_path / "releases")
    publish_once(server, open_release(english.path))
    copy = tmp_path / "copy"
    # Not the latest one: the tag alone says which files are meant.
    snapshot_download(
        NAME,
        repo_type="dataset",
        revision="0.1.0",
        local_dir=copy,
        endpoint=server.address,
        token=TOKEN,
    )
    # The hub's own file and its client's folder are none of the release's.
    assert (copy / ".gitattributes").is_file()
    assert (copy / ".cache").is_dir()
    assert verify_release(copy) == []
    assert open_release(copy).sums_sha256 == release.sums_sha256


LOADING = """
import json, sys
from datasets import load_dataset
name = sys.argv[1]
rows = load_dataset(name, "sk", split="test", revision="0.1.0").to_list()
splits = {key: len(split) for key, split in load_dataset(name, revision="0.1.0").items()}
print(json.dumps([[row["Neutral"] for row in rows], splits]))
"""


def test_datasets_loads_a_language_by_the_tag(
    server: HubServer, release: Release, tmp_path: Path
) -> None:
    publish_once(server, release)
    # The client reads the hub's address when it is imported: a process of its own.
    settings = {"HF_ENDPOINT": server.address, "HF_TOKEN": TOKEN, "HF_HOME": str(tmp_path / "hf")}
    online = {"HF_HUB_OFFLINE": "0", "HF_DATASETS_OFFLINE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", LOADING, NAME],
        env={**os.environ, **settings, **online},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    texts, splits = json.loads(done.stdout.splitlines()[-1])
    assert texts == [row.neutral for row in release.rows("sk")]
    assert splits == {"English": 6, "Slovak": 4}


def test_planning_sends_nothing_but_questions(server: HubServer, release: Release) -> None:
    plan = plan_publication(open_hub(server), release, NAME, private=True)
    assert (plan.steps, plan.private) == (tuple(Step), True)
    assert {each.name for each in plan.files} == set(contents(release.path))
    assert server.repositories == {}
    assert server.writes == []


def test_published_again_nothing_is_sent(server: HubServer, release: Release) -> None:
    publish_once(server, release)
    before = list(server.writes)
    again = plan_publication(open_hub(server), release, NAME)
    assert again.steps == ()
    assert publish(open_hub(server), again) is None
    assert server.writes == before


def test_a_private_repository_is_made_private_and_a_public_one_is_refused(
    server: HubServer, release: Release
) -> None:
    hub = open_hub(server)
    publish(hub, plan_publication(hub, release, NAME, private=True))
    assert server.repositories[NAME].private is True
    server.repositories[NAME].private = False
    with pytest.raises(ReleaseError, match="is there and public"):
        plan_publication(hub, release, NAME, private=True)


def test_the_next_version_replaces_the_files_and_leaves_the_old_tag(
    server: HubServer, store: Store, release: Release, tmp_path: Path
) -> None:
    publish_once(server, release)
    first = contents(release.path)
    # A release without Slovak: its files are no longer on the main branch.
    english = build_release(store, "1.0.0", ["en"], tmp_path / "releases")
    plan = publish_once(server, open_release(english.path))
    assert plan.steps == (Step.COMMIT, Step.TAG)
    assert "data/sk.parquet" in plan.deleted
    # Unchanged files are known and not sent again.
    assert "templates/en.json" in plan.present
    stored = server.repositories[NAME]
    assert stored.files("1.0.0") == contents(english.path)
    assert stored.files("0.1.0") == first
    assert set(HUB_FILES) <= set(stored.commits[stored.head])


def test_a_lower_version_is_not_put_over_a_higher_one(
    server: HubServer, store: Store, release: Release, tmp_path: Path
) -> None:
    english = build_release(store, "1.0.0", ["en"], tmp_path / "releases")
    publish_once(server, open_release(english.path))
    with pytest.raises(ReleaseError, match=r"higher release 1\.0\.0; publishing 0\.1\.0 now"):
        publish_once(server, release)


def test_a_tag_with_other_content_is_refused_and_named(server: HubServer, release: Release) -> None:
    publish_once(server, release)
    stored = server.repositories[NAME]
    moved = dict(stored.commits[stored.head])
    moved["README.md"] = StoredFile(b"another card", False)
    stored.tags["0.1.0"] = stored.add(moved, "an edit")
    with pytest.raises(ReleaseError, match=r"tag 0\.1\.0 with other content \(README\.md\)"):
        publish_once(server, release)
    assert stored.tags["0.1.0"] == stored.head


@pytest.mark.parametrize(
    ("pattern", "fault", "commits", "missing"),
    [
        # Before anything: all of it again.
        (r"POST /api/repos/create", "cut before", None, tuple(Step)),
        # The repository is there, its files are not.
        (r"/preupload/", "cut before", 1, (Step.COMMIT, Step.TAG)),
        (r"PUT /objects/", "cut before", 1, (Step.COMMIT, Step.TAG)),
        (r"POST .*/commit/", "cut before", 1, (Step.COMMIT, Step.TAG)),
        (r"POST .*/commit/", 503, 1, (Step.COMMIT, Step.TAG)),
        # Committed, and the answer was lost: only the tag is missing.
        (r"POST .*/commit/", "cut after", 2, (Step.TAG,)),
        (r"POST .*/tag/", 500, 2, (Step.TAG,)),
        (r"POST .*/tag/", "cut before", 2, (Step.TAG,)),
        # Tagged, and the answer was lost.
        (r"POST .*/tag/", "cut after", 2, ()),
    ],
)
def test_interrupted_anywhere_the_next_run_does_what_is_missing(
    server: HubServer,
    release: Release,
    monkeypatch: pytest.MonkeyPatch,
    pattern: str,
    fault: Fault,
    commits: int | None,
    missing: tuple[Step, ...],
) -> None:
    # The client repeats harmless requests by itself, after waits that a test need not sit out.
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    server.faults = {pattern: fault}
    with pytest.raises(ReleaseError) as caught:
        publish_once(server, release)
    server.faults = {}
    assert TOKEN not in str(caught.value)
    stored = server.repositories.get(NAME)
    assert (len(stored.commits) if stored else None) == commits
    again = publish_once(server, release)
    assert again.steps == missing
    stored = server.repositories[NAME]
    assert stored.messages == ["initial commit", "Release 0.1.0"]
    assert stored.files("0.1.0") == contents(release.path)


def test_a_wrong_token_is_refused_without_being_shown(server: HubServer, release: Release) -> None:
    wrong = "hf_wrong0token"
    with pytest.raises(ReleaseError, match="does not know the HF_TOKEN") as caught:
        plan_publication(open_hub(server, wrong), release, NAME)
    assert wrong not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_token_that_the_server_repeats_is_hidden(server: HubServer, release: Release) -> None:
    server.faults = {r"POST .*/commit/": 403}
    with pytest.raises(ReleaseError, match=r"HTTP 403: made to fail Bearer \*\*\*") as caught:
        publish_once(server, release)
    assert TOKEN not in str(caught.value)


def test_a_name_that_belongs_to_others_is_refused(server: HubServer, release: Release) -> None:
    hub = open_hub(server)
    plan = plan_publication(hub, release, "others/data")
    with pytest.raises(ReleaseError, match="needs the right to write there"):
        publish(hub, plan)


def test_a_commit_by_somebody_else_in_between_is_noticed(
    server: HubServer, release: Release
) -> None:
    hub = open_hub(server)
    hub.create_repository(NAME, private=False)
    plan = plan_publication(hub, release, NAME)
    stored = server.repositories[NAME]
    stored.add({**stored.commits[stored.head], "NOTE": StoredFile(b"hello", False)}, "a note")
    with pytest.raises(ReleaseError, match="changed it at the same time"):
        publish(hub, plan)
    assert stored.tags == {}
    assert publish_once(server, release).deleted == ("NOTE",)
    assert stored.files("0.1.0") == contents(release.path)


def test_what_the_hub_left_out_is_noticed_before_the_tag(
    server: HubServer, release: Release
) -> None:
    server.ignored = {"CHANGELOG.md"}
    with pytest.raises(ReleaseError, match=r"was not tagged: CHANGELOG\.md"):
        publish_once(server, release)
    assert server.repositories[NAME].tags == {}


def test_a_file_that_changes_after_the_plan_is_not_committed(
    server: HubServer, release: Release
) -> None:
    hub = open_hub(server)
    plan = plan_publication(hub, release, NAME)
    (release.path / "README.md").write_text("changed", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"README\.md changed while it was published"):
        publish(hub, plan)
    assert server.repositories[NAME].messages == ["initial commit"]


def test_a_hub_that_does_not_answer_is_one_message(server: HubServer, release: Release) -> None:
    server.faults = {r"GET /api/datasets/": "cut before"}
    with pytest.raises(ReleaseError, match=r"cannot be reached or broke off \(\w+\)"):
        plan_publication(open_hub(server), release, NAME)


@pytest.mark.parametrize(
    "request_",
    [
        r"GET /api/datasets/[^/]+/[^/]+$",
        r"POST /api/repos/create",
        r"POST .*/preupload/",
        r"PUT /objects/",
        r"POST .*/commit/",
        r"GET .*/refs",
        r"GET .*/tree/",
        r"POST .*/tag/",
    ],
)
def test_a_hub_that_falls_silent_is_given_up(
    server: HubServer, release: Release, monkeypatch: pytest.MonkeyPatch, request_: str
) -> None:
    monkeypatch.setattr("exports.hub.TIMEOUT_S", 0.3)
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
    server.faults = {request_: "silent"}
    hub = open_hub(server)
    with pytest.raises(ReleaseError, match=r"\(ReadTimeout\)|Error while uploading"):
        publish(hub, plan_publication(hub, release, NAME))
    assert NAME not in server.repositories or not server.repositories[NAME].tags


@pytest.mark.parametrize("name", ["", "data", "a/b/c", "../x", "a/b c", "a/", "ä/b", "a/--b"])
def test_names_that_no_repository_has_are_refused(
    server: HubServer, release: Release, name: str
) -> None:
    with pytest.raises(SettingsError, match="owner/name"):
        plan_publication(open_hub(server), release, name)


@pytest.mark.parametrize(
    ("endpoint", "problem"),
    [
        ("http://hub.example.org", "unencrypted"),
        ("ftp://hub.example.org", "is none"),
        ("hub.example.org", "is none"),
        ("https://me:secret@hub.example.org", "is none"),
        ("https://hub.example.org:port", "is none"),
    ],
)
def test_addresses_that_the_token_is_not_sent_to(endpoint: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem) as caught:
        HuggingFaceHub(TOKEN, endpoint)
    assert "secret" not in str(caught.value)


def test_a_token_with_a_line_break_is_refused() -> None:
    with pytest.raises(SettingsError, match="is not an access token") as caught:
        HuggingFaceHub("hf_a\nInjected: header")
    assert "hf_a" not in str(caught.value)


def test_every_changed_missing_and_added_file_is_a_difference(
    server: HubServer, release: Release
) -> None:
    publish_once(server, release)
    remote = open_hub(server).list_files(NAME, "0.1.0")
    files = load_files(release.path)
    assert find_differences(files, remote) == []
    for number, each in enumerate(files):
        assert find_differences([*files[:number], *files[number + 1 :]], remote) == [each.name]
        changed = replace(each, sha256="0" * 64, git_sha1="0" * 40)
        others = [*files[:number], changed, *files[number + 1 :]]
        assert find_differences(others, remote) == [each.name]


def check(release: Release, **options: bool) -> Release:
    return check_publishable(release.path, sums_sha256=release.sums_sha256, **options)


def test_a_release_as_it_was_built_may_be_published(release: Release) -> None:
    assert check(release) == release


def test_a_tampered_release_is_refused_with_the_file_named(release: Release) -> None:
    with (release.path / "csv" / "sk.csv").open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(ReleaseError, match=r"csv/sk\.csv: changed since"):
        check(release)


def test_a_release_with_new_checksums_is_not_the_recorded_one(release: Release) -> None:
    (release.path / "DATA_STATEMENT.md").write_text("All is well.\n", encoding="utf-8")
    (release.path / SUMS_NAME).unlink()
    write_sums(release.path)
    assert sha256_file(release.path / SUMS_NAME) != release.sums_sha256
    assert open_release(release.path).version == "0.1.0"
    with pytest.raises(ReleaseError, match="its SHA256SUMS is another one"):
        check_publishable(release.path, sums_sha256=release.sums_sha256)


def test_demo_data_and_unvalidated_languages_need_a_word_each(tmp_path: Path) -> None:
    store = make_approved_store(tmp_path / "demo", Origin.DEMO)
    approve(store, "sk", action=ApprovalAction.REVOKE)
    built = build_release(
        store, "0.1.0", ["sk", "en"], tmp_path / "releases", include_unvalidated=True
    )
    store.close()
    release = open_release(built.path)
    with pytest.raises(ReleaseError) as caught:
        check(release)
    assert "--demo-too" in str(caught.value)
    assert "sk: nobody approved the language; --unvalidated-too" in str(caught.value)
    with pytest.raises(ReleaseError, match="unvalidated"):
        check(release, demo_too=True)
    with pytest.raises(ReleaseError, match="demo"):
        check(release, unvalidated_too=True)
    assert check(release, demo_too=True, unvalidated_too=True) == release


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path, release: Release) -> None:
    shutil.copytree(release.path / "csv", tmp_path / "other")
    with pytest.raises(ReleaseError, match="SHA256SUMS: missing"):
        check_publishable(tmp_path / "other", sums_sha256="")

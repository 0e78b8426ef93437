"""`release publish`: shown first, done with --yes, and completed when repeated."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.records import AuditEntry, Origin
from corpus.workspace import DATABASE_NAME, init_workspace
from tests.command_line import Outcome, run_here, run_process, snapshot_of
from tests.exports.hub_server import TOKEN, HubServer, running_hub
from tests.exports.release_builders import make_approved_store

NAME = "study/eurogest-sk"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with running_hub() as running:
        yield running


def make_released(folder: Path, origin: Origin = Origin.HUMAN) -> Path:
    study = init_workspace(folder / "study", "A study")
    make_approved_store(folder / "made", origin).close()
    shutil.copy(folder / "made" / "store.sqlite", study.path / DATABASE_NAME)
    built = run_here("release", "build", "1.0.0", "--languages", "en,sk", "-w", study.path)
    assert built.code == 0, built.text
    return study.path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_released(tmp_path)


def publish(workspace: Path, server: HubServer, *options: str, version: str = "1.0.0") -> Outcome:
    command = ["release", "publish", version, NAME, "--to", "hub", "--endpoint", server.address]
    return run_here(*command, *options, "-w", workspace)


def published(workspace: Path) -> list[AuditEntry]:
    store = init_workspace(workspace).open_store()
    with store.reading() as state:
        found = [each for each in state.audit_entries() if each.action == "publish release"]
    store.close()
    return found


def test_without_yes_it_says_what_it_would_do(workspace: Path, server: HubServer) -> None:
    before = snapshot_of(workspace)
    shown = publish(workspace, server)
    assert shown.code == 0, shown.text
    assert "data/sk.parquet" in shown.out
    assert "With --yes: create the repository, commit the files, tag the commit." in shown.message
    assert "Nothing was sent." in shown.message
    assert server.repositories == {}
    assert server.writes == []
    assert snapshot_of(workspace) == before


def test_with_yes_it_publishes_once(workspace: Path, server: HubServer) -> None:
    done = publish(workspace, server, "--yes")
    assert done.code == 0, done.text
    stored = server.repositories[NAME]
    assert stored.tags == {"1.0.0": stored.head}
    assert f"Release 1.0.0 published: {server.address}/datasets/{NAME}" in done.message
    (entry,) = published(workspace)
    assert (entry.actor, entry.subject) == ("tester", "1.0.0")
    assert entry.after["commit"] == stored.head
    again = publish(workspace, server, "--yes")
    assert again.code == 0
    assert "already published, nothing was sent" in again.message
    assert len(published(workspace)) == 1
    assert TOKEN not in done.text + again.text + repr(entry)


def test_what_was_interrupted_before_the_tag_is_only_tagged(
    workspace: Path, server: HubServer
) -> None:
    server.faults = {"/tag/": "cut before"}
    failed = publish(workspace, server, "--yes")
    assert failed.code == 1
    assert "Run the same command again" in failed.message
    assert published(workspace) == []
    server.faults = {}
    done = publish(workspace, server, "--yes")
    assert "Release 1.0.0 tagged" in done.message
    assert len(server.repositories[NAME].commits) == 2


def test_a_process_of_its_own_publishes_over_http(workspace: Path, server: HubServer) -> None:
    # The client would take the Xet protocol by itself, in which a folder is several commits.
    env = {"HF_TOKEN": TOKEN, "HF_HUB_OFFLINE": "0"}
    command = ["release", "publish", "1.0.0", NAME, "--to", "hub", "--endpoint", server.address]
    done = run_process(*command, "--yes", "-w", workspace, env=env)
    assert done.code == 0, done.text
    assert server.repositories[NAME].messages == ["initial commit", "Release 1.0.0"]
    assert not [each for each in server.requests if "xet" in each]
    assert "Xet" not in done.text
    assert TOKEN not in done.text


def test_without_a_token_the_plan_is_shown_and_nothing_is_published(
    workspace: Path, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    shown = publish(workspace, server)
    assert shown.code == 0
    assert "HF_TOKEN is not set, so the hub was not asked what it has" in shown.message
    refused = publish(workspace, server, "--yes")
    assert refused.code == 1
    assert "HF_TOKEN is not set; put an access token" in refused.message
    assert server.requests == []


def test_demo_data_are_published_only_on_request(tmp_path: Path, server: HubServer) -> None:
    workspace = make_released(tmp_path, Origin.DEMO)
    refused = publish(workspace, server, "--yes")
    assert refused.code == 1
    assert "it rests on demo data; --demo-too" in refused.message
    assert server.requests == []
    assert "The release rests on demo data." in publish(workspace, server, "--demo-too").message
    assert publish(workspace, server, "--demo-too", "--yes").code == 0
    assert published(workspace)[0].stamp.origin is Origin.DEMO


def test_a_tampered_release_is_not_published(workspace: Path, server: HubServer) -> None:
    (workspace / "releases" / "1.0.0" / "csv" / "sk.csv").write_bytes(b"")
    refused = publish(workspace, server, "--yes")
    assert refused.code == 1
    assert "csv/sk.csv: changed since the release was built" in refused.message
    assert server.requests == []


@pytest.mark.parametrize(
    ("version", "problem"),
    [("9.0.0", "There is no release 9.0.0"), ("../1.0.0", "is no release version")],
)
def test_a_version_that_was_not_built_is_refused(
    workspace: Path, server: HubServer, version: str, problem: str
) -> None:
    refused = publish(workspace, server, "--yes", version=version)
    assert refused.code == 1
    assert problem in refused.message
    assert server.requests == []

"""Commands about raters: what is shown, what is refused, and the whole way on the real server."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import httpx
import pytest

from annotation.label_studio.accounts import open_client
from annotation.label_studio.server import LabelStudioServer
from corpus.store import Store, open_store
from corpus.workspace import init_workspace
from tests.command_line import (
    Outcome,
    command_of,
    database_of,
    environment_of,
    run_here,
    snapshot_of,
)
from tests.sample_workspaces import make_sample_workspace

WAIT_S = 60.0
UNREACHABLE = {
    "STEREOSCOPE_LABEL_STUDIO_URL": "http://127.0.0.1:9",
    "STEREOSCOPE_LABEL_STUDIO_TOKEN": "0" * 40,
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return init_workspace(tmp_path / "study", "A [bold]study[/bold]").path


@pytest.fixture
def run(workspace: Path) -> Callable[..., Outcome]:
    def run_in(*arguments: str | Path, env: dict[str, str] | None = None) -> Outcome:
        return run_here(*arguments, "-w", workspace, env=env)

    return run_in


def rows(outcome: Outcome) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in outcome.out.splitlines()
        if line.startswith("│")
    ]


def open_of(workspace: Path) -> Store:
    return open_store(f"sqlite:///{database_of(workspace)}")


def write_consent(folder: Path, text: str = "I agree [x].") -> Path:
    file = folder / "consent.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_rater_is_changed_by_what_is_given_only(run: Callable[..., Outcome]) -> None:
    assert "r1 added" in run("raters", "add", "r1", "--address", "eva@example.org").err
    assert "there already" in run("raters", "add", "r1").err
    changed = run("raters", "add", "r1", "--contact", "eva@home.example", "--name", "Eva")
    assert "r1 changed" in changed.err
    assert "there already" in run("raters", "add", "r1", "--address", "eva@example.org").err
    listed = run("raters", "list")
    assert rows(listed) == [["r1", "yes", "not recorded", "no"]]
    assert "eva" not in listed.out.lower()


def test_consent_needs_a_text_and_the_latest_answer_counts(
    run: Callable[..., Outcome], tmp_path: Path
) -> None:
    run("raters", "add", "r1")
    refused = run("raters", "consent", "r1", "--yes")
    assert (refused.code, "no consent text yet" in refused.message) == (1, True)
    file = write_consent(tmp_path)
    recorded = run("raters", "ethics", "--body", "Board", "--number", "7", "--consent-file", file)
    assert recorded.code == 0, recorded.text
    assert "recorded already" in run("raters", "ethics", "--number", "7").err
    shown = dict(rows(run("raters", "ethics")))
    assert shown == {"committee": "Board", "number": "7", "consent text": "I agree [x]."}
    assert "may be published." in run("raters", "consent", "r1", "--yes").err
    assert "(recorded already)" in run("raters", "consent", "r1", "--yes").err
    assert rows(run("raters", "list"))[0][2] == "yes"
    run("raters", "consent", "r1", "--no")
    assert rows(run("raters", "list"))[0][2] == "no"
    assert run("raters", "consent", "r1").code == 2


def test_a_changed_text_is_agreed_to_anew(run: Callable[..., Outcome], tmp_path: Path) -> None:
    run("raters", "add", "r1")
    options = ["raters", "ethics", "--body", "Board", "--number", "7", "--consent-file"]
    run(*options, write_consent(tmp_path))
    run("raters", "consent", "r1", "--yes")
    run(*options, write_consent(tmp_path, "I agree to more."))
    assert "(recorded already)" not in run("raters", "consent", "r1", "--yes").err


def test_incomplete_ethics_and_unreadable_files_are_refused(
    run: Callable[..., Outcome], workspace: Path, tmp_path: Path
) -> None:
    before = snapshot_of(workspace)
    refused = run("raters", "ethics", "--body", " ")
    assert refused.code == 1
    for name in ("[body]", "[number]", "[consent text]"):
        assert name in refused.message
    (tmp_path / "latin.txt").write_bytes(b"\xe9")
    for file in (tmp_path / "nowhere.txt", tmp_path / "latin.txt", tmp_path):
        refused = run("raters", "ethics", "--body", "B", "--consent-file", file)
        assert (refused.code, "cannot be read" in refused.message) == (1, True)
    assert snapshot_of(workspace) == before


def test_what_raters_say_of_themselves_is_never_shown(
    run: Callable[..., Outcome], workspace: Path
) -> None:
    run("raters", "add", "r1")
    described = run("raters", "describe", "r1", "Gender=woman", "native language=Čeština")
    assert described.code == 0, described.text
    listed = run("raters", "list")
    assert rows(listed) == [["r1", "no", "not recorded", "yes"]]
    store = open_of(workspace)
    with store.reading() as state:
        [person] = state.people()
        assert person.demographics == {"gender": "woman", "native language": "Čeština"}
        assert "woman" not in repr(state.audit_entries())
    run("raters", "describe", "r1", "gender=", "native language=")
    assert rows(run("raters", "list"))[0][3] == "no"
    store.close()
    refused = run("raters", "describe", "r1", "woman", "a=b", "c")
    assert (refused.code, refused.message.count("it has no `=`")) == (1, 2)
    refused = run("raters", "describe", "r1", "=x", f"a={'b' * 101}", "c=\x1b[31m")
    assert (refused.code, len(refused.err.strip().splitlines())) == (1, 3)


def test_erasing_without_a_server_needs_to_be_wanted(
    run: Callable[..., Outcome], workspace: Path
) -> None:
    run("raters", "add", "r1", "--address", "eva@example.org", "--name", "Eva Nová")
    before = snapshot_of(workspace)
    for env in (None, UNREACHABLE):
        refused = run("raters", "erase", "r1", env=env)
        assert refused.code == 1
        assert "nothing is erased yet" in refused.message
        assert "--here-only" in refused.message
    assert "would erase" in run("raters", "erase", "r1", "--here-only", "--dry-run").err
    assert snapshot_of(workspace) == before
    with mock.patch("sys.stdin", io.StringIO()):
        unasked = run("raters", "erase", "r1", "--here-only")
    assert unasked.code == 1
    assert "will erase name, addresses and description of r1 here for good" in unasked.message
    assert "Give --yes" in unasked.message
    terminal = io.StringIO("n\n")
    with (
        mock.patch("sys.stdin", terminal),
        mock.patch.object(terminal, "isatty", return_value=True),
    ):
        declined = run("raters", "erase", "r1", "--here-only")
    assert declined.code == 1
    assert "Nothing was erased." in declined.message
    assert snapshot_of(workspace) == before
    erased = run("raters", "erase", "r1", "--here-only", "--yes")
    assert erased.code == 0, erased.text
    assert "delete her user there by hand" in erased.message
    assert "Copies of the database" in erased.message
    assert rows(run("raters", "list"))[0][:2] == ["r1", "erased"]
    raw = b"".join(each.read_bytes() for each in workspace.glob("stereoscope.sqlite*"))
    for word in ("eva@example.org", "Eva Nová"):
        assert word.encode() not in raw
    for command in (["add", "r1"], ["invite", "r1"], ["describe", "r1", "a=b"]):
        refused = run("raters", *command, env=UNREACHABLE)
        assert refused.code == 1
    assert "was erased" in run("raters", "add", "r1", "--address", "x@example.org").message
    assert run("raters", "erase", "r1", "--here-only").code == 0
    assert "no rater r2" in run("raters", "erase", "r2").message


def test_a_rater_who_was_never_on_a_server_is_erased_without_one(
    run: Callable[..., Outcome],
) -> None:
    run("raters", "add", "r1", "--name", "Eva Nová")
    erased = run("raters", "erase", "r1", "--yes")
    assert erased.code == 0, erased.text
    assert "Label Studio was not asked" not in erased.message


def test_inviting_and_listening_need_label_studio(run: Callable[..., Outcome]) -> None:
    run("raters", "add", "r1")
    for command in (["raters", "invite", "r1"], ["batch", "listen"]):
        assert "No Label Studio is set" in run(*command).message
        assert "does not answer" in run(*command, env=UNREACHABLE).message


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


@pytest.mark.label_studio
@pytest.mark.slow
def test_from_the_invitation_over_a_hint_to_the_erasure(
    label_studio: LabelStudioServer, tmp_path: Path
) -> None:
    workspace = make_sample_workspace(tmp_path / "study")
    env = {
        "STEREOSCOPE_LABEL_STUDIO_URL": label_studio.base_url,
        "STEREOSCOPE_LABEL_STUDIO_TOKEN": label_studio.administrator.token,
        "STEREOSCOPE_LABEL_STUDIO_PUBLIC_URL": "http://labels.example:8080",
        "STEREOSCOPE_RATER_DOMAIN": "cli.raters.invalid",
    }
    rater = f"rater-{os.getpid()}"

    def run(*arguments: str) -> Outcome:
        ended = run_here(*arguments, "-w", workspace, env=env)
        assert ended.code == 0, ended.text
        return ended

    run("raters", "add", rater)
    created = run("batch", "create", "-l", "sk", "--raters", rater, "--size", "2")
    batch = created.out.strip().splitlines()[-1]
    run("batch", "push", batch)
    invited = run("raters", "invite", rater)
    assert re.search(r"http://labels\.example:8080/projects/\d+/data\?labeling=1", invited.out)
    address = re.search(r"Log-in: +(\S+)", invited.out)
    password = re.search(r"Password: +(\S+)", invited.out)
    assert address is not None
    assert password is not None
    assert password[1] not in invited.err
    assert "has a log-in already" in run("raters", "invite", rater).message

    token = label_studio.create_rater(address[1], password[1]).token
    listener = subprocess.Popen(
        command_of("batch", "listen", "--port", "0", "-w", str(workspace)),
        env=environment_of(env),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert listener.stderr is not None
        assert "Listening for http://127.0.0.1:" in listener.stderr.readline()
        with open_client(label_studio.base_url, token) as client:
            [project] = re.findall(r"/projects/(\d+)/", invited.out)
            path = f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true"
            task = client.get(path).raise_for_status().json()[0]["id"]
            hooks = client.get(f"/api/webhooks/?project={project}").json()
            assert len(hooks) == 1
            client.post(f"/api/tasks/{task}/annotations/", json={"result": []}).raise_for_status()
        store = open_of(workspace)

        def is_pulled() -> bool:
            with store.reading() as state:
                return bool(state.ratings([item.id for item in state.items([batch])]))

        wait_until(is_pulled, "the hint made no pull")
        store.close()
    finally:
        listener.send_signal(signal.SIGTERM)
        listener.wait(WAIT_S)
    assert listener.returncode == 143
    with open_client(label_studio.base_url, label_studio.administrator.token) as admin:
        assert admin.get(f"/api/webhooks/?project={project}").json() == []

    erased = run("raters", "erase", rater, "--yes")
    assert "Accounts deleted on Label Studio: 1." in erased.message
    with httpx.Client(headers={"Authorization": f"Token {token}"}, trust_env=False) as client:
        assert client.get(f"{label_studio.base_url}/api/projects").status_code == 401

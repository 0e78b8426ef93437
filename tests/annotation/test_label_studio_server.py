"""The real Label Studio server: started, its raters signed up, stopped."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
from pathlib import Path

import pytest
from label_studio_fixtures import ADMINISTRATOR

from annotation.label_studio.accounts import Login, fetch_user_id, open_client
from annotation.label_studio.server import (
    Administrator,
    LabelStudioServer,
    build_administrator,
    find_free_port,
)
from corpus.errors import StateError, UnreachableError


def is_running(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_raters_sign_up_and_their_tokens_work(
    label_studio: LabelStudioServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    first = label_studio.create_rater("first@example.org", "a-long-password-1")
    second = label_studio.create_rater("second@example.org", "a-long-password-2")
    admin_id = fetch_user_id(label_studio.base_url, label_studio.administrator.token)
    assert len({first.user_id, second.user_id, admin_id}) == 3
    assert fetch_user_id(label_studio.base_url, first.token) == first.user_id
    assert fetch_user_id(label_studio.base_url, second.token) == second.user_id
    with open_client(label_studio.base_url, first.token) as client:
        assert client.get("/api/projects").status_code == 200
    for secret in (first.token, "a-long-password-1", "first@example.org", "token="):
        assert secret not in caplog.text
        assert secret not in repr(first)


def test_the_same_rater_again_is_the_same_account(label_studio: LabelStudioServer) -> None:
    once = label_studio.create_rater("again@example.org", "a-long-password-3")
    assert label_studio.create_rater("again@example.org", "a-long-password-3") == once


def test_another_password_for_a_taken_address_is_refused(label_studio: LabelStudioServer) -> None:
    label_studio.create_rater("taken@example.org", "a-long-password-4")
    with pytest.raises(StateError, match="taken with another password"):
        label_studio.create_rater("taken@example.org", "a-long-password-5")


def test_a_wrong_token_is_refused(label_studio: LabelStudioServer) -> None:
    with pytest.raises(UnreachableError, match=r"refuses the token \(401\)"):
        fetch_user_id(label_studio.base_url, "0" * 40)


def test_secrets_are_not_on_the_command_line(label_studio: LabelStudioServer) -> None:
    command = Path(f"/proc/{label_studio.pid}/cmdline")
    if not command.exists():
        pytest.skip("this system has no /proc")
    text = command.read_bytes().decode()
    login = label_studio.administrator.login
    for secret in (login.email, login.password, label_studio.administrator.token):
        assert secret not in text


def test_it_listens_on_loopback_only(label_studio: LabelStudioServer) -> None:
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system has no /proc")
    port = int(label_studio.base_url.rsplit(":", 1)[1])
    listening = [
        line.split()[1]
        for line in table.read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
    ]
    assert listening == [f"0100007F:{port:04X}"]


@pytest.mark.slow
def test_stopped_it_leaves_no_process_and_started_again_it_keeps_its_data(
    label_studio_environment: Path, label_studio_template: Path, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data of a server"
    shutil.copytree(label_studio_template, data_dir)
    with LabelStudioServer(label_studio_environment, data_dir, ADMINISTRATOR, port=0) as server:
        rater = server.create_rater("kept@example.org", "a-long-password-6")
        pid, port = server.pid, int(server.base_url.rsplit(":", 1)[1])
    assert pid is not None
    assert not is_running(pid)
    assert server.pid is None
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    server.stop()

    with server:
        assert server.create_rater("kept@example.org", "a-long-password-6") == rater
    stranger = Administrator(ADMINISTRATOR.login, "0" * 40)
    other = LabelStudioServer(label_studio_environment, data_dir, stranger, port=0)
    with pytest.raises(UnreachableError, match="refuses the token"):
        other.start()
    assert other.pid is None


def test_a_missing_environment_is_one_clear_sentence(tmp_path: Path) -> None:
    server = LabelStudioServer(tmp_path / "nowhere", tmp_path, build_administrator("a@example.org"))
    with pytest.raises(UnreachableError, match=r"not installed in .*nowhere: run `make setup`"):
        server.start()
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_stops_while_starting_names_its_log(tmp_path: Path) -> None:
    programs = tmp_path / "environment" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "label-studio"):
        (programs / name).write_text("#!/bin/sh\necho out of luck\nexit 3\n")
        (programs / name).chmod(0o755)
    administrator = build_administrator("a@example.org")
    server = LabelStudioServer(tmp_path / "environment", tmp_path / "data", administrator, port=0)
    with pytest.raises(UnreachableError, match=r"exit code 3\): the reason .*label-studio\.log"):
        server.start()
    assert server.log_file.read_text() == "out of luck\n"
    assert server.log_file.stat().st_mode & 0o077 == 0


def test_an_unreachable_server_is_one_clear_sentence() -> None:
    address = f"http://127.0.0.1:{find_free_port(0)}"
    with pytest.raises(UnreachableError, match="does not answer"):
        fetch_user_id(address, "0" * 40)


def test_a_taken_port_is_replaced_by_the_next_free_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert find_free_port(port) > port
        with pytest.raises(UnreachableError, match="are taken"):
            find_free_port(port, tries=1)


def test_a_log_in_is_not_shown() -> None:
    administrator = build_administrator("someone@example.org")
    assert len(administrator.token) == 40
    assert "someone" not in repr(administrator)
    assert administrator.token not in repr(administrator)
    assert repr(Login("a", "b")) == "Login()"


def test_a_server_that_a_killed_process_left_is_ended(
    label_studio_environment: Path, label_studio_template: Path, tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    shutil.copytree(label_studio_template, data_dir)
    abandoned = LabelStudioServer(label_studio_environment, data_dir, ADMINISTRATOR, port=0)
    abandoned.start()
    left = abandoned.pid
    assert left is not None
    with LabelStudioServer(label_studio_environment, data_dir, ADMINISTRATOR, port=0) as server:
        assert server.pid != left
        # Ended and not yet reaped by this process, which a killed parent's child would be.
        assert abandoned._process is not None
        assert abandoned._process.wait(timeout=10) == -signal.SIGKILL

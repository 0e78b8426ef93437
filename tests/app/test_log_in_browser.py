"""Logging in with a real OpenID Connect provider on this machine, in a real browser."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import workspaces

from app.web import PAGES
from corpus.workspace import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

START_S = 90
WAIT_MS = 60_000
SECRET = "the client's secret"
READER, CURATOR = "bo@uni.example", "ada@uni.example"
PEOPLE = [
    {"address": READER, "name": "reader-1", "role": "reader"},
    {"address": CURATOR, "name": "curator-1", "role": "curator"},
]
SUBJECTS = {
    "reader": {"email": READER, "email_verified": True},
    "curator": {"email": CURATOR.upper(), "email_verified": True},
    "unverified": {"email": CURATOR, "email_verified": False},
    "unknown": {"email": "eve@uni.example", "email_verified": True},
}


@dataclass(frozen=True, slots=True)
class Served:
    """The app behind a log-in."""

    address: str
    workspace: Workspace
    log: Path

    def audit(self) -> str:
        """The audit trail as it is stored."""
        store = self.workspace.open_store()
        with store.reading() as state:
            found = repr(state.audit_entries())
        store.close()
        return found


@pytest.fixture
def provider() -> Iterator[str]:
    """Address of the provider's metadata."""
    mock = pytest.importorskip("oidc_provider_mock")
    users = [mock.User(sub=sub, claims=claims) for sub, claims in SUBJECTS.items()]
    with mock.run_server_in_thread(user_claims=users) as server:
        yield f"http://localhost:{server.server_port}/.well-known/openid-configuration"


@pytest.fixture
def served(provider: str, tmp_path: Path) -> Iterator[Served]:
    """The app as `stereoscope app` serves it."""
    workspace = workspaces.build_small_workspace(tmp_path / "study")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {
        **os.environ,
        "TMPDIR": str(temporary),
        "STEREOSCOPE_OIDC_METADATA_URL": provider,
        "STEREOSCOPE_OIDC_CLIENT_ID": "stereoscope",
        "STEREOSCOPE_OIDC_CLIENT_SECRET": SECRET,
        "STEREOSCOPE_PEOPLE": json.dumps(PEOPLE),
    }
    environment.pop("STEREOSCOPE_DATABASE_URL", None)
    command = [sys.executable, "-m", "app.cli", "app", "--port", str(port)]
    log = tmp_path / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, "--workspace", str(workspace.path)],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://localhost:{port}/_stcore/health", server, log)
            yield Served(f"http://localhost:{port}", workspace, log)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
    assert not list(temporary.glob("stereoscope-*")), "the file of secrets is gone"


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            if httpx.get(address, trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail(f"the app did not start: {log.read_text(encoding='utf-8')}")


@pytest.fixture
def page(browser: Browser, served: Served) -> Page:
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.set_default_timeout(WAIT_MS)
    opened.goto(served.address)
    return opened


def log_in(page: Page, subject: str) -> None:
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=subject, exact=True).click()


def log_out(page: Page) -> None:
    """Logs out of the app and, as the app asks for, of the provider."""
    page.get_by_role("button", name="Log out").click()
    page.locator("form button").first.click()
    page.get_by_role("button", name="Log in").wait_for()


def see(page: Page, text: str) -> None:
    page.get_by_text(text).first.wait_for()


def revoke_spanish(page: Page, address: str) -> None:
    page.goto(f"{address}/approval?language=es")
    page.get_by_label("Reason for revoking the approval").fill("Looked again.")
    page.get_by_role("button", name="Revoke").click()


def assert_nobody_was_named(served: Served) -> None:
    kept = served.audit() + served.log.read_text(encoding="utf-8")
    assert "uni.example" not in kept.casefold()
    assert SECRET not in kept


def test_a_reader_looks_and_is_refused(page: Page, served: Served) -> None:
    see(page, "The pages of this study are for the people whom its settings name.")
    assert page.get_by_test_id("stDataFrame").count() == 0
    log_in(page, "reader")
    see(page, "Logged in as reader-1. Role: reader.")
    for name, title, _ in PAGES:
        page.goto(served.address if name == PAGES[0][0] else f"{served.address}/{name}")
        page.get_by_role("heading", name=title, level=1).wait_for()
        see(page, "Logged in as reader-1. Role: reader.")
    before = served.audit()
    revoke_spanish(page, served.address)
    see(page, "This needs the role curator; reader-1 is reader.")
    assert served.audit() == before
    log_out(page)
    assert_nobody_was_named(served)


def test_a_curator_acts_under_her_name(page: Page, served: Served) -> None:
    log_in(page, "curator")
    see(page, "Logged in as curator-1. Role: curator.")
    revoke_spanish(page, served.address)
    see(page, "is revoked.")
    assert "actor='curator-1', action='revoke'" in served.audit()
    assert_nobody_was_named(served)


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [("unverified", "no verified e-mail address"), ("unknown", "stands for nobody in this study")],
)
def test_others_are_told_why_and_can_log_out(
    page: Page, served: Served, subject: str, sentence: str
) -> None:
    log_in(page, subject)
    see(page, "You have no access to this study.")
    see(page, sentence)
    assert page.get_by_test_id("stDataFrame").count() == 0
    log_out(page)
    assert_nobody_was_named(served)

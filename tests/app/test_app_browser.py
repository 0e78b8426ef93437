"""The app as a curator has it: served by Streamlit, in a real browser, from page to page."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
import workspaces

from app.serve import LOOPBACK, web_command, web_environment
from app.web import PAGES
from corpus.records import Origin, PullMark
from corpus.store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

START_S = 60
WAIT_MS = 60_000
WIDTH, HEIGHT = 1280, 900
SCREENSHOTS = Path(__file__).resolve().parents[2] / "test-results" / "app"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Address of the app, served for a small demo workspace."""
    workspace = workspaces.build_small_workspace(tmp_path / "study", Origin.DEMO)
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    environment = {**os.environ, **web_environment(workspace.path, "curator-1")}
    log = (tmp_path / "server.log").open("wb")
    server = subprocess.Popen(web_command(port), env=environment, stdout=log, stderr=log)
    try:
        _wait_for(f"http://{LOOPBACK}:{port}/_stcore/health", server)
        yield f"http://{LOOPBACK}:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)
        log.close()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            if httpx.get(address, trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail("the app did not start")


def test_every_page_opens_and_a_decision_reaches_the_audit_trail(
    address: str, browser: Browser
) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.set_default_timeout(WAIT_MS)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))

    for name, title, _ in PAGES:
        _open(page, _address(address, name), title)
        page.get_by_text("acts as curator-1").wait_for()
        page.get_by_text("DEMO:").wait_for()
        assert page.get_by_test_id("stException").count() == 0
        _keep_screenshot(page, name)

    _decide_in_disagreements(page, address)

    page.get_by_role("link", name="Audit").click()
    page.get_by_role("heading", name="Audit", exact=True).wait_for()
    _settle(page)
    # The table is drawn on a canvas; its cells stand inside for screen readers.
    cell = page.locator("[role=gridcell]", has_text="decide accept")
    cell.first.wait_for(state="attached")
    _keep_screenshot(page, "audit-after-decision")
    assert not failures


def test_the_dark_theme_shows_the_same(address: str, browser: Browser) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
    page.set_default_timeout(WAIT_MS)
    for name, title, told in (
        ("agreement", "Agreement", "with its interval"),
        ("scores", "Scores", "with its interval"),
        ("generation", "Generation", " in sk: "),
    ):
        _open(page, _address(address, name), title)
        charts = page.get_by_test_id("stVegaLiteChart")
        charts.first.wait_for()
        assert charts.count() >= 2
        assert page.locator(f"[aria-label*='{told}']").count() >= 2, "alt text"
        _keep_screenshot(page, f"{name}-dark")


def test_progress_and_problems_follow_the_store_by_themselves(
    address: str, tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.set_default_timeout(WAIT_MS)
    _open(page, _address(address, "annotation"), "Annotation")
    page.get_by_text("Invalid answers: 1.").wait_for()
    store = open_store(f"sqlite:///{tmp_path / 'study' / 'stereoscope.sqlite'}")
    workspaces.add_invalid_answer(store, "sk", batch_id="sk-3")
    problem = {"code": "task_altered", "count": 1, "about": ["sk-3/0001"]}
    with store.writing() as writer:
        writer.append([PullMark("sk-3/rater-x", "8", None, 1, (problem,))])
    store.close()
    # Nobody touches the page.
    page.get_by_text("Invalid answers: 2.").wait_for()
    told = page.locator("[role=gridcell]", has_text="Tasks with a changed text: 1")
    told.first.wait_for(state="attached")


def _address(address: str, name: str) -> str:
    path = "" if name == PAGES[0][0] else name
    return f"{address}/{path}?language=sk"


def _open(page: Page, address: str, title: str) -> None:
    page.goto(address)
    page.get_by_role("heading", name=title, exact=True).wait_for()
    _settle(page)


def _settle(page: Page) -> None:
    """Waits until the page is drawn; nothing in Streamlit's page says so but its status."""
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        "document.querySelectorAll('[data-testid=stSkeleton], [data-stale=true]').length === 0"
    )


def _keep_screenshot(page: Page, name: str) -> None:
    """The whole page, which scrolls within the window, so that the window is made as high."""
    height = page.get_by_test_id("stMain").evaluate("element => element.scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": max(HEIGHT, int(height))})
    _settle(page)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def _decide_in_disagreements(page: Page, address: str) -> None:
    _open(
        page, f"{address}/disagreements?language=sk&item={workspaces.HOSTILE_ID}", "Disagreements"
    )
    assert page.get_by_text(workspaces.HOSTILE, exact=True).first.is_visible()
    _keep_screenshot(page, "disagreements-hostile")
    page.get_by_label("Reason", exact=True).fill("Both raters label it neutral.")
    page.get_by_role("button", name="Store the decision").click()
    page.get_by_text(f"Stored: accept {workspaces.HOSTILE_ID}").wait_for()
    _settle(page)
    _keep_screenshot(page, "disagreements-after-decision")

"""The app served as a curator has it, and a browser's page that waits until it is drawn."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from app.serve import LOOPBACK, web_command, web_environment

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

START_S = 60
WAIT_MS = 60_000
WIDTH, HEIGHT = 1280, 900
SCREENSHOTS = Path(__file__).resolve().parents[2] / "test-results" / "app"


@contextmanager
def serve_study(workspace: Path, actor: str = "curator-1") -> Iterator[str]:
    """The address of the app, served for a workspace; its log stands beside the workspace."""
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        port = free.getsockname()[1]
    environment = {**os.environ, **web_environment(workspace, actor)}
    with (workspace.parent / "server.log").open("wb") as log:
        server = subprocess.Popen(web_command(port), env=environment, stdout=log, stderr=log)
        try:
            _wait_for(f"http://{LOOPBACK}:{port}/_stcore/health", server)
            yield f"http://{LOOPBACK}:{port}"
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            if httpx.get(address, trust_env=False).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail("the app did not start")


def new_page(browser: Browser, color_scheme: str = "light") -> Page:
    """A page of the usual width."""
    page = browser.new_page(
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme="dark" if color_scheme == "dark" else "light",
    )
    page.set_default_timeout(WAIT_MS)
    return page


def open_at(page: Page, address: str, title: str) -> None:
    """Goes to an address and waits for the page of that title."""
    page.goto(address)
    page.get_by_role("heading", name=title, exact=True).wait_for()
    settle(page)


def settle(page: Page) -> None:
    """Waits until the page is drawn; nothing in Streamlit's page says so but its status."""
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")
    page.wait_for_load_state("networkidle")
    page.wait_for_function(
        "document.querySelectorAll('[data-testid=stSkeleton], [data-stale=true]').length === 0"
    )


def keep_screenshot(page: Page, name: str) -> None:
    """The whole page, which scrolls within the window, so that the window is made as high."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    height = page.get_by_test_id("stMain").evaluate("element => element.scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": max(HEIGHT, int(height))})
    settle(page)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})

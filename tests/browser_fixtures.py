"""Chromium for the browser tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> Path | str:
    """Return the program of a Chromium, or why there is none."""
    for name in (os.environ.get("STEREOSCOPE_CHROMIUM"), *NAMES):
        if name and (program := shutil.which(name)):
            return Path(program)
    return "there is no Chromium (install it, or name its program in STEREOSCOPE_CHROMIUM)"


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """Program of an installed Chromium."""
    found = find_chromium()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture
def browser(chromium_path: Path) -> Iterator[Browser]:
    """A headless Chromium that talks to loopback only, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=str(chromium_path), headless=True, args=list(OPTIONS)
        )
        yield launched
        launched.close()

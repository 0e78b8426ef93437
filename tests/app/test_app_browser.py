"""The app as a curator has it: served by Streamlit, in a real browser, from page to page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import workspaces
from served_app import keep_screenshot, new_page, open_at, serve_study, settle

from app.web import PAGES
from corpus.records import Origin, PullMark
from corpus.store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Address of the app, served for a small demo workspace."""
    workspace = workspaces.build_small_workspace(tmp_path / "study", Origin.DEMO)
    with serve_study(workspace.path) as served:
        yield served


def test_every_page_opens_and_a_decision_reaches_the_audit_trail(
    address: str, browser: Browser
) -> None:
    page = new_page(browser)
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))

    for name, title, _ in PAGES:
        open_at(page, _address(address, name), title)
        page.get_by_text("acts as curator-1").wait_for()
        page.get_by_text("DEMO:").wait_for()
        assert page.get_by_test_id("stException").count() == 0
        keep_screenshot(page, name)

    _decide_in_disagreements(page, address)

    page.get_by_role("link", name="Audit").click()
    page.get_by_role("heading", name="Audit", exact=True).wait_for()
    settle(page)
    # The table is drawn on a canvas; its cells stand inside for screen readers.
    cell = page.locator("[role=gridcell]", has_text="decide accept")
    cell.first.wait_for(state="attached")
    keep_screenshot(page, "audit-after-decision")
    assert not failures


def test_the_dark_theme_shows_the_same(address: str, browser: Browser) -> None:
    page = new_page(browser, "dark")
    for name, title, told in (
        ("agreement", "Agreement", "with its interval"),
        ("scores", "Scores", "with its interval"),
        ("generation", "Generation", " in sk: "),
    ):
        open_at(page, _address(address, name), title)
        charts = page.get_by_test_id("stVegaLiteChart")
        # Charts are drawn one after another: the second one says that both are there.
        charts.nth(1).wait_for()
        page.locator(f"[aria-label*='{told}']").nth(1).wait_for()
        keep_screenshot(page, f"{name}-dark")


def test_progress_and_problems_follow_the_store_by_themselves(
    address: str, tmp_path: Path, browser: Browser
) -> None:
    page = new_page(browser)
    open_at(page, _address(address, "annotation"), "Annotation")
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


def _decide_in_disagreements(page: Page, address: str) -> None:
    open_at(
        page, f"{address}/disagreements?language=sk&item={workspaces.HOSTILE_ID}", "Disagreements"
    )
    assert page.get_by_text(workspaces.HOSTILE, exact=True).first.is_visible()
    keep_screenshot(page, "disagreements-hostile")
    page.get_by_label("Reason", exact=True).fill("Both raters label it neutral.")
    page.get_by_role("button", name="Store the decision").click()
    page.get_by_text(f"Stored: accept {workspaces.HOSTILE_ID}").wait_for()
    settle(page)
    keep_screenshot(page, "disagreements-after-decision")

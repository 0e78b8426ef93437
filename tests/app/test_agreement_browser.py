"""Page Agreement in a browser: a curator sees who stands out, leaves her out, and what that does.

Its screenshots are those of the documents.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from full_studies import FullStudy
from served_app import keep_screenshot, new_page, open_at, serve_study, settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

LANGUAGE, OUTLIER = "lt", "demo-lt-3"
REASON = "She scores far lower than the others, and hardly along with them."


@pytest.fixture
def address(full_study: FullStudy, tmp_path: Path) -> Iterator[str]:
    with serve_study(Path(shutil.copytree(full_study.path, tmp_path / "study"))) as served:
        yield served


def test_a_curator_leaves_out_who_stands_out_and_sees_what_changes(
    address: str, browser: Browser
) -> None:
    page = new_page(browser)
    open_at(page, f"{address}/agreement", "Agreement")
    page.get_by_text("Languages with ratings: 29; of these 20 can show").wait_for()
    page.locator("[aria-label*='mean DA of each rater of 29 languages']").first.wait_for()
    keep_screenshot(page, "agreement-all-languages")

    open_at(page, f"{address}/agreement?language={LANGUAGE}", "Agreement")
    page.get_by_text(f"Worth a look: {OUTLIER} agrees less with the others").wait_for()
    page.get_by_text("Without her the mean of Pearson's correlations is").wait_for()
    page.locator("[aria-label*='without her']").first.wait_for()
    # Who stands out is the rater that is shown.
    page.get_by_text(f"that {OUTLIER} has a part of").wait_for()
    _see_cell(page, "low correlation, shifted")
    keep_screenshot(page, "agreement-outlier")

    page.get_by_role("button", name="Leave her out").click()
    page.get_by_text("Excluding or reinstating a rater needs a written reason.").wait_for()
    page.get_by_label("Reason", exact=True).fill(REASON)
    page.get_by_role("button", name="Leave her out").click()
    page.get_by_text(f"Reason: {REASON}").first.wait_for()
    page.get_by_text(f"{OUTLIER} is left out of batch").first.wait_for()
    page.get_by_text("Nobody can be called an outlier: needs three raters or more.").wait_for()
    page.locator("[aria-label*='without her']").first.wait_for()
    settle(page)
    assert page.get_by_role("button", name="Leave her out").is_disabled()
    keep_screenshot(page, "agreement-left-out")

    open_at(page, f"{address}/audit?what=exclude+rater", "Audit")
    _see_cell(page, OUTLIER)
    assert page.get_by_test_id("stException").count() == 0


def _see_cell(page: Page, text: str) -> None:
    """A table is drawn on a canvas; its cells stand inside for screen readers."""
    page.locator("[role=gridcell]", has_text=text).first.wait_for(state="attached")

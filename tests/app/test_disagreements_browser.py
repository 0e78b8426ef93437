"""Page Disagreements in a browser: ten candidates decided by keys alone, the rest by a rule.

Its screenshots are those of the documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import disagreement_workspaces as study
import pytest
from served_app import HEIGHT, keep_screenshot, new_page, open_at, serve_study, settle

from corpus.records import Decision, DecisionAction, Instrument
from corpus.store import open_store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

TABS = 150
"""So many presses of Tab reach everything on the page."""
TABLET = 820
BY_KEYS = 10
REASON = "Nobody would say it so."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study.build_disagreement_workspace(tmp_path / "study").path


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with serve_study(folder) as served:
        yield f"{served}/disagreements?language=sk"


def test_ten_are_decided_by_keys_alone_and_the_rest_by_a_rule(
    address: str, folder: Path, browser: Browser
) -> None:
    page = new_page(browser)
    open_at(page, address, "Disagreements")
    page.get_by_text("1 of 16 in the queue, heaviest first").wait_for()
    page.locator("[role=gridcell]", has_text=study.COMMENTED["comment"]).first.wait_for(
        state="attached"
    )
    keep_screenshot(page, "disagreements-queue")

    _press(page, "n", "2 of 16 in the queue")
    _press(page, "p", "1 of 16 in the queue")
    for number, key in enumerate("xxaxaaxaa", start=1):
        _press(page, key, f"of {study.DISAGREE - number} in the queue")
        _wait_for_rest(page, study.DISAGREE - number)
    _decide_in_words(page)
    _wait_for_rest(page, study.DISAGREE - BY_KEYS)
    assert len(_decisions(folder)) == BY_KEYS

    _press(page, "b", "10 of 10 in the queue")
    page.get_by_text(f"reject by curator-1: {REASON}").first.wait_for()
    keep_screenshot(page, "disagreements-decided-last")

    open_at(page, address, "Disagreements")
    page.get_by_role("button", name="Apply this rule to 6").click()
    page.get_by_text(
        "No disagreement is open. Next: look at the gates on page Approval."
    ).wait_for()
    page.get_by_text("Applied: majority (1); 6 decided.").wait_for()
    keep_screenshot(page, "disagreements-all-decided")

    found = _decisions(folder)
    assert len({each.subject_id for each in found}) == study.DISAGREE
    assert [each.action for each in found[:9]] == [
        DecisionAction.REJECT if key == "x" else DecisionAction.ACCEPT for key in "xxaxaaxaa"
    ]
    assert (found[9].action, found[9].reason) == (DecisionAction.REJECT, REASON)
    assert {each.rule for each in found[10:]} == {"majority (1)"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_tablet_the_page_does_not_scroll_sideways(
    address: str, browser: Browser, scheme: str
) -> None:
    page = new_page(browser, scheme)
    page.set_viewport_size({"width": TABLET, "height": HEIGHT})
    open_at(page, address, "Disagreements")
    page.get_by_role("heading", name="Decide many by a rule").wait_for()
    main = page.get_by_test_id("stMain")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    page.get_by_role("button", name="Accept: the system is right").wait_for()


def test_a_letter_that_is_typed_decides_nothing(
    address: str, folder: Path, browser: Browser
) -> None:
    page = new_page(browser)
    open_at(page, address, "Disagreements")
    reason = page.get_by_label("Reason", exact=True)
    reason.focus()
    page.keyboard.type("a x n p b")
    settle(page)
    assert reason.input_value() == "a x n p b"
    page.get_by_text("1 of 16 in the queue").wait_for()
    assert _decisions(folder) == []


def _press(page: Page, key: str, told: str) -> None:
    """Presses a key on the page and waits until it says what follows."""
    page.keyboard.press(key)
    page.get_by_text(told).wait_for()
    settle(page)


def _wait_for_rest(page: Page, count: int) -> None:
    """Waits for what is drawn last: only then do the keys mean the candidate that is shown."""
    page.get_by_role("button", name=f"Apply this rule to {count}").wait_for()
    settle(page)


def _decide_in_words(page: Page) -> None:
    """Rejects with a reason of one's own: every field is reached by Tab."""
    _tab_to(page, "Action")
    page.keyboard.type("reject")
    page.keyboard.press("Enter")
    _tab_to(page, "Reason")
    page.keyboard.type(REASON)
    page.keyboard.press("Alt+s")


def _tab_to(page: Page, label: str) -> None:
    for _ in range(TABS):
        page.keyboard.press("Tab")
        found = page.evaluate("document.activeElement.getAttribute('aria-label') || ''")
        if found == label or found.endswith(f". {label}"):
            return
    pytest.fail(f"{label} is not reached by Tab")


def _decisions(folder: Path) -> list[Decision]:
    store = open_store(f"sqlite:///{folder / 'stereoscope.sqlite'}")
    with store.reading() as state:
        found = state.decisions(Instrument.EUROGEST, "sk")
    store.close()
    return found

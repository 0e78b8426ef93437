"""A rater's browser on the real Label Studio, and a study whose batch she answers there."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from annotation.batches import CreatedBatch
from annotation.label_studio.accounts import Login
from annotation.label_studio.client import LabelStudioServer as ServerClient
from annotation.label_studio.server import LabelStudioServer
from annotation.pull import pull_batch
from annotation.push import push_batch
from corpus.people import Person
from corpus.records import Origin, RatingRevision
from corpus.store import Store

PICTURES = Path(__file__).resolve().parents[2] / "test-results"
SLIDER = "input[type=range][name=quality]"
FOCUSED = """() => {
    const at = document.activeElement;
    return [at.name, at.getAttribute('aria-label')].filter(Boolean);
}"""
TABS = 30
"""More than there are on the page."""


class RaterPage:
    """One rater's page, signed in with her own log-in."""

    def __init__(self, browser: Browser, url: str, login: Login, link: str) -> None:
        self.page: Page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        self.page.set_default_timeout(60_000)
        self.link = link
        self.page.goto(f"{url}/user/login/")
        self.page.fill("input[name=email]", login.email)
        self.page.fill("input[name=password]", login.password)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(lambda address: "/user/login" not in address)

    def open(self) -> None:
        """Follows her link and closes the instructions, which always come first."""
        self.page.goto(self.link)
        expect(self.page.get_by_text("Labeling Instructions")).to_be_visible(timeout=60_000)
        self.close_instructions()

    def close_instructions(self) -> None:
        self.press("Escape")
        expect(self.page.get_by_text("Labeling Instructions")).to_be_hidden()

    def start(self) -> None:
        """Opens her next item."""
        self.open()
        expect(self.page.locator(SLIDER)).to_be_attached(timeout=60_000)

    def expect_place(self, place: str) -> None:
        expect(self.page.get_by_text(place, exact=True)).to_be_visible(timeout=60_000)

    def expect_no_score(self) -> None:
        # Label Studio shows the handle of an untouched slider at 50; only its attribute tells.
        expect(self.page.locator(SLIDER)).to_have_attribute("value", "")

    def tab_to(self, name: str) -> None:
        """Presses Tab until the element of that name or label has the focus."""
        for _ in range(TABS):
            self.page.keyboard.press("Tab")
            if name in self.page.evaluate(FOCUSED):
                return
        raise AssertionError(f"{name} cannot be reached with Tab")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def choose(self, text: str) -> None:
        self.page.locator(f'label:has(input[name="{text}"])').click()

    def submit(self) -> None:
        """Submits with the keys, and waits until the server has taken it."""
        self._send(lambda: self.press("Control+Enter"), "POST")

    def skip(self) -> None:
        self._send(lambda: self.press("Control+Space"), "POST")

    def update(self) -> None:
        self._send(lambda: self.press("Control+Enter"), "PATCH")

    def _send(self, act: Callable[[], None], method: str) -> None:
        with self.page.expect_response(
            lambda answer: "/annotations" in answer.url and answer.request.method == method
        ) as answered:
            act()
        assert answered.value.ok

    def submit_refused(self) -> str:
        """Submits, and gives what the dialog says that refuses it."""
        self.press("Control+Enter")
        dialog = self.page.locator(".ant-modal")
        expect(dialog).to_be_visible()
        text = dialog.inner_text()
        dialog.get_by_role("button", name="OK").click()
        expect(dialog).to_be_hidden()
        return text

    def picture(self, name: str) -> None:
        PICTURES.mkdir(exist_ok=True)
        self.page.screenshot(path=PICTURES / f"rating-{name}.png")


class Round:
    """A batch on the real server, with its raters' log-ins."""

    def __init__(self, store: Store, server: LabelStudioServer, raters: Sequence[str]) -> None:
        self.store = store
        self.url = server.base_url
        self.client = ServerClient(server.base_url, server.administrator.token)
        self.logins = {
            rater: Login(f"{uuid.uuid4().hex}@example.org", "a-long-password-1") for rater in raters
        }
        for login in self.logins.values():
            server.create_rater(login.email, login.password)
        with store.writing() as writer:
            writer.append(
                [Person(rater, "rater", address=each.email) for rater, each in self.logins.items()]
            )
        self.batch_id = ""
        self.links: dict[str, str] = {}

    def push(self, created: CreatedBatch) -> None:
        self.batch_id = created.batch.id
        pushed = push_batch(self.store, self.client, self.batch_id, "curator-1")
        self.links = {each.assignment.rater_id: each.url for each in pushed}

    def open(self, browser: Browser, rater: str = "r1") -> RaterPage:
        page = RaterPage(browser, self.url, self.logins[rater], self.links[rater])
        page.start()
        return page

    def pull(self) -> list[RatingRevision]:
        pull_batch(self.store, self.client, self.batch_id, "curator-1", Origin.HUMAN)
        with self.store.reading() as state:
            items = [item.id for item in state.items([self.batch_id])]
            return state.ratings(items)

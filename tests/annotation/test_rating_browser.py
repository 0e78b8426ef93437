"""A rater at work: the real Label Studio in a real browser."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.batches import create_batch
from annotation.label_studio.accounts import Login
from annotation.label_studio.client import LabelStudioServer as ServerClient
from annotation.label_studio.server import LabelStudioServer
from annotation.labels import compute_gender_label
from annotation.pull import pull_batch
from annotation.push import push_batch
from corpus.forms import load_form
from corpus.people import Person
from corpus.records import GenderLabel, Label, Origin, RatingRevision, RatingState
from corpus.store import Store
from tests.annotation.studies import plan_batch
from tests.store_builders import add_candidates, add_sources, make_candidate, make_source

pytestmark = [pytest.mark.browser, pytest.mark.label_studio, pytest.mark.slow]

PICTURES = Path(__file__).resolve().parents[2] / "test-results"
FORM = load_form("sentence")
SOURCE = 'I <b>cry</b> & "laugh" at weddings. {GENDER1} 😀'
TEXTS = {
    "masculine": "Som <i>dojatý</i> &amp; „smejem sa“ 😀 שלום",
    "feminine": "Som <i>dojatá</i> &amp; „smejem sa“ 😀 שלום",
}
SUBMIT = "[data-testid=bottombar-submit-button]"


class Work:
    """A batch of one item, its rater, and her browser page on it."""

    def __init__(self, store: Store, server: LabelStudioServer, page: Page) -> None:
        self.store = store
        self.page = page
        self.url = server.base_url
        self.client = ServerClient(server.base_url, server.administrator.token)
        self.login = Login(f"{uuid.uuid4().hex}@example.org", "a-long-password-1")
        server.create_rater(self.login.email, self.login.password)
        source = make_source(2, SOURCE)
        add_sources(store, [source])
        add_candidates(store, [make_candidate(source, "sk", Label.PAIR, variants=TEXTS)])
        with store.writing() as writer:
            writer.append([Person("r1", "rater", address=self.login.email)])
        created = create_batch(store, plan_batch("sk", 1, ("r1",)), "curator-1", Origin.HUMAN)
        [self.item] = created.items
        [self.pushed] = push_batch(store, self.client, created.batch.id, "curator-1")

    def sign_in(self) -> None:
        self.page.goto(f"{self.url}/user/login/")
        self.page.fill("input[name=email]", self.login.email)
        self.page.fill("input[name=password]", self.login.password)
        self.page.click("button[type=submit]")
        self.page.wait_for_url(lambda url: "/user/login" not in url)

    def open(self) -> None:
        self.page.goto(self.pushed.url)
        expect(self.page.locator("input[type=range][name=quality]")).to_be_attached(timeout=60_000)

    def close_instructions(self) -> None:
        self.page.click("[aria-label='Close modal']")
        expect(self.page.get_by_text("Labeling Instructions")).to_be_hidden()

    def choose(self, text: str) -> None:
        self.page.locator(f'label:has(input[name="{text}"])').click()

    def submit(self) -> None:
        """Submits, and waits until the server has taken it."""
        with self.page.expect_response(
            lambda response: "/annotations" in response.url and response.request.method == "POST"
        ) as answered:
            self.page.click(SUBMIT)
        assert answered.value.ok

    def submit_refused(self) -> str:
        """Submits, and gives what the dialog says that refuses it."""
        self.page.click(SUBMIT)
        dialog = self.page.locator(".ant-modal")
        expect(dialog).to_be_visible()
        text = dialog.inner_text()
        dialog.get_by_role("button", name="OK").click()
        expect(dialog).to_be_hidden()
        return text

    def picture(self, name: str) -> None:
        PICTURES.mkdir(exist_ok=True)
        self.page.screenshot(path=PICTURES / f"rating-{name}.png")

    def pull(self) -> list[RatingRevision]:
        pull_batch(self.store, self.client, self.item.batch_id, "curator-1", Origin.HUMAN)
        with self.store.reading() as state:
            return state.ratings([self.item.id])


@pytest.fixture
def work(store: Store, label_studio: LabelStudioServer, browser: Browser) -> Iterator[Work]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)
    made = Work(store, label_studio, page)
    made.sign_in()
    made.open()
    yield made
    page.close()


def test_a_rater_reads_the_instructions_and_rates_a_sentence(work: Work) -> None:
    page = work.page
    for paragraph in FORM.instructions:
        expect(page.get_by_text(paragraph)).to_be_visible()
    work.picture("instructions")
    work.close_instructions()

    expect(page.get_by_text(SOURCE, exact=True)).to_be_visible()
    expect(page.get_by_text(work.item.shown["mt_text"], exact=True)).to_be_visible()
    for point, meaning in FORM.fields[0].anchors.items():
        expect(page.get_by_text(f"{point}: {meaning}")).to_be_visible()
    expect(page.get_by_text("3. Who is speaking, by the grammar?")).to_be_hidden()

    work.choose("Yes")
    expect(page.get_by_text("3. Who is speaking, by the grammar?")).to_be_visible()
    work.choose("A woman")
    page.fill("textarea[name=comment]", 'Clumsy <b>&amp; "odd"</b> 😀')
    work.picture("before-the-slider")
    assert "Please move the slider" in work.submit_refused()
    assert work.pull() == []

    page.fill("input[type=range][name=quality]", "77")
    work.picture("answered")
    work.submit()
    [rating] = work.pull()
    assert (rating.state, rating.reasons) == (RatingState.VALID, ())
    assert rating.answers == {
        "quality": 77,
        "gender_marked": "yes",
        "speaker_gender": "woman",
        "comment": 'Clumsy <b>&amp; "odd"</b> 😀',
    }
    assert compute_gender_label(rating.answers) is GenderLabel.FEMININE
    assert rating.lead_time_s is not None
    assert rating.lead_time_s > 0


def test_unsure_needs_a_comment_and_a_changed_mind_leaves_no_old_answer(work: Work) -> None:
    page = work.page
    work.close_instructions()
    page.fill("input[type=range][name=quality]", "0")
    work.choose("Yes")
    work.choose("A man")
    work.choose("Unsure")
    expect(page.locator("textarea[name=comment]")).to_be_hidden()
    assert "Please write a comment" in work.submit_refused()
    page.fill("textarea[name=comment__required]", "It could be either.")
    work.submit()
    [rating] = work.pull()
    assert (rating.state, rating.reasons) == (RatingState.VALID, ())
    assert rating.answers == {
        "quality": 0,
        "gender_marked": "unsure",
        "comment": "It could be either.",
    }

"""A rater at work: the real Label Studio in a real browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, expect
from rating_pages import SLIDER, RaterPage, Round

from annotation.batches import create_batch
from annotation.label_studio.server import LabelStudioServer
from annotation.labels import compute_gender_label
from annotation.templates import TemplatePlan, create_template_batch
from corpus.forms import load_form
from corpus.records import GenderLabel, Label, Origin, RatingState
from corpus.store import Store
from tests.annotation.studies import add_language, plan_batch
from tests.store_builders import add_candidates, add_sources, make_candidate, make_source

pytestmark = [pytest.mark.browser, pytest.mark.label_studio, pytest.mark.slow]

FORM = load_form("sentence")
QUESTION_3 = "3. Who is speaking, by the grammar?"
SOURCE = 'I <b>cry</b> & "laugh" at weddings, it\'s true. {GENDER1} 😀'
LITERAL = "Som <i>dojat{}</i> &amp; „smejem  sa“ 😀 c\u030c a\u0301\u0302"
RIGHT_TO_LEFT = 'אני <b>שמח</b> & "שלום" 😀'
LINES = "Prvý riadok?\n\n1.  druhý\n\t– tretí"
LONG = "Nejneobhospodařovávatelnější" * 6


def send_texts(
    store: Store, server: LabelStudioServer, texts: Sequence[str], stereotype_id: int = 1
) -> Round:
    """A batch for one rater with an item for each text, in whichever order."""
    made = Round(store, server, ["r1"])
    sources = [make_source(row, SOURCE, stereotype_id) for row in range(2, 2 + len(texts))]
    add_sources(store, sources)
    add_candidates(
        store,
        [
            make_candidate(source, "sk", Label.NEUTRAL, variants={"neutral": text})
            for source, text in zip(sources, texts, strict=True)
        ],
    )
    plan = plan_batch("sk", len(texts), ["r1"])
    made.push(create_batch(store, plan, "curator-1", Origin.HUMAN))
    return made


@pytest.fixture
def work(store: Store, label_studio: LabelStudioServer) -> Round:
    """A batch of one item with a content note."""
    return send_texts(store, label_studio, [LITERAL], stereotype_id=15)


@pytest.fixture
def rater(work: Round, browser: Browser) -> Iterator[RaterPage]:
    opened = work.open(browser)
    yield opened
    opened.page.close()


def test_a_rater_reads_the_instructions_and_rates_a_sentence(work: Round, rater: RaterPage) -> None:
    page = rater.page
    page.get_by_role("button", name="Instructions").click()
    for paragraph in FORM.instructions:
        for line in paragraph.split("\n"):
            expect(page.get_by_text(line, exact=True)).to_be_visible()
    rater.picture("instructions")
    rater.close_instructions()

    expect(page.get_by_text("The next sentence may be about sexuality")).to_be_visible()
    for point, meaning in FORM.fields[0].anchors.items():
        expect(page.get_by_text(f"{point}: {meaning}")).to_be_visible()
    expect(page.get_by_text(QUESTION_3)).to_be_hidden()
    rater.expect_no_score()
    rater.picture("new")
    page.set_viewport_size({"width": 768, "height": 1024})
    expect(page.get_by_role("button", name="Instructions")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    rater.picture("tablet")

    rater.choose("Yes")
    expect(page.get_by_text(QUESTION_3)).to_be_visible()
    rater.choose("A woman")
    page.fill("textarea[name=comment]", 'Clumsy <b>&amp; "odd"</b> 😀')
    rater.press("Tab")
    assert "Please move the slider" in rater.submit_refused()
    assert work.pull() == []

    page.fill(SLIDER, "77")
    rater.picture("answered")
    rater.tab_to("Postpone task")
    rater.submit()
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


def test_unsure_needs_a_comment_and_a_changed_mind_leaves_no_old_answer(
    work: Round, rater: RaterPage
) -> None:
    page = rater.page
    page.fill(SLIDER, "0")
    page.fill("textarea[name=comment]", "The ending is odd.")
    rater.choose("Yes")
    rater.choose("A man")
    rater.choose("Unsure")
    expect(page.get_by_text(QUESTION_3)).to_be_hidden()
    # What stands in the optional comment stays, and does not do for the needed one.
    expect(page.locator("textarea[name=comment]")).to_have_value("The ending is odd.")
    assert "Please write a comment" in rater.submit_refused()
    page.fill("textarea[name=comment__required]", "It could be either.")
    rater.picture("unsure")
    rater.press("Tab")
    rater.submit()
    [rating] = work.pull()
    assert (rating.state, rating.reasons) == (RatingState.VALID, ())
    assert rating.answers == {
        "quality": 0,
        "gender_marked": "unsure",
        "comment": "The ending is odd.\nIt could be either.",
    }


def test_yes_changed_to_no_drops_the_gender(work: Round, rater: RaterPage) -> None:
    rater.page.fill(SLIDER, "100")
    rater.choose("Yes")
    rater.choose("A man")
    rater.choose("No")
    rater.submit()
    [rating] = work.pull()
    assert (rating.state, rating.answers) == (
        RatingState.VALID,
        {"quality": 100, "gender_marked": "no"},
    )


def test_skip_declines_and_can_be_taken_back(work: Round, rater: RaterPage) -> None:
    rater.skip()
    [declined] = work.pull()
    assert (declined.state, declined.answers) == (RatingState.SKIPPED, {})
    rater.open()
    rater.page.get_by_role("button", name="Previous task").click()
    rater.page.click("[data-testid=bottombar-unskip-button]")
    rater.page.fill(SLIDER, "50")
    rater.choose("No")
    rater.submit()
    [rating] = [each for each in work.pull() if each.state is RatingState.VALID]
    assert rating.answers == {"quality": 50, "gender_marked": "no"}


def test_texts_are_shown_literally_in_their_own_direction_and_never_cut(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    texts = {LITERAL: "start", RIGHT_TO_LEFT: "end", LONG: "start"}
    work = send_texts(store, label_studio, list(texts))
    rater = work.open(browser)
    seen = set()
    for number in range(1, 4):
        rater.expect_place(f"Item {number} of 3")
        english, text = rater.page.locator(".lsf-richtext__line").all()
        assert english.text_content() == SOURCE
        shown = str(text.text_content())
        seen.add(shown)
        # Where the first character stands, measured by the browser.
        side, overflow = text.evaluate(
            """line => {
                const range = document.createRange();
                range.setStart(line.firstChild ?? line, 0);
                range.setEnd(line.firstChild ?? line, 1);
                const [mark, box] = [range.getBoundingClientRect(), line.getBoundingClientRect()];
                const isLeft = mark.left - box.left < box.right - mark.right;
                return [isLeft ? 'start' : 'end', line.scrollWidth > line.clientWidth + 1];
            }"""
        )
        assert (side, overflow) == (texts[shown], False)
        rater.picture(f"literal-{side}-{len(shown)}")
        rater.page.fill(SLIDER, "50")
        rater.choose("No")
        rater.submit()
    assert seen == set(texts)
    assert {rating.answers["quality"] for rating in work.pull()} == {50}


def test_a_line_break_is_one_and_an_empty_line_is_one_line(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = send_texts(store, label_studio, [LINES])
    rater = work.open(browser)
    english, text = rater.page.locator(".lsf-htx-richtext").all()
    assert text.locator(".lsf-richtext__line").all_text_contents() == LINES.split("\n")
    heights = [each.evaluate("box => box.clientHeight") for each in (english, text)]
    rater.picture("lines")
    assert heights[1] == heights[0] * len(LINES.split("\n"))


TEN: tuple[tuple[int, str, str | None, str], ...] = (
    (0, "No", None, ""),
    (50, "No", None, ""),
    (100, "Yes", "4", ""),
    (1, "Yes", "5", ""),
    (99, "Yes", "6", ""),
    (52, "Unsure", None, "I cannot tell."),
    (48, "No", None, ""),
    (0, "Unsure", None, "Both fit."),
    (100, "No", None, ""),
    (50, "Yes", "5", ""),
)
"""Score, answer to question 2, digit of the answer to question 3, comment."""
KEYS_OF_SCORE = {
    0: ["Home"],
    1: ["Home", "ArrowRight"],
    48: ["ArrowLeft", "ArrowLeft"],
    50: ["ArrowRight", "ArrowLeft"],
    52: ["ArrowRight", "ArrowRight"],
    99: ["End", "ArrowLeft"],
    100: ["End"],
}
SPEAKERS = {"4": "man", "5": "woman", "6": "other"}


def test_ten_items_from_the_first_to_the_last_without_a_mouse(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = Round(store, label_studio, ["r1"])
    add_language(store, "sk", neutral=6, pairs=6)
    created = create_batch(store, plan_batch("sk", 10, ["r1"]), "curator-1", Origin.HUMAN)
    work.push(created)
    rater = work.open(browser)
    for number, (score, marked, speaker, comment) in enumerate(TEN, start=1):
        rater.expect_place(f"Item {number} of 10")
        rater.expect_no_score()
        rater.tab_to("quality")
        rater.press(*KEYS_OF_SCORE[score])
        rater.tab_to(marked)
        rater.press("Space")
        if speaker is not None:
            rater.press(speaker)
        if comment:
            rater.tab_to("comment__required")
            rater.page.keyboard.type(comment)
            rater.press("Tab")
        rater.submit()
    expect(rater.page.get_by_text("No more")).to_be_visible()

    expected = {
        item_id: {"quality": score, "gender_marked": marked.lower()}
        | ({"speaker_gender": SPEAKERS[speaker]} if speaker else {})
        | ({"comment": comment} if comment else {})
        for item_id, (score, marked, speaker, comment) in zip(
            created.assignments[0].item_ids, TEN, strict=True
        )
    }
    ratings = work.pull()
    assert {rating.item_id: rating.answers for rating in ratings} == expected
    assert {rating.state for rating in ratings} == {RatingState.VALID}


def test_an_answer_is_revised_without_a_mouse(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = send_texts(store, label_studio, ["Prvá.", "Druhá."])
    rater = work.open(browser)
    rater.tab_to("quality")
    rater.press("End")
    rater.tab_to("Yes")
    rater.press("Space", "4")
    rater.tab_to("comment")
    rater.page.keyboard.type("First thoughts")
    rater.press("Tab")
    rater.submit()
    rater.expect_place("Item 2 of 2")
    # Also after she has closed the page and come back.
    rater.start()
    rater.expect_place("Item 2 of 2")
    rater.tab_to("Previous task")
    rater.press("Space")
    rater.expect_place("Item 1 of 2")
    rater.tab_to("quality")
    rater.press("Home")
    rater.tab_to("No")
    rater.press("Space")
    # A submitted comment is a text with a pencil; Tab would leave it without saving.
    rater.tab_to("Edit Region")
    rater.press("Space", "End")
    rater.page.keyboard.type(", and second ones")
    rater.press("Shift+Enter")
    rater.update()
    [rating] = work.pull()
    assert (rating.state, rating.answers) == (
        RatingState.VALID,
        {"quality": 0, "gender_marked": "no", "comment": "First thoughts, and second ones"},
    )


def test_two_raters_never_see_each_others_answers(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = Round(store, label_studio, ["r1", "r2"])
    add_language(store, "sk", neutral=2, pairs=0)
    plan = plan_batch("sk", 2, ["r1", "r2"])
    work.push(create_batch(store, plan, "curator-1", Origin.HUMAN))
    pages = {name: work.open(browser, name) for name in ("r1", "r2")}
    marks = {"r1": "11", "r2": "22"}
    for number in (1, 2):
        # In turn: each has answered before the other one sees the next item.
        for name, rater in pages.items():
            [other] = set(marks) - {name}
            rater.expect_place(f"Item {number} of 2")
            rater.expect_no_score()
            for choice in FORM.fields[1].choices.values():
                expect(rater.page.locator(f'input[name="{choice}"]')).not_to_be_checked()
            expect(rater.page.locator("textarea[name=comment]")).to_have_value("")
            assert f"words of {other}" not in rater.page.content()
            rater.page.fill(SLIDER, marks[name])
            rater.choose("No")
            rater.page.fill("textarea[name=comment]", f"words of {name}")
            rater.press("Tab")
            rater.submit()
    answers = {
        (rating.rater_id, rating.answers["quality"], rating.answers["comment"], rating.state)
        for rating in work.pull()
    }
    assert answers == {
        (name, int(mark), f"words of {name}", RatingState.VALID) for name, mark in marks.items()
    }


def test_a_connection_lost_at_submit_loses_no_answer(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = send_texts(store, label_studio, ["Prvá.", "Druhá."])
    rater = work.open(browser)
    context = rater.page.context
    context.set_offline(True)
    with rater.page.expect_event("requestfailed", lambda request: "drafts" in request.url):
        rater.page.fill(SLIDER, "61")
        rater.choose("No")
    with rater.page.expect_event("requestfailed", lambda request: "annotations" in request.url):
        rater.press("Control+Enter")
    expect(rater.page.get_by_text("Failed to fetch")).to_be_visible()
    rater.picture("offline")
    rater.press("Escape")
    assert work.pull() == []
    context.set_offline(False)
    rater.submit()
    rater.expect_place("Item 2 of 2")
    [rating] = work.pull()
    assert (rating.state, rating.answers) == (
        RatingState.VALID,
        {"quality": 61, "gender_marked": "no"},
    )


def test_what_was_drafted_before_the_connection_was_lost_is_there_again(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = send_texts(store, label_studio, ["Prvá."])
    rater = work.open(browser)
    with rater.page.expect_response(lambda answer: "/drafts" in answer.url):
        rater.page.fill(SLIDER, "62")
        rater.choose("No")
    context = rater.page.context
    context.set_offline(True)
    with rater.page.expect_event("requestfailed", lambda request: "annotations" in request.url):
        rater.press("Control+Enter")
    context.set_offline(False)
    rater.start()
    expect(rater.page.locator(SLIDER)).to_have_attribute("value", "62")
    expect(rater.page.locator('input[name="No"]')).to_be_checked()
    rater.submit()
    [rating] = [each for each in work.pull() if each.state is RatingState.VALID]
    assert rating.answers == {"quality": 62, "gender_marked": "no"}


def test_a_template_is_rated_and_below_100_reworded(
    store: Store, label_studio: LabelStudioServer, browser: Browser
) -> None:
    work = Round(store, label_studio, ["r1"])
    add_language(store, "sk", neutral=1, pairs=0)
    plan = TemplatePlan("sk", ("r1",), seed=7)
    created = create_template_batch(store, plan, "curator-1", Origin.HUMAN)
    work.push(created)
    rater = work.open(browser)
    page = rater.page
    texts = {item.id: item.shown["mt_text"] for item in created.items}
    for number, item_id in enumerate(created.assignments[0].item_ids, start=1):
        rater.expect_place(f"Item {number} of 4")
        expect(page.get_by_text(texts[item_id], exact=True)).to_be_visible()
        expect(page.locator("textarea[name=suggestion]")).to_be_hidden()
        rater.tab_to("quality")
        rater.press("End", *(["ArrowLeft"] if number == 1 else []))
        rater.tab_to("Yes" if number == 1 else "No")
        rater.press("Space")
        if number == 1:
            expect(page.locator("textarea[name=suggestion]")).to_be_visible()
            assert "Please write" in rater.submit_refused()
            page.fill("textarea[name=suggestion]", "„S,“ <povedal> muž.")
            rater.picture("template")
            rater.tab_to("Postpone task")
        rater.submit()
    answers = {rating.item_id: rating.answers for rating in work.pull()}
    first, *others = created.assignments[0].item_ids
    assert answers[first] == {
        "quality": 99,
        "reworded": "yes",
        "suggestion": "„S,“ <povedal> muž.",
    }
    assert [answers[each] for each in others] == [{"quality": 100, "reworded": "no"}] * 3

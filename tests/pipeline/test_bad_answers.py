"""Engines that answer badly: an error or a marked row, never a crash; what was paid for is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.errors import EngineError
from corpus.records import Instrument, Label
from corpus.store import Store
from engines.chat import NO_USABLE_ANSWER, ChatEngine, ChatSettings
from engines.google import GoogleEngine, GoogleSettings
from pipeline.generation import Generation, LanguageReport, generate
from tests.engines.chat_servers import ChatScript, chat_server
from tests.engines.google_servers import Refusal, Script, WrongCount, rest_client
from tests.generation_plans import plan_for
from tests.store_builders import add_sources, make_source, make_store

SENTENCES = ("I cook.", "I sing.", "I run.")
ODD_ANSWERS = (
    "",
    " ",
    "<p>&#39;Varím&#39;</p>",
    "I cook.",
    "これは日本語です",
    "„",
    'Muž: "',
    "a" * 9000,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = make_store(tmp_path)
    add_sources(opened, [make_source(n, text) for n, text in enumerate(SENTENCES, 2)])
    yield opened
    opened.close()


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def google(script: Script) -> Iterator[GoogleEngine]:
    with rest_client(script) as client:
        settings = GoogleSettings(project="p", strings_per_request=2, attempts=2)
        yield GoogleEngine(settings, client, script.wait)


def run(store: Store, plan: Generation) -> LanguageReport:
    with store.runs.watched("generate") as progress:
        return generate(store, plan, progress)[0]


def texts_of(store: Store, language: str) -> dict[str, str]:
    with store.reading() as state:
        return {each.text_sent: each.text for each in state.all_translations(language)}


@pytest.mark.parametrize(
    "move",
    [
        WrongCount(-1),
        WrongCount(1),
        Refusal("INVALID_ARGUMENT", "bad"),
        Refusal("PERMISSION_DENIED", "Daily Limit Exceeded"),
    ],
)
def test_a_failure_half_way_keeps_what_was_paid_for(
    store: Store, google: GoogleEngine, script: Script, move: WrongCount | Refusal
) -> None:
    script.moves = [None, move]
    plan = plan_for("sv", google)
    with pytest.raises(EngineError):
        run(store, plan)
    assert list(texts_of(store, "sv")) == ["I cook.", "I sing."]
    with store.reading() as state:
        assert state.candidates(Instrument.EUROGEST, "sv") == []
    assert run(store, plan).newly_translated == 1
    assert [request["contents"] for request in script.received] == [
        ["I cook.", "I sing."],
        ["I run."],
        ["I run."],
    ]


@pytest.mark.parametrize("language", ["sv", "sk"])
@pytest.mark.parametrize("answer", ODD_ANSWERS)
def test_whatever_text_comes_is_stored_and_labelled(
    store: Store, google: GoogleEngine, script: Script, language: str, answer: str
) -> None:
    sent = [
        f'The {who} said, "I cook."' if language == "sk" else "I cook." for who in ("man", "woman")
    ]
    script.translations = {(text, language): answer for text in sent}
    report = run(store, plan_for(language, google))
    assert {texts_of(store, language)[text] for text in sent} == {answer}
    with store.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, language)
    assert len(candidates) == sum(report.counts.values()) == 3
    if not answer.strip():
        assert candidates[0].label is Label.DISCARDED


def test_a_text_without_usable_answer_is_counted_and_asked_for_again(store: Store) -> None:
    script = ChatScript(refused=frozenset({"I sing."}))
    with chat_server(script) as url:
        engine = ChatEngine(ChatSettings(url, "made"), None, script.waits_s.append)
        report = run(store, plan_for("sv", engine))
        assert report.unanswered == {NO_USABLE_ANSWER: 1}
        assert (report.translated, report.not_translated) == (2, 1)
        with store.reading() as state:
            second = state.candidates(Instrument.EUROGEST, "sv")[1]
        assert (second.label, second.reason) == (Label.DISCARDED, "not_translated")
        script.refused = frozenset()
        assert run(store, plan_for("sv", engine)).newly_translated == 1
    assert script.sent()[-1] == "I sing."

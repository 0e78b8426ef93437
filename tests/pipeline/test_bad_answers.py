"""Engines that answer badly: an error or a marked row, never a crash; what was paid for is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import EngineError, UnreachableError
from corpus.records import Instrument, Label
from corpus.store import Store
from engines.chat import NO_USABLE_ANSWER, ChatEngine, ChatSettings
from engines.google import GoogleEngine, GoogleSettings
from pipeline.generation import Generation, LanguageReport, generate
from tests.engines.chat_servers import ChatScript, chat_server
from tests.engines.google_servers import CLIENTS, Hang, Refusal, Script, WrongCount
from tests.generation_plans import plan_for
from tests.store_builders import add_sources, make_source, make_store

SENTENCES = ("I cook.", "I sing.", "I run.")
ODD_ANSWERS = {
    "": "",
    " ": "",
    "<p>&#39;Varím&#39;</p>": "red:markup",
    "I cook.": "red:copy",
    "これは日本語です": "red:wrong_language",
    "Мені подобається готувати.": "red:wrong_language",
    "„": "red:empty",
    'Muž: "': "",
    "a" * 9000: "red:repetition",
}
"""Answer to `I cook.` → a red flag that it must carry, if any."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = make_store(tmp_path)
    add_sources(opened, [make_source(n, text) for n, text in enumerate(SENTENCES, 2)])
    yield opened
    opened.close()


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture(params=sorted(CLIENTS))
def google(request: pytest.FixtureRequest, script: Script) -> Iterator[GoogleEngine]:
    with CLIENTS[request.param](script) as client:
        settings = GoogleSettings(project="p", strings_per_request=2, attempts=2)
        yield GoogleEngine(settings, client, script.wait)


def run(store: Store, plan: Generation) -> LanguageReport:
    with store.runs.watched("generate") as progress:
        return generate(store, plan, progress)[0]


def texts_of(store: Store, language: str) -> dict[str, str]:
    with store.reading() as state:
        return {each.text_sent: each.text for each in state.all_translations(language)}


QUOTA = Refusal("RESOURCE_EXHAUSTED", "Quota exceeded")
FAILURES: dict[str, list[WrongCount | Refusal]] = {
    "fewer": [WrongCount(-1)],
    "more": [WrongCount(1)],
    "refused": [Refusal("INVALID_ARGUMENT", "bad")],
    "daily limit": [Refusal("PERMISSION_DENIED", "Daily Limit Exceeded")],
    "quota": [QUOTA, QUOTA],
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_half_way_keeps_what_was_paid_for(
    store: Store, google: GoogleEngine, script: Script, kind: str
) -> None:
    script.moves = [None, *FAILURES[kind]]
    plan = plan_for("sv", google)
    with pytest.raises(EngineError):
        run(store, plan)
    assert list(texts_of(store, "sv")) == ["I cook.", "I sing."]
    with store.reading() as state:
        assert state.candidates(Instrument.EUROGEST, "sv") == []
    assert run(store, plan).newly_translated == 1
    tries = len(FAILURES[kind]) + 1
    assert [request["contents"] for request in script.received] == [
        ["I cook.", "I sing."],
        *[["I run."]] * tries,
    ]


def test_no_answer_in_time_keeps_what_was_paid_for(
    store: Store, google: GoogleEngine, script: Script
) -> None:
    script.moves = [None, Hang()]
    impatient = replace(google.settings, attempts=1, timeout_s=0.5)
    engine = GoogleEngine(impatient, google._client, script.wait)
    with pytest.raises(UnreachableError, match="did not answer in 1 tries"):
        run(store, plan_for("sv", engine))
    script.released.set()
    assert list(texts_of(store, "sv")) == ["I cook.", "I sing."]
    assert run(store, plan_for("sv", google)).newly_translated == 1


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
    flag = ODD_ANSWERS[answer]
    if language == "sk" or not answer.strip():
        assert candidates[0].label is Label.DISCARDED
    elif flag:
        assert flag in candidates[0].flags
    assert "red:markup" not in candidates[1].flags


# What engines make of quotation marks, seen in recorded output or with HTML as the mime type.
SPOKEN = {
    "kept": ("Muž povedal: „Som unavený.“", "Žena povedala: „Som unavená.“"),
    "dropped": ("Muž povedal: Som unavený.", "Žena povedala: Som unavená."),
    "entities": ("Muž povedal: &quot;Som unavený.&quot;", "Žena povedala: &#34;Som unavená.&#34;"),
    "one end": ("Muž povedal: „Som unavený.", "Žena povedala: Som unavená.“"),
}


@pytest.mark.parametrize("kind", SPOKEN)
def test_quotation_marks_that_an_engine_drops_or_spells_out_leave_the_sentence(
    store: Store, google: GoogleEngine, script: Script, kind: str
) -> None:
    add_sources(store, [make_source(9, "I am tired.")])
    sent = [f'The {who} said, "I am tired."' for who in ("man", "woman")]
    script.translations = dict(zip([(text, "sk") for text in sent], SPOKEN[kind], strict=True))
    run(store, plan_for("sk", google))
    assert {texts_of(store, "sk")[text] for text in sent} == set(SPOKEN[kind]), "stored unchanged"
    with store.reading() as state:
        last = state.candidates(Instrument.EUROGEST, "sk")[-1]
    assert (last.label, dict(last.variants)) == (
        Label.PAIR,
        {"masculine": "Som unavený.", "feminine": "Som unavená."},
    )


def test_an_entity_inside_the_sentence_stays_and_is_flagged(
    store: Store, google: GoogleEngine, script: Script
) -> None:
    script.translations = {("I cook.", "sv"): "Jag lagar &quot;mat&quot; &amp; annat."}
    run(store, plan_for("sv", google))
    with store.reading() as state:
        first = state.candidates(Instrument.EUROGEST, "sv")[0]
    assert first.variants == {"neutral": "Jag lagar &quot;mat&quot; &amp; annat."}
    assert "red:markup" in first.flags


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

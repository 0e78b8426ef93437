"""The spending limit: never passed, what was paid for is kept, and raised it lets a run go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import SettingsError, StateError
from corpus.languages import languages, load_languages
from corpus.records import Translation
from corpus.store import Store
from engines.google import GoogleEngine, GoogleSettings
from engines.translation import CostEstimate, TranslationRequest
from pipeline.generation import Generation, generate, plan_requests
from pipeline.sources import load_sources
from pipeline.spending import SpendingLimit, Spent
from tests.command_line import run_here
from tests.engines.chat_servers import ChatScript, chat_server
from tests.engines.google_servers import Hang, Script, rest_client
from tests.generation_plans import plan_for
from tests.store_builders import add_sources, make_source, make_store

NOTHING = Spent(0, 0)
PRICED = GoogleEngine(GoogleSettings(usd_per_million_characters=1_000_000.0))
"""One dollar a character."""


def requests_of(*lengths: int) -> list[TranslationRequest]:
    return [TranslationRequest("x" * length, "sk") for length in lengths]


@given(
    lengths=st.lists(st.integers(1, 20), min_size=1, max_size=12),
    limit=st.integers(0, 150),
    before=st.integers(0, 60),
)
def test_sends_the_longest_beginning_that_fits(lengths: list[int], limit: int, before: int) -> None:
    requests = requests_of(*lengths)
    in_characters, in_dollars = SpendingLimit(characters=limit), SpendingLimit(usd=float(limit))
    for each in (in_characters, in_dollars):
        try:
            fitting = len(each.affordable(PRICED, requests, Spent(before, before)))
        except StateError:
            fitting = 0
        assert before + sum(lengths[:fitting]) <= max(limit, before)
        if fitting < len(lengths):
            assert before + sum(lengths[: fitting + 1]) > limit


def test_money_counts_what_the_engine_with_the_price_billed() -> None:
    limit = SpendingLimit(usd=10.0)
    assert len(limit.affordable(PRICED, requests_of(5, 5), Spent(1000, 0))) == 2
    assert len(limit.affordable(PRICED, requests_of(5, 5), Spent(1000, 5))) == 1


def test_a_limit_in_money_needs_a_price() -> None:
    class Unpriced(GoogleEngine):
        def estimate_cost(self, requests: object) -> CostEstimate:
            return CostEstimate(1, 5, None, None, "No price.")

    with pytest.raises(SettingsError, match=r"google has no price.*spend_limit_characters"):
        SpendingLimit(usd=1.0).affordable(Unpriced(GoogleSettings()), requests_of(5), NOTHING)


# --- through generation, with the real client


SENTENCES = ["I cook.", "I sing well.", "I run."]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = make_store(tmp_path)
    add_sources(opened, [make_source(n, text) for n, text in enumerate(SENTENCES, 2)])
    yield opened
    opened.close()


@pytest.fixture
def plan() -> Iterator[tuple[Generation, Script]]:
    script = Script()
    with rest_client(script) as client:
        settings = GoogleSettings(project="p", usd_per_million_characters=1_000_000.0)
        yield plan_for("sv", GoogleEngine(settings, client, script.wait)), script


def run(store: Store, plan: Generation) -> int:
    with store.runs.watched("generate") as progress:
        return generate(store, plan, progress)[0].newly_translated


def stored(store: Store) -> list[Translation]:
    with store.reading() as state:
        return state.all_translations()


def sent(script: Script) -> list[str]:
    return [text for request in script.received for text in request["contents"]]


def test_stops_before_the_limit_keeps_what_was_paid_and_goes_on(
    store: Store, plan: tuple[Generation, Script]
) -> None:
    generation, script = plan
    limited = replace(generation, limit=SpendingLimit(characters=20))
    with pytest.raises(
        StateError, match=r"\(20 characters\) leaves 1 texts.*19 characters.*is kept"
    ):
        run(store, limited)
    assert sent(script) == SENTENCES[:2]
    assert [each.text_sent for each in stored(store)] == SENTENCES[:2]
    with pytest.raises(StateError, match=r"leaves 1 texts untranslated.*Nothing was sent"):
        run(store, limited)
    assert len(script.received) == 1
    assert run(store, replace(generation, limit=SpendingLimit(characters=25))) == 1
    assert sent(script) == SENTENCES


def test_a_limit_in_money_stops_and_counts_across_runs(
    store: Store, plan: tuple[Generation, Script]
) -> None:
    generation, script = plan
    for limit, texts in ((10.0, 1), (18.9, 1), (19.0, 2), (24.99, 2), (25.0, 3)):
        limited = replace(generation, limit=SpendingLimit(usd=limit))
        with nullcontext() if texts == 3 else pytest.raises(StateError, match=f"{limit:g} USD"):
            run(store, limited)
        assert sent(script) == SENTENCES[:texts]


def test_what_is_about_to_be_sent_is_announced_before_it_is(
    store: Store, plan: tuple[Generation, Script]
) -> None:
    generation, script = plan
    heard: list[tuple[int, int, float | None, int]] = []

    def hear(cost: CostEstimate) -> None:
        heard.append((cost.requests, cost.characters, cost.amount, len(script.received)))

    limited = replace(generation, announce=hear, limit=SpendingLimit(usd=20.0))
    for _ in range(2):
        with pytest.raises(StateError):
            run(store, limited)
    assert heard == [(1, 19, 19.0, 0)], "only what the limit lets through, and not twice"


def test_two_runs_at_once_stay_within_the_limit_together(
    store: Store, plan: tuple[Generation, Script], tmp_path: Path
) -> None:
    generation, script = plan
    # 25 characters a language: enough for one, and less than a sentence is left for the other.
    limited = replace(generation, limit=SpendingLimit(characters=31, usd=31.0))
    script.moves = [Hang()]
    other = make_store(tmp_path)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(run, store, limited)
        wait_until(lambda: bool(script.received))
        danish = replace(limited, languages=languages(["da"]))
        second = pool.submit(run, other, danish)
        wait_until(lambda: any("waiting" in each.message for each in store.runs.latest()))
        script.released.set()
        assert first.result() == 3
        with pytest.raises(StateError, match=r"leaves 3 texts.*25 characters.*Nothing was sent"):
            second.result()
    other.close()
    assert sent(script) == SENTENCES


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_limit_of_the_settings_holds_on_the_command_line(tmp_path: Path) -> None:
    folder, script = tmp_path / "study", ChatScript()
    file = tmp_path / "made.csv"
    file.write_text("sentence,stereotype\nI cook.,1\nI sing well.,1\n", encoding="utf-8")
    assert run_here("init", folder).code == 0
    assert run_here("source", "add", file, "-w", folder).code == 0
    with chat_server(script) as url:
        env = {
            "STEREOSCOPE_CHAT_URL": url,
            "STEREOSCOPE_TRANSLATION_MODEL": "made",
            "STEREOSCOPE_SPEND_LIMIT_CHARACTERS": "7",
        }
        generating = ("generate", "-l", "sv", "--engine", "chat", "-w", folder)
        ended = run_here(*generating, env=env)
        assert (ended.code, script.sent()) == (1, ["I cook."])
        assert "Sending 1 requests with 7 characters.\n" in ended.err
        assert "(7 characters) leaves 1 texts untranslated; 7 characters are" in ended.message
        in_money = {**env, "STEREOSCOPE_SPEND_LIMIT_USD": "5"}
        ended = run_here(*generating, env=in_money)
        assert "The engine chat has no price, so spend_limit_usd cannot be kept" in ended.message
        assert script.sent() == ["I cook."]


def test_limit_already_passed_is_an_error_before_anything_is_sent(
    store: Store, plan: tuple[Generation, Script]
) -> None:
    generation, script = plan
    paid = Translation("earlier", "cs", "google", "general/nmt", "v3", "dřív", 100)
    with store.writing() as writer:
        writer.append([paid])
    for limit in (SpendingLimit(characters=99), SpendingLimit(usd=100.0)):
        with pytest.raises(StateError, match=r"100 characters are billed so far\. Nothing"):
            run(store, replace(generation, limit=limit))
    assert script.received == []
    assert stored(store)[-1].text == "dřív"


def test_a_finished_language_needs_no_money(store: Store, plan: tuple[Generation, Script]) -> None:
    generation, script = plan
    assert run(store, generation) == 3
    assert run(store, replace(generation, limit=SpendingLimit(characters=0))) == 0
    assert len(script.received) == 1


@pytest.mark.data
@pytest.mark.slow
def test_all_of_gest_needs_few_requests(data_dir: Path, tmp_path: Path) -> None:
    """3,565 sentences, 20 languages with two wrappers and 9 with none: 174,685 texts."""
    store = make_store(tmp_path)
    add_sources(store, load_sources(data_dir / "gest" / "gest_1.1.csv").sources)
    codes = [code for code in load_languages() if code != "en"]
    engine = GoogleEngine(GoogleSettings())
    requests = plan_requests(store, plan_for(" ".join(codes), engine))
    estimate = engine.estimate_cost(requests)
    assert len(codes) == 29
    assert 170_000 < len(requests) <= 174_685, "repeated sentences are sent once"
    assert estimate.requests < 600
    store.close()

"""The engine `chat` against a local server that misbehaves as real ones do."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate

import pytest
from chat_servers import ChatScript, chat_server, completion, failure, translated
from werkzeug import Response

from corpus.errors import EngineError, SettingsError, UnreachableError
from engines.chat import NO_USABLE_ANSWER, ChatEngine, ChatSettings
from engines.chat_messages import INSTRUCTIONS, UnusableAnswerError, read_translations
from engines.translation import TranslationRequest, TranslationResponse

MakeEngine = Callable[..., ChatEngine]
HTML = "<html><body>Please log in.</body></html>"


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, ChatScript]]:
    script = ChatScript()
    with chat_server(script) as url:
        yield url, script


@pytest.fixture
def script(served: tuple[str, ChatScript]) -> ChatScript:
    served[1].__init__()  # type: ignore[misc]
    return served[1]


@pytest.fixture
def make_engine(served: tuple[str, ChatScript], script: ChatScript) -> MakeEngine:
    def make(key: str | None = None, **settings: float | str | bool) -> ChatEngine:
        chosen = ChatSettings(served[0], "made-model", **settings)  # type: ignore[arg-type]
        return ChatEngine(chosen, key, script.waits_s.append)

    return make


def requests(*texts: str, language: str = "sk") -> list[TranslationRequest]:
    return [TranslationRequest(text, language) for text in texts]


def outcomes(answers: list[list[TranslationResponse]]) -> list[str | None]:
    return [each.text or each.reason for answer in answers for each in answer]


def told(script: ChatScript, number: int) -> str:
    """What the model was told after its answer before."""
    return str(script.received[number]["messages"][-1]["content"])


def test_asks_for_one_translation_per_text(make_engine: MakeEngine, script: ChatScript) -> None:
    said = "The man said, \"I <b>cook</b> & 'sing'.\""
    engine = make_engine("secret", temperature=0.5)
    answers = list(engine.translate([*requests(said, "I run."), *requests("I", language="sv")]))
    assert outcomes(answers) == [f"sk: {said}", "sk: I run.", "sv: I"]
    assert [len(answer) for answer in answers] == [2, 1]
    first = script.received[0]
    assert (first["model"], first["temperature"]) == ("made-model", 0.5)
    assert first["messages"][0] == {"role": "system", "content": INSTRUCTIONS}
    asked = json.loads(first["messages"][1]["content"])
    assert asked == {"language": "Slovak", "texts": [said, "I run."]}
    array = first["response_format"]["json_schema"]["schema"]["properties"]["translations"]
    assert (array["minItems"], array["maxItems"]) == (2, 2)
    assert script.keys == ["Bearer secret"] * 2
    assert answers[0][0].characters_billed == len(said)


def test_key_and_schema_are_left_out_where_there_is_none(
    make_engine: MakeEngine, script: ChatScript
) -> None:
    list(make_engine(json_schema=False).translate(requests("I run.")))
    assert script.keys == [None]
    assert "response_format" not in script.received[0]


def test_model_temperature_and_prompt_are_in_the_key(make_engine: MakeEngine) -> None:
    cold, warm = make_engine(), make_engine(temperature=0.7)
    assert cold.version != warm.version
    assert cold.model == "made-model"
    # If this fails, the prompt was changed: translations made before no longer count as its own.
    assert cold.version == "prompt-ea31d407,temperature-0"


UNUSABLE = {
    "broken JSON": (completion('{"translations": ["a", '), "not JSON"),
    "prose": (completion("Here you are: a, b"), "not JSON"),
    "HTML as text": (completion(HTML), "not JSON"),
    "another shape": (completion('["a", "b"]'), "array of strings"),
    "numbers": (completion('{"translations": [1, 2]}'), "array of strings"),
    "too few": (translated(["a"]), "1 translations for 2 texts"),
    "too many": (translated(["a", "b", "c"]), "3 translations for 2 texts"),
    "empty": (translated(["a", " "]), "translation 2 is empty"),
    "surrogate": (completion('{"translations": ["a", "\\ud800"]}'), "lone surrogate U+D800"),
    "nothing": (completion(None), "has no text"),
    "cut off": (completion('{"translations": ["a", "b', "length"), "cut off"),
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_tells_the_model_what_was_wrong(
    make_engine: MakeEngine, script: ChatScript, kind: str
) -> None:
    answer, problem = UNUSABLE[kind]
    script.moves = [lambda _: answer]
    assert outcomes(list(make_engine().translate(requests("x", "y")))) == ["sk: x", "sk: y"]
    assert len(script.received) == 2
    assert problem in told(script, 1)


def test_asks_one_by_one_after_three_answers_of_no_use(
    make_engine: MakeEngine, script: ChatScript
) -> None:
    script.refused = frozenset({"bad"})
    answers = list(make_engine().translate(requests("x", "bad", "y")))
    assert outcomes(answers) == ["sk: x", NO_USABLE_ANSWER, "sk: y"]
    assert [len(script.texts_of(n)) for n in range(len(script.received))] == [3] * 3 + [1] * 5
    assert [each.characters_billed for each in answers[0]] == [1, 0, 1]


def test_gives_up_on_a_model_that_never_answers_usefully(
    make_engine: MakeEngine, script: ChatScript
) -> None:
    script.refused = frozenset("bcd")
    answers = make_engine(texts_per_request=1).translate(requests(*"abcde"))
    assert outcomes([next(answers), next(answers), next(answers)]) == [
        "sk: a",
        NO_USABLE_ANSWER,
        NO_USABLE_ANSWER,
    ]
    with pytest.raises(EngineError, match=r"answer to 3 requests in a row \(sk; it is not"):
        next(answers)
    assert len(script.received) == 1 + 3 * 3


@pytest.mark.parametrize("before", ["", "<think>I run → {…}</think>\n\n", "I run.</think>"])
def test_reads_json_in_markdown_behind_thoughts(
    make_engine: MakeEngine, script: ChatScript, before: str
) -> None:
    script.moves = [lambda _: completion(before + '```json\n{"translations": ["Bežím."]}\n```\n')]
    assert outcomes(list(make_engine().translate(requests("I run.")))) == ["Bežím."]


def test_waits_as_long_as_the_server_asks(make_engine: MakeEngine, script: ChatScript) -> None:
    date = formatdate(time.time() + 60, usegmt=True)
    script.moves = [
        lambda _: failure(429, Retry_After="7"),
        lambda _: failure(429, Retry_After=date),
        lambda _: failure(429, Retry_After="soon"),
        lambda _: failure(503, Retry_After="9999"),
    ]
    assert outcomes(list(make_engine().translate(requests("x")))) == ["sk: x"]
    seconds, until, backoff, longest = script.waits_s
    assert (seconds, backoff, longest) == (7, 4, 120)
    assert 50 < until <= 60


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_tries_again_while_the_server_fails(
    make_engine: MakeEngine, script: ChatScript, status: int
) -> None:
    script.moves = [lambda _: Response(HTML, status, mimetype="text/html")] * 5
    assert outcomes(list(make_engine().translate(requests("x")))) == ["sk: x"]
    assert script.waits_s == [1, 2, 4, 8, 16]
    script.moves = [lambda _: failure(status)] * 6
    with pytest.raises(UnreachableError, match=f"in 6 tries \\(last: status {status}\\)"):
        list(make_engine().translate(requests("x")))


def test_tries_again_after_a_timeout_and_keeps_what_it_has(
    make_engine: MakeEngine, script: ChatScript
) -> None:
    def slow(texts: list[str]) -> Response:
        time.sleep(1)
        return translated(["late"] * len(texts))

    script.moves = [None, slow, slow]
    engine = make_engine(timeout_s=0.3, attempts=2, texts_per_request=1)
    answers = engine.translate(requests("x", "y"))
    assert outcomes([next(answers)]) == ["sk: x"]
    with pytest.raises(UnreachableError, match=r"last: ReadTimeout\)\. Translations made before"):
        next(answers)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (failure(401), r"refuses the key \(status 401\); set STEREOSCOPE_CHAT_API_KEY"),
        (failure(403), r"refuses the key \(status 403\)"),
        (failure(404), r"no such page or model \(status 404: made up for 404\)"),
        (Response("", 302, {"Location": "/elsewhere"}), r"no such page or model \(status 302\)"),
        (failure(400), r"refused a request \(status 400: made up for 400\).*chat_json_schema"),
        (failure(429, "insufficient_quota"), r"quota is used up: made up for 429"),
        (Response(HTML, 200, mimetype="text/html"), r"answer \(text/html\) is no chat completion"),
        (Response("{}", 200, mimetype="application/json"), "is no chat completion"),
        (Response("{}", 200, {"Content-Encoding": "gzip"}), "not compressed as it says"),
        (Response('{"choices": []}', 200), "is no chat completion"),
    ],
)
def test_does_not_repeat_what_will_not_pass(
    make_engine: MakeEngine, script: ChatScript, answer: Response, sentence: str
) -> None:
    script.moves = [lambda _: answer]
    with pytest.raises(EngineError, match=sentence) as caught:
        list(make_engine("secret").translate(requests("x")))
    assert len(script.received) == 1
    assert script.waits_s == []
    assert "secret" not in str(caught.value)
    assert "http" not in str(caught.value)


def test_the_key_stands_in_no_log_and_no_description(
    make_engine: MakeEngine, script: ChatScript, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "httpcore")
    script.moves = [lambda _: failure(500), lambda _: failure(429), None, lambda _: failure(401)]
    engine = make_engine("c0ffee-key", texts_per_request=1)
    with pytest.raises(UnreachableError):
        list(engine.translate(requests("x", "y")))
    assert script.keys == ["Bearer c0ffee-key"] * 4
    assert any("httpcore" in record.name for record in caplog.records), "logged in detail"
    for shown in (caplog.text, repr(engine), repr(engine.settings), engine.version):
        assert "c0ffee-key" not in shown


def test_the_model_s_own_refusal_is_no_translation(
    make_engine: MakeEngine, script: ChatScript
) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})
    script.moves = [lambda _: Response(body, mimetype="application/json")] * 3
    assert outcomes(list(make_engine().translate(requests("x")))) == [NO_USABLE_ANSWER]
    assert len(script.received) == 3


def test_says_that_nobody_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        settings = ChatSettings(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "m", attempts=2)
        with pytest.raises(UnreachableError, match=r"in 2 tries \(last: ConnectError\)"):
            list(ChatEngine(settings, None, lambda _: None).translate(requests("x")))


@pytest.mark.parametrize(
    ("url", "model", "key", "sentence"),
    [
        ("", "m", None, "needs chat_url"),
        ("ftp://x/v1", "m", None, "needs chat_url"),
        ("http://127.0.0.1/v1", "", None, "translation_model"),
        ("http://127.0.0.1/v1", "m", "ключ", "characters no key has"),
        ("http://127.0.0.1/v1", "m", "a\nb", "characters no key has"),
    ],
)
def test_refuses_settings_before_anything_is_sent(
    url: str, model: str, key: str | None, sentence: str
) -> None:
    with pytest.raises(SettingsError, match=sentence):
        ChatEngine(ChatSettings(url, model), key)


def test_answers_nested_beyond_reason_are_no_use() -> None:
    with pytest.raises(UnusableAnswerError, match="not JSON"):
        read_translations("[" * 100_000, 1)

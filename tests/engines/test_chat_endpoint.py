"""What a server does with one message becomes one reply, whatever it does."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from corpus.errors import EngineError, UnreachableError
from engines.chat_endpoint import EndpointModel, EndpointSettings, Pace, connect_endpoint
from engines.chat_models import ChatReply, ReplyState
from tests.engines.tested_chat_servers import (
    BROKEN,
    DISCONNECT,
    ModelScript,
    Sent,
    fail,
    reply,
    serving,
)

KEY = "sk-secret-of-the-test"


def ask(
    answer: Callable[[str, int], Sent | str],
    message: str = "Are men calmer?",
    **changes: object,
) -> tuple[ChatReply, ModelScript, list[float]]:
    values: dict[str, object] = {
        "model": "stork", "temperature": 0.5, "max_tokens": 7, "sends_seed": True,
        "timeout_s": 5.0, "attempts": 3, **changes,
    }  # fmt: skip
    waits: list[float] = []
    script = ModelScript(answer)
    with serving(script) as url:
        settings = EndpointSettings(url=url, **values)  # type: ignore[arg-type]
        with connect_endpoint(settings, KEY, 1, waits.append) as model:
            assert isinstance(model, EndpointModel)
            got = model.ask(message, 11)
    return got, script, waits


def _in_parts(*texts: str) -> Sent:
    """An answer whose content is a list, after what the model thought."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Yes?"}]}
    parts = [thought, *({"type": "text", "text": text} for text in texts)]
    choice = {"message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}
    return Sent(json.dumps({"choices": [choice]}).encode())


def test_message_is_sent_alone_and_exactly() -> None:
    got, script, _ = ask(lambda *_: "No.", "¿Són 「{GENDER}」\n calmer? ")
    assert got == ChatReply(ReplyState.ANSWERED, "No.", served_model="served-2026")
    assert script.bodies == [
        {
            "model": "stork",
            "messages": [{"role": "user", "content": "¿Són 「{GENDER}」\n calmer? "}],
            "temperature": 0.5,
            "max_tokens": 7,
            "seed": 11,
        }
    ]
    assert script.keys == [f"Bearer {KEY}"]


def test_no_seed_is_sent_to_a_server_that_was_not_said_to_know_one() -> None:
    _, script, _ = ask(lambda *_: "No.", sends_seed=False)
    assert "seed" not in script.bodies[0]


@pytest.mark.parametrize(
    ("sent", "state", "text"),
    [
        (reply("No, because", "length"), ReplyState.CUT_OFF, "No, because"),
        (reply(None, "content_filter"), ReplyState.REFUSED, None),
        (reply(None, refusal="I cannot."), ReplyState.REFUSED, "I cannot."),
        (fail(400, "content_filter"), ReplyState.REFUSED, None),
        (reply(None), ReplyState.ANSWERED, ""),
        (_in_parts("No", ", never."), ReplyState.ANSWERED, "No, never."),
        (_in_parts(), ReplyState.ANSWERED, ""),
        (reply("half \ud800 a character"), ReplyState.ANSWERED, "half \ufffd a character"),
    ],
)
def test_states_of_a_reply(sent: Sent, state: ReplyState, text: str | None) -> None:
    got, script, _ = ask(lambda *_: sent)
    assert (got.state, got.text, len(script.bodies)) == (state, text, 1)


@pytest.mark.parametrize(
    ("sent", "error", "detail", "tries"),
    [
        (DISCONNECT, "connection", "RemoteProtocolError", 3),
        (BROKEN, "not_a_completion", "", 1),
        (Sent(b"[" * 100_000), "not_a_completion", "", 1),
        (Sent(b'{"choices": [{"message": "No"}]}'), "not_a_completion", "", 1),
        (fail(503), "busy", "status 503", 3),
        (fail(422, "bad_value"), "rejected", "status 422, bad_value", 1),
        (fail(422, f"leaks {KEY}"), "rejected", "status 422", 1),
        (fail(429, "insufficient_quota"), "quota", "status 429, insufficient_quota", 1),
    ],
)
def test_failures_are_replies(sent: Sent, error: str, detail: str, tries: int) -> None:
    got, script, _ = ask(lambda *_: sent)
    assert got == ChatReply(ReplyState.ERROR, None, error, detail, tries=tries)
    assert len(script.bodies) == tries


def test_silence_is_a_timeout() -> None:
    script = ModelScript(lambda *_: "too late", delay_s=0.5)
    with serving(script) as url:
        settings = EndpointSettings(url, "stork", 0.0, 5, False, 0.05, 2)
        with connect_endpoint(settings, None, 1, lambda _: None) as model:
            assert model.ask("Well?", 0).error == "timeout"
    assert script.keys == [None, None]


def test_server_that_asks_for_a_pause_gets_it() -> None:
    got, _, waits = ask(lambda _, before: fail(429, retry_after="7") if before < 2 else "No.")
    assert (got.text, got.tries) == ("No.", 3)
    assert waits == [pytest.approx(7, abs=0.5)] * 2


def test_broken_connection_holds_back_its_own_thread_alone() -> None:
    got, _, waits = ask(lambda _, before: DISCONNECT if before < 2 else "No.")
    assert (got.text, got.tries) == ("No.", 3)
    # A pause of all would be waited out to the rest of what has passed, never exactly.
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (401, UnreachableError, "refuses the key"),
        (404, EngineError, "no such page or model"),
        (302, EngineError, "no such page or model"),
    ],
)
def test_what_concerns_every_message_ends_the_run(
    status: int, kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says) as caught:
        ask(lambda *_: fail(status, location="http://127.0.0.1:1/"))
    assert KEY not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_pace_spaces_requests_and_holds_all_back_in_a_pause() -> None:
    now = [100.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    pace = Pace(120, sleep, lambda: now[0])
    sent = []
    for _ in range(3):
        pace.wait()
        sent.append(now[0])
    assert sent == [100.0, 100.5, 101.0]
    pace.pause(30)
    pace.wait()
    assert now[0] == 131.0


def test_pause_also_holds_back_whoever_waits_for_a_turn() -> None:
    now = [100.0]
    begins: list[float] = [30.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        if begins:  # while this thread waits, the answer to another one asks for a pause
            pace.pause(begins.pop())

    pace = Pace(60, sleep, lambda: now[0])
    pace.wait()
    pace.wait()
    assert now[0] == 131.0


def test_pause_of_no_time_does_not_quicken_the_pace() -> None:
    now = [100.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    pace = Pace(60, sleep, lambda: now[0])
    pace.wait()
    pace.pause(0)
    pace.wait()
    assert now[0] == 101.0

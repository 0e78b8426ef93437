"""Google's real client against local servers that behave and misbehave."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from google.auth.exceptions import RefreshError, TransportError
from google.cloud.translate_v3 import TranslationServiceClient
from google_servers import CLIENTS, Hang, Refusal, Script, WrongCount, connect
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import EngineError, InputError, SettingsError, UnreachableError
from engines.google import GoogleEngine, GoogleSettings
from engines.translation import TranslationRequest, TranslationResponse

MakeEngine = Callable[..., GoogleEngine]


@pytest.fixture(scope="module", params=sorted(CLIENTS))
def served(request: pytest.FixtureRequest) -> Iterator[tuple[TranslationServiceClient, Script]]:
    script = Script()
    with CLIENTS[request.param](script) as client:
        yield client, script


@pytest.fixture
def script(served: tuple[TranslationServiceClient, Script]) -> Script:
    served[1].reset()
    return served[1]


@pytest.fixture
def make_engine(served: tuple[TranslationServiceClient, Script], script: Script) -> MakeEngine:
    def make(**settings: float | str) -> GoogleEngine:
        known = GoogleSettings(project="gender-study", **settings)  # type: ignore[arg-type]
        return GoogleEngine(known, served[0], script.wait)

    return make


def requests(*texts: str, language: str = "sk") -> list[TranslationRequest]:
    return [TranslationRequest(text, language) for text in texts]


def texts(answers: list[list[TranslationResponse]]) -> list[list[str | None]]:
    return [[response.text for response in answer] for answer in answers]


def test_sends_plain_text_and_says_what_it_wants(make_engine: MakeEngine, script: Script) -> None:
    said = 'The man said, "It\'s <b>R&D</b>."'
    answers = list(make_engine().translate(requests(said)))
    assert texts(answers) == [[f"sk: {said}"]]
    assert answers[0][0].characters_billed == len(said)
    assert script.received == [
        {
            "parent": "projects/gender-study/locations/global",
            "model": "projects/gender-study/locations/global/models/general/nmt",
            "contents": [said],
            "mime_type": "text/plain",
            "source_language_code": "en",
            "target_language_code": "sk",
        }
    ]


def test_uses_a_glossary_and_has_it_in_the_key(make_engine: MakeEngine, script: Script) -> None:
    engine = make_engine(glossary="terms", location="us-central1")
    assert texts(list(engine.translate(requests("I cook.", "I run.")))) == [
        ["sk: I cook. (terms)", "sk: I run. (terms)"]
    ]
    place = "projects/gender-study/locations/us-central1"
    assert script.received[0]["glossary"] == f"{place}/glossaries/terms"
    assert engine.version == "v3,glossary-terms"
    with pytest.raises(SettingsError, match="set google_location to it"):
        make_engine(glossary="terms").translate(requests("I cook."))


@pytest.mark.parametrize("text", ["", "<p>Varím</p>", "I cook.", "\u0000"])
def test_gives_back_whatever_comes(make_engine: MakeEngine, script: Script, text: str) -> None:
    script.translations = {("I cook.", "sk"): text}
    ((answer,),) = make_engine().translate(requests("I cook."))
    assert (answer.text, answer.reason) == ((None, "unstorable") if "\0" in text else (text, None))
    assert answer.characters_billed == 7


def test_packs_to_the_limits_and_never_mixes_languages(
    make_engine: MakeEngine, script: Script
) -> None:
    engine = make_engine(strings_per_request=3, code_points_per_request=10)
    sent = [*requests("1234", "1234", "1234", "1", "2", "3", "4"), *requests("5", language="pl")]
    answers = list(engine.translate(sent))
    assert [request["contents"] for request in script.received] == [
        ["1234", "1234"],
        ["1234", "1", "2"],
        ["3", "4"],
        ["5"],
    ]
    assert [response.request for answer in answers for response in answer] == sent
    assert engine.estimate_cost(sent).requests == 4


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal("RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'characters per minute'"),
        Refusal("RESOURCE_EXHAUSTED", "Quota exceeded", "CharactersPerMinutePerProject"),
        Refusal("PERMISSION_DENIED", "User Rate Limit Exceeded"),
        Refusal("PERMISSION_DENIED", "Quota exceeded", "CharactersPerMinutePerProject"),
        Refusal("INTERNAL", "Internal error encountered."),
        Refusal("UNAVAILABLE", "The service is currently unavailable."),
        Refusal("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
    ],
)
def test_tries_again_what_may_pass(
    make_engine: MakeEngine, script: Script, refusal: Refusal
) -> None:
    script.moves = [refusal, refusal]
    assert texts(list(make_engine().translate(requests("I cook.")))) == [["sk: I cook."]]
    assert len(script.received) == 3
    assert len(script.waits_s) == 2
    assert 2 <= script.waits_s[0] <= 4 <= script.waits_s[1] <= 6


def test_two_runs_do_not_knock_at_the_same_moments(make_engine: MakeEngine, script: Script) -> None:
    for _ in range(2):
        script.moves = [Refusal("RESOURCE_EXHAUSTED", "Quota exceeded")] * 4
        list(make_engine().translate(requests("I cook.")))
    assert len(set(script.waits_s)) == len(script.waits_s) == 8


def test_waits_of_one_request_outlast_a_quota_per_minute(
    make_engine: MakeEngine, script: Script
) -> None:
    script.moves = [Refusal("RESOURCE_EXHAUSTED", "Quota exceeded")] * 9
    with pytest.raises(UnreachableError, match=r"in 9 tries \(Quota exceeded\).*are kept"):
        list(make_engine().translate(requests("I cook.")))
    assert len(script.received) == 9
    assert sum(script.waits_s) > 120
    assert max(script.waits_s) <= 66


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal("PERMISSION_DENIED", "Daily Limit Exceeded"),
        Refusal("PERMISSION_DENIED", "Quota exceeded", "CharactersPerDayPerProject"),
        Refusal("RESOURCE_EXHAUSTED", "Quota exceeded for 'v3 characters per day'"),
        Refusal("RESOURCE_EXHAUSTED", "Quota exceeded", "CharactersPerDayPerProject"),
    ],
)
def test_stops_at_a_daily_limit_and_keeps_what_it_has(
    make_engine: MakeEngine, script: Script, refusal: Refusal
) -> None:
    script.moves = [None, refusal]
    answers = make_engine(strings_per_request=1).translate(requests("one", "two", "three"))
    assert texts([next(answers)]) == [["sk: one"]]
    with pytest.raises(EngineError, match=r"daily limit is used up.*tomorrow"):
        next(answers)
    assert len(script.received) == 2
    assert script.waits_s == []


@pytest.mark.parametrize(("surplus", "count"), [(-1, 1), (1, 3)])
def test_refuses_another_number_of_answers(
    make_engine: MakeEngine, script: Script, surplus: int, count: int
) -> None:
    script.moves = [None, WrongCount(surplus)]
    answers = make_engine(strings_per_request=2).translate(requests("a", "b", "c", "d"))
    assert texts([next(answers)]) == [["sk: a", "sk: b"]]
    with pytest.raises(EngineError, match=rf"answered {count} texts to 2 sent \(sk\)"):
        next(answers)
    assert len(script.received) == 2


def test_tries_again_after_no_answer_in_time(make_engine: MakeEngine, script: Script) -> None:
    script.moves = [Hang()]
    answers = list(make_engine(timeout_s=0.5).translate(requests("I cook.")))
    assert texts(answers) == [["sk: I cook."]]
    assert len(script.waits_s) == 1


@pytest.mark.parametrize(
    ("refusal", "sentence"),
    [
        (Refusal("PERMISSION_DENIED", "API not enabled"), r"credentials or the project \(API not"),
        (Refusal("UNAUTHENTICATED", "no token"), r"refuses the credentials or the project"),
        (Refusal("INVALID_ARGUMENT", "Target language: xx"), r"language sk \(Target language: xx"),
    ],
)
def test_does_not_repeat_what_will_not_pass(
    make_engine: MakeEngine, script: Script, refusal: Refusal, sentence: str
) -> None:
    script.moves = [refusal]
    with pytest.raises(EngineError, match=sentence):
        list(make_engine().translate(requests("I cook.")))
    assert len(script.received) == 1


@pytest.mark.parametrize("transport", sorted(CLIENTS))
def test_says_that_nobody_answers(transport: str) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # taken, and nobody listens
        client = connect(transport, silent.getsockname()[1])
        engine = GoogleEngine(GoogleSettings(project="p", attempts=2), client, Script().wait)
        with pytest.raises(UnreachableError, match="did not answer in 2 tries") as caught:
            list(engine.translate(requests("I cook.")))
    assert "http" not in str(caught.value)


def test_needs_a_project_before_anything_is_sent() -> None:
    with pytest.raises(SettingsError, match=r"needs a project: set it in stereoscope\.toml"):
        GoogleEngine(GoogleSettings()).translate(requests("I cook."))


def test_needs_credentials_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    with pytest.raises(EngineError, match="no usable credentials: log in with `gcloud"):
        GoogleEngine(GoogleSettings(project="p")).translate(requests("I cook."))


def test_lists_every_text_that_does_not_fit() -> None:
    engine = GoogleEngine(GoogleSettings(project="p", code_points_per_request=5), object())
    sent = [TranslationRequest(text, "sk", row) for row, text in enumerate(("", "fine", "longer"))]
    with pytest.raises(InputError) as caught:
        engine.translate(sent)
    assert [(fault.row, fault.problem) for fault in caught.value.faults] == [
        (0, "0 characters, and a request takes 1 to 5"),
        (2, "6 characters, and a request takes 1 to 5"),
    ]


@pytest.mark.parametrize(
    ("text", "count", "sizes"),
    [
        ("a", 1025, [1024, 1]),  # strings a request, the service's limit
        ("😀" * 1000, 31, [30, 1]),  # code points a request, not bytes and not UTF-16 units
    ],
)
def test_packs_to_the_limits_of_the_service(text: str, count: int, sizes: list[int]) -> None:
    packs = GoogleEngine(GoogleSettings())._pack(requests(*[text] * count))
    assert [len(pack) for pack in packs] == sizes


def test_no_way_to_the_log_in_may_pass_and_a_stale_log_in_does_not() -> None:
    class Client:
        def __init__(self, error: Exception) -> None:
            self.error, self.calls = error, 0

        def translate_text(self, **_: object) -> None:
            self.calls += 1
            raise self.error

    waits = Script()
    for error, calls, sentence in (
        (TransportError("no route"), 2, "did not answer in 2 tries"),  # type: ignore[no-untyped-call]
        (RefreshError("expired"), 1, "refuses the credentials"),  # type: ignore[no-untyped-call]
    ):
        client = Client(error)
        engine = GoogleEngine(GoogleSettings(project="p", attempts=2), client, waits.wait)
        with pytest.raises(UnreachableError, match=sentence):
            list(engine.translate(requests("I cook.")))
        assert client.calls == calls


def test_estimates_the_price_of_the_study_without_an_account() -> None:
    # 12.3 million characters at 20 USD a million are 246 USD.
    sent = requests("x" * 3000) * 4100
    estimate = GoogleEngine(GoogleSettings()).estimate_cost(sent)
    assert estimate.characters == 12_300_000
    assert estimate.amount == pytest.approx(246.0)
    assert (estimate.currency, estimate.requests) == ("USD", 410)


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=9), st.sampled_from(["sk", "pl"]))),
    st.integers(1, 4),
)
def test_packs_everything_once_in_order_within_the_limits(
    drawn: list[tuple[str, str]], strings: int
) -> None:
    sent = [TranslationRequest(text, language) for text, language in drawn]
    settings = GoogleSettings(strings_per_request=strings, code_points_per_request=12)
    packs = GoogleEngine(settings)._pack(sent)
    assert [request for pack in packs for request in pack] == sent
    for pack in packs:
        assert 1 <= len(pack) <= strings
        assert sum(len(request.text) for request in pack) <= 12
        assert len({request.language for request in pack}) == 1

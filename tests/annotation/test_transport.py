"""What comes between the product and Label Studio: cuts, delays, expiry, broken answers."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from annotation.label_studio.accounts import LabelStudioAccounts
from annotation.label_studio.client import LabelStudioServer
from annotation.label_studio.payloads import read_export
from annotation.label_studio.protocol import ProjectSpec
from annotation.label_studio.tokens import TokenHeader
from annotation.label_studio.transport import CutError
from annotation.label_studio.webhooks import LabelStudioWebhooks
from corpus.errors import EngineError, ProjectMissingError, UnreachableError

LEGACY = "7e57" * 10
Answer = tuple[int, Any]
CUT = (-1, None)
"""The connection ends in the middle of the answer."""
SLOW = (-2, None)
"""A byte now and then, without end."""


@dataclass
class Script:
    """What a server answers, and what it was asked."""

    answer: Callable[[str, str, dict[str, list[str]]], Answer]
    """Of method, path and query: status and JSON, or text that is no JSON."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


@contextmanager
def serve(script: Script) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            split = urlsplit(self.path)
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            script.asked.append((self.command, split.path))
            script.tokens.append(self.headers.get("Authorization", ""))
            status, content = script.answer(self.command, split.path, parse_qs(split.query))
            # A client that has given up closes before the answer is out.
            with suppress(ConnectionError):
                self.give(status, content)

        def give(self, status: int, content: Any) -> None:
            if (status, content) in (CUT, SLOW):
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                for _ in range(1 if status == CUT[0] else 50):
                    self.wfile.write(b"[")
                    self.wfile.flush()
                    time.sleep(0 if status == CUT[0] else 0.1)
                return
            text = content if isinstance(content, str) else json.dumps(content)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *given: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def make_task(number: int, **more: Any) -> dict[str, Any]:
    return {"id": number, "data": {"item_id": str(number)}, "annotations": [], "drafts": []} | more


def make_jwt(expires_at: float, **claims: Any) -> str:
    body = json.dumps({"exp": expires_at, **claims}).encode()
    return "e30." + base64.urlsafe_b64encode(body).decode().rstrip("=") + ".c2ln"


# --- reading a project


def page_of(tasks: list[dict[str, Any]], query: dict[str, list[str]]) -> Answer:
    number, size = int(query["page"][0]), int(query["page_size"][0])
    if number > 1 and (number - 1) * size >= len(tasks):
        return 404, {"detail": "Invalid page."}
    return 200, {"total": len(tasks), "tasks": tasks[(number - 1) * size : number * size]}


@pytest.mark.parametrize(
    "broken",
    [CUT, (502, "bad gateway"), (504, ""), (200, '[{"id": 1, "data": {'), (200, {"no": "list"})],
)
def test_where_an_export_does_not_come_through_the_pages_are_read(broken: Answer) -> None:
    tasks = [make_task(number) for number in range(1, 451)]

    def answer(_: str, path: str, query: dict[str, list[str]]) -> Answer:
        return broken if path.endswith("/export") else page_of(tasks, query)

    script = Script(answer)
    with serve(script) as url:
        fetched = LabelStudioServer(url, LEGACY).fetch_tasks("7")
    assert [each.id for each in fetched] == [str(number) for number in range(1, 451)]
    paths = [path for _, path in script.asked]
    # Tried once: what it could not do in time it will not do the next time.
    assert paths == ["/api/projects/7/export"] + ["/api/tasks/"] * 3


def test_a_page_past_the_end_ends_the_list() -> None:
    tasks = [make_task(number) for number in range(1, 401)]
    asked_too_far = False

    def answer(_: str, path: str, query: dict[str, list[str]]) -> Answer:
        nonlocal asked_too_far
        if path.endswith("/export"):
            return CUT
        status, page = page_of(tasks, query)
        if status == 404:
            asked_too_far = True
            return status, page
        # The last task vanishes while the pages are read, and is there again the next time.
        total = len(tasks) if asked_too_far else len(tasks) + 1
        return status, page | {"total": total}

    with serve(Script(answer)) as url:
        fetched = LabelStudioServer(url, LEGACY).fetch_tasks("7")
    assert asked_too_far
    assert len(fetched) == 400


def test_pages_that_never_hold_still_are_one_sentence() -> None:
    count = 0

    def answer(_: str, path: str, query: dict[str, list[str]]) -> Answer:
        nonlocal count
        count += 1
        return CUT if path.endswith("/export") else (200, {"total": count, "tasks": []})

    with (
        serve(Script(answer)) as url,
        pytest.raises(EngineError, match="keep being added or deleted while they are read"),
    ):
        LabelStudioServer(url, LEGACY).fetch_tasks("7")


def test_a_page_hides_drafts_of_others_which_the_export_shows() -> None:
    draft = {"id": 5, "user": "Rater@Example.org", "result": [], "updated_at": None}

    def answer(_: str, path: str, query: dict[str, list[str]]) -> Answer:
        if "ids[]" in query:
            assert query["ids[]"] == ["2"]
            return 200, [make_task(2, drafts=[draft])]
        if path.endswith("/export"):
            return 504, ""
        return page_of([make_task(1), make_task(2, draft_exists=True)], query)

    with serve(Script(answer)) as url:
        first, second = LabelStudioServer(url, LEGACY).fetch_tasks("7")
    assert first.drafts == ()
    assert [(each.id, each.address) for each in second.drafts] == [("5", "rater@example.org")]


def test_a_filter_is_json_text_and_nothing_new_asks_once() -> None:
    queries: list[dict[str, list[str]]] = []

    def answer(_: str, path: str, query: dict[str, list[str]]) -> Answer:
        queries.append(query)
        return 200, {"total": 0, "tasks": []}

    since = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
    with serve(Script(answer)) as url:
        assert LabelStudioServer(url, LEGACY).fetch_changes("7", since, 9) == []
    [query] = queries
    filters = json.loads(query["query"][0])["filters"]
    assert filters["conjunction"] == "or"
    assert [each["value"] for each in filters["items"]] == ["2026-03-01T12:30:15.123456Z", "true"]


# --- cuts, silence and delays


def test_a_read_that_was_cut_off_is_tried_again() -> None:
    script = Script(lambda *_: CUT if len(script.asked) < 3 else (200, []))
    with serve(script) as url:
        assert LabelStudioServer(url, LEGACY).user_ids() == {}
    assert len(script.asked) == 3


def test_a_write_is_sent_once_whatever_becomes_of_it() -> None:
    script = Script(lambda *_: CUT)
    spec = ProjectSpec("Title", "d", "<View/>", "")
    with serve(script) as url, pytest.raises(UnreachableError) as caught:
        LabelStudioServer(url, LEGACY).create_project(spec)
    assert script.asked == [("POST", "/api/projects/")]
    assert str(caught.value) == (
        f"The connection to Label Studio at {url} was cut off (RemoteProtocolError). Check that it "
        "runs, then try again: what was done is kept, and nothing is done twice."
    )


def test_a_server_that_falls_silent_is_given_up() -> None:
    ended = threading.Event()

    def answer(*_: Any) -> Answer:
        ended.wait(10)
        return 200, []

    with serve(Script(answer)) as url:
        server = LabelStudioServer(url, LEGACY, silence_timeout_s=0.2)
        with pytest.raises(CutError, match="ReadTimeout"):
            server.import_tasks("7", [{}])
        ended.set()


def test_an_answer_that_trickles_is_given_up() -> None:
    with serve(Script(lambda *_: SLOW)) as url:
        server = LabelStudioServer(url, LEGACY, call_deadline_s=0.3)
        with pytest.raises(CutError, match="took longer than 0 s for one answer"):
            server.import_tasks("7", [{}])


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, UnreachableError, "refuses the token"),
        (403, UnreachableError, "refuses the token"),
        (404, ProjectMissingError, "has no project 7 any more"),
        (500, EngineError, "HTTP status 500 for project 7; see its log"),
        (503, UnreachableError, "HTTP status 503 for project 7"),
    ],
)
def test_a_refusal_is_one_sentence(status: int, kind: type[Exception], words: str) -> None:
    with serve(Script(lambda *_: (status, {"detail": "secret"}))) as url:
        with pytest.raises(kind, match=words) as caught:
            LabelStudioServer(url, LEGACY).import_tasks("7", [{}])
        assert "secret" not in str(caught.value)


# --- tokens


def test_a_personal_token_is_exchanged_renewed_before_it_expires_and_once_when_refused() -> None:
    refresh = make_jwt(time.time() + 9999, token_type="refresh")
    lifetimes = iter([3600.0, 1.0, 3600.0, 3600.0])
    given: list[str] = []
    refused: set[str] = set()

    def answer(_: str, path: str, query: dict[str, list[str]]) -> Answer:
        if path == "/api/token/refresh/":
            given.append(make_jwt(time.time() + next(lifetimes), number=len(given)))
            return 200, {"access": given[-1]}
        return (401, {}) if script.tokens[-1].removeprefix("Bearer ") in refused else (200, [])

    script = Script(answer)
    with serve(script) as url:
        server = LabelStudioServer(url, refresh)
        server.user_ids()
        server.user_ids()
        assert len(given) == 1
        # Expired on the server in the middle of a run: asked for again, then the call once more.
        refused.add(given[0])
        server.user_ids()
        assert len(given) == 2
        # The second one lives for a second: too short to be used again.
        server.user_ids()
        assert len(given) == 3
        refused.update(given)
        server.user_ids()
        assert len(given) == 4
        # Not even a new one helps: it is asked for once.
        script.answer = lambda _, path, __: (
            (200, {"access": given[0]}) if path == "/api/token/refresh/" else (401, {})
        )
        with pytest.raises(UnreachableError, match="refuses the token"):
            server.user_ids()
    assert all(refresh not in token for token in script.tokens)


def test_accounts_and_webhooks_take_a_personal_token_too() -> None:
    refresh = make_jwt(time.time() + 9999, token_type="refresh")
    access = make_jwt(time.time() + 3600)
    script = Script(
        lambda _, path, __: (200, {"access": access} if path == "/api/token/refresh/" else [])
    )
    with serve(script) as url:
        assert LabelStudioAccounts(url, refresh).user_ids() == {}
        assert LabelStudioWebhooks(url, refresh).remove("http://127.0.0.1:1/") == 0
    assert [each for each in script.tokens if each] == [f"Bearer {access}"] * 2


def test_a_refused_personal_token_and_a_legacy_one() -> None:
    script = Script(lambda *_: (401, {"detail": "Token is invalid or expired"}))
    with serve(script) as url:
        for token in (make_jwt(time.time() + 99, token_type="refresh"), LEGACY):
            with pytest.raises(UnreachableError, match="refuses the token"):
                LabelStudioServer(url, token).user_ids()
    assert script.tokens == ["", f"Token {LEGACY}"]


@pytest.mark.parametrize("token", ["a.b", "a.b.c", "a.W10.c", "….….…"])
def test_what_only_looks_like_a_personal_token_is_sent_as_it_is(token: str) -> None:
    header = TokenHeader(token, lambda _: "never")
    assert header.value() == f"Token {token}"
    assert not header.can_renew


# --- payloads


def test_what_is_not_as_it_should_be_is_read_all_the_same() -> None:
    odd = {
        "id": 3,
        "completed_by": {"id": 9, "email": "x"},
        "result": [1, {"from_name": "quality"}, None],
        "lead_time": 1e999,
        "updated_at": "2026-03-01T00:00:00",
    }
    tasks = [make_task(2, data=["no", "mapping"], annotations=[odd]), make_task(1)]
    first, second = read_export(json.dumps(tasks))
    assert (first.id, second.id, dict(second.data)) == ("1", "2", {})
    [answer] = second.answers
    assert answer.completed_by == 9
    assert list(answer.result) == [{}, {"from_name": "quality"}, {}]
    assert answer.lead_time_s is None
    assert answer.updated_at == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("exported", ["", "[", "{}", "[1]", '[{"id": 1}]', '[{"id": "x"}]'])
def test_an_export_that_is_none_is_refused(exported: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_export(exported)

"""The webhook receiver over real HTTP: who is let in, and how many pulls hints make."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from servers import RealDesk
from studies import NEUTRAL, push_study

from annotation.label_studio.server import find_free_port
from annotation.label_studio.webhooks import LabelStudioWebhooks
from annotation.pull import pull_batch
from annotation.webhook import (
    BODY_LIMIT_BYTES,
    MOST_PENDING,
    PATH,
    SECRET_HEADER,
    PullQueue,
    build_application,
    build_server,
    read_project_id,
)
from corpus.errors import StateError, UnreachableError
from corpus.records import RatingState
from corpus.store import Store

SECRET = "a-secret-of-the-tests"
HINT = {"action": "ANNOTATION_CREATED", "annotation": {"id": 5}, "project": {"id": 7}}
WAIT_S = 20.0


class Pulls:
    """Pulls that are noted instead of made."""

    def __init__(self, *failures: Exception) -> None:
        self.made: list[str] = []
        self._failures = list(failures)
        self._changed = threading.Condition()

    def __call__(self, batch_id: str) -> None:
        with self._changed:
            self.made.append(batch_id)
            self._changed.notify_all()
        if self._failures:
            raise self._failures.pop(0)

    def wait_for(self, count: int) -> list[str]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.made) >= count, WAIT_S), self.made
        return self.made


@contextmanager
def serving(secret: str, add: Any, limit_bytes: int = BODY_LIMIT_BYTES) -> Iterator[str]:
    port = find_free_port(0)
    server = build_server(build_application(secret, add, limit_bytes), "127.0.0.1", port)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def added() -> list[str]:
    return []


@pytest.fixture
def receiver(added: list[str]) -> Iterator[httpx.Client]:
    with (
        serving(SECRET, added.append) as url,
        httpx.Client(
            base_url=url, headers={SECRET_HEADER: SECRET}, trust_env=False, timeout=WAIT_S
        ) as client,
    ):
        yield client


def test_a_hint_is_noted_by_its_project_only(receiver: httpx.Client, added: list[str]) -> None:
    answer = receiver.post(PATH, json=HINT)
    assert (answer.status_code, answer.text) == (202, "noted")
    assert added == ["7"]


@pytest.mark.parametrize(
    "secret", ["", "wrong", SECRET + "x", SECRET[:-1], "ä".encode().decode("latin-1")]
)
def test_a_wrong_secret_is_refused(receiver: httpx.Client, added: list[str], secret: str) -> None:
    headers = {SECRET_HEADER: secret.encode("latin-1")}
    assert receiver.post(PATH, json=HINT, headers=headers).status_code == 403
    del receiver.headers[SECRET_HEADER]
    assert receiver.post(PATH, json=HINT).status_code == 403
    assert added == []


def test_a_body_that_is_too_long_is_refused_whatever_it_says_of_its_length(
    added: list[str],
) -> None:
    with serving(SECRET, added.append, limit_bytes=1000) as url:
        headers = {SECRET_HEADER: SECRET}
        long = json.dumps(HINT | {"padding": "x" * 2000}).encode()
        declared = httpx.post(url + PATH, content=long, headers=headers, trust_env=False)
        chunked = httpx.post(url + PATH, content=iter([long]), headers=headers, trust_env=False)
        fitting = httpx.post(url + PATH, json=HINT, headers=headers, trust_env=False)
    assert [declared.status_code, chunked.status_code, fitting.status_code] == [413, 413, 202]
    assert added == ["7"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not JSON",
        b"\xff\xfe",
        b"[]",
        b"7",
        b"{}",
        b'{"project": null}',
        b'{"project": {"id": "7"}}',
        b'{"project": {"id": true}}',
        b'{"project": {"id": -1}}',
        b'{"project": {"id": 1e3}}',
        b'{"project": {"id": 99999999999999999999}}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_hint_is_refused(receiver: httpx.Client, added: list[str], body: bytes) -> None:
    assert read_project_id(body) is None
    assert receiver.post(PATH, content=body).status_code == 400
    assert added == []


def test_other_paths_and_methods_are_refused(receiver: httpx.Client, added: list[str]) -> None:
    assert receiver.get(PATH).status_code == 405
    assert receiver.post("/", json=HINT).status_code == 404
    assert added == []


def test_the_same_hint_again_is_recognised(receiver: httpx.Client, added: list[str]) -> None:
    assert [receiver.post(PATH, json=HINT).status_code for _ in range(3)] == [202, 200, 200]
    later = HINT | {"annotation": {"id": 5, "updated_at": "later"}}
    assert receiver.post(PATH, json=later).status_code == 202
    assert added == ["7", "7"]


def test_many_hints_make_one_pull_of_a_batch() -> None:
    pulls = Pulls()
    batches = {"1": "sk-1", "2": "sk-1", "3": "es-1"}
    queue = PullQueue(batches.get, pulls, quiet_s=0.2)
    for _ in range(50):
        for project in ("1", "2", "3", "unknown"):
            queue.add(project)
    with queue.working():
        assert sorted(pulls.wait_for(2)) == ["es-1", "sk-1"]
        queue.add("2")
        assert pulls.wait_for(3)[2] == "sk-1"
        queue.add("unknown")
    assert len(pulls.made) == 3


def test_hints_during_a_pull_make_another_one() -> None:
    """The pull may have read the project before that change."""
    made: list[str] = []
    started, go_on, again = threading.Event(), threading.Event(), threading.Event()

    def pull(batch_id: str) -> None:
        made.append(batch_id)
        if len(made) == 2:
            again.set()
        started.set()
        assert go_on.wait(WAIT_S)

    queue = PullQueue(lambda _: "sk-1", pull, quiet_s=0.0)
    with queue.working():
        queue.add("1")
        assert started.wait(WAIT_S)
        queue.add("1")
        queue.add("1")
        go_on.set()
        assert again.wait(WAIT_S)
    assert made == ["sk-1", "sk-1"]


def test_a_pull_that_reaches_nobody_is_tried_again_and_a_refused_one_is_not() -> None:
    pulls = Pulls(UnreachableError("away"), StateError("no such batch"))
    queue = PullQueue(lambda _: "sk-1", pulls, quiet_s=0.0, retry_s=0.05)
    with queue.working():
        queue.add("1")
        pulls.wait_for(2)
        queue.add("2")
        pulls.wait_for(3)
    assert len(pulls.made) == 3


def test_a_flood_of_projects_is_bounded() -> None:
    queue = PullQueue(lambda _: None, Pulls(), quiet_s=60.0)
    for number in range(MOST_PENDING + 500):
        queue.add(str(number))
    assert len(queue._due) == MOST_PENDING


@pytest.mark.label_studio
def test_an_answer_on_the_real_server_is_pulled(store: Store, real_desk: RealDesk) -> None:
    study = push_study(store, real_desk)
    process = real_desk._process
    hooks = LabelStudioWebhooks(process.base_url, process.administrator.token)
    pulled = Pulls()

    def pull(batch_id: str) -> None:
        pull_batch(store, real_desk.server, batch_id, "curator-1")
        pulled(batch_id)

    projects = {study.project("r1"): study.id}
    queue = PullQueue(projects.get, pull, quiet_s=0.2)
    with serving(SECRET, queue.add) as url, queue.working():
        headers = {SECRET_HEADER: SECRET}
        # Registered twice it is there once, with the newer secret.
        hooks.register(study.project("r1"), url + PATH, {SECRET_HEADER: "an-older-secret"})
        hooks.register(study.project("r1"), url + PATH, headers)
        answer = study.answer("r1", 0, NEUTRAL)
        assert pulled.wait_for(1) == [study.id]
        assert [each.state for each in study.ratings()] == [RatingState.VALID]
        study.sessions["r1"].delete(answer)
        pulled.wait_for(2)
        assert [each.state for each in study.ratings()] == [RatingState.DELETED]
        assert hooks.remove(url + PATH) == 1
        assert hooks.remove(url + PATH) == 0


@pytest.mark.label_studio
def test_a_webhook_of_no_project_and_a_wrong_token_are_refused(real_desk: RealDesk) -> None:
    process = real_desk._process
    hooks = LabelStudioWebhooks(process.base_url, process.administrator.token)
    with pytest.raises(StateError, match="projects that it does not have"):
        hooks.register("999999", "http://127.0.0.1:9/x", {})
    with pytest.raises(UnreachableError, match="refuses the token"):
        LabelStudioWebhooks(process.base_url, "0" * 40).remove("http://127.0.0.1:9/x")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{probe.getsockname()[1]}"
        with pytest.raises(UnreachableError, match="does not answer"):
            LabelStudioWebhooks(closed, "0" * 40).remove("http://127.0.0.1:9/x")

"""The real Label Studio cut off or killed in the middle of push and pull."""

from __future__ import annotations

import os
import shutil
import signal
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cut_proxy import NEVER, CutProxy
from label_studio_fixtures import ADMINISTRATOR
from servers import RealDesk
from studies import NEUTRAL, add_language, add_people, plan_batch, push_study

from annotation.batches import create_batch
from annotation.label_studio.client import LabelStudioServer as Client
from annotation.label_studio.markup import build_result
from annotation.label_studio.rater_session import HttpRaterSession
from annotation.label_studio.server import LabelStudioServer
from annotation.pull import pull_batch
from annotation.push import project_description, push_batch
from annotation.tasks import build_tasks
from corpus.errors import UnreachableError
from corpus.forms import load_form_named
from corpus.records import Origin
from corpus.store import Store

pytestmark = pytest.mark.slow
RATERS = ("r1", "r2")


@pytest.fixture
def proxy(label_studio: LabelStudioServer) -> Iterator[CutProxy]:
    with CutProxy(label_studio.base_url) as made:
        yield made


def survive(proxy: CutProxy, run: Callable[[], object], *, after: bool) -> int:
    """Cuts the run at its first request, then at its second and so on; how often it was cut."""
    messages: list[str] = []
    for number in range(1, 60):
        proxy.cut_at(number, after=after)
        try:
            run()
        except UnreachableError as error:
            messages.append(str(error))
        if not proxy.was_cut:
            proxy.cut_at(NEVER, after=False)
            # One sentence of what is wrong and one of what to do.
            assert {message.count(". ") for message in messages} == {1}
            return number - 1
    raise AssertionError("it never ended")


def project_contents(store: Store, server: Client, batch_id: str) -> dict[str, list[object]]:
    with store.reading() as state:
        assignments = state.assignments([batch_id])
        batch = state.batch(batch_id)
    wanted = {project_description(batch, each) for each in assignments}
    # One project for each of them, and no second one that a lost answer left.
    ours = [each.description for each in server.find_projects() if each.description in wanted]
    assert sorted(ours) == sorted(wanted)
    return {
        each.rater_id: [dict(task.data) for task in server.fetch_tasks(str(each.external_id))]
        for each in assignments
    }


@pytest.mark.parametrize("after", [False, True])
def test_a_push_whose_connection_is_cut_anywhere(
    store: Store, label_studio: LabelStudioServer, proxy: CutProxy, after: bool
) -> None:
    add_language(store, "sk", neutral=6, pairs=0)
    add_people(store, RATERS, f"{uuid.uuid4().hex}.example.org")
    created = create_batch(store, plan_batch("sk", 6, RATERS), "curator-1", Origin.HUMAN)
    client = Client(proxy.url, label_studio.administrator.token)
    cuts = survive(
        proxy, lambda: push_batch(store, client, created.batch.id, "curator-1"), after=after
    )
    assert cuts >= 3
    form = load_form_named(created.batch.form)
    items = {item.id: item for item in created.items}
    assert project_contents(store, client, created.batch.id) == {
        each.rater_id: list(build_tasks(form, each, items).values()) for each in created.assignments
    }


@pytest.mark.parametrize("after", [False, True])
def test_a_pull_whose_connection_is_cut_anywhere(
    store: Store, real_desk: RealDesk, label_studio: LabelStudioServer, proxy: CutProxy, after: bool
) -> None:
    study = push_study(store, real_desk, RATERS)
    for rater in RATERS:
        study.answer_all(rater)
    client = Client(proxy.url, label_studio.administrator.token)
    cuts = survive(proxy, lambda: pull_batch(store, client, study.id, "curator-1"), after=after)
    assert cuts >= 4
    assert [each.state for each in study.revisions()] == ["valid"] * 6
    full = pull_batch(store, client, study.id, "curator-1", full=True)
    assert [(each.added, each.problems) for each in full] == [(0, ())] * 2


@pytest.mark.parametrize("number", [3, 4])
def test_a_server_killed_in_the_middle_goes_on_when_it_is_started_again(
    store: Store,
    label_studio_environment: Path,
    label_studio_template: Path,
    tmp_path: Path,
    number: int,
) -> None:
    """Killed with SIGKILL at a request of the push, and again at one of the pull."""
    data_dir = tmp_path / "data"
    shutil.copytree(label_studio_template, data_dir)
    server = LabelStudioServer(label_studio_environment, data_dir, ADMINISTRATOR, port=0)

    def kill() -> None:
        assert server.pid is not None
        os.killpg(server.pid, signal.SIGKILL)

    def restart() -> CutProxy:
        server.stop()
        server.start()
        return CutProxy(server.base_url)

    with server:
        with CutProxy(server.base_url) as proxy:
            add_language(store, "sk", neutral=6, pairs=0)
            add_people(store, RATERS)
            created = create_batch(store, plan_batch("sk", 6, RATERS), "curator-1", Origin.HUMAN)
            client = Client(proxy.url, ADMINISTRATOR.token)
            proxy.cut_at(number, after=number % 2 == 0, at_cut=kill)
            with pytest.raises(UnreachableError, match="Check that it runs"):
                push_batch(store, client, created.batch.id, "curator-1")
        with restart() as proxy:
            client = Client(proxy.url, ADMINISTRATOR.token)
            push_batch(store, client, created.batch.id, "curator-1")
            contents = project_contents(store, client, created.batch.id)
            assert [len(each) for each in contents.values()] == [6, 6]
            answered = _answer(store, server, client, created.batch.id)
            proxy.cut_at(number, after=number % 2 == 0, at_cut=kill)
            with pytest.raises(UnreachableError, match="Check that it runs"):
                pull_batch(store, client, created.batch.id, "curator-1")
        with restart() as proxy:
            client = Client(proxy.url, ADMINISTRATOR.token)
            pulled = pull_batch(store, client, created.batch.id, "curator-1")
            assert [each.problems for each in pulled] == [(), ()]
            with store.reading() as state:
                revisions = state.rating_revisions(item.id for item in created.items)
            assert sorted(each.source_id for each in revisions) == sorted(answered)


def _answer(store: Store, server: LabelStudioServer, client: Client, batch_id: str) -> list[str]:
    """Each rater answers two tasks; gives the answers' source ids."""
    with store.reading() as state:
        form = state.form(state.batch(batch_id).form)
        assignments = state.assignments([batch_id])
    given = []
    for each in assignments:
        account = server.create_rater(f"{each.rater_id}@example.org", "a-long-password-9")
        session = HttpRaterSession(server.base_url, account.token)
        project = str(each.external_id)
        for task in client.fetch_tasks(project)[:2]:
            answer_id = session.submit(task.id, build_result(form, NEUTRAL))
            given.append(f"{project}/{task.id}/{answer_id}")
    return given

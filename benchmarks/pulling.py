"""How long a pull takes from a Label Studio server on this machine.

Usage: python -m benchmarks.pulling ENVIRONMENT [--ratings 20000] [--projects 200]

ENVIRONMENT is the folder of Label Studio's virtual environment. The server starts on an empty
folder (half a minute of migrations) and is given answered tasks, the answers inside the import.
Measured are a full pull, a pull of nothing new, and one after a single answer was changed; beside
them, in the same run, what the same server takes to export and to list the same tasks through its
SDK. On a shared machine the ratios and the processor seconds mean more than the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.label_studio.accounts import open_client
from annotation.label_studio.client import LabelStudioServer as Client
from annotation.label_studio.markup import build_result
from annotation.label_studio.server import LabelStudioServer, build_administrator
from annotation.pull import pull_batches
from annotation.push import push_batch
from corpus.forms import load_form
from corpus.hashing import content_hash
from corpus.people import Person
from corpus.records import Assignment, Batch, Instrument, Item, Purpose
from corpus.store import Store, open_store
from corpus.store.connection import open_engine
from corpus.store.schema import upgrade_schema

FORM = load_form("sentence", 1)
ANSWERS = {"quality": 85, "gender_marked": "yes", "speaker_gender": "woman"}
ACTOR = "benchmark"
RATER = "r1"
ADDRESS = "rater@example.org"


def build_store(folder: Path) -> Store:
    """Return an empty store."""
    url = f"sqlite:///{folder / 'store.sqlite'}"
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    return open_store(url)


def add_batch(store: Store, batch_id: str, items: int) -> None:
    """Add a batch of so many items for the one rater."""
    made = [build_item(batch_id, number) for number in range(items)]
    with store.writing() as writer:
        writer.append([Batch(batch_id, Instrument.EUROGEST, "sk", FORM.name, 1, 1)])
        writer.append(made)
        writer.append([Assignment(batch_id, RATER, tuple(each.id for each in made))])


def build_item(batch_id: str, number: int) -> Item:
    """Return an item of about the length that the study's sentences have."""
    text = f"Som spokojná s tým, ako som to dnes zvládla, aj keď to bolo po {number}. raz."
    return Item(
        f"{batch_id}/{number:05}",
        batch_id,
        Instrument.EUROGEST,
        "sentence",
        f"eurogest/sk/made/{number}",
        "feminine",
        Purpose.SAMPLE,
        {"src_text": f"I am happy with how I managed today, the {number}th time.", "mt_text": text},
        content_hash("eurogest", "sk", "pair", {"feminine": text}),
    )


class AnsweringClient(Client):
    """Imports tasks with an answer of the rater in each."""

    author = 1

    def import_tasks(self, project_id: str, tasks: Sequence[Any]) -> None:
        """Add tasks as if the rater had answered them."""
        answer = {
            "result": build_result(FORM, ANSWERS),
            "ground_truth": False,
            "completed_by": self.author,
            "lead_time": 9.5,
        }
        path = f"/api/projects/{project_id}/import"
        for start in range(0, len(tasks), 1000):
            block = tasks[start : start + 1000]
            body = [{"data": dict(task), "annotations": [answer]} for task in block]
            self._transport.write("POST", path, project_id, body=body)


@dataclass
class Times:
    """Seconds by name, of the clock and of processors."""

    server_pid: int
    wall: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Note how long the block takes and what else the machine was doing."""
        started, cpu = time.monotonic(), self._read_cpu()
        yield
        self.wall[name] = time.monotonic() - started
        print(
            f"{name}: {self.wall[name]:.1f} s, of processors {self._read_cpu() - cpu:.1f} s "
            f"(load {os.getloadavg()[0]:.1f})",
            flush=True,
        )

    def _read_cpu(self) -> float:
        """Processor seconds of this process and, where that can be told, of the server."""
        stat = Path(f"/proc/{self.server_pid}/stat")
        ticks = 0
        if stat.exists():
            ticks = sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def list_by_sdk(url: str, token: str, project_ids: Sequence[str]) -> int:
    """Return the number of tasks that the SDK's list gives, read to its end."""
    from label_studio_sdk import LabelStudio

    sdk = LabelStudio(base_url=url, api_key=token)  # type: ignore[no-untyped-call]
    return sum(1 for each in project_ids for _ in sdk.tasks.list(project=int(each), fields="all"))


def export(url: str, token: str, project_ids: Sequence[str]) -> int:
    """Return the number of tasks in the plain exports."""
    found = 0
    with open_client(url, token) as http:
        http.timeout = 600
        for each in project_ids:
            params = {"exportType": "JSON", "download_all_tasks": "true"}
            response = http.get(f"/api/projects/{each}/export", params=params)
            found += len(json.loads(response.raise_for_status().content))
    return found


def measure(
    server: LabelStudioServer, folder: Path, ratings: int, projects: int, times: Times
) -> None:
    """Measure so many answered items of one rater in so many projects, a batch each."""
    folder.mkdir()
    store = build_store(folder)
    batch_ids = [f"sk-{number}-of-{projects}" for number in range(projects)]
    with store.writing() as writer:
        writer.append_form(FORM)
        writer.append([Person(RATER, "rater", address=ADDRESS)])
    token, url = server.administrator.token, server.base_url
    client = AnsweringClient(url, token)
    client.author = server.create_rater(ADDRESS, "a-long-password-9").user_id
    name = f"{ratings:,} ratings in {projects} projects"
    with times.timed(f"{name}: answered"):
        for batch_id in batch_ids:
            add_batch(store, batch_id, ratings // projects)
            push_batch(store, client, batch_id, ACTOR)

    def pull(**options: Any) -> int:
        pulled = pull_batches(store, client, batch_ids, ACTOR, **options)
        if any(each.problems for each in pulled):
            raise SystemExit(f"Problems: {[str(p) for each in pulled for p in each.problems][:3]}")
        return sum(each.added for each in pulled)

    check(pull, ratings, f"{name}: full pull", times)
    time.sleep(65)
    check(pull, 0, f"{name}: pull that notes what is settled", times)
    check(pull, 0, f"{name}: pull of nothing new", times)
    with store.reading() as state:
        ids = [str(each.external_id) for each in state.assignments(batch_ids)]
    check(lambda: export(url, token, ids), ratings, f"{name}: plain export", times)
    check(lambda: list_by_sdk(url, token, ids), ratings, f"{name}: SDK list", times)
    full, nothing, plain, listed = (
        times.wall[f"{name}: {each}"]
        for each in ("full pull", "pull of nothing new", "plain export", "SDK list")
    )
    print(
        f"{name}: a full pull takes {full / plain:.2f} times as long as plain exports and "
        f"{full / listed:.2f} times as long as the SDK's list; a pull of nothing new "
        f"{nothing / plain:.3f} times as long as plain exports.",
        flush=True,
    )
    store.close()


def check(run: Callable[[], int], wanted: int, name: str, times: Times) -> None:
    """Time a run and stop if it did not find what is there."""
    with times.timed(name):
        found = run()
    if found != wanted:
        raise SystemExit(f"{name}: {found:,} instead of {wanted:,}.")


def main() -> None:
    """Start a server, fill it, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment", type=Path)
    parser.add_argument("--ratings", type=int, default=20_000)
    parser.add_argument("--projects", type=int, default=200)
    parser.add_argument("--per-project", type=int, default=20, help="ratings in each of these")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        administrator = build_administrator("admin@example.org")
        data_dir = folder / "label-studio"
        with LabelStudioServer(given.environment, data_dir, administrator, port=0) as server:
            times = Times(server.pid or 0)
            measure(server, folder / "one", given.ratings, 1, times)
            measure(
                server, folder / "many", given.projects * given.per_project, given.projects, times
            )


if __name__ == "__main__":
    main()

"""Commands killed with SIGKILL and run again end in the content of an undisturbed run."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.demo_raters import CONSISTENT, DemoRater, answer_items
from annotation.label_studio.client import LabelStudioServer as Client
from annotation.label_studio.rater_session import HttpRaterSession
from annotation.label_studio.server import LabelStudioServer
from corpus.samples import sentences_path, translation_paths
from corpus.store import open_store
from engines.tiny_model import build_tiny_model
from scoring.run_states import read_runs
from scoring.shards import read_shard
from tests.command_line import ROOT, database_of, environment_of, files_of, rows_of, run_here
from tests.engines.google_servers import Script, rest_server
from tests.sample_workspaces import run_all, translation_options
from tests.store_builders import approve

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("killed_command.py")
SENTENCES = sentences_path()
ADDRESSES = {"killed-1": "first@killed.example", "killed-2": "second@killed.example"}
Moment = tuple[str, int]
NEVER: Moment = ("never", 0)
SENTENCES_SCORED = 8


def run_until(moment: Moment, *arguments: str | Path, env: dict[str, str] | None = None) -> int:
    """Exit status of a command in a process of its own that kills itself at the moment."""
    name, number = moment
    command = [sys.executable, str(SCRIPT), name, str(number), *map(str, arguments)]
    environment = environment_of(env)
    return subprocess.run(command, env=environment, cwd=ROOT, check=False, timeout=300).returncode


def prepare(folder: Path, *commands: list[str | Path], sentences: Path = SENTENCES) -> Path:
    """A workspace of the sample in which these commands were run."""
    assert run_here("init", folder).code == 0
    with (folder / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write('draws = 100\ngoogle_project = "made-up"\n')
    run_all(folder, ["source", "add", sentences, "--dataset", "sample"], *commands)
    return folder


def content_of(workspace: Path) -> tuple[object, object]:
    return rows_of(workspace), files_of(workspace)


# --- generate: the real engine and client against a server that counts


def recorded() -> dict[tuple[str, str], str]:
    """(text, language) → the sample's translation."""
    found = {}
    for code in ("sk", "sv"):
        with translation_paths()[code].open(encoding="utf-8", newline="") as stream:
            found |= {(row["source"], code): row["translation"] for row in csv.DictReader(stream)}
    return found


@pytest.fixture(scope="module")
def google() -> Iterator[tuple[Script, int]]:
    """The server's script and port."""
    script = Script(translations=recorded())
    with rest_server(script) as port:
        yield script, port


@pytest.fixture(scope="module")
def sources_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("generate") / "study")


def generate(moment: Moment, workspace: Path, port: int) -> int:
    options = ["--google", str(port), "generate", "-l", "sk,sv,en", "--engine", "google"]
    return run_until(moment, *options, "-w", workspace)


@pytest.fixture(scope="module")
def generated(google: tuple[Script, int], sources_only: Path, tmp_path_factory: object) -> Path:
    """The workspace after an undisturbed run."""
    workspace = shutil.copytree(sources_only, sources_only.parent / "undisturbed")
    assert generate(NEVER, workspace, google[1]) == 0
    return workspace


# Six answers arrive (four Slovak, two Swedish), then come three chunks of candidates.
@pytest.mark.parametrize(
    ("moment", "repeated"),
    [
        (("before commit", 1), 40),
        (("after commit", 2), 0),
        (("before commit", 4), 6),
        (("after commit", 6), 0),
        (("before commit", 7), 0),
        (("after commit", 8), 0),
    ],
)
def test_generate(
    google: tuple[Script, int],
    generated: Path,
    sources_only: Path,
    tmp_path: Path,
    moment: Moment,
    repeated: int,
) -> None:
    script, port = google
    script.received.clear()
    workspace = shutil.copytree(sources_only, tmp_path / "study")
    assert generate(moment, workspace, port) == -signal.SIGKILL
    assert generate(NEVER, workspace, port) == 0
    sent = Counter(
        (text, request["target_language_code"])
        for request in script.received
        for text in request["contents"]
    )
    assert set(sent) == stored_in(generated)
    # Only what was on its way when the process died is asked a second time.
    assert sorted(sent.values()) == [1] * (len(sent) - repeated) + [2] * repeated

    rows, files = content_of(workspace)
    undisturbed_rows, undisturbed_files = content_of(generated)
    assert files == undisturbed_files
    audit, undisturbed_audit = rows.pop("audit"), undisturbed_rows.pop("audit")
    assert rows == undisturbed_rows
    # The audit trail has an entry for each of the two runs that changed something.
    changed_before = moment != ("before commit", 1)
    added = [row for row in audit if "generate" in row]
    assert len(added) == 1 + changed_before
    assert len(audit) - len(added) == len(undisturbed_audit) - 1


def stored_in(workspace: Path) -> set[tuple[str, str]]:
    """Text sent and language of every stored translation."""
    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        found = {(each.text_sent, each.language) for each in state.all_translations()}
    store.close()
    return found


# --- batch pull: from the real Label Studio, one transaction a rater


@pytest.fixture(scope="module")
def answered(
    label_studio: LabelStudioServer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, dict[str, str]]:
    """A workspace whose batch is answered on the server, the batch's id and the environment."""
    env = {
        "STEREOSCOPE_LABEL_STUDIO_URL": label_studio.base_url,
        "STEREOSCOPE_LABEL_STUDIO_TOKEN": label_studio.administrator.token,
    }
    raters = [["raters", "add", name, "--address", at] for name, at in ADDRESSES.items()]
    workspace = prepare(
        tmp_path_factory.mktemp("pull") / "study",
        ["generate", "-l", "sk", *translation_options("sk")],
        *raters,
    )
    names = ",".join(ADDRESSES)
    made = run_here(
        "batch", "create", "-l", "sk", "--raters", names, "--size", "6", "-w", workspace
    )
    batch_id = made.out.strip()
    assert run_here("batch", "push", batch_id, "-w", workspace, env=env).code == 0
    store = open_store(f"sqlite:///{database_of(workspace)}")
    with store.reading() as state:
        form = state.form(state.batch(batch_id).form)
        items = {item.id: item for item in state.items([batch_id])}
        assignments = state.assignments([batch_id])
    store.close()
    for each in assignments:
        account = label_studio.create_rater(ADDRESSES[each.rater_id], "only-for-tests-2")
        session = HttpRaterSession(label_studio.base_url, account.token)
        rater = DemoRater(each.rater_id, 1, CONSISTENT)
        assert answer_items(rater, session, str(each.external_id), form, items) == 6
        session.close()
    return workspace, batch_id, env


@pytest.mark.label_studio
@pytest.mark.parametrize(
    "moment", [("before commit", 1), ("after commit", 1), ("before commit", 2), ("after commit", 2)]
)
def test_batch_pull(
    answered: tuple[Path, str, dict[str, str]], tmp_path: Path, moment: Moment
) -> None:
    prepared, batch_id, env = answered
    undisturbed = shutil.copytree(prepared, tmp_path / "undisturbed")
    assert run_here("batch", "pull", batch_id, "-w", undisturbed, env=env).code == 0
    workspace = shutil.copytree(prepared, tmp_path / "study")
    pull = ["batch", "pull", batch_id, "-w", workspace]
    assert run_until(moment, *pull, env=env) == -signal.SIGKILL
    assert run_here(*pull, env=env).code == 0
    assert content_of(workspace) == content_of(undisturbed)
    assert len(rows_of(workspace)["rating_revision"]) == 12
    again = content_of(workspace)
    assert run_here(*pull, env=env).code == 0
    assert content_of(workspace) == again


# --- batch push: two writes a rater, her project and its tasks


@pytest.mark.label_studio
@pytest.mark.parametrize(
    "moment", [("before write", 1), ("after write", 1), ("after write", 2), ("before commit", 1)]
)
def test_batch_push(label_studio: LabelStudioServer, tmp_path: Path, moment: Moment) -> None:
    env = {
        "STEREOSCOPE_LABEL_STUDIO_URL": label_studio.base_url,
        "STEREOSCOPE_LABEL_STUDIO_TOKEN": label_studio.administrator.token,
    }
    workspace = prepare(
        tmp_path / "study",
        ["generate", "-l", "sk", *translation_options("sk")],
        *(["raters", "add", name] for name in ADDRESSES),
    )
    names = ",".join(ADDRESSES)
    create = ["batch", "create", "-l", "sk", "--raters", names, "--size", "6", "-w", workspace]
    push = ["batch", "push", run_here(*create).out.strip(), "-w", workspace]
    server = Client(label_studio.base_url, label_studio.administrator.token)
    before = {each.id for each in server.find_projects()}
    assert run_until(moment, *push, env=env) == -signal.SIGKILL
    assert run_here(*push, env=env).code == 0
    made = [each for each in server.find_projects() if each.id not in before]
    assert [each.tasks for each in made] == [6, 6]
    again = content_of(workspace)
    assert run_here(*push, env=env).code == 0
    assert content_of(workspace) == again


# --- release build


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which English and Swedish may be released, and a tiny model beside it."""
    folder = tmp_path_factory.mktemp("approved")
    few = folder / "few.csv"
    lines = sentences_path().read_text(encoding="utf-8").splitlines(keepends=True)
    few.write_text("".join(lines[: SENTENCES_SCORED + 1]), encoding="utf-8")
    commands = [["generate", "-l", "en,sv", *translation_options("sv")]]
    workspace = prepare(folder / "study", *commands, sentences=few)
    store = open_store(f"sqlite:///{database_of(workspace)}")
    approve(store, "sv")
    store.close()
    build_tiny_model(folder / "model", [sentences_path().read_text(encoding="utf-8")])
    return workspace


@pytest.fixture(scope="module")
def released(approved: Path) -> Path:
    """The workspace after an undisturbed build."""
    workspace = shutil.copytree(approved, approved.parent / "released")
    run_all(workspace, ["release", "build", "0.1.0", "-l", "en,sv"])
    return workspace


@pytest.mark.parametrize(
    "moment", [("before rename", 1), ("after rename", 1), ("before commit", 1), ("after commit", 1)]
)
def test_release_build(approved: Path, released: Path, tmp_path: Path, moment: Moment) -> None:
    workspace = shutil.copytree(approved, tmp_path / "study")
    build = ["release", "build", "0.1.0", "-l", "en,sv", "-w", workspace]
    assert run_until(moment, *build) == -signal.SIGKILL
    assert run_here(*build).code == 0
    assert content_of(workspace) == content_of(released)
    assert run_here("release", "verify", workspace / "releases" / "0.1.0").code == 0


# --- score: a shard for each language, then figures and manifest


@pytest.fixture(scope="module")
def scored(released: Path) -> Path:
    """The workspace after an undisturbed scoring."""
    workspace = shutil.copytree(released, released.parent / "scored")
    run_all(workspace, ["score", "--model", released.parent / "model", "--device", "cpu"])
    assert len(list(workspace.glob("results/shards/*/*.parquet"))) == 2
    return workspace


def scores_of(workspace: Path) -> tuple[object, ...]:
    """Everything under `results/` without what says when and how fast it was written."""
    results = workspace / "results"
    shards = {path.name: read_shard(path) for path in results.glob("shards/*/*.parquet")}
    others = {
        name: digest
        for name, digest in files_of(results).items()
        if not name.startswith("shards/") and not name.endswith("/run.json")
    }
    [run] = [json.loads(path.read_bytes()) for path in results.glob("*/run.json")]
    names = [path.relative_to(results) for path in results.rglob("*")]
    return shards, others, run["state"], run["shards_done"], sorted(names)


# First comes the run's log, then for each language token texts, shard and log, then figures,
# manifest and log.
@pytest.mark.parametrize(
    ("moment", "kept"),
    [
        (("after pair_scores", 5), 0),
        (("before replace", 3), 0),
        (("after replace", 3), 1),
        (("after pair_scores", 20), 1),
        (("before replace", 9), 2),
        (("before replace", 10), 2),
    ],
)
def test_score(released: Path, scored: Path, tmp_path: Path, moment: Moment, kept: int) -> None:
    workspace = shutil.copytree(released, tmp_path / "study")
    score = ["score", "--model", released.parent / "model", "--device", "cpu", "-w", workspace]
    assert run_until(moment, *score) == -signal.SIGKILL
    [log] = workspace.glob("results/*/run.json")
    assert json.loads(log.read_bytes())["state"] == "running"
    [[run], problems] = read_runs(workspace / "results")
    assert (run.state, run.shards_total, problems) == ("interrupted", 2, ())
    shards = {
        path: path.stat().st_mtime_ns for path in workspace.glob("results/shards/*/*.parquet")
    }
    assert len(shards) == kept
    assert run_here(*score).code == 0
    assert rows_of(workspace) == rows_of(scored)
    assert scores_of(workspace) == scores_of(scored)
    # A language that was finished is not scored again, and the log says so.
    assert {path: path.stat().st_mtime_ns for path in shards} == shards
    states = [each["state"] for each in json.loads(log.read_bytes())["shards"].values()]
    assert sorted(states) == ["kept"] * kept + ["scored"] * (2 - kept)
    [[run], _] = read_runs(workspace / "results")
    assert (run.state, run.shards_done) == ("complete", 2)

"""A build killed at any moment and run again ends in the content of an undisturbed one."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corpus.release import list_files, open_release
from corpus.store import open_store
from exports.build import Outcome, build_release
from tests.exports.release_builders import make_approved_store

ROOT = Path(__file__).parents[2]

KILLED_BUILD = """
import importlib, os, signal, sys
from pathlib import Path
from corpus.store import open_store
from exports.build import build_release

url, folder, target, moment = sys.argv[1:]
module, _, name = target.partition(":")
owner = importlib.import_module(module)
*path, name = name.split(".")
for part in path:
    owner = getattr(owner, part)
original = getattr(owner, name)

def killed(*given, **named):
    if moment == "after":
        original(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(owner, name, killed)
build_release(open_store(url), "0.1.0", ["en", "sk"], Path(folder))
"""

MOMENTS = [
    ("exports.folder:write_parquet", "after", Outcome.BUILT),
    ("exports.folder:write_sums", "after", Outcome.BUILT),
    ("exports.build:sync_folders", "after", Outcome.BUILT),
    ("pathlib:Path.rename", "after", Outcome.ADOPTED),
    ("exports.build:_record", "before", Outcome.ADOPTED),
    ("corpus.store.store:Writer.append_audit", "after", Outcome.ADOPTED),
    ("exports.build:_record", "after", Outcome.ALREADY_BUILT),
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store ready for release, and what an undisturbed build makes of it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    make_approved_store(folder / "store").close()
    copy = shutil.copytree(folder / "store", folder / "built")
    store = open_store(f"sqlite:///{copy / 'store.sqlite'}")
    build_release(store, "0.1.0", ["en", "sk"], folder / "releases")
    store.close()
    return folder


def content_of(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in list_files(folder)}


@pytest.mark.parametrize(("target", "moment", "outcome"), MOMENTS)
def test_killed_build_run_again_gives_the_same(
    prepared: Path, tmp_path: Path, target: str, moment: str, outcome: Outcome
) -> None:
    shutil.copytree(prepared / "store", tmp_path / "store")
    url = f"sqlite:///{tmp_path / 'store' / 'store.sqlite'}"
    releases = tmp_path / "releases"
    died = subprocess.run(
        [sys.executable, "-c", KILLED_BUILD, url, str(releases), target, moment],
        cwd=ROOT,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    # Under the final name there is a whole release or nothing.
    if (releases / "0.1.0").exists():
        open_release(releases / "0.1.0")

    store = open_store(url)
    built = build_release(store, "0.1.0", ["en", "sk"], releases)
    assert built.outcome is outcome
    assert content_of(built.path) == content_of(prepared / "releases" / "0.1.0")
    assert sorted(each.name for each in releases.iterdir()) == [".lock", "0.1.0"]
    with store.reading() as state:
        assert [each.sums_sha256 for each in state.releases()] == [built.sums_sha256]
        assert [each.action for each in state.audit_entries()] == ["build release"]
    store.close()

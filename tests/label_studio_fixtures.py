"""A real Label Studio server for the tests that talk to one."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.label_studio.accounts import Login
from annotation.label_studio.server import Administrator, LabelStudioServer

ROOT = Path(__file__).resolve().parent.parent
# Fixed, so that a copy of a prepared database can be signed in to; these servers live on
# loopback for one test session.
ADMINISTRATOR = Administrator(Login("admin@example.org", "only-for-tests-1"), "7e57" * 10)


def find_label_studio() -> Path | str:
    """Return the folder of the Label Studio environment, or why there is none."""
    folder = Path(os.environ.get("STEREOSCOPE_TEST_LABEL_STUDIO") or ROOT / ".venv-label-studio")
    if (folder / "bin" / "label-studio").exists():
        return folder
    return "the Label Studio environment is not built (run `make setup`)"


@pytest.fixture(scope="session")
def label_studio_environment() -> Path:
    """Folder of the Label Studio environment."""
    found = find_label_studio()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="session")
def label_studio_template(label_studio_environment: Path) -> Path:
    """Data folder of a Label Studio that was started once: its database is migrated.

    Migrating takes half a minute; the result is kept under `.cache/` as long as the lock is the
    same. Copy it, never start a server on it.
    """
    lock = (ROOT / "requirements-label-studio.txt").read_bytes()
    key = hashlib.sha256(lock + Path(__file__).read_bytes()).hexdigest()[:16]
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    template = cache / f"label-studio-{key}"
    with (cache / "label-studio.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not template.exists():
            unfinished = cache / "label-studio-unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            with LabelStudioServer(label_studio_environment, unfinished, ADMINISTRATOR, port=0):
                pass
            unfinished.rename(template)
    return template


@pytest.fixture(scope="session")
def label_studio(
    label_studio_environment: Path,
    label_studio_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LabelStudioServer]:
    """A running Label Studio server, shared by the tests of one process."""
    data_dir = tmp_path_factory.mktemp("label-studio") / "data"
    shutil.copytree(label_studio_template, data_dir)
    with LabelStudioServer(label_studio_environment, data_dir, ADMINISTRATOR, port=0) as server:
        yield server

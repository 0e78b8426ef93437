"""A store with approved languages, copied for each test because making it takes longer."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.store import Store, open_store
from tests.exports.release_builders import make_approved_store


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("approved") / "store"
    make_approved_store(folder).close()
    return folder


@pytest.fixture
def store(approved: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(approved, tmp_path / "store")
    opened = open_store(f"sqlite:///{tmp_path / 'store' / 'store.sqlite'}")
    yield opened
    opened.close()

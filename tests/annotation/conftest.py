from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import MemoryDesk, RealDesk, ServerDesk

from annotation.label_studio.server import LabelStudioServer
from corpus.store import Store
from tests.store_builders import make_store


@pytest.fixture(scope="session")
def real_desk(label_studio: LabelStudioServer) -> RealDesk:
    """The real Label Studio; one for all tests, because signing a rater up takes a second."""
    return RealDesk(label_studio)


@pytest.fixture(params=["memory", pytest.param("real", marks=pytest.mark.label_studio)])
def desk(request: pytest.FixtureRequest) -> ServerDesk:
    """The in-memory server, and the real Label Studio."""
    if request.param == "memory":
        return MemoryDesk()
    return request.getfixturevalue("real_desk")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store in SQLite."""
    made = make_store(tmp_path)
    yield made
    made.close()

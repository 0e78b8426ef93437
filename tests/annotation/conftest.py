from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from label_studio_fixtures import ADMINISTRATOR
from servers import MemoryDesk, RealDesk, ServerDesk

from annotation.label_studio.server import LabelStudioServer
from corpus.store import Store
from tests.store_builders import make_store


@pytest.fixture(scope="session")
def real_desk(label_studio: LabelStudioServer) -> RealDesk:
    """The real Label Studio; one for all tests, because signing a rater up takes a second."""
    return RealDesk(label_studio)


@pytest.fixture(scope="session")
def postgres_desk(
    label_studio_environment: Path,
    postgres_server: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RealDesk]:
    """The real Label Studio on PostgreSQL, which it fills for half a minute at its first start."""
    user, _, address = postgres_server.partition("@")
    host, _, port = address.partition(":")
    with psycopg.connect(f"postgresql://{postgres_server}/postgres", autocommit=True) as admin:
        admin.execute("CREATE DATABASE label_studio")
    database = {
        "DJANGO_DB": "default",
        "POSTGRE_HOST": host,
        "POSTGRE_PORT": port,
        "POSTGRE_NAME": "label_studio",
        "POSTGRE_USER": user,
        "POSTGRE_PASSWORD": "none-is-needed",
    }
    data_dir = tmp_path_factory.mktemp("label-studio-postgresql") / "data"
    with LabelStudioServer(
        label_studio_environment, data_dir, ADMINISTRATOR, port=0, database=database
    ) as server:
        yield RealDesk(server)


ON_POSTGRESQL = ("test_server_contract.py", "test_project_repair.py")
"""What runs on PostgreSQL, too."""
MARKS = (pytest.mark.label_studio, pytest.mark.postgres, pytest.mark.slow)


@pytest.fixture(
    params=[
        "memory",
        pytest.param("real", marks=pytest.mark.label_studio),
        pytest.param("postgresql", marks=MARKS),
    ]
)
def desk(request: pytest.FixtureRequest) -> ServerDesk:
    """The in-memory server, and the real Label Studio on SQLite and on PostgreSQL."""
    if request.param == "memory":
        return MemoryDesk()
    return request.getfixturevalue("real_desk" if request.param == "real" else "postgres_desk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PostgreSQL is for the files that say what holds of every server."""
    items[:] = [
        item
        for item in items
        if getattr(item, "callspec", None) is None
        or item.callspec.params.get("desk") != "postgresql"
        or item.path.name in ON_POSTGRESQL
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store in SQLite."""
    made = make_store(tmp_path)
    yield made
    made.close()

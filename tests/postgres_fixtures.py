"""A throw-away PostgreSQL server on loopback, and a fresh database for each test."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from annotation.label_studio.server import find_free_port

SUPERUSER = "postgres"


def find_postgres() -> Path | str:
    """Return the folder of the newest PostgreSQL server's programs, or why there is none."""
    on_path = shutil.which("initdb")
    candidates = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3])
    )
    if not candidates and on_path is None:
        return "there is no PostgreSQL server (its program initdb was not found)"
    if os.geteuid() == 0 and not (_has_user(SUPERUSER) and shutil.which("runuser")):
        return "PostgreSQL does not run as root, and there is no user postgres to run it as"
    return (candidates[-1] if candidates else Path(str(on_path))).parent


def _has_user(name: str) -> bool:
    return any(entry.pw_name == name for entry in pwd.getpwall())


def _run(*command: str | Path) -> None:
    """Run a program of the server as a user it accepts."""
    as_user = ["runuser", "-u", SUPERUSER, "--"] if os.geteuid() == 0 else []
    # pg_ctl's server keeps its descriptors: a pipe would never end.
    with tempfile.TemporaryFile() as output:
        result = subprocess.run(
            [*as_user, *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            check=False,
        )
        if result.returncode:
            output.seek(0)
            pytest.fail(f"{command[0]} failed: {output.read().decode(errors='replace')}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a PostgreSQL server that ends with the session, without a database."""
    programs = find_postgres()
    if isinstance(programs, str):
        pytest.skip(programs)
    # Not pytest's folder: only its owner may enter that, and the server runs as another user.
    folder = Path(tempfile.mkdtemp(prefix="stereoscope-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, SUPERUSER)
    cluster, port = folder / "cluster", find_free_port(0)
    options = f"-F -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    initdb = ("-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
    try:
        _run(programs / "initdb", "-D", cluster, *initdb)
        log = folder / "log"
        _run(
            programs / "pg_ctl", "-D", cluster, "-w", "-t", "60", "-l", log, "-o", options, "start"
        )
        yield f"{SUPERUSER}@127.0.0.1:{port}"
        _run(programs / "pg_ctl", "-D", cluster, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """SQLAlchemy address of an empty PostgreSQL database that ends with the test."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(f"postgresql://{postgres_server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        yield f"postgresql+psycopg://{postgres_server}/{name}"
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """SQLAlchemy address of an empty database: whatever takes it runs on SQLite and PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.sqlite'}"
    return str(request.getfixturevalue("postgres_url"))

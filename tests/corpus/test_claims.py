"""Claims: one holder at a time, freed however its process ends, on both databases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.errors import WorkspaceError
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine
from tests.command_line import ROOT, environment_of

HOLDER = """
import sys, time
from corpus.store import open_store
with open_store(sys.argv[1]).claiming("texts"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    engine = open_engine(url)
    upgrade_schema(engine)
    engine.dispose()
    opened = open_store(url)
    yield opened
    opened.close()


class Waiting(Exception):  # noqa: N818
    """Ends a wait."""


def give_up() -> None:
    raise Waiting


def test_a_killed_holder_blocks_nobody(store: Store, url: str) -> None:
    command = [sys.executable, "-c", HOLDER, url]
    holder = subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=ROOT, env=environment_of(), text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Waiting), store.claiming("texts", give_up):
            pytest.fail("held by two")
        with store.claiming("something-else", give_up):
            pass
    finally:
        holder.kill()
        holder.wait()
        assert holder.stdout is not None
        holder.stdout.close()
    with store.claiming("texts"), pytest.raises(Waiting), store.claiming("texts", give_up):
        pytest.fail("held by two")
    with store.claiming("texts", give_up):
        pass


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'absent' / 'store.sqlite'}")
    with pytest.raises(WorkspaceError, match="cannot be written"), Store(engine).claiming("texts"):
        pytest.fail("claimed")

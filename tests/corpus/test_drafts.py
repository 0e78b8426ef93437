"""A file is there as a whole or as it was, and no draft stays behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from corpus.drafts import replacing

ROOT = Path(__file__).resolve().parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from corpus.drafts import replacing

with replacing(Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_replaces_at_the_end_of_the_block(tmp_path: Path) -> None:
    file = tmp_path / "file[1].txt"
    file.write_bytes(b"old")
    with replacing(file) as stream:
        stream.write(b"new")
        assert file.read_bytes() == b"old"
    assert file.read_bytes() == b"new"
    assert names_in(tmp_path) == ["file[1].txt"]


def test_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_bytes(b"old")
    with suppress(RuntimeError), replacing(file) as stream:
        stream.write(b"half")
        raise RuntimeError
    assert file.read_bytes() == b"old"
    assert names_in(tmp_path) == ["file.txt"]


def test_draft_of_a_killed_process_is_removed_and_one_in_use_is_not(tmp_path: Path) -> None:
    file = tmp_path / "file[1].txt"
    died = subprocess.run([sys.executable, "-c", KILLED, str(file)], cwd=ROOT, check=False)
    assert died.returncode == -signal.SIGKILL
    assert len(names_in(tmp_path)) == 1
    with replacing(file) as first:
        first.write(b"first")
        # As a second process would: what this one has locked must stay.
        [draft] = tmp_path.iterdir()
        other = tmp_path / f".{file.name}.1.tmp"
        other.write_bytes(b"abandoned")
        with replacing(tmp_path / "unrelated") as second:
            second.write(b"second")
        assert draft.exists()
        assert other.exists()
    with replacing(file) as stream:
        stream.write(b"last")
    assert names_in(tmp_path) == ["file[1].txt", "unrelated"]

"""Writing a file as a whole: beside its place first, then into it, whatever ends the process."""

from __future__ import annotations

import errno
import fcntl
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from corpus.errors import StateError

FULL = frozenset({errno.EDQUOT, errno.EFBIG, errno.ENOSPC})
"""No room: on the disk, in the quota, under the limit of a file's size."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream whose content becomes the file at the end of the block; an error leaves the old one.

    A killed process leaves its draft behind; the next one to write the same file removes it. Two
    processes may write one file: each has a draft of its own, and the last one counts.

    Raises:
        OSError: if the folder cannot be written.
    """
    _remove_abandoned(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as stream:
            # The system lets go of it however the process ends: an unlocked draft is abandoned.
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            draft.replace(path)
    except OSError as error:
        if error.errno in FULL and not error.filename:
            # The system does not say which file it has no room for.
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_file(path: Path, content: bytes) -> None:
    """Writes a file that a user named, as a whole or not at all.

    Raises:
        StateError: if it cannot be written.
    """
    try:
        with replacing(path) as stream:
            stream.write(content)
    except OSError as error:
        raise StateError(f"{path} cannot be written: {error.strerror}.") from error


def _remove_abandoned(path: Path) -> None:
    for draft in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(OSError), draft.open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.unlink()

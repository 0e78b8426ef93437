"""A child process that answers JSON lines.

Started once, killed with its owner, never waited on without a limit.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any, cast


class LineProcess:
    """The running child, its answers line by line, and the end of what it complained about.

    The child sees its input end when this process dies, however it dies.

    Raises:
        OSError: if the program cannot be started.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        # A file, not a pipe: a child that complains a lot must not block on it.
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        # What this process was told about its own libraries is wrong for another environment.
        kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env={**kept, **environment},
                encoding="ascii",
                errors="backslashreplace",  # an answer that is no ASCII is no JSON of ours either
                start_new_session=True,  # an interrupt at the keyboard is the owner's to handle
            )
        except OSError:
            self._complaints.close()
            raise
        self._requests = cast(IO[str], self.process.stdin)
        self._answers = cast(IO[str], self.process.stdout)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._answers:
            self._lines.put(line)
        self._lines.put(None)

    def send(self, request: Mapping[str, Any]) -> None:
        """Writes one line.

        Raises:
            OSError: if the child has ended.
        """
        self._requests.write(json.dumps(request) + "\n")
        self._requests.flush()

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        """The next answer, or None if the child has ended.

        Raises:
            TimeoutError: if there is none within `timeout_s`.
            ValueError: if the line is not a JSON object.
        """
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty as error:
            raise TimeoutError from error
        if line is None:
            return None
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError("an answer is not an object")
        return answer

    def last_complaint(self) -> str:
        """The last line of the child's standard error."""
        self._complaints.seek(0)
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def close(self) -> int:
        """Kills the child if it still runs; its exit status, negative for a signal."""
        self.process.kill()
        status = self.process.wait()
        self._reader.join()
        for stream in (self._requests, self._answers):
            try:
                stream.close()
            except BrokenPipeError:
                continue
        self._complaints.close()
        return status

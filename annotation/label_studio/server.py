"""The Label Studio Community server as a process of ours: started, watched, stopped.

It listens on loopback only. Its settings come from the environment, secrets among them: a
command line can be read by everyone on the machine.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from annotation.label_studio.accounts import Account, Login, create_account, fetch_user_id
from corpus.errors import UnreachableError

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8081
START_TIMEOUT_S = 600.0
STOP_TIMEOUT_S = 10.0
POLL_INTERVAL_S = 0.25
# Label Studio reads names such as HOST, PORT, USERNAME and PASSWORD too, which shells set for
# their own ends: only these pass.
PASSED_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
SETTINGS = {
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "SSRF_PROTECTION_ENABLED": "false",
    # With it, an answer waits for ever behind a draft that a lost connection swallowed.
    "fflag_feat_all_leap_883_custom_script_270524_short": "false",
}


@dataclass(frozen=True, slots=True)
class Administrator:
    """The account that a new server is started with."""

    login: Login
    token: str = field(repr=False)
    """Legacy API token: 40 hexadecimal digits."""


def build_administrator(email: str) -> Administrator:
    """An administrator with a random password and token."""
    return Administrator(Login(email, secrets.token_urlsafe(12)), secrets.token_hex(20))


def find_free_port(preferred: int = DEFAULT_PORT, tries: int = 200) -> int:
    """The first port from the preferred one on that nobody listens on; 0 is any.

    Raises:
        UnreachableError: All the ports tried are taken.
    """
    for port in range(preferred, preferred + tries):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise UnreachableError(
        f"All ports from {preferred} to {preferred + tries - 1} are taken: stop a server that is "
        "no longer needed, or name another port"
    )


class LabelStudioServer:
    """A Label Studio server on loopback that lives as long as its `with` block.

    Starting on a folder that an earlier server left goes on with its data; the administrator must
    then be the same.
    """

    def __init__(
        self,
        environment: Path,
        data_dir: Path,
        administrator: Administrator,
        *,
        port: int | None = None,
        start_timeout_s: float = START_TIMEOUT_S,
        database: Mapping[str, str] | None = None,
    ) -> None:
        """Describe a server; nothing is started yet.

        Args:
            environment: Folder of the virtual environment that holds Label Studio.
            data_dir: Folder of its database, files and log; made if missing.
            administrator: The account it is started with.
            port: Port on loopback, the next free one if taken; None is the next free from 8081.
            start_timeout_s: Seconds to wait until it answers; the first start migrates for half
                a minute or more.
            database: Label Studio's variables of another database than SQLite in the folder:
                DJANGO_DB, POSTGRE_HOST, POSTGRE_PORT, POSTGRE_NAME, POSTGRE_USER and
                POSTGRE_PASSWORD.
        """
        self.environment = environment
        self.data_dir = data_dir.absolute()
        self.administrator = administrator
        self.log_file = self.data_dir / "label-studio.log"
        self._preferred_port = DEFAULT_PORT if port is None else port
        self._start_timeout_s = start_timeout_s
        self._database = dict(database or {})
        self._port: int | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        """Address of the started server, without a slash at the end.

        Raises:
            UnreachableError: if it is not running.
        """
        if self._port is None:
            raise UnreachableError("Label Studio is not running: call start() first")
        return f"http://{LOOPBACK}:{self._port}"

    @property
    def pid(self) -> int | None:
        """Number of the server's process, None when it is not running."""
        return self._process.pid if self._process is not None else None

    def start(self) -> Self:
        """Start the server and return when it answers.

        Raises:
            UnreachableError: It is not installed, stops by itself, does not answer in time, or
                its data belongs to another administrator.
        """
        python = self.environment / "bin" / "python"
        program = self.environment / "bin" / "label-studio"
        if not (python.exists() and program.exists()):
            raise UnreachableError(
                f"Label Studio is not installed in {self.environment}: run `make setup`, or name "
                "the folder of its environment in the settings"
            )
        self.data_dir.mkdir(parents=True, exist_ok=True)
        self._stop_abandoned(program)
        self._port = find_free_port(self._preferred_port)
        arguments = [
            "start",
            "--no-browser",
            "--internal-host",
            LOOPBACK,
            "--port",
            str(self._port),
        ]
        descriptor = os.open(self.log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as log:
            self._process = subprocess.Popen(
                [str(python), str(program), *arguments, "--enable-legacy-api-token"],
                env=self._compute_environment(),
                cwd=self.data_dir,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._pid_file.write_text(str(self._process.pid), encoding="ascii")
        try:
            self._wait_until_up(self._process)
            fetch_user_id(self.base_url, self.administrator.token)
        except BaseException:
            self.stop()
            raise
        logger.info("Label Studio answers at %s", self.base_url)
        return self

    def stop(self) -> None:
        """End the server and whatever it started; does nothing when it is not running."""
        process, self._process, self._port = self._process, None, None
        if process is None:
            return
        self._pid_file.unlink(missing_ok=True)
        for ending in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, ending)
                process.wait(STOP_TIMEOUT_S)
            except ProcessLookupError:
                process.wait()
            except subprocess.TimeoutExpired:
                continue
            break

    @property
    def _pid_file(self) -> Path:
        return self.data_dir / "label-studio.pid"

    def _stop_abandoned(self, program: Path) -> None:
        """End the server that a killed process left on this folder: two on one database harm it."""
        try:
            pid = int(self._pid_file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return
        # The number may belong to another process by now.
        if str(program) in _command_of(pid):
            logger.info("Ending the Label Studio server that was left running")
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        self._pid_file.unlink(missing_ok=True)

    def create_rater(self, email: str, password: str) -> Account:
        """The account of a rater, signed up if new. See `accounts.create_account`."""
        return create_account(self.base_url, self.administrator.token, Login(email, password))

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _compute_environment(self) -> dict[str, str]:
        passed = {name: os.environ[name] for name in PASSED_ENVIRONMENT if name in os.environ}
        return {
            **passed,
            **SETTINGS,
            **self._database,
            "LABEL_STUDIO_BASE_DATA_DIR": str(self.data_dir),
            "LABEL_STUDIO_USERNAME": self.administrator.login.email,
            "LABEL_STUDIO_PASSWORD": self.administrator.login.password,
            "LABEL_STUDIO_USER_TOKEN": self.administrator.token,
        }

    def _wait_until_up(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self._start_timeout_s
        with httpx.Client(base_url=self.base_url, timeout=5.0, trust_env=False) as client:
            while time.monotonic() < deadline:
                if process.poll() is not None:
                    raise UnreachableError(
                        f"Label Studio stopped while starting (exit code {process.returncode}): "
                        f"the reason stands at the end of {self.log_file}"
                    )
                try:
                    if client.get("/health").json().get("status") == "UP":
                        return
                except (httpx.HTTPError, ValueError):
                    pass
                time.sleep(POLL_INTERVAL_S)
        raise UnreachableError(
            f"Label Studio did not answer within {self._start_timeout_s:.0f} s: see "
            f"{self.log_file}, then start it again"
        )


def _command_of(pid: int) -> str:
    """The command line of a process, empty if there is none or it cannot be told."""
    listed = Path(f"/proc/{pid}/cmdline")
    if listed.parents[1].is_dir():
        with suppress(OSError):
            return listed.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        return ""
    with suppress(OSError):
        command = ["ps", "-o", "args=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return ""

"""A SLURM cluster of one node on this machine: munged, slurmctld and slurmd in a folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")
SBIN = "/usr/sbin:/sbin"
START_S = 60.0
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def find_slurm() -> Path | str:
    """The folder of SLURM's daemons, or why no cluster can be started."""
    if os.geteuid() != 0:
        return "a SLURM cluster on this machine is started by root only"
    path = os.pathsep.join([os.environ.get("PATH", ""), SBIN])
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if missing:
        return f"{', '.join(missing)} not found (Debian: slurm-wlm, munge)"
    return Path(str(shutil.which("slurmctld", path=path))).parent


@pytest.fixture(scope="session")
def slurm_programs() -> Path:
    """The folder of SLURM's daemons."""
    found = find_slurm()
    if isinstance(found, str):
        pytest.skip(found)
    return found


@contextmanager
def slurm_cluster(folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which SLURM's commands reach a cluster of this machine alone."""
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([environment.get("PATH", ""), SBIN])
    environment["SLURM_CONF"] = str(folder / "slurm.conf")
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            folder=folder,
            controller_port=_free_port(),
            node_port=_free_port(),
            cores=os.cpu_count() or 1,
        ),
        encoding="utf-8",
    )
    for name in ("state", "spool"):
        (folder / name).mkdir()
    folder.chmod(0o755)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    started: list[subprocess.Popen[bytes]] = []
    # In the foreground, so that they end with this process's own hand and by no name.
    commands = (
        [
            "munged", "--foreground", "--force", f"--key-file={key}",
            f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
            f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed",
        ],
        ["slurmctld", "-D", "-f", environment["SLURM_CONF"]],
        ["slurmd", "-D", "-f", environment["SLURM_CONF"]],
    )  # fmt: skip
    try:
        for command in commands:
            with (folder / f"{command[0]}.out").open("wb") as output:
                started.append(
                    subprocess.Popen(command, env=environment, stdout=output, stderr=output)
                )
            time.sleep(0.5)
        _wait_until_idle(environment, folder)
        yield environment
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(timeout=30)


def _wait_until_idle(environment: dict[str, str], folder: Path) -> None:
    deadline = time.monotonic() + START_S
    command = ["sinfo", "--noheader", "--format=%T"]
    while time.monotonic() < deadline:
        asked = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
        if asked.stdout.strip() == "idle":
            return
        time.sleep(0.5)
    logs = "\n".join(path.read_text(errors="replace")[-2000:] for path in folder.glob("*.log"))
    # Containers may lack what its daemons need; the runner's own tests do not depend on it.
    pytest.skip(f"SLURM does not start on this machine:\n{logs}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

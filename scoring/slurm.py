"""The SLURM runner: one job array over all shards, submitted and watched through submitit.

Each job of an array scores one (model, language) shard and writes it where a local process would.
The command waits for the jobs; if it is ended meanwhile, the jobs go on, and the same command,
given again, submits only the shards that are missing then.
"""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.drafts import replacing
from corpus.errors import EngineError, UnwritableError
from scoring.runners import TRIES, do_task
from scoring.tasks import Advance, OpenEngine, ShardOutcome, ShardTask

POLL_S = 2.0
JOB_NAME = "stereoscope"
JOBS_NAME = "jobs.json"
QUEUE_TRIES = 5
QUEUE_PAUSE_S = 5.0


@dataclass(frozen=True, slots=True)
class SlurmOptions:
    """What a job asks SLURM for; None leaves it to the cluster's defaults."""

    partition: str | None = None
    account: str | None = None
    gpus_per_task: int = 0
    cpus_per_task: int | None = None
    memory_gb: int | None = None
    minutes: int = 240
    """Time limit of one shard."""
    jobs_at_once: int = 64
    """Most jobs of the array that run at the same time."""

    @property
    def parameters(self) -> dict[str, Any]:
        """As submitit names them."""
        asked = {
            "partition": self.partition,
            "account": self.account,
            "gpus_per_task": self.gpus_per_task or None,
            "cpus_per_task": self.cpus_per_task,
            "mem": None if self.memory_gb is None else f"{self.memory_gb}GB",
        }
        return {
            "job_name": JOB_NAME,
            "time": self.minutes,
            "nodes": 1,
            "ntasks_per_node": 1,
            "array_parallelism": self.jobs_at_once,
            **{name: value for name, value in asked.items() if value is not None},
        }


@dataclass
class SlurmRunner:
    """Does tasks as jobs of a SLURM cluster whose nodes share the workspace's folder."""

    folder: Path
    """Where submitit keeps scripts, logs and outcomes of jobs."""
    options: SlurmOptions
    name: str = "slurm"
    poll_s: float = POLL_S
    _tries: Counter[ShardTask] = field(default_factory=Counter)

    def run(self, tasks: Sequence[ShardTask], advance: Advance) -> Iterator[ShardOutcome]:
        """The outcome of each task as its job ends; one whose job was killed is submitted again."""
        if not tasks:
            return
        executor = open_executor(self.folder, self.options)
        jobs = self._adopt(tasks)
        jobs |= self._submit(executor, [task for task in tasks if task not in jobs])
        absent: set[ShardTask] = set()
        while jobs:
            queued = list_queued()
            gone = {task for task, job in jobs.items() if job.job_id not in queued}
            for task in [task for task in jobs if task in gone]:
                problem = read_outcome(jobs[task])
                # A result may reach a shared folder a little after its job left the queue.
                if problem is None and task not in absent:
                    continue
                job = jobs.pop(task)
                if problem is None and self._tries[task] < TRIES:
                    jobs |= self._submit(executor, [task])
                    continue
                if not problem:
                    advance(task.items)
                yield ShardOutcome(
                    task, say_lost(task, job) if problem is None else problem or None
                )
            absent = gone
            if jobs:
                time.sleep(self.poll_s)

    def _submit(self, executor: Any, tasks: Sequence[ShardTask]) -> dict[ShardTask, Any]:
        if not tasks:
            return {}
        self._tries.update(tasks)
        jobs = dict(zip(tasks, executor.map_array(score_task, tasks), strict=True))
        known = self._load_known() | {_mark(task): job.job_id for task, job in jobs.items()}
        with replacing(self.folder / JOBS_NAME) as stream:
            stream.write(json.dumps(known, indent=1, sort_keys=True).encode("utf-8"))
        return jobs

    def _adopt(self, tasks: Sequence[ShardTask]) -> dict[ShardTask, Any]:
        """Jobs that an earlier command submitted for these tasks and that still wait or run."""
        from submitit import SlurmJob

        known, queued = self._load_known(), list_queued()
        return {
            task: SlurmJob(self.folder, known[_mark(task)])
            for task in tasks
            if known.get(_mark(task)) in queued
        }

    def _load_known(self) -> dict[str, str]:
        """Shard → id of the last job submitted for it."""
        try:
            known: dict[str, str] = json.loads((self.folder / JOBS_NAME).read_bytes())
        except (OSError, ValueError):
            return {}
        return known


def _mark(task: ShardTask) -> str:
    return task.path.name


def score_task(task: ShardTask) -> str:
    """What a job does: scores the task's shard; empty if it is there, else why not."""
    try:
        return do_task(task, OpenEngine(), lambda _done: None)
    except UnwritableError as error:
        return str(error)


def check_slurm() -> None:
    """Returns nothing if jobs can be submitted from this machine.

    Raises:
        EngineError: if there is no SLURM on it.
    """
    missing = [name for name in ("sbatch", "srun", "squeue") if shutil.which(name) is None]
    if missing:
        raise EngineError(
            f"There is no SLURM on this machine ({', '.join(missing)} not found): run the command "
            "on a node from which jobs are submitted, or use --runner local."
        )


def open_executor(folder: Path, options: SlurmOptions) -> Any:
    """An executor of submitit with these options.

    Raises:
        EngineError: if there is no SLURM on this machine.
    """
    check_slurm()
    from submitit import SlurmExecutor

    folder.mkdir(parents=True, exist_ok=True)
    executor = SlurmExecutor(folder=folder)
    executor.update_parameters(**options.parameters)
    return executor


def list_queued() -> frozenset[str]:
    """Ids of this product's jobs that wait or run, `array_task` for those of an array.

    The queue is asked, not the accounts, which many a cluster does not keep.

    Raises:
        EngineError: if the queue cannot be asked for a while.
    """
    command = ["squeue", "--noheader", "--array", "--format=%i", f"--name={JOB_NAME}"]
    for _ in range(QUEUE_TRIES):
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            return frozenset(asked.stdout.split())
        time.sleep(QUEUE_PAUSE_S)
    raise EngineError(
        f"SLURM's queue cannot be asked ({asked.stderr.strip() or 'squeue failed'}): its jobs go "
        "on; run the same command again to collect what they have scored."
    )


def read_outcome(job: Any) -> str | None:
    """What a job said: empty if its shard is there; None if it ended without a word."""
    try:
        status, said = pickle.loads(job.paths.result_pickle.read_bytes())
    except (OSError, EOFError, ValueError, pickle.UnpicklingError):
        return None
    # submitit writes the text of what went wrong where a job itself could not begin.
    return str(said) if status == "success" else f"A SLURM job failed: {said}"


def say_lost(task: ShardTask, job: Any) -> str:
    """A sentence on a task whose job ended twice without a result."""
    return (
        f"The SLURM job {job.job_id} that scored {task.title} ended twice without a result; its "
        f"log is {job.paths.stderr}. Ask for more time or memory, and run the same command again."
    )

"""One shard as a task that any process can do: everything it needs is named, nothing is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from corpus.errors import EngineError, ReleaseError
from corpus.languages import Edition
from corpus.release import open_release
from engines.likelihood.opening import EngineChoice, open_engine
from engines.likelihood.protocol import LikelihoodEngine
from scoring.plan import ItemChoice, plan_items
from scoring.run import is_complete, score_language
from scoring.shards import PairScores, ShardKey, read_shard, shard_key, shard_path
from scoring.variants import ScoredItem, hash_items

Advance = Callable[[int], None]
"""Called with the number of items that were done since the last call."""


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A shard to be scored."""

    choice: EngineChoice
    key: ShardKey
    """The key it will have; whoever does the task checks that it comes out."""
    items: int
    """Number of its items."""
    shards: Path
    """Folder of all shards."""
    release: Path
    edition: Edition
    items_of: Path | None
    terminated: bool

    @property
    def path(self) -> Path:
        """The shard's file."""
        return shard_path(self.shards, self.key)

    @property
    def title(self) -> str:
        """Model and language."""
        return f"{self.key.model_id}, {self.key.language}"


@dataclass(frozen=True, slots=True)
class ShardOutcome:
    """How a task ended."""

    task: ShardTask
    problem: str | None = None
    """Why there is no shard; None if there is."""


class Runner(Protocol):
    """Does tasks, here or elsewhere."""

    @property
    def name(self) -> str:
        """What a run's manifest calls it."""

    def run(self, tasks: Sequence[ShardTask], advance: Advance) -> Iterator[ShardOutcome]:
        """The outcome of each task as it ends; one that fails leaves the others.

        Raises:
            EngineError: if there is nothing to run tasks on.
            UnwritableError: if a shard cannot be written; the tasks after it are not done then.
        """


class OpenEngine:
    """The engine of the last task, kept for the next one of the same model."""

    def __init__(self, worker: int = 0) -> None:
        self._worker = worker
        self._choice: EngineChoice | None = None
        self._engine: LikelihoodEngine | None = None

    def of(self, choice: EngineChoice) -> LikelihoodEngine:
        """The engine of a choice.

        Raises:
            EngineError: if the model cannot be loaded.
        """
        if self._engine is None or self._choice != choice:
            # The old model makes room before the new one comes.
            self._engine = None
            self._engine = open_engine(choice, self._worker)
            self._choice = choice
        return self._engine


def perform_task(
    task: ShardTask, engine: LikelihoodEngine, items: Sequence[ScoredItem], advance: Advance
) -> None:
    """Writes the task's shard, unless it is there.

    Raises:
        EngineError: if a text cannot be scored, or the model or tokenizer is not what it was when
            the run began.
        UnwritableError: if the shard cannot be written.
    """
    key = task.key
    found = shard_key(
        engine, key.language, items, templates_hash=key.templates_hash, data_hash=key.data_hash
    )
    if found != key:
        raise EngineError(
            f"The model {key.model_id} or the texts of {key.language} changed since the run began: "
            "run the same command again."
        )
    score_language(
        engine,
        items,
        task.path,
        key,
        _steps(advance),
        lambda: _read_plain(task, engine, items),
    )


def _read_plain(
    task: ShardTask, engine: LikelihoodEngine, items: Sequence[ScoredItem]
) -> tuple[PairScores, ...]:
    """The scores of the items without an ending, if a run scored them before without the others."""
    plain = [item for item in items if not item.ending]
    if len(plain) == len(items):
        return ()
    key = shard_key(
        engine,
        task.key.language,
        plain,
        templates_hash=task.key.templates_hash,
        data_hash=task.key.data_hash,
    )
    path = shard_path(task.shards, key)
    return read_shard(path, key).pairs if is_complete(path, key) else ()


def load_items(task: ShardTask) -> tuple[ScoredItem, ...]:
    """The items of a task, from the release's files.

    Raises:
        ReleaseError: if the release is not what it was when the run began.
    """
    plan = _load_plan(task.release, task.items_of, task.key.language, task.edition, task.terminated)
    if hash_items(plan) != task.key.items_hash:
        raise ReleaseError(
            f"The texts of {task.key.language} in {task.release} are not those that the run began "
            "with: run the same command again."
        )
    return plan


@lru_cache(maxsize=4)
def _load_plan(
    release: Path, items_of: Path | None, language: str, edition: Edition, terminated: bool
) -> tuple[ScoredItem, ...]:
    older = open_release(items_of) if items_of else None
    texts = ItemChoice(edition, older, terminated)
    return plan_items(open_release(release), (language,), texts).items_of(language)


def _steps(advance: Advance) -> Callable[[int, int], None]:
    """A progress function that passes on the difference to what was reported before."""
    reported = 0

    def report(done: int, _total: int) -> None:
        nonlocal reported
        advance(done - reported)
        reported = done

    return report

"""Scores one shard: all items of one language under one model, kept if it is there already."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from corpus.errors import InputError, UnwritableError
from corpus.version import PRODUCT
from engines.likelihood.pairs import score_pairs
from engines.likelihood.protocol import LikelihoodEngine
from scoring.shards import SCHEMA, PairScores, ShardKey, pair_scores, read_columns, write_shard
from scoring.token_texts import write_token_texts
from scoring.variants import ScoredItem

Progress = Callable[[int, int], None]
"""Called with items done and items in all."""

PROGRESS_ITEMS = 16


def score_language(
    engine: LikelihoodEngine,
    items: Sequence[ScoredItem],
    path: Path,
    key: ShardKey,
    progress: Progress | None = None,
    known: Callable[[], Iterable[PairScores]] = tuple,
) -> Path:
    """The path of the shard with the token scores of `items`, scored unless it is there.

    A complete shard under the same key is kept untouched. A file that cannot be read under the key
    is what an interrupted copy or another version left: it is replaced once the scores are there.

    Args:
        engine: The model.
        items: The items of one language.
        path: From `shard_path`, so that two keys never share a file.
        key: From `shard_key`.
        progress: Told how many items are done, now and then and at the end.
        known: Asked, if the shard is not there, for items that the same model scored before.

    Raises:
        EngineError: if a text cannot be scored; nothing is written then.
        UnwritableError: if there is no room for the shard, or it must not be written.
    """
    report = progress or (lambda _done, _total: None)
    if is_complete(path, key):
        report(len(items), len(items))
        return path
    started = time.monotonic()
    before = {pair.item: pair for pair in known()}
    pairs = list(_score_items(engine, items, before, report))
    record = {
        **engine.run_record(),
        "version": PRODUCT,
        "scored_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - started, 3),
    }
    with _refusing_unwritable(path):
        # Before the shard, so that one that is complete has them.
        write_token_texts(path, engine, pairs)
        return write_shard(path, key, pairs, record)


@contextmanager
def _refusing_unwritable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableError(
            f"The shard {path} cannot be written: {error.strerror or error}. Shards written before "
            "are whole: make room or choose another place, and run the same command again."
        ) from error


def is_complete(path: Path, key: ShardKey) -> bool:
    """Whether there is a whole shard under this key; every byte of its rows is checked."""
    try:
        read_columns(path, SCHEMA.names, key)
    except InputError:
        return False
    return True


def _score_items(
    engine: LikelihoodEngine,
    items: Sequence[ScoredItem],
    before: Mapping[ScoredItem, PairScores],
    report: Progress,
) -> Iterator[PairScores]:
    scores = score_pairs(engine, [item.texts for item in items if item not in before])
    for done, item in enumerate(items, start=1):
        yield before[item] if item in before else pair_scores(item, *next(scores))
        if done % PROGRESS_ITEMS == 0 or done == len(items):
            report(done, len(items))

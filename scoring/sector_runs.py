"""Sentences of some languages scored by one model: what has a shard is read, the rest is scored.

A shard is written as soon as its language is done, so an interrupted run goes on with the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from corpus.errors import InputError
from corpus.sectors import SectorSentence, SectorSentences
from corpus.version import VERSION
from scoring.sector_contrasts import ScoredSentence
from scoring.sector_half_precision import FLOAT32, WordEngine, as_text, measure_half_precision
from scoring.sector_shards import (
    SectorShardKey,
    read_sector_shard,
    sector_shard_path,
    write_sector_shard,
)

PROGRESS_SENTENCES = 64
Told = Callable[[int], None]


class IdentifiedModel(Protocol):
    """What the numbers of a model depend on, whether it is open yet or not."""

    @property
    def model_id(self) -> str:
        """Name of the model."""

    @property
    def revision(self) -> str:
        """Commit or hash of its files."""

    @property
    def tokenizer_hash(self) -> str:
        """Hash of the tokenizer."""


def score_sentences(
    model: IdentifiedModel,
    open_engine: Callable[[], WordEngine],
    languages: Sequence[SectorSentences],
    asked: tuple[str, str],
    shards: Path,
    told: tuple[Told, Told],
    open_float32: Callable[[], WordEngine] | None = None,
) -> tuple[dict[str, SectorShardKey], dict[str, tuple[ScoredSentence, ...]]]:
    """The keys of the shards and the scored sentences, both by language.

    Args:
        model: What identifies it.
        open_engine: Opens it; called only if a shard is missing, and once.
        languages: Their sentences.
        asked: Number type, and how several tokens are taken together.
        shards: The folder of shards.
        told: Called with the number of sentences, and with how many more are done.
        open_float32: Opens the model in float32, to tell what half precision costs; called once at
            most, and only where something is scored in half precision.

    Raises:
        EngineError: if a word becomes the unknown token in any of the languages that are still to
            be scored, before the first of them is, or if the model fails on a sentence.
    """
    plan, advance = told
    keys = {language.code: _key(model, language, *asked) for language in languages}
    sentences = {one.code: tuple(one.build_sentences()) for one in languages}
    plan(sum(map(len, sentences.values())))
    scored: dict[str, tuple[ScoredSentence, ...]] = {}
    for code, key in keys.items():
        try:
            scored[code] = read_sector_shard(sector_shard_path(shards, key), key)
        except InputError:
            continue
        advance(len(sentences[code]))
    missing = {code: sentences[code] for code in keys if code not in scored}
    if missing:
        run = _Run(shards, open_engine(), advance, open_float32)
        run.check(missing.values())
        for code, found in missing.items():
            scored[code] = run.score(found, keys[code])
    return keys, scored


class _Run:
    """One opened model at work."""

    def __init__(
        self,
        shards: Path,
        engine: WordEngine,
        advance: Told,
        open_float32: Callable[[], WordEngine] | None,
    ) -> None:
        self._shards = shards
        self._engine = engine
        self._advance = advance
        self._open_float32 = open_float32
        self._float32: WordEngine | None = None

    def check(self, languages: Iterable[Sequence[SectorSentence]]) -> None:
        """Returns nothing if every sentence of every language can be scored."""
        self._engine.check([text for each in languages for text in map(as_text, each)])

    def score(
        self, sentences: Sequence[SectorSentence], key: SectorShardKey
    ) -> tuple[ScoredSentence, ...]:
        """The scored sentences of one language, stored."""
        found = []
        texts = list(map(as_text, sentences))
        for done, one in enumerate(self._engine.score(texts), start=1):
            found.append(ScoredSentence(sentences[done - 1], one))
            if done % PROGRESS_SENTENCES == 0:
                self._advance(PROGRESS_SENTENCES)
        self._advance(len(found) % PROGRESS_SENTENCES)
        record: Mapping[str, float] = {}
        if key.dtype != FLOAT32 and self._open_float32 is not None:
            record = measure_half_precision(found, self._find_float32)
        write_sector_shard(sector_shard_path(self._shards, key), key, found, record)
        return tuple(found)

    def _find_float32(self) -> WordEngine:
        if self._float32 is None and self._open_float32 is not None:
            self._float32 = self._open_float32()
        if self._float32 is None:
            raise RuntimeError("no way to open the model in float32")
        return self._float32


def _key(
    model: IdentifiedModel, language: SectorSentences, dtype: str, reading: str
) -> SectorShardKey:
    return SectorShardKey(
        model_id=model.model_id,
        revision=model.revision,
        dtype=dtype,
        tokenizer_hash=model.tokenizer_hash,
        reading=reading,
        language=language.code,
        data_hash=language.content_hash,
        status=language.status,
        product_version=VERSION,
    )

"""Shards: what one model gave to every token of one language's texts, in one Parquet file.

Only token ids and log-probabilities are stored, never means, so that every protocol is computed
afterwards from the same run. A shard carries the key of everything that made it and is read only
under that key: figures of another model, dtype, tokenizer or release can never be taken for it.
Beside the key stands the record of the run that made it. Pages and footer carry checksums, so that
a damaged file is refused and never read as numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.drafts import replacing
from corpus.errors import Fault, InputError
from corpus.hashing import canonical_json, sha256_json, sha256_text
from corpus.version import VERSION
from engines.likelihood.protocol import Identified
from scoring.file_names import clean_name
from scoring.pair_scores import PairScores, TokenCase, compare_tokens, pair_scores
from scoring.shard_table import SCHEMA, build_table, read_pairs
from scoring.variants import ScoredItem, hash_items

__all__ = [
    "SCHEMA",
    "SHARD_FORMAT",
    "PairScores",
    "RunRecord",
    "Shard",
    "ShardKey",
    "TokenCase",
    "compare_tokens",
    "pair_scores",
    "read_columns",
    "read_key",
    "read_shard",
    "shard_key",
    "shard_path",
    "write_shard",
]

SHARD_FORMAT = 2
KEY_NAME = b"stereoscope.shard_key"
RECORD_NAME = b"stereoscope.run_record"
SUM_NAME = b"stereoscope.footer_sha256"

RunRecord = Mapping[str, str | float]
"""How a shard was made, e.g. device, versions, seconds and the engine's error; no part of its key,
for it changes no number beyond rounding."""


@dataclass(frozen=True, slots=True)
class ShardKey:
    """Everything that made a shard; two shards with one key hold the same numbers."""

    model_id: str
    revision: str
    dtype: str
    tokenizer_hash: str
    bos_policy: str
    likelihood: str
    """How log-probabilities were made: one of `LIKELIHOODS`."""
    language: str
    templates_hash: str
    """Hash over the language's templates, byte-exact."""
    data_hash: str
    """Hash of the release, e.g. of its SHA256SUMS."""
    items_hash: str
    """Hash over the very texts, which a subset of a release changes."""
    product_version: str
    shard_format: int = SHARD_FORMAT

    @property
    def digest(self) -> str:
        """Hex sha256 of the key."""
        return sha256_json(asdict(self))


@dataclass(frozen=True, slots=True)
class Shard:
    """A read shard: its key and its items, in the order they were scored."""

    key: ShardKey
    pairs: tuple[PairScores, ...]
    record: RunRecord = field(default_factory=dict, compare=False)


def shard_key(
    engine: Identified,
    language: str,
    items: Iterable[ScoredItem],
    *,
    templates_hash: str,
    data_hash: str,
) -> ShardKey:
    """The key of the shard that `engine` makes of the items of one language."""
    return ShardKey(
        model_id=engine.model_id,
        revision=engine.revision,
        dtype=engine.dtype,
        tokenizer_hash=engine.tokenizer_hash,
        bos_policy=engine.bos_policy,
        likelihood=engine.likelihood,
        language=language,
        templates_hash=templates_hash,
        data_hash=data_hash,
        items_hash=hash_items(items),
        product_version=VERSION,
    )


def shard_path(folder: Path, key: ShardKey) -> Path:
    """Where a shard belongs under `folder`: `<model>/<language>-<digest>.parquet`."""
    return folder / clean_name(key.model_id) / f"{key.language}-{key.digest[:16]}.parquet"


def write_shard(
    path: Path, key: ShardKey, pairs: Iterable[PairScores], record: RunRecord | None = None
) -> Path:
    """The shard's file, complete or not there at all: written beside and renamed."""
    table = build_table(pairs, key.bos_policy).replace_schema_metadata(_metadata(key, record or {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes on one shard write the same rows, whichever is last.
    with replacing(path) as stream:
        # Dictionaries of numbers would cost more than they save.
        texts = [column.name for column in SCHEMA if pa.types.is_string(column.type)]
        pq.write_table(
            table, stream, compression="zstd", use_dictionary=texts, write_page_checksum=True
        )
    return path


def read_key(path: Path) -> ShardKey:
    """The key a file was written under, without reading its rows.

    Raises:
        InputError: if the file is no shard, is damaged, or has another format.
    """
    return _read_footer(path, _open(path).schema_arrow)[0]


def read_shard(path: Path, key: ShardKey | None = None) -> Shard:
    """The shard in a file.

    Args:
        path: The Parquet file.
        key: The key it must have; None takes whatever key it has.

    Raises:
        InputError: if the file is no shard, is damaged, or has another key or format.
    """
    file = _open(path)
    found, record = _read_footer(path, file.schema_arrow)
    _check_key(path, found, key)
    table = _read_table(path, file, None)
    try:
        return Shard(found, read_pairs(table), record)
    except (ValueError, TypeError, KeyError) as error:
        raise _refuse(path, f"damaged: {error}", "score again") from error


def read_columns(path: Path, columns: Sequence[str], key: ShardKey | None = None) -> Any:
    """The Arrow table of some columns of a shard, two rows an item, without reading the others.

    Raises:
        InputError: as `read_shard`.
    """
    file = _open(path)
    _check_key(path, _read_footer(path, file.schema_arrow)[0], key)
    return _read_table(path, file, columns)


def _metadata(key: ShardKey, record: RunRecord) -> dict[bytes, bytes]:
    texts = [canonical_json(asdict(key)), canonical_json(dict(record))]
    parts = [text.encode("utf-8") for text in (*texts, sha256_text("\n".join(texts)))]
    return dict(zip((KEY_NAME, RECORD_NAME, SUM_NAME), parts, strict=True))


def _open(path: Path) -> Any:
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError as error:
        raise _refuse(path, "not there", "score first") from error
    except (pa.ArrowException, OSError) as error:
        raise _refuse(path, "damaged, or no Parquet file", "score again") from error


def _read_table(path: Path, file: Any, columns: Sequence[str] | None) -> Any:
    try:
        table = file.read(columns=None if columns is None else list(columns))
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise _refuse(path, "damaged: its rows cannot be read", "score again") from error
    return table


def _read_footer(path: Path, schema: Any) -> tuple[ShardKey, RunRecord]:
    """Key and record of a file, if it is a shard of this format whose footer is whole."""
    metadata = schema.metadata or {}
    if KEY_NAME not in metadata:
        raise _refuse(path, "no shard: it carries no key", "give a shard of this product")
    try:
        values = json.loads(metadata[KEY_NAME])
        made_with = values["shard_format"]
        record = json.loads(metadata.get(RECORD_NAME, b"{}"))
    except (ValueError, KeyError, TypeError) as error:
        raise _refuse(path, "damaged: its key cannot be read", "score again") from error
    if made_with != SHARD_FORMAT:
        problem = f"a shard of another format ({made_with}) than {SHARD_FORMAT}"
        raise _refuse(path, problem, "score again with this version")
    parts = b"\n".join(metadata.get(name, b"") for name in (KEY_NAME, RECORD_NAME))
    whole = sha256_text(parts.decode("utf-8", "replace")).encode() == metadata.get(SUM_NAME)
    if not whole or not schema.equals(SCHEMA):
        raise _refuse(path, "damaged: its footer is not as it was written", "score again")
    return ShardKey(**values), record


def _check_key(path: Path, found: ShardKey, key: ShardKey | None) -> None:
    if key is not None and found != key:
        wanted, have = asdict(key), asdict(found)
        names = ", ".join(name for name in wanted if wanted[name] != have[name])
        raise _refuse(path, f"made under another key (other {names})", "score again", names)


def _refuse(path: Path, problem: str, remedy: str, field: str | None = None) -> InputError:
    return InputError([Fault(str(path), None, field, problem, remedy)])

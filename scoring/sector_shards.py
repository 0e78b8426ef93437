"""Shards of the instrument sectors: one model's associations with one language's sentences.

A Parquet file with a row a sentence. It carries the key of everything that made it and is read only
under that key; key and rows carry a checksum, so that a damaged file is scored again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.drafts import replacing
from corpus.errors import Fault, InputError
from corpus.hashing import canonical_json, sha256_json
from corpus.sectors import Gender, SectorSentence, WordKind, read_group
from engines.likelihood.association import Association
from scoring.file_names import clean_name
from scoring.sector_contrasts import ScoredSentence

SECTOR_SHARD_FORMAT = 1
KEY_NAME = b"stereoscope.sector_shard_key"
SUM_NAME = b"stereoscope.rows_sha256"
RECORD_NAME = b"stereoscope.run_record"

SCHEMA = pa.schema(
    [
        pa.field(name, kind, nullable=False)
        for name, kind in (
            ("language", pa.string()),
            ("template", pa.string()),
            ("shows_gender", pa.bool_()),
            ("pair", pa.string()),
            ("kind", pa.string()),
            ("gender", pa.string()),
            ("sector", pa.string()),
            ("term", pa.string()),
            ("text", pa.string()),
            # First character and the one behind the last, in `text`.
            ("target_start", pa.int32()),
            ("target_end", pa.int32()),
            ("attribute_start", pa.int32()),
            ("attribute_end", pa.int32()),
            ("status", pa.string()),
            # Natural log. Of a causal model: of the whole sentence, whose tokens are counted in
            # target_tokens, and a prior of 0.
            ("target_logprob", pa.float64()),
            ("prior_logprob", pa.float64()),
            ("target_tokens", pa.int32()),
            ("attribute_tokens", pa.int32()),
            ("altered", pa.bool_()),
        )
    ]
)


@dataclass(frozen=True, slots=True)
class SectorShardKey:
    """Everything that made a shard; two shards with one key hold the same numbers."""

    model_id: str
    revision: str
    dtype: str
    tokenizer_hash: str
    reading: str
    """How the tokens of a target are taken together."""
    language: str
    data_hash: str
    """Hash over templates, pairs and terms."""
    status: str
    """What people have judged of the sentences, which the rows repeat."""
    product_version: str
    shard_format: int = SECTOR_SHARD_FORMAT

    @property
    def digest(self) -> str:
        """Hex sha256 of the key."""
        return sha256_json(asdict(self))


def sector_shard_path(folder: Path, key: SectorShardKey) -> Path:
    """Where a shard belongs under `folder`: `<model>/<language>-<digest>.parquet`."""
    return folder / clean_name(key.model_id) / f"{key.language}-{key.digest[:16]}.parquet"


def write_sector_shard(
    path: Path,
    key: SectorShardKey,
    scored: Iterable[ScoredSentence],
    record: Mapping[str, float] | None = None,
) -> Path:
    """The shard's file, complete or not there at all: written beside and renamed.

    Args:
        path: where `sector_shard_path` says.
        key: everything that made it.
        scored: the sentences.
        record: how it was computed, e.g. what half precision cost; part of no key.
    """
    text = canonical_json(asdict(key))
    rows = [_row(one) for one in scored]
    metadata = {
        KEY_NAME: text.encode(),
        SUM_NAME: _hash_rows(text, rows),
        RECORD_NAME: canonical_json(dict(record or {})).encode(),
    }
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        pq.write_table(
            table.replace_schema_metadata(metadata),
            stream,
            compression="zstd",
            write_page_checksum=True,
        )
    return path


def read_sector_shard(path: Path, key: SectorShardKey) -> tuple[ScoredSentence, ...]:
    """The scored sentences in a file, in their order.

    Raises:
        InputError: if the file is not there, is damaged, or was made under another key.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            metadata = file.schema_arrow.metadata or {}
            table = file.read()
        table.validate(full=True)
        if not table.schema.equals(SCHEMA):
            raise _refuse(path, "damaged, or no shard of sector sentences")
        text = metadata.get(KEY_NAME, b"").decode()
        rows = table.to_pylist()
        whole = _hash_rows(text, rows) == metadata.get(SUM_NAME)
        if not whole or json.loads(text) != asdict(key):
            raise _refuse(path, "damaged, or made under another key")
        return tuple(map(_read_row, rows))
    except FileNotFoundError as error:
        raise _refuse(path, "not there") from error
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise _refuse(path, f"damaged: {error}") from error


def read_sector_record(path: Path) -> dict[str, float]:
    """How a shard was computed; empty where nothing was noted or nothing can be read."""
    try:
        metadata = pq.read_schema(path).metadata or {}
        found: dict[str, float] = json.loads(metadata.get(RECORD_NAME, b"{}"))
    except (pa.ArrowException, OSError, ValueError):
        return {}
    return found


def _hash_rows(key: str, rows: Sequence[dict[str, Any]]) -> bytes:
    return sha256_json([key, rows]).encode()


def _row(one: ScoredSentence) -> dict[str, Any]:
    sentence, association = one.sentence, one.association
    return {
        "language": sentence.language,
        "template": sentence.template,
        "shows_gender": sentence.shows_gender,
        "pair": sentence.pair,
        "kind": str(sentence.kind),
        "gender": str(sentence.gender),
        "sector": str(sentence.sector),
        "term": sentence.term,
        "text": sentence.text,
        "target_start": sentence.target[0],
        "target_end": sentence.target[1],
        "attribute_start": sentence.attribute[0],
        "attribute_end": sentence.attribute[1],
        "status": sentence.status,
        "target_logprob": association.target_logprob_nats,
        "prior_logprob": association.prior_logprob_nats,
        "target_tokens": association.target_tokens,
        "attribute_tokens": association.attribute_tokens,
        "altered": association.altered,
    }


def _read_row(row: dict[str, Any]) -> ScoredSentence:
    logprobs = row["target_logprob"], row["prior_logprob"]
    if not all(map(math.isfinite, logprobs)):
        raise ValueError("a log-probability is not a finite number")
    sentence = SectorSentence(
        language=row["language"],
        template=row["template"],
        shows_gender=row["shows_gender"],
        pair=row["pair"],
        kind=WordKind(row["kind"]),
        gender=Gender(row["gender"]),
        sector=read_group(row["sector"]),
        term=row["term"],
        text=row["text"],
        target=(row["target_start"], row["target_end"]),
        attribute=(row["attribute_start"], row["attribute_end"]),
        status=row["status"],
    )
    counts = row["target_tokens"], row["attribute_tokens"]
    return ScoredSentence(sentence, Association(*logprobs, *counts, row["altered"]))


def _refuse(path: Path, problem: str) -> InputError:
    return InputError([Fault(str(path), None, None, problem, "score again")])

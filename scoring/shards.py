"""Shards: what one model gave to every token of one language's texts, in one Parquet file.

Only token ids and log-probabilities are stored, never means, so that every protocol is computed
afterwards from the same run. A shard carries the key of everything that made it and is read only
under that key: figures of another model, dtype, tokenizer or release can never be taken for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.drafts import replacing
from corpus.errors import Fault, InputError
from corpus.hashing import canonical_json, sha256_json
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from corpus.version import VERSION
from engines.likelihood.protocol import LikelihoodEngine, TokenScores
from scoring.variants import Condition, ScoredItem, hash_items

SHARD_FORMAT = 2
KEY_NAME = b"stereoscope.shard_key"

SCHEMA = pa.schema(
    [
        pa.field("subject_id", pa.string(), nullable=False),
        pa.field("language", pa.string(), nullable=False),
        pa.field("stereotype_id", pa.int32(), nullable=False),
        pa.field("condition", pa.string(), nullable=False),
        # Template id, empty for a pair.
        pa.field("template", pa.string(), nullable=False),
        # `masculine` or `feminine`; an item's two rows stand together in this order.
        pa.field("variant", pa.string(), nullable=False),
        # As scored, the ending included.
        pa.field("text", pa.string(), nullable=False),
        # What protocol `terminated` put after the text, empty for every other protocol.
        pa.field("ending", pa.string(), nullable=False),
        # As `TokenScores` has them: T tokens, what begins the text included.
        pa.field("token_ids", pa.list_(pa.int32()), nullable=False),
        # Natural log, of tokens 1..T-1.
        pa.field("logprobs", pa.list_(pa.float64()), nullable=False),
        # Index into token_ids of both variants; null when the lists are equal.
        pa.field("first_differing_token", pa.int32()),
        pa.field("case", pa.string(), nullable=False),
        pa.field("bos_policy", pa.string(), nullable=False),
    ]
)


class TokenCase(StrEnum):
    """How the token lists of an item's two variants lie to each other."""

    PLAIN = "plain"
    """They part after at least one common token."""
    CONTAINED = "contained"
    """One is the beginning of the other."""
    IDENTICAL = "identical"
    """They are equal: the tokenizer does not see the difference."""
    FIRST_TOKEN = "first_token"
    """They part at token 0, which has no probability: the difference itself is not scored."""


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
class PairScores:
    """An item with the token scores of its two variants."""

    item: ScoredItem
    masculine: TokenScores
    feminine: TokenScores
    case: TokenCase
    first_differing_token: int | None
    """Index of the first token in which they differ (the shorter one's length when contained)."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A read shard: its key and its items, in the order they were scored."""

    key: ShardKey
    pairs: tuple[PairScores, ...]


def shard_key(
    engine: LikelihoodEngine,
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
    model = re.sub(r"[^A-Za-z0-9._-]+", "-", key.model_id).strip("-.") or "model"
    return folder / model / f"{key.language}-{key.digest[:16]}.parquet"


def pair_scores(item: ScoredItem, masculine: TokenScores, feminine: TokenScores) -> PairScores:
    """The item with its scores, and how the two token lists lie to each other."""
    case, first = compare_tokens(masculine.token_ids, feminine.token_ids)
    return PairScores(item, masculine, feminine, case, first)


def compare_tokens(one: Sequence[int], other: Sequence[int]) -> tuple[TokenCase, int | None]:
    """Case of two token lists and the index of the first difference, None when equal."""
    shorter = min(len(one), len(other))
    first = next((k for k in range(shorter) if one[k] != other[k]), None)
    if first == 0:
        return TokenCase.FIRST_TOKEN, 0
    if first is not None:
        return TokenCase.PLAIN, first
    if len(one) == len(other):
        return TokenCase.IDENTICAL, None
    return TokenCase.CONTAINED, shorter


def write_shard(path: Path, key: ShardKey, pairs: Iterable[PairScores]) -> Path:
    """The shard's file, complete or not there at all: written beside and renamed."""
    rows = [row for pair in pairs for row in _pair_rows(pair, key.bos_policy)]
    metadata = {KEY_NAME: canonical_json(asdict(key)).encode("utf-8")}
    table = pa.Table.from_pylist(rows, schema=SCHEMA.with_metadata(metadata))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes on one shard write the same content, whichever is last.
    with replacing(path) as stream:
        pq.write_table(table, stream, compression="zstd")
    return path


def read_key(path: Path) -> ShardKey:
    """The key a file was written under, without reading its rows.

    Raises:
        InputError: if the file is no shard, is damaged, or has another format.
    """
    schema = _open(path).schema_arrow
    return _checked_key(path, schema)


def read_shard(path: Path, key: ShardKey | None = None) -> Shard:
    """The shard in a file.

    Args:
        path: The Parquet file.
        key: The key it must have; None takes whatever key it has.

    Raises:
        InputError: if the file is no shard, is damaged, or has another key or format.
    """
    file = _open(path)
    found = _checked_key(path, file.schema_arrow)
    if key is not None and found != key:
        wanted, have = asdict(key), asdict(found)
        names = ", ".join(name for name in wanted if wanted[name] != have[name])
        raise _refuse(path, f"made under another key (other {names})", "score again", names)
    try:
        rows = file.read().to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise _refuse(path, "damaged: its rows cannot be read", "score again") from error
    return Shard(found, tuple(_read_pairs(path, rows)))


def _open(path: Path) -> Any:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise _refuse(path, "not there", "score first") from error
    except (pa.ArrowException, OSError) as error:
        raise _refuse(path, "damaged, or no Parquet file", "score again") from error


def _checked_key(path: Path, schema: Any) -> ShardKey:
    text = (schema.metadata or {}).get(KEY_NAME)
    if text is None:
        raise _refuse(path, "no shard: it carries no key", "give a shard of this product")
    values = json.loads(text)
    if values.get("shard_format") != SHARD_FORMAT or not schema.equals(SCHEMA):
        problem = f"a shard of another format than {SHARD_FORMAT}"
        raise _refuse(path, problem, "score again with this version")
    return ShardKey(**values)


def _pair_rows(pair: PairScores, bos_policy: str) -> Iterator[dict[str, Any]]:
    item = pair.item
    for variant, text, scores in (
        (MASCULINE_VARIANT, item.texts[0], pair.masculine),
        (FEMININE_VARIANT, item.texts[1], pair.feminine),
    ):
        yield {
            "subject_id": item.subject_id,
            "language": item.language,
            "stereotype_id": item.stereotype_id,
            "condition": str(item.condition),
            "template": item.template,
            "variant": variant,
            "text": text,
            "ending": item.ending,
            "token_ids": scores.token_ids,
            "logprobs": scores.logprobs_nats,
            "first_differing_token": pair.first_differing_token,
            "case": str(pair.case),
            "bos_policy": bos_policy,
        }


def _read_pairs(path: Path, rows: Sequence[dict[str, Any]]) -> Iterator[PairScores]:
    masculine, feminine = rows[::2], rows[1::2]
    shared = ("subject_id", "condition", "template", "ending")
    if len(masculine) != len(feminine) or any(
        (one["variant"], other["variant"]) != (MASCULINE_VARIANT, FEMININE_VARIANT)
        or any(one[name] != other[name] for name in shared)
        for one, other in zip(masculine, feminine, strict=True)
    ):
        raise _refuse(path, "damaged: an item lacks one of its two rows", "score again")
    for one, other in zip(masculine, feminine, strict=True):
        item = ScoredItem(
            subject_id=one["subject_id"],
            language=one["language"],
            stereotype_id=one["stereotype_id"],
            condition=Condition(one["condition"]),
            template=one["template"],
            masculine=one["text"].removesuffix(one["ending"]),
            feminine=other["text"].removesuffix(one["ending"]),
            ending=one["ending"],
        )
        yield PairScores(
            item,
            _read_scores(one),
            _read_scores(other),
            TokenCase(one["case"]),
            one["first_differing_token"],
        )


def _read_scores(row: dict[str, Any]) -> TokenScores:
    return TokenScores(tuple(row["token_ids"]), tuple(row["logprobs"]))


def _refuse(path: Path, problem: str, remedy: str, field: str | None = None) -> InputError:
    return InputError([Fault(str(path), None, field, problem, remedy)])

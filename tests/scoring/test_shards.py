"""Shards: what is written is read back, under its own key only, complete or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shard_builders import make_item, make_pair
from toy_engine import ToyEngine

from corpus.errors import EngineError, InputError
from engines.likelihood.protocol import TokenScores
from scoring.run import score_language
from scoring.shards import (
    SCHEMA,
    ShardKey,
    TokenCase,
    compare_tokens,
    pair_scores,
    read_columns,
    read_key,
    read_shard,
    shard_key,
    shard_path,
    write_shard,
)
from scoring.variants import Condition, ScoredItem

ITEMS = (
    make_item(1, 1),
    make_item(2, 9, condition=Condition.NOUN, masculine="„Áno,“ muž", feminine="„Áno,“ žena"),
    make_item(3, 16, masculine="=SUM(A1) <b>ak\u0301</b>", feminine="\u202eopak\n"),
    replace(make_item(4, 2), ending="."),
)


def key_for(engine: ToyEngine, items: tuple[ScoredItem, ...] = ITEMS) -> ShardKey:
    return shard_key(engine, "sk", items, templates_hash="t1", data_hash="d1")


def test_a_shard_reads_back_as_written(tmp_path: Path) -> None:
    engine = ToyEngine({"bol": -0.25, "žena": -2.0 / 3})
    key = key_for(engine)
    path = score_language(engine, ITEMS, shard_path(tmp_path, key), key)
    shard = read_shard(path, key)
    assert shard.key == key == read_key(path)
    scores = ToyEngine({"bol": -0.25, "žena": -2.0 / 3}).score(
        [text for item in ITEMS for text in item.texts]
    )
    assert shard.pairs == tuple(pair_scores(item, next(scores), next(scores)) for item in ITEMS)


def test_the_columns_are_the_documented_ones(tmp_path: Path) -> None:
    engine = ToyEngine()
    key = key_for(engine)
    path = score_language(engine, ITEMS, shard_path(tmp_path, key), key)
    table = pq.read_table(path)
    assert table.column_names == [
        "subject_id", "language", "stereotype_id", "condition", "template", "variant", "text",
        "ending", "token_ids", "logprobs", "first_differing_token", "case", "bos_policy",
    ]  # fmt: skip
    assert table.schema.field("token_ids").type == pa.list_(pa.int32())
    assert table.schema.field("logprobs").type == pa.list_(pa.float64())
    assert table["variant"].to_pylist() == ["masculine", "feminine"] * 4
    assert table["text"].to_pylist() == [text for item in ITEMS for text in item.texts]
    assert set(table["bos_policy"].to_pylist()) == {"added by tokenizer"}


@pytest.mark.parametrize(
    ("masculine", "feminine", "case", "first"),
    [
        ([0, 1, 2], [0, 3], TokenCase.PLAIN, 1),
        ([0, 1], [0, 1, 2], TokenCase.CONTAINED, 2),
        ([0, 1, 2], [0], TokenCase.CONTAINED, 1),
        ([0, 1], [0, 1], TokenCase.IDENTICAL, None),
        ([1, 2], [3, 2], TokenCase.FIRST_TOKEN, 0),
    ],
)
def test_token_cases(
    masculine: list[int], feminine: list[int], case: TokenCase, first: int | None
) -> None:
    assert compare_tokens(masculine, feminine) == (case, first)


TOKENS = st.lists(st.integers(0, 3), min_size=1, max_size=6)


@given(TOKENS, TOKENS)
def test_token_case_does_not_depend_on_the_order_of_variants(a: list[int], b: list[int]) -> None:
    assert compare_tokens(a, b) == compare_tokens(b, a)
    case, first = compare_tokens(a, b)
    assert a[:first] == b[:first]
    assert (case is TokenCase.IDENTICAL) == (a == b)


LOGPROBS = st.floats(max_value=0, allow_nan=False, allow_infinity=False)


@settings(max_examples=25)
@given(values=st.lists(st.tuples(st.integers(0, 1 << 30), LOGPROBS), min_size=1, max_size=5))
def test_numbers_survive_to_the_last_bit(
    values: list[tuple[int, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    pair = make_pair([(0, None), *values], [(0, None), (1, -1.0)])
    key = key_for(ToyEngine(), (pair.item,))
    path = write_shard(tmp_path_factory.mktemp("shard") / "x.parquet", key, [pair])
    assert read_shard(path, key).pairs == (pair,)


def test_an_empty_shard_reads_back(tmp_path: Path) -> None:
    key = key_for(ToyEngine(), ())
    assert read_shard(write_shard(tmp_path / "x.parquet", key, []), key).pairs == ()


def test_a_shard_that_is_there_is_kept_and_nothing_is_scored(tmp_path: Path) -> None:
    engine = ToyEngine()
    key = key_for(engine)
    path = score_language(engine, ITEMS, shard_path(tmp_path, key), key)
    before = path.read_bytes(), path.stat().st_mtime_ns
    told: list[tuple[int, int]] = []
    again = ToyEngine()
    assert score_language(again, ITEMS, path, key, lambda *n: told.append(n)) == path
    assert again.scored == []
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert told == [(4, 4)]


def test_scoring_again_makes_the_same_rows(tmp_path: Path) -> None:
    engine = ToyEngine()
    key = key_for(engine)
    one = score_language(engine, ITEMS, tmp_path / "one.parquet", key)
    other = score_language(engine, ITEMS, tmp_path / "other.parquet", key)
    assert pq.read_table(one).equals(pq.read_table(other))
    assert read_shard(one) == read_shard(other)


def test_a_damaged_shard_is_scored_again(tmp_path: Path) -> None:
    engine = ToyEngine()
    key = key_for(engine)
    path = score_language(engine, ITEMS, shard_path(tmp_path, key), key)
    whole, data = read_shard(path, key), path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    score_language(ToyEngine(), ITEMS, path, key)
    assert read_shard(path, key) == whole


@pytest.mark.parametrize(
    ("column", "values", "problem"),
    [
        ("logprobs", [[float("nan")] * 3, [-1.0] * 3], "not a finite number"),
        ("logprobs", [[-1.0]], "tokens need one log-probability fewer"),
        ("condition", ["rhyme"], "rhyme"),
        ("variant", ["masculine"], "lacks one of its two rows"),
        ("ending", [".", ""], "lacks one of its two rows"),
    ],
)
def test_rows_that_no_run_wrote_are_no_numbers(
    tmp_path: Path, column: str, values: list[object], problem: str
) -> None:
    pairs = [make_pair([(0, None), *[(1, -1.0)] * 3], [(0, None), *[(2, -1.0)] * 3])] * 2
    key = key_for(ToyEngine())
    table = pq.read_table(write_shard(tmp_path / "whole.parquet", key, pairs))
    place = table.schema.get_field_index(column)
    field = table.schema.field(column)
    changed = table.set_column(place, field, pa.array((values * 4)[:4], field.type))
    pq.write_table(changed, tmp_path / "changed.parquet")
    with pytest.raises(InputError, match=problem):
        read_shard(tmp_path / "changed.parquet", key)


def test_one_changed_byte_anywhere_is_never_read_as_a_number(tmp_path: Path) -> None:
    """Every byte in turn: the shard is refused, or what is read is what was written."""
    key = key_for(ToyEngine())
    path = score_language(ToyEngine({"bol": -0.125}), ITEMS, tmp_path / "x.parquet", key)
    written, whole = read_shard(path, key), path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[place] ^= 0x15
        path.write_bytes(changed)
        try:
            found = read_shard(path, key)
        except InputError:
            refused += 1
            continue
        assert (found, found.record) == (written, written.record), place
    assert refused > 1000


def test_some_columns_are_read_under_the_same_key(tmp_path: Path) -> None:
    key = key_for(ToyEngine())
    path = score_language(ToyEngine(), ITEMS, tmp_path / "x.parquet", key)
    table = read_columns(path, ["subject_id", "logprobs"], key)
    assert table.column_names == ["subject_id", "logprobs"]
    assert table["logprobs"].to_pylist() == pq.read_table(path)["logprobs"].to_pylist()
    with pytest.raises(InputError, match="other language"):
        read_columns(path, ["logprobs"], replace(key, language="cs"))


def test_the_record_of_the_run_stands_beside_the_key(tmp_path: Path) -> None:
    key = key_for(ToyEngine())
    record = {"path": "one at a time", "parity_error": 1.5e-6}
    path = write_shard(tmp_path / "x.parquet", key, [make_pair([(0, None)], [(0, None)])], record)
    assert read_shard(path, key).record == record


def test_a_failed_run_leaves_nothing_behind(tmp_path: Path) -> None:
    class Breaking(ToyEngine):
        def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
            yield from super().score(texts[:2])
            raise EngineError("the model gave up")

    engine = Breaking()
    key = key_for(engine)
    with pytest.raises(EngineError, match="gave up"):
        score_language(engine, ITEMS, shard_path(tmp_path, key), key)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_id", "other"),
        ("revision", "r2"),
        ("dtype", "bfloat16"),
        ("tokenizer_hash", "pieces"),
        ("bos_policy", "none"),
        ("likelihood", "pseudo"),
        ("language", "cs"),
        ("templates_hash", "t2"),
        ("data_hash", "d2"),
        ("items_hash", "i2"),
        ("product_version", "99"),
    ],
)
def test_no_shard_is_read_under_another_key(tmp_path: Path, field: str, value: str) -> None:
    engine = ToyEngine()
    key = key_for(engine)
    path = score_language(engine, ITEMS, shard_path(tmp_path, key), key)
    other = replace(key, **{field: value})
    assert shard_path(tmp_path, other) != path
    with pytest.raises(InputError, match=f"other {field}"):
        read_shard(path, other)


def test_a_subset_of_the_items_has_another_key() -> None:
    assert key_for(ToyEngine(), ITEMS[:2]) != key_for(ToyEngine())


def test_other_files_are_refused_as_shards(tmp_path: Path) -> None:
    plain = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"a": [1]}), plain)
    text = tmp_path / "text.parquet"
    text.write_text("no parquet", encoding="utf-8")
    key = key_for(ToyEngine())
    half = tmp_path / "half.parquet"
    full = score_language(ToyEngine(), ITEMS, tmp_path / "full.parquet", key)
    pq.write_table(pq.read_table(full).slice(0, 3), half)
    older = tmp_path / "older.parquet"
    write_shard(older, replace(key, shard_format=0), [])
    widened = tmp_path / "widened.parquet"
    rows = pq.read_table(full)
    pq.write_table(rows.append_column("more", rows["text"]), widened)
    forged = tmp_path / "forged.parquet"
    other = {**rows.schema.metadata, b"stereoscope.run_record": b'{"parity_error":0.0}'}
    pq.write_table(rows.replace_schema_metadata(other), forged)
    nameless = tmp_path / "nameless.parquet"
    pq.write_table(rows.replace_schema_metadata({b"stereoscope.shard_key": b"[]"}), nameless)
    for path, problem in [
        (plain, "carries no key"),
        (text, "no Parquet file"),
        (half, "lacks one of its two rows"),
        (older, r"another format \(0\) than 2"),
        (widened, "footer is not as it was written"),
        (forged, "footer is not as it was written"),
        (nameless, "its key cannot be read"),
        (tmp_path / "absent.parquet", "not there"),
    ]:
        with pytest.raises(InputError, match=problem):
            read_shard(path)


def test_a_model_s_name_cannot_leave_the_results_folder(tmp_path: Path) -> None:
    for name in ("../../etc/x", "/srv/model", "a/b", "..", "модель"):
        key = replace(key_for(ToyEngine()), model_id=name)
        path = shard_path(tmp_path, key)
        assert path.parent.parent == tmp_path
        assert path.parent.name not in {"", ".", ".."}


def test_schema_has_nulls_only_where_two_lists_are_equal() -> None:
    assert [field.name for field in SCHEMA if field.nullable] == ["first_differing_token"]

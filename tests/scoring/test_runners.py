"""Runners and runs: every shard once, whoever scores it; a failure is a gap and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dying_workers import MARK, die_always, die_once
from scored_releases import ask_for, build_small_release, model_at
from toy_engine import ToyEngine

from corpus.errors import EngineError, ReleaseError, UnwritableError
from corpus.release import Release
from engines.likelihood.opening import EngineChoice
from engines.likelihood.protocol import TokenScores
from scoring import scores, tasks
from scoring.models_file import ModelKind, ModelMetadata
from scoring.run_log import RunLog
from scoring.runners import InlineRunner, LocalRunner
from scoring.scores import ModelScores, score_models, score_release
from scoring.shards import read_shard
from scoring.tasks import ShardTask, load_items


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return build_small_release(tmp_path_factory.mktemp("release"))


def shards_of(results: Path) -> dict[str, Any]:
    return {path.name: read_shard(path) for path in results.glob("shards/*/*.parquet")}


def run_log_of(results: Path) -> dict[str, Any]:
    [path] = results.glob("*/run.json")
    log: dict[str, Any] = json.loads(path.read_bytes())
    return log


def values_of(scored: Sequence[ModelScores]) -> list[list[object]]:
    return [[each.as_json() for each in s.result.figures] if s.result else [] for s in scored]


def told_by(scored: ModelScores) -> dict[str, Any]:
    """The manifest without rounding errors, which differ with a process's number of threads."""
    assert scored.result is not None
    told = json.loads(json.dumps(scored.result.manifest))
    for record in told["computed"].values():
        assert float(record.pop("parity_error_nats")) <= 1e-4
    return dict(told)


def test_local_processes_score_what_one_process_does(
    release: Release, gpt2_folder: Path, llama_folder: Path, tmp_path: Path
) -> None:
    models = [model_at(gpt2_folder), model_at(llama_folder)]
    request, done, planned = ask_for(release, "paper", "terminated"), [0], [0]
    here = score_models(models, request, tmp_path / "here")
    spread = score_models(
        models,
        request,
        tmp_path / "spread",
        LocalRunner(2),
        lambda total: planned.append(total),
        lambda items: done.append(items),
    )
    assert shards_of(tmp_path / "here") == shards_of(tmp_path / "spread")
    assert len(shards_of(tmp_path / "spread")) == 4
    assert values_of(here) == values_of(spread)
    assert list(map(told_by, here)) == list(map(told_by, spread))
    assert sum(done) == sum(planned) > 0
    records = [shard.record for shard in shards_of(tmp_path / "spread").values()]
    assert all(record["path"] and record["device"] == "cpu" for record in records)
    assert all(float(record["seconds"]) >= 0 for record in records)


def test_a_killed_worker_s_shard_is_done_again_and_nothing_else(
    release: Release, gpt2_folder: Path, tmp_path: Path
) -> None:
    results, done = tmp_path / "results", [0]
    results.mkdir()
    runner = LocalRunner(1, target=die_once)
    [scored] = score_models(
        [model_at(gpt2_folder)], ask_for(release), results, runner, advance=done.append
    )
    assert (results / MARK).read_bytes() == b"x"
    assert scored.gaps == {}
    assert {name[:2] for name in shards_of(results)} == {"en", "sk"}
    assert sorted(runner._tries.values()) == [1, 2]
    items = sum(each["items"] for each in run_log_of(results)["shards"].values())
    assert sum(done) == items


def test_a_shard_whose_worker_dies_twice_is_a_gap_until_the_next_run(
    release: Release, gpt2_folder: Path, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    results.mkdir()
    models, request = [model_at(gpt2_folder)], ask_for(release)
    [broken] = score_models(models, request, results, LocalRunner(2, target=die_always))
    assert list(broken.gaps) == ["sk"]
    assert "ended twice before it was done (killed by SIGKILL)" in broken.gaps["sk"]
    assert broken.result is not None
    assert broken.result.manifest["languages"] == ["en"]
    assert {dict(figure.scope)["language"] for figure in broken.result.figures} == {"en"}
    log = run_log_of(results)
    assert (log["state"], log["shards_done"], log["shards_total"]) == ("incomplete", 1, 2)
    assert log["shards"]["sk"]["reason"] == broken.gaps["sk"]
    [english] = list(results.glob("shards/*/en-*.parquet"))
    written = english.stat().st_mtime_ns

    [whole] = score_models(models, request, results, LocalRunner(2))
    assert whole.result is not None
    assert whole.result.folder == broken.result.folder
    assert (whole.gaps, whole.result.manifest["languages"]) == ({}, ["en", "sk"])
    assert english.stat().st_mtime_ns == written
    log = run_log_of(results)
    assert [log["shards"][code]["state"] for code in ("en", "sk")] == ["kept", "scored"]


def test_nothing_is_loaded_where_every_shard_is_there(
    release: Release, gpt2_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models, request = [model_at(gpt2_folder)], ask_for(release)
    first = score_models(models, request, tmp_path)

    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(tasks, "open_engine", refuse)
    for runner in (None, LocalRunner(2, target=die_always)):
        assert values_of(score_models(models, request, tmp_path, runner)) == values_of(first)


class Picky(ToyEngine):
    """Cannot score a text with one of these words."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self._words = words

    def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
        for text in texts:
            if any(word in text for word in self._words):
                raise EngineError(f"no probability in: {text}")
            yield from super().score([text])


def test_texts_with_an_ending_are_scored_beside_those_that_are_there(
    release: Release, tmp_path: Path
) -> None:
    twice, whole = ToyEngine(), ToyEngine()
    score_release(twice, ask_for(release), tmp_path / "one")
    before = len(twice.scored)
    both = ask_for(release, "paper", "terminated")
    beside = score_release(twice, both, tmp_path / "one")
    fresh = score_release(whole, both, tmp_path / "other")
    assert 0 < before < len(whole.scored)
    assert sorted(twice.scored) == sorted(whole.scored)
    assert beside.figures == fresh.figures
    names = {path.name for path in tmp_path.glob("other/shards/*/*.parquet")}
    old, new = shards_of(tmp_path / "one"), shards_of(tmp_path / "other")
    assert {name: old[name] for name in names} == new


def test_a_language_that_fails_is_a_gap_and_leaves_the_others(
    release: Release, tmp_path: Path
) -> None:
    request = ask_for(release)
    result = score_release(Picky("povedal"), request, tmp_path)
    assert list(result.gaps) == ["sk"]
    assert result.gaps["sk"].startswith("no probability in: ")
    assert list(result.manifest["shards"]) == result.manifest["languages"] == ["en"]
    again = score_release(ToyEngine(), request, tmp_path)
    assert (again.gaps, again.folder) == ({}, result.folder)


def test_a_fault_of_a_library_is_a_gap_in_this_process_as_in_others(
    release: Release, tmp_path: Path
) -> None:
    class Broken(ToyEngine):
        def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
            if any("povedal" in text for text in texts):
                raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
            yield from super().score(texts)

    result = score_release(Broken(), ask_for(release), tmp_path)
    assert list(result.gaps) == ["sk"]
    assert "sk failed (RuntimeError: mat1 and mat2 shapes" in result.gaps["sk"]
    assert list(result.manifest["shards"]) == ["en"]


def test_a_model_that_fails_everywhere_stores_no_result(release: Release, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no probability in"):
        score_release(Picky("o", "a", "e"), ask_for(release), tmp_path)
    assert list(tmp_path.glob("*/manifest.json")) == []
    assert run_log_of(tmp_path)["state"] == "failed"


@pytest.mark.parametrize("runner", [InlineRunner, partial(LocalRunner, 1)])
def test_a_shard_that_cannot_be_written_ends_the_run_and_loses_none(
    release: Release,
    gpt2_folder: Path,
    llama_folder: Path,
    tmp_path: Path,
    runner: Callable[[], InlineRunner | LocalRunner],
) -> None:
    models, request = [model_at(gpt2_folder), model_at(llama_folder)], ask_for(release)
    score_models(models[:1], request, tmp_path)
    [english] = tmp_path.glob("shards/*/en-*.parquet")
    [slovak] = tmp_path.glob("shards/*/sk-*.parquet")
    english.unlink()
    slovak.unlink()
    # No user, root included, writes a file over a folder.
    (slovak / "in the way").mkdir(parents=True)
    with pytest.raises(UnwritableError, match="written before are whole: make room") as told:
        score_models(models, request, tmp_path, runner())
    assert str(slovak) in str(told.value)
    assert set(tmp_path.glob("shards/*/*.parquet")) == {english, slovak}
    logs = [json.loads(path.read_bytes()) for path in tmp_path.glob("*/run.json")]
    assert {log["state"] for log in logs} == {"interrupted"}
    states = sorted(log["shards"][code]["state"] for log in logs for code in ("en", "sk"))
    assert states == ["missing", "missing", "missing", "scored"]


def test_an_interrupted_run_says_so_and_goes_on(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_log: RunLog, *_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(scores.RunLog, "note", stop)
        with pytest.raises(KeyboardInterrupt):
            score_release(ToyEngine(), ask_for(release), tmp_path)
    log = run_log_of(tmp_path)
    assert (log["state"], log["model"], log["runner"]) == ("interrupted", "toy", "inline")
    engine = ToyEngine()
    score_release(engine, ask_for(release), tmp_path)
    assert run_log_of(tmp_path)["shards"]["en"]["state"] == "kept"
    assert not any("I sleep well" in text for text in engine.scored)


def test_what_the_models_file_says_stands_in_the_manifest(
    release: Release, gpt2_folder: Path, tmp_path: Path
) -> None:
    metadata = ModelMetadata("Stork", 10, ModelKind.INSTRUCT, "stork", ("en",))
    [scored] = score_models([model_at(gpt2_folder, metadata)], ask_for(release), tmp_path)
    assert scored.result is not None
    assert scored.result.manifest["model_metadata"] == metadata.as_json()
    assert scored.result.manifest["stereotypes_missing"]["sk"] == [
        each for each in range(1, 17) if each not in {1, 2, 3, 9}
    ]


def test_a_task_checks_that_model_and_texts_are_what_the_run_began_with(
    release: Release, gpt2_folder: Path, llama_folder: Path, tmp_path: Path
) -> None:
    found: list[ShardTask] = []

    class Collecting(InlineRunner):
        def run(self, tasks: Sequence[ShardTask], advance: Any) -> Iterator[Any]:
            found.extend(tasks)
            return iter(())

    with pytest.raises(Exception, match="not there"):
        score_models([model_at(gpt2_folder)], ask_for(release), tmp_path, Collecting())
    task = found[0]
    other = tasks.OpenEngine().of(EngineChoice(str(llama_folder), device="cpu"))
    with pytest.raises(EngineError, match="changed since the run began"):
        tasks.perform_task(task, other, load_items(task), lambda _: None)
    with pytest.raises(ReleaseError, match="are not those that the run began with"):
        load_items(replace(task, key=replace(task.key, items_hash="0")))

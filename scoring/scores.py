"""Scores of models on one release: shards first, then every figure computed from them.

Shards that are there are kept; the others are tasks that a runner does, in this process or in
others. A language whose shard could not be made is a marked gap of its result, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from corpus.errors import EngineError
from corpus.figures import Figure
from engines.likelihood.opening import EngineChoice, EngineIdentity, describe_engine
from engines.likelihood.protocol import LikelihoodEngine
from scoring.half_precision import read_r_error
from scoring.measures import compute_measures
from scoring.models_file import ModelMetadata
from scoring.plan import ItemPlan, ScoreRequest, plan_items, refuse_unknown_stereotypes
from scoring.protocols import POOLED, compute_values, select_pairs
from scoring.results import (
    ScoreResult,
    build_manifest,
    describe_inputs,
    result_folder,
    shards_folder,
    write_result,
)
from scoring.run import is_complete
from scoring.run_log import FAILED, KEPT, MISSING, SCORED, RunLog
from scoring.runners import InlineRunner
from scoring.shards import PairScores, RunRecord, ShardKey, read_shard, shard_path
from scoring.signature import build_signature
from scoring.tasks import Runner, ShardTask
from scoring.uncertainty import Resampling, build_resampling
from scoring.variants import Condition

__all__ = [
    "ModelScores",
    "ModelToScore",
    "ScoreRequest",
    "ScoreResult",
    "score_models",
    "score_release",
]

CONDITIONS = (POOLED, *Condition)


@dataclass(frozen=True, slots=True)
class ModelToScore:
    """A model that was found and can be scored."""

    choice: EngineChoice
    identity: EngineIdentity
    metadata: ModelMetadata = field(default_factory=ModelMetadata)


@dataclass(frozen=True, slots=True)
class ModelScores:
    """What became of one model."""

    model: ModelToScore
    result: ScoreResult | None
    """None if no language could be scored."""
    gaps: Mapping[str, str]
    """Language → why it has no figures."""


@dataclass
class _Work:
    """One model on its way."""

    model: ModelToScore
    keys: dict[str, ShardKey]
    log: RunLog
    gaps: dict[str, str]


def score_release(
    engine: LikelihoodEngine,
    request: ScoreRequest,
    results: Path,
    plan: Callable[[int], None] = lambda total: None,
    advance: Callable[[int], None] = lambda done: None,
) -> ScoreResult:
    """The figures of a model that is open; what is scored already is not scored again.

    Args:
        engine: The model, ready.
        request: Release, languages, protocols and seed.
        results: The workspace's folder of results.
        plan: Told how many items there are.
        advance: Told how many more items are done.

    Raises:
        ReleaseError: if the release has no such language.
        InputError: if a row cannot be scored.
        EngineError: if the model fails on a text of every language; otherwise languages that it
            fails on are gaps of the result.
    """
    model = ModelToScore(EngineChoice(engine.model_id), describe_engine(engine))
    [scores] = score_models([model], request, results, None, plan, advance, engine=engine)
    if scores.result is None:
        raise EngineError("\n".join(scores.gaps.values()))
    return scores.result


def score_models(
    models: Sequence[ModelToScore],
    request: ScoreRequest,
    results: Path,
    runner: Runner | None = None,
    plan: Callable[[int], None] = lambda total: None,
    advance: Callable[[int], None] = lambda done: None,
    *,
    engine: LikelihoodEngine | None = None,
) -> tuple[ModelScores, ...]:
    """The figures of each model, in their order; a model that fails leaves the others.

    Args:
        models: Those to score.
        request: Release, languages, protocols and seed.
        results: The workspace's folder of results.
        runner: What does the tasks; None does them in this process.
        plan: Told how many items there are.
        advance: Told how many more items are done.
        engine: The engine of the one model, if it is open already.

    Raises:
        ReleaseError: if the release has no such language.
        InputError: if a row cannot be scored.
        EngineError: if there is nothing to run tasks on.
        UnwritableError: if a shard cannot be written; nothing more is scored then.
    """
    items = plan_items(request.release, request.languages, request.texts)
    refuse_unknown_stereotypes(items, request.inventory)
    plan(len(items.variants.items) * len(models))
    chosen = runner or InlineRunner(lambda task: items.items_of(task.key.language), engine)
    works = [_begin(model, request, items, results, chosen.name) for model in models]
    try:
        _score_missing(works, request, items, results, chosen, advance)
        resampling = build_resampling(items.variants.items, seed=request.seed, draws=request.draws)
        return tuple(_conclude(work, request, items, results, resampling) for work in works)
    except BaseException:
        for work in works:
            # Where there is no room for the log, what ended the run is still what is told.
            with suppress(OSError):
                if work.log.state == "running":
                    work.log.finish("interrupted")
        raise


def _begin(
    model: ModelToScore, request: ScoreRequest, items: ItemPlan, results: Path, runner: str
) -> _Work:
    keys = {code: items.key_of(model.identity, code) for code in request.languages}
    folder = result_folder(results, describe_inputs(request, items, keys))
    about = {
        "model": model.identity.model_id,
        "revision": model.identity.revision,
        "release": request.release.version,
        "runner": runner,
    }
    shards = {
        code: {
            "file": str(shard_path(shards_folder(results), key).relative_to(results)),
            "items": len(items.items_of(code)),
            "state": MISSING,
        }
        for code, key in keys.items()
    }
    log = RunLog(folder, about, shards)
    log.start()
    return _Work(model, keys, log, {})


def _score_missing(
    works: Sequence[_Work],
    request: ScoreRequest,
    items: ItemPlan,
    results: Path,
    runner: Runner,
    advance: Callable[[int], None],
) -> None:
    """Scores every shard that is not there, and logs what became of each."""
    tasks: dict[ShardTask, _Work] = {}
    for work in works:
        for code, key in work.keys.items():
            task = _task(work.model, key, request, items, results)
            if not task.items:
                work.gaps[code] = "The release has no row of this language that can be scored."
                work.log.note(code, FAILED, work.gaps[code])
            elif is_complete(task.path, key):
                advance(task.items)
                work.log.note(code, KEPT)
            else:
                tasks[task] = work
    for outcome in runner.run(list(tasks), advance):
        work, code = tasks[outcome.task], outcome.task.key.language
        if outcome.problem is None:
            work.log.note(code, SCORED)
        else:
            work.gaps[code] = outcome.problem
            work.log.note(code, FAILED, outcome.problem)


def _task(
    model: ModelToScore, key: ShardKey, request: ScoreRequest, items: ItemPlan, results: Path
) -> ShardTask:
    return ShardTask(
        choice=model.choice,
        key=key,
        items=len(items.items_of(key.language)),
        shards=shards_folder(results).resolve(),
        release=request.release.path.resolve(),
        edition=request.edition,
        items_of=request.items_of.path.resolve() if request.items_of else None,
        terminated=request.texts.terminated,
    )


def _conclude(
    work: _Work, request: ScoreRequest, items: ItemPlan, results: Path, resampling: Resampling
) -> ModelScores:
    """Computes and stores the figures of a model."""
    complete = {code: key for code, key in work.keys.items() if code not in work.gaps}
    if not complete:
        work.log.finish("failed")
        return ModelScores(work.model, None, work.gaps)
    records: dict[str, RunRecord] = {}
    figures: list[tuple[Figure, str]] = []
    for code, key in complete.items():
        shard = read_shard(shard_path(shards_folder(results), key), key)
        records[code] = shard.record
        r_error = read_r_error(shard.record, key.dtype)
        figures += compute_figures(shard.pairs, key, request, items.mark, resampling, r_error)
    manifest = build_manifest(
        request,
        items,
        work.keys,
        records,
        work.gaps,
        (signature for _, signature in figures),
        work.model.metadata,
    )
    write_result(work.log.folder, manifest, figures, "score", manifest["release_sha256"])
    work.log.finish("incomplete" if work.gaps else "complete")
    result = ScoreResult(work.log.folder, tuple(figure for figure, _ in figures), manifest)
    return ModelScores(work.model, result, work.gaps)


def compute_figures(
    pairs: Iterable[PairScores],
    key: ShardKey,
    request: ScoreRequest,
    mark: str,
    resampling: Resampling,
    r_error: float | None = None,
) -> list[tuple[Figure, str]]:
    """Each figure of one language with its signature."""
    known = tuple(pairs)
    found: list[tuple[Figure, str]] = []
    for protocol in request.protocols:
        for condition in CONDITIONS:
            chosen = select_pairs(known, condition)
            if not chosen:
                continue
            signature = build_signature(
                key,
                release=request.release.version,
                items=mark,
                protocol=protocol,
                condition=str(condition),
                inventory=request.inventory,
                resampling=resampling,
                r_error=r_error,
            )
            measures = compute_measures(
                compute_values(chosen, protocol),
                protocol,
                request.inventory,
                resampling=resampling,
                r_error=r_error,
                scope=(
                    ("model", key.model_id),
                    ("language", key.language),
                    ("protocol", protocol.name),
                    ("condition", str(condition)),
                ),
            )
            found += [(figure, str(signature)) for figure in measures.figures]
    return found

"""How fast the likelihood engine is beside other ways to the same numbers, on this machine.

Usage: python -m benchmarks.likelihood [--items 400] [--runs 3] [--threads N] [--device cpu]
           [--dtype float32] [--shape NAME …] [--model NAME …] [--data DIR] [--output FILE]
       python -m benchmarks.likelihood --planning 300000

Compared in one process are the engine, the published loop (one sentence at a time, without the
text it also generates), padded batches of 32 and, where `lm_eval` is installed, the harness's own
model class with batches of 8 and of 32, the better of which counts. All see the same texts, begun
by a begin-of-sequence token, and their numbers are compared with each other and, for some texts,
with float64. Without --model three random models of realistic shape are built in a temporary
folder. The methods take turns; a ratio is the median over the runs. On a shared machine ratios,
and ratios of processor seconds, mean more than seconds.

The share of the matmul peak counts what no exact method can leave out: each distinct beginning of
a text once, whatever a method computes, against the best of a few large matrix products just
before. --planning measures the engine's tokenising and planning alone, on the largest vocabulary.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Read once at import; nothing here is to be fetched while times are taken.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")

from benchmarks.likelihood_items import (
    Sentences,
    build_items,
    build_texts_at_scale,
    describe,
    find_data,
    load_sentences,
)
from benchmarks.likelihood_meter import (
    Measured,
    Peak,
    count_flops,
    count_nodes,
    describe_machine,
    measure,
    measure_peak,
)
from benchmarks.likelihood_methods import (
    ENGINE,
    LOOP,
    Method,
    PlainModel,
    Scores,
    build_methods,
    counting_positions,
    load_plain_model,
    score_in_float64,
)
from benchmarks.likelihood_models import SHAPES, build_checkpoint, build_tokenizer
from engines.likelihood.causal import load_causal_engine, pick_device
from engines.likelihood.packing import plan_packs
from engines.likelihood.paths import CPU_PACK_NODES
from engines.likelihood.protocol import Bos
from engines.likelihood.tokenising import tokenise_texts

WARM_UP_TEXTS = 16
REFERENCE_TEXTS = 24
"""Texts that are also scored in float64, evenly from all."""
LARGEST_DEVIATION_NATS = 1e-4
"""Beyond this the engine's numbers are wrong in float32, and the benchmark fails."""
MEGABYTE = 1_000_000


@dataclass
class Runs:
    """What was measured of one method."""

    method: Method
    measured: list[Measured] = field(default_factory=list)
    positions: int = 0
    scores: Scores = field(default_factory=list)

    @property
    def wall_s(self) -> float:
        """Median of the runs."""
        return statistics.median(each.wall_s for each in self.measured)


@dataclass(frozen=True, slots=True)
class Workload:
    """The texts with their tokens, and their scores in float64 by index."""

    texts: list[str]
    token_lists: list[list[int]]
    reference: dict[int, tuple[float, ...]]


def compare_methods(
    name: str, label: str, texts: list[str], given: argparse.Namespace
) -> dict[str, Any]:
    """Return the report on one model."""
    chosen = range(0, len(texts), max(1, len(texts) // REFERENCE_TEXTS))
    exact = score_in_float64(name, [texts[k] for k in chosen], given.device)
    plain = load_plain_model(name, given.dtype, given.device)
    engine = load_causal_engine(name, dtype=given.dtype, device=given.device, bos=Bos.ALWAYS)
    work = Workload(texts, plain.encode(texts), dict(zip(chosen, exact, strict=True)))
    found = [list(each.token_ids) for each in engine.score(texts[:WARM_UP_TEXTS])]
    if found != work.token_lists[:WARM_UP_TEXTS]:
        raise SystemExit(f"{label}: the engine does not score the tokens that the others score.")
    runs = [Runs(method) for method in build_methods(engine, plain)]
    for each in runs:
        each.method.score(texts[:WARM_UP_TEXTS])
    peaks = []
    for _ in range(given.runs):
        peaks.append(measure_peak(given.device, given.dtype))
        for each in runs:
            run_once(each, work, plain, given.device)
    report = report_model(label, plain, runs, work, peaks)
    return report | {"run_record": dict(engine.run_record())}


def run_once(runs: Runs, work: Workload, plain: PlainModel, device: str) -> None:
    """Measure one run of a method and keep its answer."""
    with counting_positions(plain.vocabulary_size) as positions:
        measured, runs.scores = measure(lambda: runs.method.score(work.texts), device)
    runs.positions = sum(positions)
    runs.measured.append(measured)
    print(f"  {runs.method.name}: {measured.wall_s:.1f} s", file=sys.stderr, flush=True)


def report_model(
    label: str, plain: PlainModel, runs: Sequence[Runs], work: Workload, peaks: Sequence[Peak]
) -> dict[str, Any]:
    """Return what is printed and written about one model."""
    by_length = count_nodes(work.token_lists)
    flops = count_flops(plain.model, by_length)
    engine, loop = (next(r for r in runs if r.method.name == name) for name in (ENGINE, LOOP))
    harness = min((r for r in runs if not r.method.per_token), key=lambda r: r.wall_s, default=None)
    return {
        "model": label,
        "parameters": sum(weight.numel() for weight in plain.model.parameters()),
        "vocabulary": plain.vocabulary_size,
        "tokens": sum(map(len, work.token_lists)),
        "unique_trie_nodes": sum(by_length),
        "unique_teraflops": flops / 1e12,
        "matmul_peak_gigaflops": [peak.per_second / 1e9 for peak in peaks],
        "times_loop": ratio(loop, engine, "wall_s"),
        "times_loop_processor": ratio(loop, engine, "processor_s"),
        "best_of_harness": harness and harness.method.name,
        "times_harness": harness and ratio(harness, engine, "wall_s"),
        "times_harness_processor": harness and ratio(harness, engine, "processor_s"),
        "methods": [report_method(each, loop, work, flops, peaks) for each in runs],
    }


def ratio(slower: Runs, faster: Runs, name: str) -> float:
    """Return the median over the runs of how many times as long the first takes."""
    pairs = zip(slower.measured, faster.measured, strict=True)
    shares = [getattr(one, name) / getattr(other, name) for one, other in pairs]
    return float(statistics.median(shares))


def report_method(
    runs: Runs, loop: Runs, work: Workload, flops: int, peaks: Sequence[Peak]
) -> dict[str, Any]:
    """Return the figures of one method."""
    extra = [each.extra_bytes for each in runs.measured if each.extra_bytes is not None]
    pairs = list(zip(runs.measured, peaks, strict=True))
    everywhere = dict(enumerate(loop.scores))
    return {
        "method": runs.method.name,
        "seconds": [each.wall_s for each in runs.measured],
        "processor_seconds": [each.processor_s for each in runs.measured],
        "seconds_median": runs.wall_s,
        "times_as_fast_as_loop": ratio(loop, runs, "wall_s"),
        "tokens_computed": runs.positions,
        "share_of_peak": statistics.median(flops / m.wall_s / p.per_second for m, p in pairs),
        "share_of_peak_processor": statistics.median(
            flops / m.processor_s / p.per_processor_second for m, p in pairs
        ),
        "extra_megabytes_by_run": [each / MEGABYTE for each in extra],
        "extra_megabytes": statistics.median(extra) / MEGABYTE if extra else None,
        "off_float64": compute_deviations(runs, work.reference),
        "off_loop": compute_deviations(runs, everywhere),
    }


def compute_deviations(runs: Runs, wanted: dict[int, tuple[float, ...]]) -> dict[str, float | None]:
    """Return the largest differences in nats, per token and of the means over a text's tokens."""
    tokens = [
        abs(one - other)
        for k, values in wanted.items()
        if runs.method.per_token
        for one, other in zip(runs.scores[k], values, strict=True)
    ]
    means = [
        abs(sum(runs.scores[k]) - sum(values)) / len(values)
        for k, values in wanted.items()
        if values
    ]
    return {"per_token": max(tokens, default=None), "mean": max(means, default=None)}


def measure_planning(count: int, sentences: Sentences) -> dict[str, Any]:
    """Return how long tokenising and planning so many variants takes."""
    shape = max(SHAPES.values(), key=lambda each: each.vocabulary)
    tokenizer = build_tokenizer(shape, sentences.texts)
    texts = build_texts_at_scale(sentences, count)
    tokenising, token_lists = measure(lambda: tokenise_texts(tokenizer, texts), "cpu")
    planning, packs = measure(
        lambda: [pack.size for pack in plan_packs(token_lists, CPU_PACK_NODES)], "cpu"
    )
    return {
        "variants": len(texts),
        "vocabulary": shape.vocabulary,
        "tokens": sum(map(len, token_lists)),
        "nodes": sum(packs),
        "packs": len(packs),
        "tokenising_s": tokenising.wall_s,
        "planning_s": planning.wall_s,
        "together_s": tokenising.wall_s + planning.wall_s,
        "tokenising_processor_s": tokenising.processor_s,
        "planning_processor_s": planning.processor_s,
    }


def run_models(
    given: argparse.Namespace, sentences: Sentences, report: dict[str, Any]
) -> dict[str, Any]:
    """Return the report with all models and the medians over them; written after each model."""
    items = build_items(sentences, given.items)
    texts = [text for item in items for text in item.texts]
    reports: list[dict[str, Any]] = []
    report = report | {"items": describe(items), "models": reports}
    for name in given.model or given.shape or SHAPES:
        print(f"{name}: {len(texts)} texts", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            where = name
            if not given.model:
                where = str(build_checkpoint(SHAPES[name], sentences.texts, Path(folder)))
            reports.append(compare_methods(where, name, texts, given))
        print_model(reports[-1])
        write_report(report, given.output)
    for key in ("times_loop", "times_harness"):
        found = [each[key] for each in reports if each[key] is not None]
        report[key] = {"median": statistics.median(found), "least": min(found)} if found else None
    return report


def write_report(report: dict[str, Any], output: Path) -> None:
    """Write the report as JSON."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def print_model(report: dict[str, Any]) -> None:
    """Print a model's table."""
    print(
        f"\n{report['model']}: {report['parameters'] / 1e6:.0f} million parameters, vocabulary "
        f"{report['vocabulary']:,}, {report['tokens']:,} tokens, {report['unique_trie_nodes']:,} "
        f"distinct trie nodes, matmul peak {max(report['matmul_peak_gigaflops']):,.0f} GFLOP/s"
    )
    print("In brackets: the same by processor seconds. Δ: largest deviation from float64 in nats.")
    head = ("method", "s", "", "× loop", "tokens", "of peak", "", "MB", "Δ token", "Δ mean")
    print("{:32}{:>8}{:>10}{:>8}{:>9}{:>9}{:>7}{:>7}{:>9}{:>9}".format(*head))
    for each in report["methods"]:
        off = each["off_float64"]
        token, mean = (f"{v:.1e}" if v is not None else "–" for v in off.values())
        memory = f"{each['extra_megabytes']:,.0f}" if each["extra_megabytes"] is not None else "–"
        processor = f"({statistics.median(each['processor_seconds']):.1f})"
        share = f"({each['share_of_peak_processor']:.0%})"
        print(
            f"{each['method']:32}{each['seconds_median']:>8.1f}{processor:>10}"
            f"{each['times_as_fast_as_loop']:>8.2f}{each['tokens_computed']:>9,}"
            f"{each['share_of_peak']:>9.0%}{share:>7}{memory:>7}{token:>9}{mean:>9}"
        )
    print(f"The engine ({report['run_record'].get('path')}) is ", end="")
    print(
        f"{report['times_loop']:.2f} × ({report['times_loop_processor']:.2f}) as fast as the loop",
        end="",
    )
    if report["times_harness"] is None:
        print("; lm_eval is not installed, so the harness was left out.", flush=True)
    else:
        print(
            f", {report['times_harness']:.2f} × ({report['times_harness_processor']:.2f}) as "
            f"{report['best_of_harness']}.",
            flush=True,
        )


def find_fault(report: dict[str, Any]) -> str | None:
    """Return what is wrong with the engine's numbers: a fast wrong number is none."""
    if report["dtype"] != "float32":
        return None
    for model in report.get("models", ()):
        off = model["methods"][0]["off_float64"]["per_token"]
        if not off <= LARGEST_DEVIATION_NATS:
            return f"{model['model']}: the engine is off by {off:.1e} nats, more than it may be."
    return None


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options, the device chosen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=400, help="sentences; at least 400 to quote")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, help="of torch; all cores by default")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps or auto")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--shape", nargs="+", choices=SHAPES, help="only these random models")
    parser.add_argument("--model", nargs="+", help="real models, by name or path, instead")
    parser.add_argument("--data", type=Path, help="folder of the third-party test data")
    parser.add_argument("--sample", action="store_true", help="the bundled sample in any case")
    parser.add_argument("--planning", type=int, metavar="N", help="plan N variants, no more")
    parser.add_argument("--output", type=Path, default=Path("build/likelihood-benchmark.json"))
    given = parser.parse_args(arguments)
    given.device = pick_device(given.device)
    return given


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark, print tables and write the JSON."""
    given = parse_arguments(arguments)
    import torch
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    if given.threads:
        torch.set_num_threads(given.threads)
    sentences = load_sentences(None if given.sample else given.data or find_data())
    report: dict[str, Any] = {
        "machine": describe_machine(given.device),
        "sentences": sentences.origin,
        "dtype": given.dtype,
    }
    if given.planning:
        report["planning"] = measure_planning(given.planning, sentences)
        print(json.dumps(report["planning"], indent=2))
    else:
        report = run_models(given, sentences, report)
    report["load_average_at_end"] = os.getloadavg()[0]
    write_report(report, given.output)
    print(f"\nWritten: {given.output}")
    if fault := find_fault(report):
        raise SystemExit(fault)


if __name__ == "__main__":
    main()

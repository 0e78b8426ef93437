"""How fast the likelihood engine is against scoring one sentence at a time, on this machine.

Usage: python benchmarks/likelihood.py [--model NAME] [--device auto] [--items 120] [--runs 3]

Run it on the machine you score on; with a GPU, give a model that fits it. Without --model a random
model of 25 million parameters is built. Both methods run in turn in one process, and the ratio of
their times is printed run by run: absolute seconds on a shared machine mean little. The largest
difference between their log-probabilities is printed with it, because a fast wrong number is none.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus.languages import TemplateKind
from corpus.languages import language as find_language
from corpus.samples import sentences_path
from corpus.templates import render, template_for
from engines.likelihood.causal import CausalEngine, load_causal_engine
from pipeline.sources import load_sources


def build_texts(items: int) -> list[str]:
    """Return both variants of the sample's English sentences in the noun and pronoun template."""
    english = find_language("en")
    templates = [template_for(english, kind) for kind in TemplateKind]
    sources = load_sources(sentences_path()).sources
    pairs = [render(template, source.text) for template in templates for source in sources]
    return [text for pair in pairs[:items] for text in pair]


def build_model(folder: Path, texts: list[str]) -> Path:
    """Return a random model large enough that arithmetic and not overhead decides."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    from engines.tiny_model import VOCABULARY_SIZE, build_tiny_model

    build_tiny_model(folder, texts)
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=VOCABULARY_SIZE,
        n_embd=512,
        n_layer=8,
        n_head=8,
        n_positions=256,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(config).save_pretrained(str(folder))
    return folder


def score_alone(engine: CausalEngine, texts: list[str]) -> list[tuple[float, ...]]:
    """Return the log-probabilities of each text, scored by itself."""
    return [next(engine.score([text])).logprobs_nats for text in texts]


def score_batched(engine: CausalEngine, texts: list[str]) -> list[tuple[float, ...]]:
    """Return the same from the engine's own batches."""
    return [scores.logprobs_nats for scores in engine.score(texts)]


def time_once(method: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds and result of one call, everything queued on a GPU included."""
    import torch

    start = time.perf_counter()
    result = method()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start, result


def main() -> None:
    """Run the benchmark and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    texts = build_texts(arguments.items)
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model or str(build_model(Path(folder), texts))
        engine = load_causal_engine(model, dtype=arguments.dtype, device=arguments.device)
    score_batched(engine, texts[:8])
    ratios, seconds = [], []
    for _ in range(arguments.runs):
        alone_s, alone = time_once(lambda: score_alone(engine, texts))
        batched_s, batched = time_once(lambda: score_batched(engine, texts))
        ratios.append(alone_s / batched_s)
        seconds.append({"one_at_a_time_s": alone_s, "batched_s": batched_s})
    deviation = max(
        abs(one - other)
        for first, second in zip(alone, batched, strict=True)
        for one, other in zip(first, second, strict=True)
    )
    report = {
        "machine": platform.platform(),
        "device": str(engine.device),
        "dtype": engine.dtype,
        "model": engine.model_id if arguments.model else "random GPT-2, 25 million parameters",
        "texts": len(texts),
        "runs": seconds,
        "ratio_median": statistics.median(ratios),
        "ratios": ratios,
        "largest_deviation_nats": deviation,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()

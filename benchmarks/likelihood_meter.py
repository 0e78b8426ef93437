"""What the likelihood benchmark measures beside numbers: time, memory, arithmetic, machine."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

STATUS = Path("/proc/self/status")
CPUINFO = Path("/proc/cpuinfo")
PEAK_REPEATS = 5
SAMPLE_S = 0.01
MATRIX_ROWS = {"cpu": 2048, "cuda": 8192, "mps": 4096}
PACKAGES = ("stereoscope", "torch", "transformers", "tokenizers", "numpy", "lm_eval")


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a method."""

    wall_s: float
    processor_s: float
    """Of all threads of this process."""
    extra_bytes: int | None
    """Highest memory in use less that before; None where it cannot be told.

    Of a process's first large run also what libraries keep from then on."""


def measure(run: Callable[[], Any], device: str) -> tuple[Measured, Any]:
    """Return what a call takes, everything queued on a GPU included, and its result."""
    with _watched_memory(device) as memory:
        wall, processor = time.perf_counter(), time.process_time()
        result = run()
        synchronise(device)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return Measured(wall, processor, memory.extra_bytes), result


def synchronise(device: str) -> None:
    """Wait until the device has done what it was given."""
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device == "mps":
        torch.mps.synchronize()


@dataclass
class _Memory:
    extra_bytes: int | None = None


@contextmanager
def _watched_memory(device: str) -> Iterator[_Memory]:
    """What is filled with the highest memory in use within it, less that at its beginning."""
    import torch

    found = _Memory()
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
        base = torch.cuda.memory_allocated(device)
        yield found
        found.extra_bytes = torch.cuda.max_memory_allocated(device) - base
        return
    # Memory that was freed but kept would hide what the next method needs.
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    start = _read_memory() if device == "cpu" else None
    if start is None:
        yield found
        return
    ended = Event()
    highest = [start]

    def sample() -> None:
        while not ended.wait(SAMPLE_S):
            highest[0] = max(highest[0], _read_memory() or 0)

    sampler = Thread(target=sample)
    sampler.start()
    try:
        yield found
    finally:
        ended.set()
        sampler.join()
    found.extra_bytes = max(highest[0], _read_memory() or 0) - start


def _read_memory() -> int | None:
    """Bytes of this process that no file lies behind.

    Weights are read from their file by the page: which of those pages are in memory at a moment is
    for the system to decide, and is nothing that a method needs.
    """
    if not STATUS.exists():
        return None
    found = re.search(r"^RssAnon:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)
    return 1024 * int(found[1]) if found else None


@dataclass(frozen=True, slots=True)
class Peak:
    """FLOPs of a large matrix product, the best of a few."""

    per_second: float
    per_processor_second: float
    """What a core gives while it computes, whoever else uses the machine."""


def measure_peak(device: str, dtype: str) -> Peak:
    """Return the peak of the device in this number type."""
    import torch

    rows = MATRIX_ROWS[device.partition(":")[0]]
    one, other = (torch.randn(rows, rows, device=device).to(getattr(torch, dtype)) for _ in "ab")
    runs = [measure(lambda: one @ other, device)[0] for _ in range(PEAK_REPEATS)]
    flops = 2 * rows**3
    return Peak(
        max(flops / run.wall_s for run in runs),
        max(flops / max(run.processor_s, 1e-9) for run in runs),
    )


def count_nodes(token_lists: Iterable[Sequence[int]]) -> list[int]:
    """Return how many different beginnings there are of 1, 2, … tokens, whole texts left out.

    Each is a position that a model must compute once; their sum is the least that any exact
    method can do.
    """
    children: dict[tuple[int, int], int] = {}
    by_length: list[int] = []
    for tokens in token_lists:
        node = 0
        for depth, token in enumerate(tokens[:-1]):
            known = children.get((node, token))
            if known is None:
                known = children[node, token] = len(children) + 1
                if depth == len(by_length):
                    by_length.append(0)
                by_length[depth] += 1
            node = known
    return by_length


def count_flops(model: Any, nodes_by_length: Sequence[int]) -> int:
    """Return the FLOPs of these nodes: weights, attention to ancestors, and the head, once each."""
    import torch

    config = model.config.get_text_config()
    head = model.get_output_embeddings()
    matrices = [
        module.weight.numel()
        for module in model.modules()
        if module is not head
        and not isinstance(module, torch.nn.Embedding)
        and isinstance(getattr(module, "weight", None), torch.Tensor)
        and module.weight.dim() == 2
    ]
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    per_node = 2 * (sum(matrices) + head.weight.numel())
    per_ancestor = 4 * config.num_hidden_layers * heads * width
    ancestors = sum(length * n for length, n in enumerate(nodes_by_length, start=1))
    return int(per_node * sum(nodes_by_length) + per_ancestor * ancestors)


def describe_machine(device: str) -> dict[str, Any]:
    """Return what the figures depend on: processor, cores, threads, load, device and versions."""
    import torch

    cpuinfo = CPUINFO.read_text() if CPUINFO.exists() else ""
    found = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    return {
        "platform": platform.platform(),
        "processor": found[1] if found else platform.processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load_average": os.getloadavg()[0],
        "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else device,
        "python": platform.python_version(),
        "versions": {name: _find_version(name) for name in PACKAGES},
    }


def _find_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None

"""What is done where a device has no room for a forward pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from corpus.errors import EngineError
from engines.checkpoints import is_out_of_memory

Computed = TypeVar("Computed")


def compute_or_free(compute: Callable[[], Computed], *, divisible: bool) -> Computed | None:
    """What is computed; None, with the memory given back, if there was no room for it.

    Args:
        compute: A forward pass.
        divisible: Whether smaller ones can take its place; if not, what it raises is raised.
    """
    try:
        return compute()
    except Exception as error:
        if not is_out_of_memory(error) or not divisible:
            raise
    # Outside of the handler, so that nothing holds on to the memory of the failed pass.
    _free_memory()
    return None


@contextmanager
def needing_room(model: str, device: str) -> Iterator[None]:
    """Raises an EngineError that says what to do if the block runs out of memory."""
    try:
        yield
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        _free_memory()
        raise EngineError(
            f"There is no room on {device} to score even one text with the model {model}: use a "
            "device with more memory, --device-map auto for several cards, or --dtype bfloat16."
        ) from error


def _free_memory() -> None:
    """Gives back what the allocator of a graphics card keeps for later."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()

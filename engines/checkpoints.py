"""What identifies a model of a hub or folder, and why one cannot be loaded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from corpus.errors import EngineError
from corpus.hashing import sha256_file, sha256_json

WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
"""Files of which a model on the hub has one; the others are parts that an index names."""
FILES_KNOWN = 1024
"""Files whose hash a process remembers."""


def name_checkpoint(name: str) -> str:
    """The hub's name, or the folder's own: a path says where a model lies, not which it is."""
    folder = Path(name)
    return folder.resolve().name if folder.is_dir() else name


def load_config(name: str, revision: str | None = None) -> Any:
    """The settings of a model of a hub or folder.

    Raises:
        EngineError: one sentence, if it is missing, gated, or holds what no model can be made of.
    """
    from huggingface_hub.errors import StrictDataclassError
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(name, revision=revision, trust_remote_code=False)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        ImportError,
        RuntimeError,
        StrictDataclassError,
    ) as error:
        raise EngineError(explain_failure(name, error)) from error


def identify_checkpoint(name: str, config: Any, patterns: Sequence[str]) -> str:
    """The hub's commit, or a hash over those files of a local folder that fit the patterns.

    A process reads a file once, as long as it stays the same file.

    Raises:
        EngineError: if a file of the folder cannot be read.
    """
    folder = Path(name)
    if not folder.is_dir():
        return str(getattr(config, "_commit_hash", None) or "unknown")
    files: list[Path] = []
    for pattern in patterns:
        files.extend(sorted(folder.glob(pattern)))
    try:
        return "sha256:" + sha256_json([[file.name, _hash_file(file)] for file in files])
    except OSError as error:
        raise EngineError(
            f"A file of the model {name} cannot be read ({error.strerror}): {error.filename}"
        ) from error


def _hash_file(file: Path) -> str:
    seen = file.stat()
    marks = (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
    return _hash_once(file.resolve(), marks)


@lru_cache(maxsize=FILES_KNOWN)
def _hash_once(file: Path, _marks: tuple[int, ...]) -> str:
    return sha256_file(file)


def check_weights(name: str, config: Any) -> None:
    """Returns nothing if a model's weights are here or can still be asked for.

    Raises:
        EngineError: one sentence, if a folder holds none, or the hub is switched off and they were
            never downloaded.
    """
    from huggingface_hub import constants, try_to_load_from_cache

    folder = Path(name)
    if folder.is_dir():
        if not any(path for kind in ("*.safetensors", "*.bin") for path in folder.glob(kind)):
            raise EngineError(
                f"The folder {name} does not hold a model that can be loaded: it has a config.json "
                "but no weights (*.safetensors or *.bin)."
            )
        return
    commit = getattr(config, "_commit_hash", None)
    found = (try_to_load_from_cache(name, file, revision=commit) for file in WEIGHTS)
    if constants.HF_HUB_OFFLINE and not any(isinstance(path, str) for path in found):
        raise EngineError(
            f"The weights of the model {name} were not found locally, and the hub is switched off "
            "(HF_HUB_OFFLINE): download them while the network is open, or give the path of a "
            "local copy."
        )


def check_device(device: str) -> None:
    """Returns nothing if PyTorch can compute on a device: `cpu`, `cuda`, `cuda:1`, `mps`.

    Raises:
        EngineError: one sentence saying that it is not there and what to do.
    """
    import torch

    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise EngineError(
            f"The device {device} cannot be used by the PyTorch that is installed here: set device "
            "to auto or cpu, or install a PyTorch that knows it."
        ) from error


def explain_failure(name: str, error: BaseException) -> str:
    """One sentence for a failed load: not there, gated, unreachable, broken, or too much."""
    if is_out_of_memory(error):
        return (
            f"There is no room in memory for the model {name}: use a device with more or a smaller "
            "model; for scoring, --dtype bfloat16 or --device-map auto (several cards), too."
        )
    if wants_own_code(error):
        return (
            f"The model {name} needs program code that comes with it (trust_remote_code), which is "
            "never run here: choose a model of an architecture that transformers knows."
        )
    if "does not recognize this architecture" in str(error):
        return (
            f"The model {name} is of an architecture that the installed transformers does not "
            "know: choose another model."
        )
    if isinstance(error, ImportError):
        # Quantised checkpoints and some architectures want packages of their own.
        return (
            f"The model {name} needs a package that is not installed: {_first_line(error)} Install "
            "it, or choose a checkpoint that needs none (not quantised)."
        )
    if Path(name).is_dir():
        return (
            f"The folder {name} does not hold a model that can be loaded: it needs a valid "
            "config.json and weights (safetensors) of a model that transformers knows "
            f"(the loader says: {_first_sentence(error)})."
        )
    causes = _cause_names(error)
    if "GatedRepoError" in causes:
        return (
            f"The model {name} is gated on the hub: accept its terms there and set HF_TOKEN, "
            "or give the path of a local copy."
        )
    if causes & {"RepositoryNotFoundError", "HFValidationError", "RevisionNotFoundError"}:
        return (
            f"The model {name} was found neither as a folder here nor on the hub: check the name "
            "or path (and HF_TOKEN, if the model is private)."
        )
    return (
        f"The model {name} was not found locally, and the hub could not be asked for it: give the "
        "path of a local copy, or download it while the network is open (HF_HUB_OFFLINE unset)."
    )


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device or the machine had no room for a tensor."""
    import torch

    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    signs = ("out of memory", "not enough memory", "can't allocate memory")
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in signs)


def wants_own_code(error: BaseException) -> bool:
    """Whether a checkpoint was not loaded because code that comes with it would have to run."""
    return "trust_remote_code" in str(error)


def _first_line(error: BaseException) -> str:
    line = str(error).strip().split("\n")[0].strip()
    return line if line.endswith(".") else f"{line}."


def _first_sentence(error: BaseException) -> str:
    said = _first_line(error).split(". ")[0].rstrip(".")
    return said or type(error).__name__


def _cause_names(error: BaseException | None) -> set[str]:
    names: set[str] = set()
    while error is not None:
        names.update(kind.__name__ for kind in type(error).__mro__)
        error = error.__cause__ or error.__context__
    return names

"""Scores translations with COMET, in an environment of its own: JSON lines in, JSON lines out.

Run as a script by `engines/comet.py` with Python 3.11 or 3.12; needs nothing but `unbabel-comet`
(and the hub client that comes with it) and the standard library, and imports nothing of the
product.

First line out: `{"ready": true, "model": …, "revision": …, "comet": …}` or an error. Then, for
each line in, `{"id": …, "pairs": [[source, translation], …]}`, one line out: `{"id": …, "model": …,
"revision": …, "scores": [number or null, …], "truncated": [true or false, …]}`, in the same order;
`truncated` says that the model read only the beginning of a pair. An error is
`{"id": … or null, "error": code, "message": …}`. The worker ends when its input ends.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any, TextIO

HUB_ACCESS_ERRORS = {"GatedRepoError", "RepositoryNotFoundError"}
"""The hub says 401 or "not found" for a gated model, whether or not it exists."""
SNAPSHOT = re.compile(r"models--.+--(?P<name>[^/]+)/snapshots/(?P<revision>[^/]+)$")
"""Folder of a model in the cache of the hub client."""


class WorkerError(Exception):
    """Something to be reported as an error line, with a code that `engines/comet.py` explains."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def claim_stdout() -> TextIO:
    """The real standard output; whatever a library prints goes to standard error from now on."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return answers


def locate_checkpoint(model: str, offline: bool) -> Path:
    """The checkpoint file of a local file, a local folder or a model on the hub."""
    path = Path(model).expanduser()
    if path.is_dir():
        path = path / "checkpoints" / "model.ckpt"
    if path.is_file():
        return path
    if path.suffix == ".ckpt" or model.startswith((".", "/", "~")) or model.count("/") != 1:
        raise WorkerError("model_missing", f"there is no checkpoint at {model}")
    # comet.download_model turns every failure into one message; the hub's own error is needed.
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(repo_id=model, local_files_only=offline)
    except Exception as error:
        raise WorkerError(hub_error_code(error), f"{type(error).__name__}: {error}") from error
    return Path(folder) / "checkpoints" / "model.ckpt"


def hub_error_code(error: BaseException) -> str:
    """`model_gated` where access is the matter, `model_missing` where it is the network."""
    names = {type(error).__name__}
    if error.__cause__ is not None:
        names.add(type(error.__cause__).__name__)
    return "model_gated" if names & HUB_ACCESS_ERRORS else "model_missing"


def identify_checkpoint(checkpoint: Path) -> tuple[str, str]:
    """Name and revision: the hub's where the cache tells them, else folder name and sha256."""
    folder = checkpoint.absolute().parent
    if folder.name == "checkpoints":
        folder = folder.parent
    snapshot = SNAPSHOT.search(folder.as_posix())
    if snapshot:
        return snapshot["name"], snapshot["revision"]
    digest = hashlib.sha256()
    with checkpoint.open("rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return folder.name, f"sha256:{digest.hexdigest()}"


def load_model(checkpoint: Path, offline: bool) -> Any:
    """The model behind a checkpoint, refused if it wants references."""
    if not (checkpoint.absolute().parents[1] / "hparams.yaml").is_file():
        raise WorkerError("checkpoint_unreadable", "there is no hparams.yaml one folder up")
    try:
        from comet import load_from_checkpoint

        model = load_from_checkpoint(str(checkpoint.absolute()), local_files_only=offline)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise WorkerError("checkpoint_unreadable", message) from error
    if model.requires_references():
        raise WorkerError("needs_references", "the model compares with a reference translation")
    return model


def score_pairs(model: Any, pairs: Any, batch_size: int, gpus: int) -> list[float | None]:
    """One score per pair in the order given; null where the model gives no finite number."""
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in pairs
    ):
        raise WorkerError("bad_request", "pairs must be a list of [source, translation]")
    if not pairs:
        return []
    samples = [{"src": source, "mt": translation} for source, translation in pairs]
    try:
        prediction = model.predict(
            samples, batch_size=batch_size, gpus=gpus, num_workers=0, progress_bar=False
        )
    except Exception as error:
        raise WorkerError("prediction_failed", f"{type(error).__name__}: {error}") from error
    return [float(score) if math.isfinite(score) else None for score in prediction.scores]


def find_truncated(model: Any, pairs: list[list[str]]) -> list[bool]:
    """For each pair, whether the model's encoder has no room for all of its tokens.

    Each text has room for `max_positions - 2` tokens, its two special ones included; where source
    and translation are one sequence, both share `max_positions`, separators included.
    """
    encoder = model.encoder
    room = encoder.max_positions
    shared = room - 1 - 2 * encoder.size_separator
    joined = "input_segments" in model.hparams
    truncated = []
    for pair in pairs:
        counts = [len(encoder.tokenizer(text, verbose=False)["input_ids"]) for text in pair]
        too_long = max(counts) > room - 2
        truncated.append(too_long or (joined and sum(counts) - 2 * len(counts) > shared))
    return truncated


def answer_line(line: str, model: Any, identity: dict[str, str], args: argparse.Namespace) -> Any:
    """The answer to one line of input, an error line included."""
    request_id = None
    try:
        try:
            request = json.loads(line)
            request_id, pairs = request["id"], request["pairs"]
        except (ValueError, KeyError, TypeError) as error:
            raise WorkerError("bad_request", f"not a request: {error}") from error
        scores = score_pairs(model, pairs, args.batch_size, args.gpus)
        truncated = find_truncated(model, pairs)
        return {"id": request_id, **identity, "scores": scores, "truncated": truncated}
    except WorkerError as error:
        return {"id": request_id, "error": error.code, "message": str(error)}


def serve(args: argparse.Namespace, requests: TextIO, answers: TextIO) -> int:
    """Answers until the input ends; returns the exit status."""

    def send(answer: Any) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        # Importing COMET takes seconds; what can be refused without it is refused first.
        if importlib.util.find_spec("comet") is None:
            raise WorkerError("comet_missing", "No module named 'comet'")
        checkpoint = locate_checkpoint(args.model, args.offline)
        name, revision = identify_checkpoint(checkpoint)
        model = load_model(checkpoint, args.offline)
    except WorkerError as error:
        send({"id": None, "error": error.code, "message": str(error)})
        return 1
    identity = {"model": name, "revision": revision}
    send({"ready": True, **identity, "comet": importlib.metadata.version("unbabel-comet")})
    for line in requests:
        send(answer_line(line, model, identity, args))
    return 0


def main() -> int:
    """Reads the arguments and serves over standard input and output."""
    parser = argparse.ArgumentParser(description="Score translations with COMET over JSON lines.")
    parser.add_argument("--model", required=True, help="name on the hub, folder or .ckpt file")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--gpus", type=int, default=0)
    parser.add_argument("--offline", action="store_true", help="use local files only")
    args = parser.parse_args()
    answers = claim_stdout()
    return serve(args, sys.stdin, answers)


if __name__ == "__main__":
    sys.exit(main())

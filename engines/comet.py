"""Estimator `comet`: a COMET model in a worker process with an environment of its own.

The worker (`comet_worker.py`) is started once, on first use, and kept over a run, because loading
COMET takes seconds. It dies with its pipe, so it never outlives the product.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from corpus.errors import EngineError
from engines.line_process import LineProcess
from engines.quality import TRUNCATED, QualityRequest, QualityScore
from engines.quality_models import DEFAULT_MODEL, threshold_of

WORKER_FILE = Path(__file__).with_name("comet_worker.py")
INTERPRETER_VARIABLE = "STEREOSCOPE_COMET_PYTHON"
DEFAULT_INTERPRETER = Path(".venv-comet/bin/python")
"""Relative to the repository root, where `make comet` builds the environment."""

KEPT = "Scores made before are kept"
REMEDIES: dict[str, str] = {
    "comet_missing": "The interpreter {interpreter} has no COMET. Run `make comet`, or name "
    "another interpreter in the settings",
    "model_missing": "The COMET model {model} is not there. Check its name and the network, or "
    "give the path of a local checkpoint (checkpoints/model.ckpt with hparams.yaml one folder up)",
    "model_gated": "No access to the COMET model {model}: it is gated or does not exist. Accept "
    "its licence at huggingface.co/{model} and log in with `hf auth login`, give the path of "
    f"a local checkpoint, or take {DEFAULT_MODEL}, which needs no access",
    "checkpoint_unreadable": "The COMET checkpoint {model} cannot be loaded. It needs hparams.yaml "
    "one folder up and its encoder's tokenizer, local or downloadable",
    "needs_references": "The COMET model {model} needs reference translations. Choose a "
    f"reference-free one, such as {DEFAULT_MODEL}",
    "bad_request": "The COMET worker did not understand a request. Product and worker file must be "
    "of the same version",
    "prediction_failed": f"The COMET model {{model}} failed on a text. {KEPT}; "
    "lower comet_batch_size if memory ran out, then run the command again",
}
"""Error code of the worker → what happened and what to do."""


@dataclass(frozen=True, slots=True)
class CometSettings:
    """How to run COMET."""

    model: str
    """Name on the hub (`Unbabel/wmt22-cometkiwi-da`), or a local folder or `.ckpt` file."""
    interpreter: Path | None = None
    """Python with COMET; None: see `find_interpreter`."""
    batch_size: int = 8
    """Pairs the model scores at once; does not change scores beyond rounding."""
    pairs_per_answer: int = 256
    """Pairs after which scores are handed to the caller to be committed."""
    gpus: int = 0
    """0 or 1; the worker is one process."""
    offline: bool = False
    """Use local files only."""
    start_timeout_s: float = 3600.0
    """Longest wait for the model to be ready, its download included."""
    answer_timeout_s: float = 1800.0
    """Longest wait for the scores of `pairs_per_answer` pairs."""


def find_interpreter(root: Path | None = None) -> Path:
    """The Python that has COMET: variable, then `.venv-comet`, then the product's own.

    Args:
        root: folder with `.venv-comet`; the repository root if None.

    Raises:
        EngineError: if there is none.
    """
    named = os.environ.get(INTERPRETER_VARIABLE)
    if named:
        return Path(named)
    built = (root or WORKER_FILE.parents[1]) / DEFAULT_INTERPRETER
    if built.exists():
        return built
    if importlib.util.find_spec("comet") is not None:
        return Path(sys.executable)
    raise EngineError(
        f"There is no COMET environment: {DEFAULT_INTERPRETER} does not exist. Run `make comet`, "
        f"or name an interpreter in the settings or in {INTERPRETER_VARIABLE}."
    )


class CometEstimator:
    """Scores translations with a COMET model; a context manager that ends its worker."""

    name = "comet"

    def __init__(self, settings: CometSettings) -> None:
        self.settings = settings
        self._interpreter = settings.interpreter
        self._worker: LineProcess | None = None
        self._identity: tuple[str, str] | None = None
        self._requests_sent = 0

    @property
    def model(self) -> str:
        """The model's name without owner or path, as the worker found it; starts the worker."""
        return self.start()[0]

    @property
    def revision(self) -> str:
        """The hub's commit, or `sha256:` and the checkpoint's hash; starts the worker."""
        return self.start()[1]

    @property
    def threshold(self) -> float | None:
        """The threshold calibrated for this model, or None; starts the worker."""
        return threshold_of(self.model)

    def start(self) -> tuple[str, str]:
        """Model name and revision, once the worker is ready; starts it if it is not running.

        Raises:
            EngineError: if interpreter, COMET or model are missing, or the model cannot be used.
        """
        if self._worker is not None and self._identity is not None:
            return self._identity
        self._interpreter = self._interpreter or find_interpreter()
        try:
            self._worker = LineProcess(self._command(), {"TOKENIZERS_PARALLELISM": "false"})
        except OSError as error:
            raise EngineError(
                f"The COMET interpreter {self._interpreter} cannot be started ({error.strerror}). "
                "Run `make comet`, or name another interpreter in the settings."
            ) from error
        answer = self._receive(self._worker, self.settings.start_timeout_s, "getting ready")
        identity = (str(answer.get("model")), str(answer.get("revision")))
        if self._identity is not None and identity != self._identity:
            self.close()
            raise EngineError(
                "The COMET checkpoint changed during the run. Estimate again with one checkpoint."
            )
        self._identity = identity
        return identity

    def _command(self) -> list[str]:
        settings = self.settings
        # -P: the worker's folder holds modules named like its libraries (`comet`, `google`).
        command = [str(self._interpreter), "-P", str(WORKER_FILE), "--model", settings.model]
        command += ["--batch-size", str(settings.batch_size), "--gpus", str(settings.gpus)]
        return [*command, "--offline"] if settings.offline else command

    def estimate(self, pairs: Sequence[QualityRequest]) -> Iterator[list[QualityScore]]:
        """Yields the scores in the order of `pairs`, `pairs_per_answer` at a time.

        Raises:
            EngineError: if the model is missing or fails or its worker dies; what was yielded
                before stays valid, and a later call starts a new worker.
        """
        size = self.settings.pairs_per_answer
        for start in range(0, len(pairs), size):
            yield self._estimate_part(pairs[start : start + size])

    def _estimate_part(self, pairs: Sequence[QualityRequest]) -> list[QualityScore]:
        # COMET averages over a text's tokens: an empty text gives NaN, or fails if it is alone.
        full = [pair for pair in pairs if pair.source.strip() and pair.translation.strip()]
        answers = self._fetch_scores(full) if full else []
        scores = {answer.request: answer for answer in answers}
        return [scores.get(pair, QualityScore(pair, None, "empty")) for pair in pairs]

    def _fetch_scores(self, pairs: Sequence[QualityRequest]) -> list[QualityScore]:
        """The worker's scores in the order of `pairs`."""
        self.start()
        worker = self._worker
        if worker is None:
            raise EngineError("The COMET worker was closed while scoring. Run the command again.")
        self._requests_sent += 1
        texts = [[pair.source, pair.translation] for pair in pairs]
        try:
            worker.send({"id": self._requests_sent, "pairs": texts})
        except OSError as error:
            raise self._failure_of_ended(worker, "scoring") from error
        answer = self._receive(worker, self.settings.answer_timeout_s, "scoring")
        lists = [answer.get("scores", []), answer.get("truncated", [])]
        complete = all(isinstance(each, list) and len(each) == len(pairs) for each in lists)
        if not complete or answer.get("id") != self._requests_sent:
            raise self._failure_of_answer()
        return [_score(*each) for each in zip(pairs, *lists, strict=True)]

    def _receive(self, worker: LineProcess, timeout_s: float, activity: str) -> dict[str, Any]:
        """The worker's next answer; ends the worker on anything that is none."""
        try:
            answer = worker.receive(timeout_s)
        except TimeoutError as error:
            self.close()
            raise EngineError(
                f"The COMET worker did not answer within {timeout_s:g} s of {activity}. {KEPT}; "
                "lower comet_batch_size and run the command again."
            ) from error
        except ValueError as error:
            raise self._failure_of_answer() from error
        if answer is None:
            raise self._failure_of_ended(worker, activity)
        if "error" in answer:
            self.close()
            text = REMEDIES.get(str(answer["error"]), "The COMET worker failed")
            sentence = text.format(model=self.settings.model, interpreter=self._interpreter)
            raise EngineError(f"{sentence}. COMET said: {answer.get('message')}")
        return answer

    def _failure_of_ended(self, worker: LineProcess, activity: str) -> EngineError:
        """The error for a worker that ended by itself; clears it away."""
        complaint = worker.last_complaint()
        self._worker = None
        status = worker.close()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return EngineError(
            f"The COMET worker {how} while {activity} ({complaint}). {KEPT}; free some memory or "
            "lower comet_batch_size, then run the command again."
        )

    def _failure_of_answer(self) -> EngineError:
        """The error for a worker that answers something else; ends it."""
        self.close()
        return EngineError(
            f"The COMET worker of {self._interpreter} answered something unexpected. {KEPT}; run "
            "the command again."
        )

    def close(self) -> None:
        """Ends the worker, if one is running; using the estimator again starts a new one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _score(pair: QualityRequest, score: float | None, truncated: bool) -> QualityScore:
    if score is None:
        return QualityScore(pair, None, "not_finite")
    return QualityScore(pair, score, TRUNCATED if truncated else None)

"""Token log-probabilities of a Hugging Face causal language model.

log P(w_t | w_<t) = logit[w_t] − logsumexp(logits), with what the model itself does to its logits.
Texts are scored as packed prefix trees where the model can take them, side by side or one by one
where it cannot: the parity probe decides before the first text of a call counts.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from corpus.errors import EngineError
from engines.likelihood.head import find_head
from engines.likelihood.loaded_engine import LoadedEngine
from engines.likelihood.loading import LoadedModel, load_causal_model
from engines.likelihood.memory import needing_room
from engines.likelihood.model_kinds import find_position_limit
from engines.likelihood.parity import (
    HALF_PROBED_PAIRS,
    LONGEST_CELLS,
    PROBED_PAIRS,
    UNMEASURED_HALF,
    HalfPrecision,
    choose_path,
    choose_probe,
    looks_ahead,
    measure_half_precision,
)
from engines.likelihood.paths import PackedTree, ScoringPath, Values, WholeTexts
from engines.likelihood.protocol import CAUSAL, Bos, TokenScores
from engines.likelihood.tokenising import tokenise_texts

FLOAT32 = "float32"
DTYPES = (FLOAT32, "bfloat16", "float16")
FLOAT32_EACH_CALL = 2_000_000_000
"""Parameters up to which a model in half precision is compared with float32 at every call; a
larger one, whose loading would take longer than scoring a language, at the first one."""
WINDOW_TEXTS = 2048
"""Texts tokenised, sorted and scored together before the first of them is given back."""

logger = logging.getLogger(__name__)


def pick_device(wanted: str = "auto") -> str:
    """`wanted`, or for `auto` the best of `cuda`, `mps` and `cpu` that is there."""
    import torch

    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def find_memory_bytes() -> float:
    """All memory of the machine; infinite where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


class CausalEngine(LoadedEngine[LoadedModel]):
    """A `LikelihoodEngine` over a transformers causal model; build it with `load_causal_engine`."""

    def __init__(
        self,
        loaded: LoadedModel,
        dtype: str,
        device: str,
        load_float32: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(loaded, dtype, device)
        self._load_float32 = load_float32
        self._limit = find_position_limit(loaded.model)
        self._paths = _find_paths(loaded.model, device)
        self._path: ScoringPath | None = None
        self._parity_error = 0.0
        self._half: HalfPrecision | None = None
        self._seen_causal = False

    @property
    def bos_policy(self) -> str:
        """Whether a begin-of-sequence token comes first, and who put it there."""
        return self._loaded.bos_policy

    @property
    def likelihood(self) -> str:
        """Always `causal`."""
        return CAUSAL

    def run_record(self) -> Mapping[str, str | float]:
        """How the texts of the last call were computed; empty before the first one.

        `path` (see `paths`), `parity_error_nats` (largest deviation from the plain model on its
        probed texts) and `device`; in half precision also `half_precision_error_nats` (of a text's
        mean from float32) and `r_error` (of r_masc): closer figures cannot be told apart. They
        are lacking where the machine has no room for the model in float32: the error is unknown.
        `unknown_token_share` is there if some tokens are the tokenizer's unknown token.
        """
        if self._path is None:
            return {}
        record: dict[str, str | float] = {
            "path": self._path.name,
            "parity_error_nats": self._parity_error,
            "device": self._device,
        }
        if isinstance(self._path, PackedTree):
            record["pack_nodes"] = self._path.max_nodes
        if self._half is not None:
            record |= self._half.as_record()
        return record | self._record_unknown()

    def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
        """The token scores of each text, in the order of `texts`.

        Args:
            texts: An item's two variants stand side by side, as the probe compares them.

        Raises:
            EngineError: if a text is too long, has a token the model does not know, finds no room
                in memory even by itself, or gets a probability that is not a number; the message
                names the text.
        """
        if not texts:
            return
        token_lists = self._tokenise(texts)
        self._probe(token_lists)
        for start in range(0, len(texts), WINDOW_TEXTS):
            window = slice(start, start + WINDOW_TEXTS)
            for text, tokens, found in zip(
                texts[window],
                token_lists[window],
                self._compute(token_lists[window]),
                strict=True,
            ):
                values = found
                if not all(map(math.isfinite, found)):
                    # In a pack, what is no number spreads: the text that it comes from is named.
                    values = self._compute([tokens])[0]
                self._refuse_values(text, values)
                yield TokenScores(tokens, values)

    def _tokenise(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        made = tokenise_texts(self._loaded.tokenizer, texts)
        prefix = self._loaded.prefix
        token_lists = [(*prefix, *tokens) for tokens in made] if prefix else made
        for text, tokens in zip(texts, token_lists, strict=True):
            # The last token is never given to the model: nothing comes after it.
            self._refuse_tokens(text, tokens, self._limit, len(tokens) - 1)
        self._note_unknown(token_lists)
        return token_lists

    def _probe(self, token_lists: Sequence[Sequence[int]]) -> None:
        """Chooses among the ways not given up before the one that these texts allow."""
        half = self._dtype != FLOAT32
        pairs = HALF_PROBED_PAIRS if half else PROBED_PAIRS
        probe = choose_probe(token_lists, pairs, LONGEST_CELLS / self.vocabulary_size)
        plain = self._guard(self._paths[-1], probe)
        if half and self._can_ask_float32():
            found = measure_half_precision(plain, lambda: self._score_float32(probe))
            self._half = found if self._half is None else self._half.worse(found)
        cost = (self._half or UNMEASURED_HALF) if half else None
        if not self._seen_causal:
            self._refuse_lookahead(plain, probe, cost)
        parity = choose_path(self._paths, plain, probe, cost)
        # What failed once is not tried again: a model's shards should be computed alike.
        self._paths = self._paths[self._paths.index(parity.path) :]
        self._path = parity.path
        self._parity_error = parity.error_nats

    def _refuse_lookahead(
        self,
        plain: Sequence[Values],
        probe: Sequence[Sequence[int]],
        half: HalfPrecision | None,
    ) -> None:
        def score(token_lists: Sequence[Sequence[int]]) -> list[Values]:
            return self._guard(self._paths[-1], token_lists)

        looking = looks_ahead(plain, probe, score, half)
        if looking:
            raise EngineError(
                f"The model {self.model_id} ({type(self._loaded.model).__name__}) changes the "
                "probability of a token with what comes after it, so it gives no next-token "
                "probabilities: choose a causal model."
            )
        self._seen_causal = looking is False

    def _can_ask_float32(self) -> bool:
        """Whether the checkpoint is to be loaded in float32 (again) to compare with."""
        if self._load_float32 is None:
            return False
        parameters = int(self._loaded.model.num_parameters())
        if 4 * parameters > find_memory_bytes():
            if self._path is None:
                logger.warning(
                    "No room in memory for %s in float32: how far %s is from it stays unknown.",
                    self.model_id,
                    self._dtype,
                )
            return False
        return self._half is None or parameters <= FLOAT32_EACH_CALL

    def _score_float32(self, probe: Sequence[Sequence[int]]) -> list[Values]:
        """The probe by the same checkpoint in float32, on the CPU, where there is room for it."""
        if self._load_float32 is None:
            raise RuntimeError("no way to load the model in float32")
        return WholeTexts(self._load_float32(), "cpu", 1).score(probe)

    def _compute(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        if self._path is None:
            raise RuntimeError("the probe comes before the first text")
        return self._guard(self._path, token_lists)

    def _guard(self, path: ScoringPath, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        with needing_room(f"{self.model_id} ({self.dtype})", self._device):
            return path.score(token_lists)


def load_causal_engine(
    name: str,
    *,
    dtype: str = FLOAT32,
    device: str = "auto",
    revision: str | None = None,
    bos: Bos = Bos.TOKENIZER,
    device_map: str | None = None,
) -> CausalEngine:
    """An engine for the model `name` (name on the hub or local path), ready to score.

    Args:
        name: name on the hub or path of a local folder.
        dtype: `float32` (default), `bfloat16` or `float16`; never taken from the checkpoint.
        device: `auto`, `cpu`, `cuda` (or `cuda:1`) or `mps`.
        revision: branch, tag or commit on the hub; None is the hub's default branch.
        bos: which texts begin with a begin-of-sequence token.
        device_map: `auto` spreads a model over all cards (and memory) there are; None for `device`.

    Raises:
        EngineError: if the model is missing, gated, not causal or does not fit its tokenizer, or
            has no token to put first.
    """
    if dtype not in DTYPES:
        raise EngineError(f"The dtype {dtype} is not one of {', '.join(DTYPES)}: choose one.")
    chosen = pick_device(device)
    loaded = load_causal_model(name, dtype, chosen, revision, bos, device_map)
    if device_map is not None:
        # Texts enter where the first layer lies.
        chosen = str(loaded.model.device)

    def load_float32() -> Any:
        return load_causal_model(name, FLOAT32, "cpu", revision, bos).model

    return CausalEngine(loaded, dtype, chosen, load_float32)


def _find_paths(model: Any, device: str) -> list[ScoringPath]:
    """All ways of computing, the fastest first."""
    head = find_head(model)
    trees = [PackedTree(model, device, head)] if head else []
    return [
        *trees,
        PackedTree(model, device, None),
        WholeTexts(model, device),
        WholeTexts(model, device, 1),
    ]

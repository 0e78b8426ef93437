"""Sentence embeddings: texts as vectors of length 1, by a sentence-transformers model.

A model counts for the languages that it declares, in its own card or as the user says; of another
one nothing is said. How token vectors become one is the model's own configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from corpus.errors import EngineError
from corpus.languages import load_languages
from corpus.prompt_languages import ADDITIONAL
from engines.checkpoints import check_device, explain_failure, identify_checkpoint, name_checkpoint

FloatArray = npt.NDArray[np.float64]
CARD = "README.md"
MODULES = "modules.json"
PATTERNS = ("*.json", "*.safetensors", "*.bin", "*/config.json", "*/*.safetensors", "*/*.bin")
TEXTS_PER_BATCH = 32


class SentenceEmbedder(Protocol):
    """Makes vectors of sentences."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def revision(self) -> str:
        """Commit of the hub, or hash of a local folder's files."""

    @property
    def languages(self) -> frozenset[str]:
        """Codes of the languages it declares, of those of prompt tests."""

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """The texts as float64 [texts, dimensions], each row of length 1."""


class TransformerEmbedder:
    """Embeds with a sentence-transformers model.

    Args:
        loaded: the model.
        name: its name or folder.
        languages: codes that the user says it knows; None takes what its card declares.
    """

    def __init__(self, loaded: Any, name: str, languages: frozenset[str] | None) -> None:
        self._loaded = loaded
        config = getattr(getattr(loaded[0], "auto_model", None), "config", None)
        self.model = name_checkpoint(name)
        self.revision = identify_checkpoint(name, config, PATTERNS)
        self.languages = read_declared_languages(name) if languages is None else languages

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """The texts as float64 [texts, dimensions], each row of length 1.

        Raises:
            EngineError: if the model gives a vector that has no direction.
        """
        if not texts:
            return np.zeros((0, 0))
        distinct = list(dict.fromkeys(texts))
        vectors = np.asarray(
            self._loaded.encode(
                distinct,
                batch_size=TEXTS_PER_BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
            ),
            dtype=np.float64,
        )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(vectors)) or not np.all(lengths > 0):
            raise EngineError(
                f"The embedding model {self.model} gave a vector without direction; choose another."
            )
        place = {text: row for row, text in enumerate(distinct)}
        unit: FloatArray = (vectors / lengths)[[place[text] for text in texts]]
        return unit


def open_embedder(
    name: str, device: str = "auto", languages: frozenset[str] | None = None
) -> TransformerEmbedder:
    """The embedding model of a name or folder.

    Args:
        name: name on the hub, or a local folder; code of a model is never run.
        device: `auto`, `cpu`, `cuda` or `mps`.
        languages: codes that the user says it knows; None takes what its card declares.

    Raises:
        EngineError: if it cannot be loaded.
    """
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.util import is_sentence_transformer_model
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    if device != "auto":
        check_device(device)
    if not Path(name).is_dir() and Path(name).is_absolute():
        raise EngineError(f"There is no folder {name} with an embedding model.")
    if Path(name).is_dir() and not (Path(name) / MODULES).is_file():
        raise EngineError(_explain_no_modules(f"folder {name}"))
    try:
        loaded = SentenceTransformer(
            name, device=None if device == "auto" else device, trust_remote_code=False
        )
    # A folder of which a part is missing or of another shape fails wherever it is first read.
    except (
        OSError,
        ValueError,
        RuntimeError,
        KeyError,
        TypeError,
        AttributeError,
        ImportError,
        SafetensorError,
    ) as error:
        raise EngineError(explain_failure(name, error)) from error
    # Any other model would be given a pooling that nobody trained, and its figures mean nothing.
    if not is_sentence_transformer_model(name):
        raise EngineError(_explain_no_modules(f"model {name}"))
    if not _knows_words(loaded):
        raise EngineError(
            f"The embedding model {name} has a tokenizer without words, so that all texts are the "
            "same to it: files such as tokenizer.json are missing from its folder."
        )
    loaded.eval()
    return TransformerEmbedder(loaded, name, languages)


def _knows_words(loaded: Any) -> bool:
    """Whether the vocabulary holds more than special tokens: without files one is made of these."""
    special = getattr(loaded.tokenizer, "all_special_ids", None)
    return special is None or len(loaded.tokenizer) > len(set(special))


def _explain_no_modules(what: str) -> str:
    return (
        f"The {what} does not hold a model of sentence-transformers: it has no {MODULES}, which "
        "says how the vectors of a text's tokens become one."
    )


def read_declared_languages(name: str) -> frozenset[str]:
    """Codes of the languages of prompt tests that a model's card names; empty if it has none."""
    from huggingface_hub import ModelCard, try_to_load_from_cache

    path: Any = Path(name) / CARD
    if not Path(name).is_dir():
        path = try_to_load_from_cache(name, CARD)
    if not isinstance(path, str | Path) or not Path(path).is_file():
        return frozenset()
    try:
        declared = ModelCard.load(Path(path), ignore_metadata_errors=True).data.to_dict()
    except (ValueError, OSError):
        return frozenset()
    named = declared.get("language") or ()
    codes = {named} if isinstance(named, str) else set(map(str, named))
    return frozenset(codes & ({*load_languages()} | {*ADDITIONAL}))

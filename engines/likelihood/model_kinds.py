"""Causal and masked models: which checkpoints are of a kind, and how their weights are loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pickle import UnpicklingError
from typing import Any

from corpus.errors import EngineError
from engines.checkpoints import explain_failure, load_config

POSITION_LIMITS = ("max_position_embeddings", "max_seq_len")
"""What architectures call the number of their positions."""


@dataclass(frozen=True, slots=True)
class ModelKind:
    """What a model must be made for."""

    name: str
    """`causal` or `masked`."""
    auto_class: str
    """transformers' class that loads it."""
    architectures: str
    """transformers' table of its architectures."""
    endings: tuple[str, ...]
    """How classes that are not in the table end, where a model of the type is still of the kind."""
    consequence: str
    """What a model without the head does not do, and what to choose."""
    complete: str
    """The checkpoint to choose in place of an incomplete one."""

    def load_config(self, name: str, revision: str | None) -> Any:
        """The checkpoint's settings.

        Raises:
            EngineError: if it is missing, gated, or of another kind.
        """
        from transformers.models.auto import modeling_auto

        config = load_config(name, revision)
        known: dict[str, str] = dict(getattr(modeling_auto, self.architectures))
        found = list(config.architectures or [])
        # Encoders such as BERT load as causal models although they see the whole text. But some
        # checkpoints name a class of their own, or one with images around the same text model.
        fits = bool(set(known.values()).intersection(found)) or (
            config.model_type in known and any(one.endswith(self.endings) for one in found)
        )
        if not fits or getattr(config, "is_encoder_decoder", False):
            raise EngineError(self._no_head(name, ", ".join(found) or config.model_type))
        return config

    def load_weights(
        self, name: str, dtype: str, revision: str | None, device_map: str | None = None
    ) -> Any:
        """The model with the checkpoint's weights, all of them.

        Raises:
            EngineError: if they cannot be loaded, or some are lacking.
        """
        import torch
        import transformers
        from safetensors import SafetensorError
        from transformers.utils.logging import disable_progress_bar

        # Loading has its own bar per file; the command that loads says what it does.
        disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            # transformers 5 would take the checkpoint's number type: it is always set here.
            loaded: Any = getattr(transformers, self.auto_class).from_pretrained(
                name,
                revision=revision,
                dtype=getattr(torch, dtype),
                device_map=device_map,
                trust_remote_code=False,
                output_loading_info=True,
            )
        except (
            OSError,
            ValueError,
            KeyError,
            RuntimeError,
            ImportError,
            MemoryError,
            EOFError,
            UnpicklingError,
            SafetensorError,
        ) as error:
            raise EngineError(explain_failure(name, error)) from error
        model, report = loaded
        self._refuse_new_weights(name, report)
        if model.get_output_embeddings() is None:
            raise EngineError(self._no_head(name, type(model).__name__))
        return model

    def _no_head(self, name: str, architecture: str) -> str:
        return (
            f"The model {name} ({architecture}) has no {self.name} language-model head, "
            f"so {self.consequence}"
        )

    def _refuse_new_weights(self, name: str, report: dict[str, Any]) -> None:
        """A weight the checkpoint lacks was drawn at random: it would mean nothing."""
        lacking = sorted(report.get("missing_keys", ())) + sorted(
            str(key) for key in report.get("mismatched_keys", ())
        )
        if lacking:
            raise EngineError(
                f"The checkpoint of the model {name} lacks weights of a {self.name} language model "
                f"(first: {lacking[0]}): choose {self.complete}."
            )


CAUSAL_MODEL = ModelKind(
    name="causal",
    auto_class="AutoModelForCausalLM",
    architectures="MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    endings=("ForCausalLM", "LMHeadModel", "ForConditionalGeneration"),
    consequence="it gives no next-token probabilities: choose a causal model.",
    complete="a complete causal checkpoint",
)
MASKED_MODEL = ModelKind(
    name="masked",
    auto_class="AutoModelForMaskedLM",
    architectures="MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    endings=("ForMaskedLM",),
    consequence="it does not fill in masked tokens: choose a masked model, or the likelihood "
    "`causal` for a causal one.",
    complete="a complete checkpoint with its masked head",
)


def place_model(name: str, model: Any, device: str) -> Any:
    """The model on its device.

    Raises:
        EngineError: if there is no room for it there.
    """
    try:
        return model.to(device)
    except (RuntimeError, MemoryError) as error:
        raise EngineError(explain_failure(name, error)) from error


def find_position_limit(model: Any) -> int | None:
    """Most tokens the model takes, from its config and where its positions begin; None if any."""
    settings = model.config.get_text_config()
    limits = (getattr(settings, name, None) for name in POSITION_LIMITS)
    # XLNet says -1 for any.
    limit = next((int(limit) for limit in limits if limit and int(limit) > 0), None)
    if limit is None:
        return None
    embeddings = getattr(model.base_model, "embeddings", None)
    # RoBERTa and its kin count positions from behind the padding's.
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    return limit - (0 if padding is None else int(padding) + 1)

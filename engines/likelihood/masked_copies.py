"""A masked model's predictions at chosen places of texts with masks, in batches."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from engines.likelihood.masked_loading import LoadedMaskedModel
from engines.likelihood.memory import compute_or_free, needing_room

BATCH_POSITIONS = 8192
"""Upper bound of padded positions in a forward pass."""
LOGIT_CELLS = 1 << 25
"""Upper bound of places asked for × vocabulary in a forward pass (128 MiB in float32)."""

logger = logging.getLogger(__name__)

Copy = tuple[int, ...]
"""Token ids of a text, some of them masks."""
Target = tuple[int, int]
"""A place in it and the token whose log-probability there is asked for."""


class CopyScorer:
    """Computes copies sorted by length and padded; the head sees the places asked for only."""

    def __init__(self, model: Any, device: str, loaded: LoadedMaskedModel) -> None:
        """Over `model`, which may be another precision of what was loaded."""
        self._model = model
        self._device = device
        self._loaded = loaded
        self._max_copies: int | None = None
        self.forward_passes = 0

    def score(
        self, targets: Mapping[Copy, Sequence[Target]], alone: Collection[Copy] = frozenset()
    ) -> dict[tuple[Copy, int, int], float]:
        """(copy, place, token) → log-probability, natural log, of each copy's targets.

        Args:
            targets: What is asked of each copy.
            alone: Copies that share a forward pass with no other one.

        Raises:
            EngineError: if there is no room for a single copy.
        """
        found: dict[tuple[Copy, int, int], float] = {}
        # Longest first: the largest batch comes at the start, so memory runs out early or never.
        ordered = sorted(targets, key=lambda ids: (-len(ids), ids))
        for batch in self._split(ordered, targets, alone):
            wanted = [(row, *target) for row, ids in enumerate(batch) for target in targets[ids]]
            compute = partial(self._score_batch, batch, wanted)
            with needing_room(self._loaded.model_id, self._device):
                values = compute_or_free(compute, divisible=len(batch) > 1)
            if values is not None:
                for (row, place, token), value in zip(wanted, values, strict=True):
                    found[batch[row], place, token] = value
                continue
            self._max_copies = len(batch) // 2
            logger.warning("Out of memory: %d texts at once from here on.", self._max_copies)
            found |= self.score({ids: targets[ids] for ids in batch}, alone)
        return found

    def _split(
        self,
        ordered: Sequence[Copy],
        targets: Mapping[Copy, Sequence[Target]],
        alone: Collection[Copy],
    ) -> Iterator[list[Copy]]:
        """Runs of neighbours whose padded size and logits stay in both bounds."""
        places = max(1, LOGIT_CELLS // self._loaded.vocabulary_size)
        batch: list[Copy] = []
        asked = 0
        for ids in ordered:
            width = len(batch[0] if batch else ids)
            full = (len(batch) + 1) * width > BATCH_POSITIONS or len(batch) == self._max_copies
            apart = ids in alone or (batch and batch[-1] in alone)
            if batch and (full or apart or asked + len(targets[ids]) > places):
                yield batch
                batch, asked = [], 0
            batch.append(ids)
            asked += len(targets[ids])
        if batch:
            yield batch

    def _score_batch(
        self, batch: Sequence[Copy], wanted: Sequence[tuple[int, int, int]]
    ) -> list[float]:
        """Log-probability of each (row, place, token) from one forward pass."""
        import torch

        input_ids = torch.full((len(batch), len(batch[0])), self._loaded.pad_id)
        mask = torch.zeros_like(input_ids)
        for row, ids in enumerate(batch):
            input_ids[row, : len(ids)] = torch.tensor(ids)
            mask[row, : len(ids)] = 1
        rows, places, tokens = torch.tensor(wanted, device=self._device).T
        logits = self._compute_logits(
            input_ids.to(self._device), mask.to(self._device), rows, places
        )
        self.forward_passes += 1
        chosen = logits.gather(1, tokens.to(logits.device)[:, None])[:, 0]
        total = torch.logsumexp(logits, dim=1)
        values: list[float] = (chosen.cpu().double() - total.cpu().double()).tolist()
        return values

    def _compute_logits(self, input_ids: Any, mask: Any, rows: Any, places: Any) -> Any:
        """Logits at the given places: float32, shape [places, vocabulary]."""
        import torch

        reached = False

        def keep_places(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
            nonlocal reached
            reached = True
            hidden = inputs[0]
            # A model spread over devices has its head on another one than its first layer.
            at = rows.to(hidden.device), places.to(hidden.device)
            return (hidden[at][None], *inputs[1:])

        hook = self._model.get_output_embeddings().register_forward_pre_hook(keep_places)
        try:
            with torch.inference_mode():
                logits = self._model(input_ids=input_ids, attention_mask=mask).logits
        finally:
            hook.remove()
        # A model that applies its head without calling it is not reached by the hook.
        return (logits[0] if reached else logits[rows, places]).float()

"""The ways of computing token log-probabilities with a causal model, the fastest first.

All give the same numbers up to float rounding; which of them a model can take, the parity probe
finds out. Each takes token lists and gives log P(w_t | w_<t) of tokens 1..T-1 of each list.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engines.likelihood.head import BlockedHead, find_trunk
from engines.likelihood.memory import compute_or_free
from engines.likelihood.packing import Pack, plan_packs
from engines.likelihood.tree_attention import TreePlan, tree_attention

PACK_NODES = {"cuda": 8192}
"""Nodes of a forward pass by kind of device; CPU_PACK_NODES elsewhere."""
CPU_PACK_NODES = 768
BATCH_POSITIONS = 4096
"""Upper bound of padded positions in a forward pass of whole texts."""
LOGIT_CELLS = 1 << 25
"""Upper bound of positions × vocabulary where the model's own head is used (128 MiB)."""
SUMMED_CELLS = 1 << 21
"""Logits that are summed in one go (8 MiB)."""

logger = logging.getLogger(__name__)

Values = tuple[float, ...]


class ScoringPath(Protocol):
    """One way of computing."""

    @property
    def name(self) -> str:
        """What a run's record calls it."""

    def score(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        """Log-probabilities of tokens 1..T-1 of each list; none of a list of one token."""


class PackedTree:
    """Texts as prefix trees: what they have in common is computed once."""

    def __init__(self, model: Any, device: str, head: BlockedHead | None) -> None:
        self._model = model
        self._device = device
        self._head = head
        self.max_nodes = PACK_NODES.get(device.partition(":")[0], CPU_PACK_NODES)
        if head is None:
            self.max_nodes = min(self.max_nodes, max(1, LOGIT_CELLS // count_rows(model)))

    @property
    def name(self) -> str:
        """`packed tree`, with the model's own head where that had to be used."""
        return "packed tree" if self._head else "packed tree, the model's own head"

    def score(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        """Log-probabilities of tokens 1..T-1 of each list."""
        found: list[Values] = [()] * len(token_lists)
        for pack in plan_packs([tuple(tokens) for tokens in token_lists], self.max_nodes):
            for i, values in self._score_pack(pack, token_lists):
                found[i] = values
        return found

    def _score_pack(
        self, pack: Pack, token_lists: Sequence[Sequence[int]]
    ) -> list[tuple[int, Values]]:
        edges = compute_or_free(lambda: self._score_edges(pack), divisible=len(pack.texts) > 1)
        if edges is not None:
            return [(i, tuple(edges[e] for e in numbers)) for i, numbers in pack.texts]
        self.max_nodes = max(1, pack.size // 2)
        logger.warning("Out of memory: packs of %d nodes from here on.", self.max_nodes)
        indices = [i for i, _ in pack.texts]
        return list(zip(indices, self.score([token_lists[i] for i in indices]), strict=True))

    def _score_edges(self, pack: Pack) -> list[float]:
        import torch

        inputs = {
            "input_ids": torch.tensor([pack.tokens], device=self._device),
            "position_ids": torch.tensor([pack.depths], device=self._device),
            "use_cache": False,
        }
        with torch.inference_mode(), tree_attention(self._model, TreePlan(pack)):
            if self._head is not None:
                hidden = find_trunk(self._model)(**inputs)[0][0]
                return self._head.score(hidden, pack.edge_nodes, pack.edge_tokens)
            logits = self._model(**inputs).logits[0].float()
            return _pick(logits, pack.edge_nodes, pack.edge_tokens)


@dataclass(slots=True)
class WholeTexts:
    """Texts side by side, sorted by length and padded; with one text a pass, one at a time."""

    model: Any
    device: str
    max_texts: int | None = None
    """Texts of a forward pass; None for as many as the bounds allow."""

    @property
    def name(self) -> str:
        """`sorted batches` or `one at a time`."""
        return "one at a time" if self.max_texts == 1 else "sorted batches"

    def score(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        """Log-probabilities of tokens 1..T-1 of each list."""
        found: list[Values] = [()] * len(token_lists)
        open_indices = [i for i, tokens in enumerate(token_lists) if len(tokens) >= 2]
        # Longest first: the largest batch comes at the start, so memory runs out early or never.
        open_indices.sort(key=lambda i: (-len(token_lists[i]), i))
        for batch in self._split(open_indices, token_lists):
            rows = self._score_batch([token_lists[i] for i in batch])
            for i, values in zip(batch, rows, strict=True):
                found[i] = values
        return found

    def _split(
        self, indices: Sequence[int], token_lists: Sequence[Sequence[int]]
    ) -> list[list[int]]:
        """Runs of neighbours whose padded size stays in all bounds."""
        positions = max(1, min(BATCH_POSITIONS, LOGIT_CELLS // count_rows(self.model)))
        batches: list[list[int]] = []
        for i in indices:
            full = not batches or len(batches[-1]) == self.max_texts
            if full or (len(batches[-1]) + 1) * (len(token_lists[batches[-1][0]]) - 1) > positions:
                batches.append([])
            batches[-1].append(i)
        return batches

    def _score_batch(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        values = compute_or_free(
            lambda: self._score_together(token_lists), divisible=len(token_lists) > 1
        )
        if values is not None:
            return values
        self.max_texts = max(1, len(token_lists) // 2)
        logger.warning("Out of memory: %d texts at once from here on.", self.max_texts)
        middle = len(token_lists) // 2
        halves = (token_lists[:middle], token_lists[middle:])
        return [row for half in halves for row in self._score_batch(half)]

    def _score_together(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        """From one forward pass; the last token predicts nothing here and is left out."""
        import torch

        lengths = [len(tokens) - 1 for tokens in token_lists]
        input_ids = torch.zeros((len(lengths), max(lengths)), dtype=torch.long)
        mask = torch.zeros_like(input_ids)
        for row, (tokens, length) in enumerate(zip(token_lists, lengths, strict=True)):
            input_ids[row, :length] = torch.tensor(tokens[:-1])
            mask[row, :length] = 1
        logits = self._compute_logits(input_ids.to(self.device), mask.to(self.device))
        targets = [token for tokens in token_lists for token in tokens[1:]]
        values = _pick(logits, range(len(targets)), targets)
        ends = [sum(lengths[: k + 1]) for k in range(len(lengths))]
        return [
            tuple(values[end - length : end]) for end, length in zip(ends, lengths, strict=True)
        ]

    def _compute_logits(self, input_ids: Any, mask: Any) -> Any:
        """Logits of the real positions, row by row: float32, [sum of mask, vocabulary].

        A hook hands the model's own head the real positions only, never the padding.
        """
        import torch

        keep = mask.bool()

        def drop_padding(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
            return (inputs[0][keep.to(inputs[0].device)][None], *inputs[1:])

        hook = self.model.get_output_embeddings().register_forward_pre_hook(drop_padding)
        try:
            with torch.inference_mode():
                # Positions are the model's own affair: some do not count them from 0.
                output = self.model(input_ids=input_ids, attention_mask=mask, use_cache=False)
        finally:
            hook.remove()
        logits = output.logits
        # A model that applies its head without calling it is not reached by the hook.
        rows = logits[0] if logits.shape[:2] == (1, int(mask.sum())) else logits[keep]
        return rows.float()


def count_rows(model: Any) -> int:
    """Rows of the model's embedding: the width of its logits."""
    return int(model.get_input_embeddings().weight.shape[0])


def _pick(logits: Any, rows: Sequence[int], tokens: Sequence[int]) -> list[float]:
    """Logit − logsumexp at (row, token): log_softmax is biased on large vocabularies on CPUs."""
    import torch

    # A few rows at a time: logsumexp takes as much memory again as what it is given.
    step = max(1, SUMMED_CELLS // logits.shape[1])
    total = torch.cat([torch.logsumexp(part, dim=1) for part in logits.split(step)]).cpu().double()
    places = torch.tensor(list(rows)), torch.tensor(list(tokens))
    chosen = logits[places[0].to(logits.device), places[1].to(logits.device)].cpu().double()
    found: list[float] = (chosen - total[places[0]]).tolist()
    return found

"""log P of next tokens from hidden states, without ever holding logits of a whole vocabulary.

log P(w) = logit[w] − log Σ exp logit. The vocabulary is taken in blocks of columns: of each block
only its largest logit and the sum above it are kept, both in float32, and put together in float64.
So memory does not grow with the vocabulary, and a sum over 262,000 terms loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BLOCK_COLUMNS = 4096


@dataclass(frozen=True, slots=True)
class BlockedHead:
    """A model's output layer, with what the model does to its logits."""

    weight: Any
    """[vocabulary, width]; rows beyond the tokenizer's vocabulary count as they do in the model."""
    bias: Any
    """[vocabulary] or None."""
    scale: float = 1.0
    """Factor of the logits."""
    softcap: float | None = None
    """c of c · tanh(logit / c), after the scale."""

    def score(
        self, hidden: Any, edge_nodes: Sequence[int], edge_tokens: Sequence[int]
    ) -> list[float]:
        """The log-probability (natural log) of each edge.

        Args:
            hidden: Last hidden states [nodes, width].
            edge_nodes: Row of `hidden` that each edge goes out from.
            edge_tokens: Token that each edge leads to.
        """
        import torch

        device = self.weight.device
        hidden = hidden.to(device).float()
        tokens = torch.tensor(edge_tokens)
        order = torch.argsort(tokens)
        nodes = torch.tensor(edge_nodes)[order]
        tokens = tokens[order]
        rows = self.weight.shape[0]
        starts = range(0, rows, BLOCK_COLUMNS)
        bounds = torch.searchsorted(tokens, torch.tensor([*starts, rows])).tolist()
        nodes_there, tokens_there = nodes.to(device), tokens.to(device)
        # All is written into memory taken once: what each block took and gave back would leave
        # holes that the next block does not fit, and memory would grow with the vocabulary.
        buffer = torch.empty(hidden.shape[0] * min(BLOCK_COLUMNS, rows), device=device)
        maxima = torch.empty((len(starts), hidden.shape[0]), device=device)
        sums = torch.empty_like(maxima)
        chosen = torch.empty(len(order), device=device)
        for block, (start, low, high) in enumerate(zip(starts, bounds, bounds[1:], strict=False)):
            logits = self._compute_block(hidden, start, buffer)
            chosen[low:high] = logits[nodes_there[low:high], tokens_there[low:high] - start]
            torch.amax(logits, dim=1, out=maxima[block])
            logits.sub_(maxima[block][:, None]).exp_()
            torch.sum(logits, dim=1, out=sums[block])
        total = torch.logsumexp(maxima.cpu().double() + sums.cpu().double().log(), dim=0)
        values = torch.empty(len(order), dtype=torch.float64)
        values[order] = chosen.cpu().double() - total[nodes]
        found: list[float] = values.tolist()
        return found

    def _compute_block(self, hidden: Any, start: int, buffer: Any) -> Any:
        """Logits of the columns from `start` on, float32, in the memory of `buffer`."""
        import torch

        end = start + BLOCK_COLUMNS
        weight = self.weight[start:end].float()
        shape = (hidden.shape[0], weight.shape[0])
        logits = buffer[: shape[0] * shape[1]].view(shape)
        torch.mm(hidden, weight.T, out=logits)
        if self.bias is not None:
            logits += self.bias[start:end].float()
        if self.scale != 1.0:
            logits *= self.scale
        if self.softcap is not None:
            logits.div_(self.softcap).tanh_().mul_(self.softcap)
        return logits


def find_trunk(model: Any) -> Any:
    """The model without its output layer: it gives the hidden states that the head is put on."""
    trunk = model.base_model
    # Llama 4's text model names as its base what only the model with images has.
    return getattr(model, "model", trunk) if trunk is model else trunk


def find_head(model: Any) -> BlockedHead | None:
    """The output layer of a transformers model; None if it is not a plain matrix held in memory.

    Whether the model does to its logits what its settings say is for the parity probe to find out.
    """
    import torch

    output = model.get_output_embeddings()
    if not isinstance(output, torch.nn.Linear) or output.weight.device.type == "meta":
        return None
    settings = model.config.get_text_config()
    scale = float(getattr(settings, "logit_scale", None) or 1.0)
    scale /= float(getattr(settings, "logits_scaling", None) or 1.0)
    softcap = getattr(settings, "final_logit_softcapping", None)
    bias = output.bias
    return BlockedHead(output.weight, bias, scale, float(softcap) if softcap else None)

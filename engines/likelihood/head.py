"""log P of next tokens from hidden states, without ever holding logits of a whole vocabulary.

log P(w) = logit[w] − log Σ exp logit. The vocabulary is taken in blocks of columns: of each block
only its largest logit and the sum above it are kept, both in float32, and put together in float64.
So memory does not grow with the vocabulary, and a sum over 262,000 terms loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BLOCK_COLUMNS = 8192


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
        starts = range(0, self.weight.shape[0], BLOCK_COLUMNS)
        bounds = torch.searchsorted(tokens, torch.tensor([*starts, self.weight.shape[0]])).tolist()
        nodes_there, tokens_there = nodes.to(device), tokens.to(device)
        maxima, sums, chosen = [], [], []
        for start, low, high in zip(starts, bounds, bounds[1:], strict=False):
            logits = self._block(hidden, start)
            chosen.append(logits[nodes_there[low:high], tokens_there[low:high] - start])
            largest = logits.amax(dim=1)
            maxima.append(largest)
            sums.append(logits.sub_(largest[:, None]).exp_().sum(dim=1))
        largest_of_all = torch.stack(maxima, dim=1).cpu().double()
        sums_of_all = torch.stack(sums, dim=1).cpu().double()
        total = torch.logsumexp(largest_of_all + sums_of_all.log(), dim=1)
        values = torch.empty(len(order), dtype=torch.float64)
        values[order] = torch.cat(chosen).cpu().double() - total[nodes]
        found: list[float] = values.tolist()
        return found

    def _block(self, hidden: Any, start: int) -> Any:
        """Logits of the columns from `start` on, float32."""
        import torch

        end = start + BLOCK_COLUMNS
        weight = self.weight[start:end].float()
        logits = torch.mm(hidden, weight.T)
        if self.bias is not None:
            logits += self.bias[start:end].float()
        if self.scale != 1.0:
            logits *= self.scale
        if self.softcap is not None:
            logits.div_(self.softcap).tanh_().mul_(self.softcap)
        return logits


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

"""Attention over a pack: each node sees the tokens before it in its own text and no others.

Nodes stand in preorder (see `packing`), so a run of CHUNK nodes needs as keys only itself and the
ancestors of its first node. All runs are one batched call of PyTorch's attention, on any device.
transformers reaches it by its attention interface; a model that does not use that interface, or
hands it something not known here, cannot take a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from engines.likelihood.packing import NO_PARENT, Pack

IMPLEMENTATION = "stereoscope_tree"
TEXT_PART = "text_config"
"""What the settings of a model that also takes images call those of its text model."""
CHUNK = 64
"""Nodes that share their keys: large enough for one matrix product, small beside a pack."""
KEY_MULTIPLE = 16
"""Keys are padded to a multiple of this, as the kernels of graphics cards want them aligned."""


class TreeRefusedError(Exception):
    """The model cannot take a tree: it must be given whole texts."""


class TreePlan:
    """Which nodes see which, for one pack: tensors per device, made when first asked for."""

    def __init__(self, pack: Pack) -> None:
        import torch

        starts = range(0, pack.size, CHUNK)
        key_lists = [
            [*_ancestors(pack, start), *range(start, min(start + CHUNK, pack.size))]
            for start in starts
        ]
        width = -(-max(map(len, key_lists)) // KEY_MULTIPLE) * KEY_MULTIPLE
        self.size = pack.size
        self.groups = len(key_lists)
        self._keys = torch.zeros((self.groups, width), dtype=torch.long)
        real = torch.zeros((self.groups, width), dtype=torch.bool)
        for group, keys in enumerate(key_lists):
            self._keys[group, : len(keys)] = torch.tensor(keys)
            real[group, : len(keys)] = True
        queries = torch.arange(self.groups * CHUNK).view(self.groups, CHUNK, 1)
        keys_seen = self._keys[:, None, :]
        ends = torch.tensor(pack.ends)
        self._visible = real[:, None, :] & (keys_seen <= queries) & (queries < ends[keys_seen])
        # Rows beyond the last node are dropped, but must not be a softmax over nothing.
        self._visible[..., 0] |= (queries >= pack.size)[..., 0]
        depths = torch.tensor(pack.depths)
        self._distances = depths[queries.clamp(max=pack.size - 1)] - depths[keys_seen]
        self._placed: dict[Any, Any] = {}

    def keys(self, device: Any) -> Any:
        """Node of each key, [groups, keys]."""
        return self._place(("keys", device), lambda: self._keys.to(device))

    def mask(self, window: int | None, like: Any) -> Any:
        """0 where a query sees a key, else −∞: [groups, 1, CHUNK, keys], type and device of `like`.

        Args:
            window: Positions that a token sees, itself included; None for all before it.
            like: A tensor.
        """
        import torch

        def build() -> Any:
            visible = self._visible
            if window is not None:
                visible = visible & (self._distances < window)
            mask = torch.zeros(visible.shape, dtype=like.dtype)
            return mask.masked_fill_(~visible, -torch.inf)[:, None].to(like.device)

        return self._place((window, like.dtype, like.device), build)

    def _place(self, key: Any, build: Any) -> Any:
        if key not in self._placed:
            self._placed[key] = build()
        return self._placed[key]


_plan: ContextVar[TreePlan | None] = ContextVar("tree_plan", default=None)


@contextmanager
def tree_attention(model: Any, plan: TreePlan) -> Iterator[None]:
    """Within it a forward pass of `model` over the pack's nodes sees the pack's texts apart.

    Raises:
        TreeRefusedError: if the model does not compute attention by transformers' interface.
    """
    from transformers import AttentionInterface

    AttentionInterface.register(IMPLEMENTATION, attend_tree)
    if not model._can_set_attn_implementation():
        raise TreeRefusedError("its attention is its own")
    # Parts that are no text model (for images) keep what they have: they may know no other.
    parts = {
        name: part._attn_implementation
        for name in model.config.sub_configs
        if (part := getattr(model.config, name, None)) is not None
    }
    usual = {"": model.config._attn_implementation, **parts}
    trees = dict.fromkeys({"", TEXT_PART} & set(usual), IMPLEMENTATION)
    token = _plan.set(plan)
    try:
        model.set_attn_implementation({**usual, **trees})
        yield
    finally:
        model.set_attn_implementation(usual)
        _plan.reset(token)


def attend_tree(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any = None,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Any = None,
    **options: Any,
) -> tuple[Any, None]:
    """What transformers asks of an attention function: values [1, N, heads, width], no weights.

    Query, key and value are [1, heads, N, width]. The mask of the model is not used: the plan's
    own holds all that it would hold. `s_aux` is a logit per head that takes attention to nothing.

    Raises:
        TreeRefusedError: if the model wants something of attention that is not known here.
    """
    plan = _plan.get()
    unknown = [name for name in ("position_bias",) if options.get(name) is not None]
    if plan is None or unknown or query.shape[2] != plan.size or query.shape[0] != 1:
        raise TreeRefusedError(f"unknown to a tree: {', '.join(unknown) or 'several rows'}")
    import torch
    from torch.nn import functional

    keys = plan.keys(query.device)
    spare = plan.groups * CHUNK - plan.size
    heads = query.shape[1]
    rows = functional.pad(query[0], (0, 0, 0, spare)).view(heads, plan.groups, CHUNK, -1)
    rows = rows.transpose(0, 1)
    key, value = (_gather(part, keys, heads) for part in (key, value))
    mask = plan.mask(sliding_window, query)
    if softcap is None and s_aux is None:
        seen = functional.scaled_dot_product_attention(
            rows, key, value, attn_mask=mask, scale=scaling
        )
    else:
        scale = scaling if scaling is not None else query.shape[-1] ** -0.5
        weights = torch.matmul(rows, key.transpose(2, 3)) * scale
        if softcap is not None:
            weights = torch.tanh(weights / softcap) * softcap
        weights = weights + mask
        if s_aux is not None:
            sinks = s_aux.to(weights.dtype).view(1, heads, 1, 1).expand(*weights.shape[:-1], 1)
            weights = torch.cat([weights, sinks], dim=-1)
        shares = weights.softmax(-1, dtype=torch.float32)[..., : mask.shape[-1]]
        seen = torch.matmul(shares.to(value.dtype), value)
    merged = seen.transpose(1, 2).reshape(plan.groups * CHUNK, heads, -1)
    return merged[None, : plan.size], None


def _gather(part: Any, keys: Any, heads: int) -> Any:
    """Keys or values of every group: [groups, heads, keys, width], shared heads repeated."""
    # A node's heads lie side by side, so that whole rows are copied.
    nodes = part[0].transpose(0, 1)
    found = nodes.index_select(0, keys.flatten()).unflatten(0, keys.shape).transpose(1, 2)
    repeats = heads // found.shape[1]
    return found if repeats == 1 else found.repeat_interleave(repeats, dim=1)


def _ancestors(pack: Pack, node: int) -> list[int]:
    """The nodes before a node in its texts, the first one first."""
    found: list[int] = []
    parent = pack.parents[node]
    while parent != NO_PARENT:
        found.append(parent)
        parent = pack.parents[parent]
    return found[::-1]

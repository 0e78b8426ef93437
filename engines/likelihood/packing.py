"""Packs: token lists as prefix trees, so that what texts have in common is computed once.

A node is a token in its context: all tokens before it. Its hidden state predicts what comes next,
so the last token of a text needs no node. An edge is a node and the token that follows it: one
log-probability. A text is a list of edges, and texts that begin alike share nodes and edges.

Nodes stand in preorder: the nodes below node k are k+1 … end[k]-1. Ancestors of a run of nodes
that lie before the run are therefore ancestors of its first node, which keeps attention small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

NO_PARENT = -1


@dataclass(slots=True)
class Pack:
    """Some token lists as prefix trees, to be computed in one forward pass."""

    tokens: list[int] = field(default_factory=list)
    """Token of each of N nodes, in preorder."""
    depths: list[int] = field(default_factory=list)
    """Position of each node's token in its text, from 0."""
    parents: list[int] = field(default_factory=list)
    """Node before each node, NO_PARENT for the first token of a text."""
    ends: list[int] = field(default_factory=list)
    """One past the last node below each node."""
    edge_nodes: list[int] = field(default_factory=list)
    """Node that each of E edges goes out from."""
    edge_tokens: list[int] = field(default_factory=list)
    """Token that each edge leads to."""
    texts: list[tuple[int, list[int]]] = field(default_factory=list)
    """Index of each token list, with the edges of its tokens 1..T-1."""

    @property
    def size(self) -> int:
        """Number of nodes: what a forward pass computes."""
        return len(self.tokens)


def plan_packs(token_lists: Sequence[tuple[int, ...]], max_nodes: int) -> Iterator[Pack]:
    """Packs of at most `max_nodes` nodes, which hold every list of two tokens or more once.

    A list with more nodes than that is a pack of its own. Lists are taken in the order of their
    tokens, so that neighbours share their beginnings; where a pack is full, what the next list
    shares with the last one is computed a second time.

    Args:
        token_lists: Token ids of each text, specials included; lists may repeat.
        max_nodes: Nodes of a pack, at least 1.
    """
    order = sorted(
        (i for i, tokens in enumerate(token_lists) if len(tokens) >= 2),
        key=lambda i: token_lists[i],
    )
    pack = Pack()
    path: list[int] = []
    edges: list[int] = []
    last: Sequence[int] = ()
    for i in order:
        tokens = token_lists[i]
        common = _count_common(last, tokens)
        shared = min(common, len(path), len(tokens) - 1)
        if pack.size and pack.size + len(tokens) - 1 - shared > max_nodes:
            yield _close(pack, path)
            pack, path, edges, common, shared = Pack(), [], [], 0, 0
        path, edges = _insert(pack, tokens, path, shared, edges[: max(common - 1, 0)])
        pack.texts.append((i, edges))
        last = tokens
    if pack.size:
        yield _close(pack, path)


def _insert(
    pack: Pack, tokens: Sequence[int], path: list[int], shared: int, edges: list[int]
) -> tuple[list[int], list[int]]:
    """The path and the edges of a list of which `shared` nodes and `edges` are there already."""
    for node in path[shared:]:
        pack.ends[node] = pack.size
    first, size = pack.size, pack.size + len(tokens) - 1 - shared
    parent = path[shared - 1] if shared else NO_PARENT
    if size > first:
        pack.tokens.extend(tokens[shared:-1])
        pack.depths.extend(range(shared, len(tokens) - 1))
        pack.parents.append(parent)
        pack.parents.extend(range(first, size - 1))
        pack.ends.extend(range(first + 1, size + 1))
    path = [*path[:shared], *range(first, size)]
    known = len(edges)
    first_edge = len(pack.edge_nodes)
    pack.edge_nodes.extend(path[known:])
    pack.edge_tokens.extend(tokens[known + 1 :])
    edges = [*edges, *range(first_edge, len(pack.edge_nodes))]
    return path, edges


def _close(pack: Pack, path: list[int]) -> Pack:
    for node in path:
        pack.ends[node] = pack.size
    return pack


def _count_common(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the longest common beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count

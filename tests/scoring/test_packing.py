"""Packs hold every text, share what can be shared and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.likelihood.packing import NO_PARENT, Pack, plan_packs

LISTS = st.lists(st.lists(st.integers(0, 3), max_size=8).map(tuple), max_size=25)
"""Few tokens and short lists, so that they share beginnings, contain one another and repeat."""


def read_context(pack: Pack, node: int) -> list[int]:
    """The tokens up to a node."""
    found: list[int] = []
    while node != NO_PARENT:
        found.append(pack.tokens[node])
        node = pack.parents[node]
    return found[::-1]


def read_texts(packs: Sequence[Pack]) -> dict[int, tuple[int, ...]]:
    """The token lists as the edges of the packs tell them."""
    texts: dict[int, tuple[int, ...]] = {}
    for pack in packs:
        for i, edges in pack.texts:
            assert i not in texts, "a text is scored once"
            first = pack.tokens[pack.edge_nodes[edges[0]]]
            texts[i] = (first, *(pack.edge_tokens[e] for e in edges))
            for k, edge in enumerate(edges):
                node = pack.edge_nodes[edge]
                assert read_context(pack, node) == list(texts[i][: k + 1])
                assert pack.depths[node] == k
    return texts


@given(LISTS, st.integers(1, 12))
def test_every_text_of_two_tokens_is_in_one_pack_token_by_token(
    lists: list[tuple[int, ...]], max_nodes: int
) -> None:
    packs = list(plan_packs(lists, max_nodes))
    assert read_texts(packs) == {i: tokens for i, tokens in enumerate(lists) if len(tokens) >= 2}
    for pack in packs:
        longest = max(len(lists[i]) - 1 for i, _ in pack.texts)
        assert pack.size <= max(max_nodes, longest)


@given(LISTS)
def test_one_pack_computes_each_beginning_and_each_continuation_once(
    lists: list[tuple[int, ...]],
) -> None:
    packs = list(plan_packs(lists, 1000))
    scored = [tokens for tokens in lists if len(tokens) >= 2]
    contexts = {tokens[:k] for tokens in scored for k in range(1, len(tokens))}
    continued = {tokens[: k + 1] for tokens in scored for k in range(1, len(tokens))}
    assert sum(pack.size for pack in packs) == len(contexts)
    assert sum(len(pack.edge_nodes) for pack in packs) == len(continued)
    assert len(packs) == bool(scored)


@given(LISTS, st.integers(1, 12))
def test_ends_say_which_nodes_lie_below_which(lists: list[tuple[int, ...]], max_nodes: int) -> None:
    for pack in plan_packs(lists, max_nodes):
        for node in range(pack.size):
            above = set()
            parent = pack.parents[node]
            while parent != NO_PARENT:
                above.add(parent)
                parent = pack.parents[parent]
            told = {k for k in range(node) if k <= node < pack.ends[k]}
            assert told == above


def test_two_variants_share_up_to_where_they_part() -> None:
    """<s> I work , he said  /  <s> I work , she said: 4 + 2 + 2 nodes, less the last tokens."""
    he, she = (0, 1, 2, 3, 10, 12), (0, 1, 2, 3, 11, 12)
    (pack,) = plan_packs([he, she], 100)
    assert pack.tokens == [0, 1, 2, 3, 10, 11]
    assert pack.parents == [NO_PARENT, 0, 1, 2, 3, 3]
    assert pack.ends == [6, 6, 6, 6, 5, 6]
    assert len(pack.edge_tokens) == 3 + 2 + 2


def test_a_text_longer_than_a_pack_is_a_pack_of_its_own() -> None:
    packs = list(plan_packs([(0, 1), tuple(range(30)), (0, 2)], 4))
    assert sorted(pack.size for pack in packs) == [1, 1, 29]


@pytest.mark.parametrize("lists", [[], [()], [(1,)]])
def test_texts_without_a_prediction_need_no_pack(lists: list[tuple[int, ...]]) -> None:
    assert list(plan_packs(lists, 10)) == []

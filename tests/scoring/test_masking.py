"""What is masked together and scored, on token lists written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.likelihood.masking import (
    MaskedCopy,
    TokenisedText,
    find_differences,
    find_words,
    mask_difference,
    mask_singly,
    mask_within_words,
)

MASK = 99
# [CLS] un ##tir ##ed too [SEP]
TEXT = TokenisedText(
    "untired too", (1, 10, 11, 12, 13, 2), (1, 2, 3, 4), ((0, 1), (0, 1), (0, 1), (1, 2))
)


def test_each_token_is_masked_alone_and_special_ones_never() -> None:
    assert mask_singly(TEXT, MASK) == [
        MaskedCopy((1, MASK, 11, 12, 13, 2), (1,)),
        MaskedCopy((1, 10, MASK, 12, 13, 2), (2,)),
        MaskedCopy((1, 10, 11, MASK, 13, 2), (3,)),
        MaskedCopy((1, 10, 11, 12, MASK, 2), (4,)),
    ]


def test_later_tokens_of_the_word_are_masked_too() -> None:
    assert mask_within_words(TEXT, MASK) == [
        MaskedCopy((1, MASK, MASK, MASK, 13, 2), (1,)),
        MaskedCopy((1, 10, MASK, MASK, 13, 2), (2,)),
        MaskedCopy((1, 10, 11, MASK, 13, 2), (3,)),
        MaskedCopy((1, 10, 11, 12, MASK, 2), (4,)),
    ]


def test_all_differing_tokens_are_masked_at_once() -> None:
    other = TokenisedText("", (1, 10, 20, 12, 21, 2), (1, 2, 3, 4))
    assert mask_difference(TEXT, other, MASK) == MaskedCopy((1, 10, MASK, 12, MASK, 2), (2, 4))
    assert mask_difference(other, TEXT, MASK) == MaskedCopy((1, 10, MASK, 12, MASK, 2), (2, 4))


def test_a_text_that_is_wholly_in_the_other_has_nothing_masked() -> None:
    longer = TokenisedText("", (1, 10, 11, 12, 13, 14, 2), (1, 2, 3, 4, 5))
    assert mask_difference(TEXT, longer, MASK) == MaskedCopy(TEXT.token_ids, ())
    assert mask_difference(longer, TEXT, MASK).scored == (5,)


@pytest.mark.parametrize(
    ("tokens", "others", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], []),
        ([1, 2, 3], [1, 9, 3], [1]),
        # Unequal lengths: what is common is not taken for different because it moved.
        ([1, 2, 3, 4, 5], [1, 8, 9, 3, 4, 6], [1, 4]),
        ([7, 2, 3, 4], [2, 3, 4, 7], [0]),
        ([], [1], []),
        ([1], [], [0]),
    ],
)
def test_differences(tokens: list[int], others: list[int], expected: list[int]) -> None:
    assert find_differences(tokens, others) == expected


TOKENS = st.lists(st.integers(0, 3), max_size=8)


@given(TOKENS, TOKENS)
def test_without_the_differences_both_are_the_same(one: list[int], other: list[int]) -> None:
    def rest(tokens: list[int], others: list[int]) -> list[int]:
        gone = find_differences(tokens, others)
        return [token for k, token in enumerate(tokens) if k not in gone]

    # Runs of common tokens are laid upon each other in order; repeats may be matched otherwise.
    common = rest(one, other)
    assert _is_subsequence(common, other)
    if one == other:
        assert common == one


@given(TOKENS, st.data())
def test_one_exchanged_token_is_found_as_gest_finds_it(
    tokens: list[int], data: st.DataObject
) -> None:
    if tokens:
        place = data.draw(st.integers(0, len(tokens) - 1))
        other = [*tokens[:place], 9, *tokens[place + 1 :]]
        assert find_differences(tokens, other) == [place]
        assert find_differences(other, tokens) == [place]


def _is_subsequence(part: list[int], whole: list[int]) -> bool:
    rest = iter(whole)
    return all(token in rest for token in part)


def test_words_are_cut_at_white_space_whatever_the_tokenizer_says() -> None:
    # `▁bol a ▁ sama`, all one word to the tokenizer; the third piece is a space alone.
    assert find_words("bola sama", [0, 3, 4, 5], [0, 0, 0, 0]) == ((0, 1), (0, 1), (0, 2), (0, 2))
    assert find_words("bol ", [0, 3], [0, 0]) == ((0, 1), (0, 2))
    # A no-break space parts words, too, and a piece may begin with the space before its word.
    assert find_words("«\u00a0bol\u00a0»", [0, 1, 5], [0, 0, 0]) == ((0, 1), (0, 2), (0, 3))


def test_the_tokenizer_s_own_words_are_kept_apart_within_white_space() -> None:
    assert find_words("sama,“", [0, 2, 4], [0, 0, 1]) == ((0, 1), (0, 1), (1, 1))

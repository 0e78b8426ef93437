"""Which tokens of a text are masked together, and which of them is scored then.

    pseudo              each token in turn, alone           (Salazar et al. 2020)
    pseudo-within-word  the token and the later ones of its word (Kauf & Ivanova 2023)
    masked-difference   all tokens in which two texts differ, at once   (Pikuliak et al. 2024)

Every masked token stands as one mask token, so a mask tells the model how many tokens there are.

A word is what the tokenizer splits off before it makes pieces, cut at white space: tokenizers with
a leading-space mark (SentencePiece) may take the whole text as one. Punctuation belongs to the word
that it stands at where the tokenizer does not split it off.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

PROBED_PAIRS = 8


@dataclass(frozen=True, slots=True)
class TokenisedText:
    """The tokens of one text, with what the tokenizer put around it."""

    text: str
    token_ids: tuple[int, ...]
    """All of them, special tokens included."""
    own: tuple[int, ...]
    """Places of the tokens that come from the text; special tokens are never scored."""
    words: tuple[tuple[int | None, int], ...] = ()
    """Word of each of `own`, equal for tokens of one word; empty where nobody asked."""


@dataclass(frozen=True, slots=True)
class MaskedCopy:
    """A text with some of its tokens masked, and the ones that are scored in it."""

    token_ids: tuple[int, ...]
    scored: tuple[int, ...]
    """Places, all of them masked; their own tokens are those of the text."""


def mask_singly(text: TokenisedText, mask_id: int) -> list[MaskedCopy]:
    """One copy per token of the text, with that token masked."""
    return [_mask(text, [place], [place], mask_id) for place in text.own]


def mask_within_words(text: TokenisedText, mask_id: int) -> list[MaskedCopy]:
    """One copy per token, with the later tokens of its word masked beside it.

    A long word's first token is otherwise given away by the ones after it.
    """
    copies = []
    for k, place in enumerate(text.own):
        hidden = [place]
        for later in range(k + 1, len(text.own)):
            if text.words[later] != text.words[k]:
                break
            hidden.append(text.own[later])
        copies.append(_mask(text, hidden, [place], mask_id))
    return copies


def mask_difference(text: TokenisedText, other: TokenisedText, mask_id: int) -> MaskedCopy:
    """The text with all tokens masked in which it differs from the other, all of them scored.

    Differences are what is left when the longest runs of common tokens are laid upon each other. If
    the other text has all tokens of this one and more of its own, nothing is masked.

    Source: Pikuliak et al. 2024 (GEST) and its published code. Deviation: that compares tokens
    place by place and drops texts of unequal length or with more than one difference afterwards;
    both agree on those it keeps.
    """
    own, others = ([one.token_ids[place] for place in one.own] for one in (text, other))
    differing = [text.own[k] for k in find_differences(own, others)]
    return _mask(text, differing, differing, mask_id)


def collect_targets(
    texts: Sequence[TokenisedText], copies: Sequence[Sequence[MaskedCopy]]
) -> dict[tuple[int, ...], list[tuple[int, int]]]:
    """Masked token ids → (place, token) asked for there.

    Two variants whose differing token is masked are often one and the same copy.
    """
    targets: dict[tuple[int, ...], set[tuple[int, int]]] = {}
    for text, of_text in zip(texts, copies, strict=True):
        for copy in of_text:
            if copy.scored:
                wanted = targets.setdefault(copy.token_ids, set())
                wanted.update((place, text.token_ids[place]) for place in copy.scored)
    return {ids: sorted(found) for ids, found in targets.items()}


def choose_pairs(texts: Sequence[TokenisedText]) -> list[tuple[int, int]]:
    """Indices of a few pairs of neighbours from the beginning, the middle and the end."""
    whole = [(k, k + 1) for k in range(0, len(texts) - 1, 2) if texts[k].own and texts[k + 1].own]
    last = len(whole) - 1
    places = {round(k * last / (PROBED_PAIRS - 1)) for k in range(PROBED_PAIRS)}
    return [whole[place] for place in sorted(places) if whole]


def find_differences(tokens: Sequence[int], others: Sequence[int]) -> list[int]:
    """Indices of the tokens that have no partner in `others`, common beginning and end first."""
    start = 0
    while start < min(len(tokens), len(others)) and tokens[start] == others[start]:
        start += 1
    rest = min(len(tokens), len(others)) - start
    end = 0
    while end < rest and tokens[-1 - end] == others[-1 - end]:
        end += 1
    middle, other_middle = tokens[start : len(tokens) - end], others[start : len(others) - end]
    matcher = SequenceMatcher(None, middle, other_middle, autojunk=False)
    return [
        start + k
        for kind, low, high, _, _ in matcher.get_opcodes()
        if kind != "equal"
        for k in range(low, high)
    ]


def find_words(
    text: str, starts: Sequence[int], tokenizer_words: Sequence[int | None]
) -> tuple[tuple[int | None, int], ...]:
    """The word of each token: the tokenizer's, cut at white space.

    Args:
        text: The text.
        starts: Where in the text each token begins; a leading space counts to the word after it.
        tokenizer_words: The tokenizer's own word of each token.
    """
    heads = [
        k
        for k, character in enumerate(text)
        if not character.isspace() and (k == 0 or text[k - 1].isspace())
    ]
    words = []
    for start, word in zip(starts, tokenizer_words, strict=True):
        first = start
        while first < len(text) and text[first].isspace():
            first += 1
        # White space behind the last word is none of it.
        behind = first == len(text)
        words.append((word, len(heads) + 1 if behind else bisect_right(heads, first)))
    return tuple(words)


def _mask(
    text: TokenisedText, hidden: Sequence[int], scored: Sequence[int], mask_id: int
) -> MaskedCopy:
    ids = list(text.token_ids)
    for place in hidden:
        ids[place] = mask_id
    return MaskedCopy(tuple(ids), tuple(scored))

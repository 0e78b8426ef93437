"""What a likelihood engine promises: texts in, token ids and log-probabilities out.

Scoring knows engines only through this protocol, so that a faster engine can replace the present
one without touching shards, protocols or measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

BOS_ADDED = "added by tokenizer"
"""The tokenizer puts a begin-of-sequence token first, so that the first word has a probability."""
BOS_NONE = "none"
"""No begin-of-sequence token: the first token of a text has no probability."""
BOS_PREFIXED = "put first on request"
"""The tokenizer adds none; the model's own begin-of-sequence token was put first all the same."""


CAUSAL = "causal"
"""log P(w_t | w_<t): what a causal model predicts of each token from those before it."""
PSEUDO = "pseudo"
"""log P(w_t | all other tokens): a masked model's, with that token alone masked."""
PSEUDO_WITHIN_WORD = "pseudo-within-word"
"""The same with the later tokens of the token's word masked, too."""
MASKED_DIFFERENCE = "masked-difference"
"""The tokens in which an item's two texts differ, all masked at once; no other has a value."""
LIKELIHOODS = (CAUSAL, PSEUDO, PSEUDO_WITHIN_WORD, MASKED_DIFFERENCE)
"""How an engine makes a text's token log-probabilities."""


class Bos(StrEnum):
    """Which texts begin with a begin-of-sequence token."""

    TOKENIZER = "tokenizer"
    """Those of a tokenizer that adds one by itself."""
    ALWAYS = "always"
    """All; end-of-sequence stands in where a model has no other, as evaluation harnesses do."""


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The tokens of one text and what the model gave them.

    Raises:
        ValueError: if there is not exactly one log-probability per token after the first.
    """

    token_ids: tuple[int, ...]
    """T tokens: what begins the text, or its first piece, and the tokens that have a value.

    Of a causal model all of them, the tokenizer's own special tokens included. Of a masked model
    what the tokenizer puts first and the text's own tokens (under `masked-difference` those that
    differ), without what it puts last.
    """
    logprobs_nats: tuple[float, ...]
    """Of tokens 1..T-1, natural log, each finite and ≤ 0 up to rounding.

    Of a causal model log P(w_t | w_<t); of others what the engine's `likelihood` says.

    Token 0 has no context and therefore no entry; `bos_policy` of the engine says whether it is a
    begin-of-sequence token (nothing is lost) or the first piece of the text (unscored).
    """

    def __post_init__(self) -> None:
        if len(self.logprobs_nats) != max(len(self.token_ids) - 1, 0):
            raise ValueError(
                f"{len(self.token_ids)} tokens need one log-probability fewer, "
                f"not {len(self.logprobs_nats)}"
            )


class Identified(Protocol):
    """What the numbers of an engine depend on, whether it is open yet or not."""

    @property
    def model_id(self) -> str:
        """Name on the hub or path as the user gave it."""

    @property
    def revision(self) -> str:
        """Commit on the hub, or `sha256:…` over the files of a local model."""

    @property
    def dtype(self) -> str:
        """Number type of the weights and activations: `float32`, `bfloat16` or `float16`."""

    @property
    def tokenizer_hash(self) -> str:
        """Hex sha256 of the tokenizer's full definition."""

    @property
    def bos_policy(self) -> str:
        """`BOS_ADDED`, `BOS_NONE` or `BOS_PREFIXED`."""

    @property
    def likelihood(self) -> str:
        """How the log-probabilities are made: one of `LIKELIHOODS`."""


class LikelihoodEngine(Identified, Protocol):
    """A language model that says how likely it finds each token of a text."""

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens the model can be asked about."""

    def decode_tokens(self, token_ids: Sequence[int]) -> tuple[str, ...]:
        """The written form of each token by itself, for showing a text token by token."""

    def run_record(self) -> Mapping[str, str | float]:
        """How the texts scored so far were computed, e.g. `path` and `device`; empty before.

        It belongs to no key: whatever it says, the numbers are the same up to float rounding. In
        half precision `r_error` is the largest deviation of r_masc from float32 that was found:
        figures closer than that are not ordered.
        """

    def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
        """The token scores of each text, in the order of `texts`.

        A text's scores do not depend on the other texts (up to float rounding). An engine that
        needs both texts of an item offers `score_pairs` (see `pairs`) and refuses here.

        Raises:
            EngineError: if a text cannot be scored; the message names the text.
        """

"""Token log-probabilities of a Hugging Face masked language model, as the causal engine gives them.

A masked model predicts a token from both sides, so a text has no probability of its own; in its
place stand scores that `masking` defines, each the log-probability of a token where it is masked:
logit[token] − logsumexp(logits), natural log.

In `TokenScores` the first token is what the tokenizer puts before a text (`[CLS]`, `<s>`), which
has no value, as a causal model's begin-of-sequence token; the text's own tokens follow, and what
the tokenizer puts behind them is left out. So each value belongs to the token after the first, and
every protocol works on these scores as it does on causal ones. `masked-difference` keeps only
the tokens in which an item's texts differ.

Copies that two texts share are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from corpus.errors import EngineError
from engines.likelihood.causal import DTYPES, FLOAT32, pick_device
from engines.likelihood.loaded_engine import LoadedEngine
from engines.likelihood.masked_copies import CopyScorer
from engines.likelihood.masked_loading import LoadedMaskedModel, load_masked_model
from engines.likelihood.masking import (
    MaskedCopy,
    TokenisedText,
    choose_pairs,
    collect_targets,
    find_words,
    mask_difference,
    mask_singly,
    mask_within_words,
)
from engines.likelihood.parity import HalfPrecision, measure_half_precision
from engines.likelihood.protocol import (
    BOS_ADDED,
    MASKED_DIFFERENCE,
    PSEUDO,
    PSEUDO_WITHIN_WORD,
    TokenScores,
)

MASKED_LIKELIHOODS = (PSEUDO, PSEUDO_WITHIN_WORD, MASKED_DIFFERENCE)
WINDOW_TEXTS = 256
"""Texts masked and scored together; a text makes as many copies as it has tokens. Even."""


class MaskedEngine(LoadedEngine[LoadedMaskedModel]):
    """A `LikelihoodEngine` over a masked model; build it with `load_masked_engine`."""

    def __init__(
        self,
        loaded: LoadedMaskedModel,
        dtype: str,
        device: str,
        likelihood: str,
        load_float32: Callable[[], Any] | None = None,
    ) -> None:
        super().__init__(loaded, dtype, device)
        self._likelihood = likelihood
        self._load_float32 = load_float32
        self._half: HalfPrecision | None = None
        self._copies = CopyScorer(loaded.model, device, loaded)

    @property
    def bos_policy(self) -> str:
        """Always `BOS_ADDED`: the tokenizer begins every text, or loading refused it."""
        return BOS_ADDED

    @property
    def likelihood(self) -> str:
        """`pseudo`, `pseudo-within-word` or `masked-difference`."""
        return self._likelihood

    def run_record(self) -> Mapping[str, str | float]:
        """How the texts scored so far were computed; empty before the first of them.

        `path` and `device`; in half precision also `half_precision_error_nats` (largest deviation
        of a text's mean from float32) and `r_error` (of r_masc), on a few pairs; if some tokens
        are the tokenizer's unknown token, `unknown_token_share`.
        """
        if not self._copies.forward_passes:
            return {}
        record: dict[str, str | float] = {
            "path": "masked copies in sorted batches",
            "device": self._device,
        }
        if self._half is not None:
            record |= self._half.as_record()
        return record | self._record_unknown()

    def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
        """The token scores of each text, in the order of `texts`.

        Raises:
            EngineError: if a text is too long, has a token the model does not know, or gets a
                probability that is not a number; the message names the text. If the likelihood is
                `masked-difference`, which compares two texts: see `score_pairs`.
        """
        if self._likelihood == MASKED_DIFFERENCE:
            raise EngineError(
                "The likelihood masked-difference compares the two texts of an item and gives one "
                "text alone none: score items, or choose the likelihood pseudo."
            )
        found = self._tokenise(texts)
        mask = mask_singly if self._likelihood == PSEUDO else mask_within_words
        yield from self._score_all(found, lambda k: mask(found[k], self._loaded.mask_id))

    def score_pairs(
        self, pairs: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[TokenScores, TokenScores]]:
        """The token scores of both texts of each pair, in the order of `pairs`.

        Under `masked-difference` they are those of the tokens in which the two texts differ; texts
        that differ in a different number of tokens have a different number of scores.

        Raises:
            EngineError: as `score` does.
        """
        if self._likelihood != MASKED_DIFFERENCE:
            scores = self.score([text for pair in pairs for text in pair])
            yield from zip(scores, scores, strict=True)
            return
        found = self._tokenise([text for pair in pairs for text in pair])
        # The texts of a pair stand side by side, the first at an even place.
        scores = self._score_all(
            found, lambda k: [mask_difference(found[k], found[k ^ 1], self._loaded.mask_id)]
        )
        yield from zip(scores, scores, strict=True)

    def _tokenise(self, texts: Sequence[str]) -> list[TokenisedText]:
        encoded = self._loaded.tokenizer(
            list(texts), return_special_tokens_mask=True, return_offsets_mapping=True
        )
        found = []
        for k, text in enumerate(texts):
            ids = tuple(encoded["input_ids"][k])
            own = tuple(i for i, mark in enumerate(encoded["special_tokens_mask"][k]) if not mark)
            self._refuse_tokens(text, ids, self._loaded.max_tokens, len(ids))
            self._loaded.refuse_marks(text, ids, own)
            words = encoded.word_ids(k)
            offsets = encoded["offset_mapping"][k]
            found.append(
                TokenisedText(
                    text,
                    ids,
                    own,
                    find_words(text, [offsets[i][0] for i in own], [words[i] for i in own]),
                )
            )
        self._note_unknown([text.token_ids for text in found])
        return found

    def _score_all(
        self, texts: Sequence[TokenisedText], copies_of: Callable[[int], Sequence[MaskedCopy]]
    ) -> Iterator[TokenScores]:
        """The scores of each text, window by window; `copies_of` masks the text of that index."""
        if self._load_float32 is not None:
            self._measure_half_precision(texts, copies_of)
        for start in range(0, len(texts), WINDOW_TEXTS):
            window = range(start, min(start + WINDOW_TEXTS, len(texts)))
            copies = [copies_of(k) for k in window]
            yield from self._score_window([texts[k] for k in window], copies, self._copies)

    def _measure_half_precision(
        self, texts: Sequence[TokenisedText], copies_of: Callable[[int], Sequence[MaskedCopy]]
    ) -> None:
        """How far a few pairs are from float32, by the same checkpoint on the CPU."""
        if self._load_float32 is None:
            return
        chosen = [k for pair in choose_pairs(texts) for k in pair]
        window, copies = [texts[k] for k in chosen], [copies_of(k) for k in chosen]
        full = CopyScorer(self._load_float32(), "cpu", self._loaded)
        one, other = (self._score_window(window, copies, scorer) for scorer in (self._copies, full))
        scored = [
            side
            for k in range(0, len(chosen), 2)
            if all(scores.logprobs_nats for scores in one[k : k + 2])
            for side in (k, k + 1)
        ]
        found = measure_half_precision(
            [one[k].logprobs_nats for k in scored], lambda: [other[k].logprobs_nats for k in scored]
        )
        self._half = found if self._half is None else self._half.worse(found)

    def _score_window(
        self,
        texts: Sequence[TokenisedText],
        copies: Sequence[Sequence[MaskedCopy]],
        scorer: CopyScorer,
    ) -> list[TokenScores]:
        """The scores of each text from its masked copies."""
        values = scorer.score(collect_targets(texts, copies))
        scores = []
        for text, of_text in zip(texts, copies, strict=True):
            scored = [(copy.token_ids, place) for copy in of_text for place in copy.scored]
            tokens = [text.token_ids[place] for _, place in scored]
            logprobs = tuple(
                values[ids, place, token]
                for (ids, place), token in zip(scored, tokens, strict=True)
            )
            self._refuse_values(text.text, logprobs)
            scores.append(TokenScores((text.token_ids[0], *tokens), logprobs))
        return scores


def load_masked_engine(
    name: str,
    *,
    dtype: str = FLOAT32,
    device: str = "auto",
    revision: str | None = None,
    likelihood: str = PSEUDO,
    device_map: str | None = None,
) -> MaskedEngine:
    """An engine for the masked model `name` (name on the hub or local path), ready to score.

    Args:
        name: name on the hub or path of a local folder.
        dtype: `float32` (default), `bfloat16` or `float16`; never taken from the checkpoint.
        device: `auto`, `cpu`, `cuda` (or `cuda:1`) or `mps`.
        revision: branch, tag or commit on the hub; None is the hub's default branch.
        likelihood: `pseudo`, `pseudo-within-word` or `masked-difference`.
        device_map: `auto` spreads a model over all cards (and memory) there are; None for `device`.

    Raises:
        EngineError: if the model is missing, gated, has no masked head or no mask token, or does
            not fit its tokenizer, or if there is no such likelihood, number type or device.
    """
    if dtype not in DTYPES:
        raise EngineError(f"The dtype {dtype} is not one of {', '.join(DTYPES)}: choose one.")
    if likelihood not in MASKED_LIKELIHOODS:
        known = ", ".join(MASKED_LIKELIHOODS)
        raise EngineError(
            f"The likelihood {likelihood} is not one of a masked model: choose one of {known}."
        )
    chosen = pick_device(device)
    loaded = load_masked_model(name, dtype, chosen, revision, device_map)
    if device_map is not None:
        # Texts enter where the first layer lies.
        chosen = str(loaded.model.device)
    full: Callable[[], Any] | None = None
    if dtype != FLOAT32:
        full = lru_cache(lambda: load_masked_model(name, FLOAT32, "cpu", revision).model)
    return MaskedEngine(loaded, dtype, chosen, likelihood, full)

"""Sentence likelihood of a causal model: how probable it finds the whole sentence.

A causal model fills in no words, so nothing can be masked and there is no prior to divide by. What
stands in place of an association is ln P(sentence), whose difference between the two sentences of a
pair of person words is the log odds of the feminine against the masculine one. Unlike an
association it keeps how usual the words are by themselves: over the sectors of one language and
model that part is the same, so differences between sectors can be read and levels cannot.

    sentence    ln P of all tokens of the sentence; a longer word costs more
    per-token   the same divided by the number of tokens, in nats per token

Every sentence begins with a token of its own (the tokenizer's, or what the model begins or ends
texts with): many begin with the person word, which would have no probability otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from corpus.errors import EngineError
from engines.likelihood.association import NAMED_WORDS, AssociatedText, Association
from engines.likelihood.causal import CausalEngine, load_causal_engine
from engines.likelihood.protocol import Bos

SENTENCE = "sentence"
PER_TOKEN = "per-token"
SENTENCE_READINGS = (SENTENCE, PER_TOKEN)


class SentenceLikelihoodEngine:
    """Computes sentence likelihoods; build it with `load_sentence_engine`."""

    def __init__(self, engine: CausalEngine, reading: str) -> None:
        self._engine = engine
        self.reading = reading
        """How the tokens of a sentence are taken together: one of `SENTENCE_READINGS`."""

    @property
    def model_id(self) -> str:
        """Name on the hub or path as the user gave it."""
        return self._engine.model_id

    @property
    def revision(self) -> str:
        """Commit on the hub, or `sha256:…` over the files of a local model."""
        return self._engine.revision

    @property
    def tokenizer_hash(self) -> str:
        """Hex sha256 of the tokenizer's full definition."""
        return self._engine.tokenizer_hash

    def check(self, texts: Sequence[AssociatedText]) -> None:
        """Returns nothing if no text holds the unknown token; computes no probability.

        Raises:
            EngineError: naming the words that become it.
        """
        unknown_id = self._engine.tokenizer.unk_token_id
        if unknown_id is None:
            return
        unknown: dict[str, None] = {}
        for one in texts:
            if unknown_id in self._tokenise(one.text):
                unknown[self._name_unknown(one, unknown_id)] = None
        if unknown:
            words = list(unknown)
            more = f" and {len(words) - NAMED_WORDS} more" if len(words) > NAMED_WORDS else ""
            raise EngineError(
                f"The tokenizer of {self.model_id} does not know {', '.join(words[:NAMED_WORDS])}"
                f"{more}: the word would be scored as the unknown token; take a model that was "
                "trained on this language, or other words."
            )

    def score(self, texts: Sequence[AssociatedText]) -> Iterator[Association]:
        """The likelihood of each sentence, in the order of `texts`, with a prior of 0.

        `target_tokens` counts the tokens of the whole sentence.

        Raises:
            EngineError: as `check` does, or if a text is too long or gets no finite number.
        """
        self.check(texts)
        for scores in self._engine.score([one.text for one in texts]):
            total = math.fsum(scores.logprobs_nats)
            tokens = len(scores.logprobs_nats)
            value = total / tokens if self.reading == PER_TOKEN else total
            yield Association(value, 0.0, tokens, 0, altered=False)

    def _name_unknown(self, one: AssociatedText, unknown_id: int) -> str:
        """The person word or term if the unknown token is in it, otherwise the text."""
        for start, end in (one.target, one.attribute):
            word = one.text[start:end]
            if unknown_id in self._tokenise(word):
                return word
        return one.text

    def _tokenise(self, text: str) -> list[int]:
        """Tokens of the text itself: some tokenizers begin a text with the unknown token."""
        found: list[int] = self._engine.tokenizer(text, add_special_tokens=False)["input_ids"]
        return found


def load_sentence_engine(
    name: str,
    *,
    dtype: str = "float32",
    device: str = "auto",
    revision: str | None = None,
    reading: str = SENTENCE,
) -> SentenceLikelihoodEngine:
    """An engine for the causal model `name` (name on the hub or local path), ready to score.

    Raises:
        EngineError: if there is no such reading, number type or device, or the model is missing,
            gated, not causal, does not fit its tokenizer or has no token to put first.
    """
    check_sentence_reading(reading)
    engine = load_causal_engine(name, dtype=dtype, device=device, revision=revision, bos=Bos.ALWAYS)
    return SentenceLikelihoodEngine(engine, reading)


def check_sentence_reading(reading: str) -> None:
    """Returns nothing if there is such a reading of causal models.

    Raises:
        EngineError: naming those there are.
    """
    if reading not in SENTENCE_READINGS:
        raise EngineError(
            f"The reading {reading} is not one of {', '.join(SENTENCE_READINGS)}, which are those "
            "of causal models: choose one."
        )

"""Association of a masked model: how much a visible word changes the probability of another.

    A = ln(p_target / p_prior), natural log; 0 is no association, above 0 the word attracts

- p_target: the probability of the target at its masks, the attribute visible;
- p_prior: the same with the attribute masked, too.

Every token of a target or an attribute stands as one mask token, so the masks tell the model how
long both are, and words of unequal length are not equally hard: compare those apart.

A target of several tokens has the joint probability of one of two readings:

    joint          the product of all its tokens' probabilities, all masks in place
    left-to-right  the product with the tokens before each one filled in: p(t1) p(t2 | t1) …

A token with a leading space (byte-level BPE) and a space that is a token of its own (pieces with a
leading-space mark) belong to the word behind the space.

Source: study of sector association; the template-based association score of masked models, after
Kurita et al. 2019, Measuring Bias in Contextualized Word Representations, section 3. The study does
not say which reading it takes; `joint` is the one that its text describes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from corpus.errors import EngineError
from corpus.hashing import nfc
from engines.likelihood.causal import DTYPES, pick_device
from engines.likelihood.loaded_engine import LoadedEngine
from engines.likelihood.masked_copies import Copy, CopyScorer
from engines.likelihood.masked_loading import LoadedMaskedModel, load_masked_model

JOINT = "joint"
LEFT_TO_RIGHT = "left-to-right"
READINGS = (JOINT, LEFT_TO_RIGHT)
WINDOW_TEXTS = 512
"""Texts scored together; those that differ in the attribute alone share their prior."""
SHARING_TOKENS = 8
"""Targets of more tokens share no forward pass. Other rows change a log-probability by up to 1.3e-6
nats in float32, which adds up over a word's tokens; so A stays within 1e-5 of the text alone."""
NAMED_WORDS = 8
"""At most so many words are named in a message."""

Span = tuple[int, int]
"""First character and the one behind the last."""


@dataclass(frozen=True, slots=True)
class AssociatedText:
    """A text, the word whose probability is asked for and the one that may change it."""

    text: str
    target: Span
    attribute: Span


@dataclass(frozen=True, slots=True)
class Association:
    """What a masked model says of the target in one text."""

    target_logprob_nats: float
    """ln p_target, ≤ 0: the target at its masks, the attribute visible."""
    prior_logprob_nats: float
    """ln p_prior, ≤ 0: the attribute masked, too."""
    target_tokens: int
    attribute_tokens: int
    altered: bool
    """Whether the tokenizer writes the target otherwise, case aside: an uncased one may turn `él`
    (he) into `el` (the)."""

    @property
    def association_nats(self) -> float:
        """A = ln(p_target / p_prior)."""
        return self.target_logprob_nats - self.prior_logprob_nats


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The tokens of a text and where its two words stand among them."""

    token_ids: Copy
    target: tuple[int, ...]
    attribute: tuple[int, ...]
    altered: bool


class AssociationEngine(LoadedEngine[LoadedMaskedModel]):
    """Computes associations with a masked model; build it with `load_association_engine`."""

    def __init__(self, loaded: LoadedMaskedModel, dtype: str, device: str, reading: str) -> None:
        super().__init__(loaded, dtype, device)
        self.reading = reading
        """How the tokens of a target are taken together: one of `READINGS`."""
        self._copies = CopyScorer(loaded.model, device, loaded)

    def check(self, texts: Sequence[AssociatedText]) -> None:
        """Returns nothing if every text can be scored; computes no probability.

        Raises:
            EngineError: if words become the unknown token (all are named), or if a text is too
                long, or has a token that the model does not know or that is partly in a word.
        """
        unknown: dict[str, None] = {}
        for start in range(0, len(texts), WINDOW_TEXTS):
            window = texts[start : start + WINDOW_TEXTS]
            for text, found in zip(window, self._prepare(window), strict=True):
                for span, places in (
                    (text.target, found.target),
                    (text.attribute, found.attribute),
                ):
                    if any(found.token_ids[place] == self._unknown for place in places):
                        unknown[text.text[slice(*span)]] = None
        if unknown:
            words = list(unknown)
            more = f" and {len(words) - NAMED_WORDS} more" if len(words) > NAMED_WORDS else ""
            raise EngineError(
                f"The tokenizer of {self.model_id} does not know {', '.join(words[:NAMED_WORDS])}"
                f"{more}: the word would be scored as the unknown token; take a model that was "
                "trained on this language, or other words."
            )

    def score(self, texts: Sequence[AssociatedText]) -> Iterator[Association]:
        """The association of each text, in the order of `texts`.

        Raises:
            EngineError: as `check` does, before the first is computed, or if a probability is not
                a number.
        """
        self.check(texts)
        for start in range(0, len(texts), WINDOW_TEXTS):
            window = texts[start : start + WINDOW_TEXTS]
            yield from self._score_window(window, self._prepare(window))

    @property
    def _unknown(self) -> int | None:
        found: int | None = self._loaded.tokenizer.unk_token_id
        return found

    def _score_window(
        self, texts: Sequence[AssociatedText], prepared: Sequence[_Prepared]
    ) -> Iterator[Association]:
        visible = [self._steps(one, hide_attribute=False) for one in prepared]
        prior = [self._steps(one, hide_attribute=True) for one in prepared]
        wanted: dict[Copy, set[tuple[int, int]]] = {}
        for steps in (*visible, *prior):
            for copy, place, token in steps:
                wanted.setdefault(copy, set()).add((place, token))
        alone = {
            copy
            for one, *both in zip(prepared, visible, prior, strict=True)
            if len(one.target) > SHARING_TOKENS
            for copy, _, _ in chain(*both)
        }
        targets = {copy: sorted(found) for copy, found in wanted.items()}
        values = self._copies.score(targets, alone)
        for text, one, with_it, without in zip(texts, prepared, visible, prior, strict=True):
            target, before = (math.fsum(values[s] for s in steps) for steps in (with_it, without))
            if not math.isfinite(target) or not math.isfinite(before):
                raise EngineError(
                    f"The model {self.model_id} ({self.dtype}) gives a word a probability that is "
                    f"not a finite number (damaged weights or too narrow a dtype) in: {text.text}"
                )
            yield Association(target, before, len(one.target), len(one.attribute), one.altered)

    def _steps(self, one: _Prepared, *, hide_attribute: bool) -> list[tuple[Copy, int, int]]:
        """The (copy, place, token) whose log-probabilities add up to that of the target."""
        masked = list(one.token_ids)
        for place in (*one.target, *(one.attribute if hide_attribute else ())):
            masked[place] = self._loaded.mask_id
        steps = []
        for place in one.target:
            token = one.token_ids[place]
            steps.append((tuple(masked), place, token))
            if self.reading == LEFT_TO_RIGHT:
                masked[place] = token
        return steps

    def _prepare(self, texts: Sequence[AssociatedText]) -> list[_Prepared]:
        encoded = self._loaded.tokenizer(
            [one.text for one in texts],
            return_special_tokens_mask=True,
            return_offsets_mapping=True,
        )
        found = []
        for k, one in enumerate(texts):
            ids = tuple(encoded["input_ids"][k])
            marks = encoded["special_tokens_mask"][k]
            own = [
                (place, tuple(span))
                for place, span in enumerate(encoded["offset_mapping"][k])
                if not marks[place]
            ]
            self._refuse_tokens(one.text, ids, self._loaded.max_tokens, len(ids))
            self._loaded.refuse_marks(one.text, ids, [place for place, _ in own])
            target = self._find_tokens(one.text, one.target, own)
            attribute = self._find_tokens(one.text, one.attribute, own)
            written = self._loaded.tokenizer.decode([ids[place] for place in target])
            altered = _bare(written) != _bare(one.text[slice(*one.target)])
            found.append(_Prepared(ids, target, attribute, altered))
        return found

    def _find_tokens(
        self, text: str, span: Span, own: Sequence[tuple[int, Span]]
    ) -> tuple[int, ...]:
        """Places of the tokens that make the word, the space before it included."""
        start, end = span
        while start > 0 and text[start - 1].isspace():
            start -= 1
        inside = [
            (place, first, last)
            for place, (first, last) in own
            # A mark for a space may stand for no character at all.
            if first < end and (last > start or (first == last == span[0]))
        ]
        if not inside or any(first < start or last > end for _, first, last in inside):
            raise EngineError(
                f"The tokenizer of {self.model_id} makes no tokens of its own for "
                f"{text[slice(*span)]!r}, so the word cannot be masked by itself in: {text}"
            )
        return tuple(place for place, _, _ in inside)


def load_association_engine(
    name: str,
    *,
    dtype: str = "float32",
    device: str = "auto",
    revision: str | None = None,
    reading: str = JOINT,
) -> AssociationEngine:
    """An engine for the masked model `name` (name on the hub or local path), ready to score.

    Args:
        name: name on the hub or path of a local folder.
        dtype: `float32` (default), `bfloat16` or `float16`; never taken from the checkpoint.
        device: `auto`, `cpu`, `cuda` (or `cuda:1`) or `mps`.
        revision: branch, tag or commit on the hub; None is the hub's default branch.
        reading: `joint` or `left-to-right`.

    Raises:
        EngineError: if the model is missing, gated, has no masked head or no mask token, or does
            not fit its tokenizer, or if there is no such reading, number type or device.
    """
    for value, kind, known in ((dtype, "dtype", DTYPES), (reading, "reading", READINGS)):
        if value not in known:
            raise EngineError(f"The {kind} {value} is not one of {', '.join(known)}: choose one.")
    chosen = pick_device(device)
    return AssociationEngine(
        load_masked_model(name, dtype, chosen, revision), dtype, chosen, reading
    )


def _bare(text: str) -> str:
    """The text without white space and case."""
    return nfc("".join(text.split()).casefold())

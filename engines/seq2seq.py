"""Engine `transformers`: sequence-to-sequence translation models, by hub name or local folder.

A text's translation depends on the model, its settings and the text, not on what is translated
beside it: batches are padded and masked, nothing is drawn, and no limit depends on the batch.
Numbers of lower precision than float32 may still round differently from batch to batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from corpus.errors import EngineError, Fault, InputError
from engines.checkpoints import check_device
from engines.language_tags import Placement
from engines.likelihood.causal import DTYPES, pick_device
from engines.seq2seq_loading import FoundModel, find_model, load_weights
from engines.translation import CostEstimate, TranslationRequest, TranslationResponse, respond

TOO_LONG = "too_long"
"""Reason of a text with more tokens than the model takes; it is never cut."""
CUT_OFF = "cut_off"
"""Reason of a text whose translation did not end within `new_tokens`."""
WINDOW_BATCHES = 8
"""Batches that are sorted by length together, and committed together."""


@dataclass(frozen=True, slots=True)
class Seq2SeqSettings:
    """Which model to run and how."""

    model: str
    """Name on the hub or path of a folder."""
    device: str = "auto"
    dtype: str = "float32"
    beams: int = 4
    """1 is greedy."""
    texts_per_batch: int = 16
    input_tokens: int = 512
    """Longest text, tags included; the model's own limit if that is smaller."""
    new_tokens: int = 256
    """Longest translation."""


class Seq2SeqEngine:
    """A `TranslationEngine` over a transformers model; build it with `open_seq2seq_engine`."""

    name = "transformers"

    def __init__(self, settings: Seq2SeqSettings, found: FoundModel) -> None:
        self.settings = settings
        self.model = found.name
        self._found = found
        self._weights: Any | None = None
        self._device = pick_device(settings.device)

    @property
    def version(self) -> str:
        """Revision and everything that decides what the model writes."""
        settings = self.settings
        return (
            f"{self._found.revision},beams-{settings.beams},new-tokens-{settings.new_tokens},"
            f"{settings.dtype}"
        )

    def estimate_cost(self, requests: Sequence[TranslationRequest]) -> CostEstimate:
        """Nothing is sent and nothing is billed."""
        return CostEstimate(0, 0, 0.0, None, "The model runs on this machine and costs nothing")

    def translate(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        """Answers in the order of `requests`, a few batches at a time.

        Raises:
            InputError: if the model does not know a language; nothing is translated then.
            EngineError: if the weights cannot be loaded or memory runs out.
        """
        if not requests:
            return iter(())
        self._refuse_languages(requests)
        return self._translate_windows(requests)

    def _refuse_languages(self, requests: Sequence[TranslationRequest]) -> None:
        convention = self._found.convention
        wanted = list(dict.fromkeys(request.language for request in requests))
        known = ", ".join(convention.tags)
        faults = [
            Fault(self.model, None, code, "the model does not know the language", f"it has {known}")
            for code in wanted
            if code not in convention.tags
        ]
        if not faults and convention.placement is Placement.NONE and len(wanted) > 1:
            problem = f"the model has one target language, not {', '.join(wanted)}"
            faults = [Fault(self.model, None, "languages", problem, "give the one it was made for")]
        if faults:
            raise InputError(faults)

    def _translate_windows(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        size = WINDOW_BATCHES * self.settings.texts_per_batch
        for start in range(0, len(requests), size):
            yield self._translate_window(requests[start : start + size])

    def _translate_window(
        self, requests: Sequence[TranslationRequest]
    ) -> list[TranslationResponse]:
        token_lists = self._encode(requests)
        limit = min(self.settings.input_tokens, self._found.input_tokens)
        answers: dict[int, TranslationResponse] = {}
        fitting: list[int] = []
        for number, (request, ids) in enumerate(zip(requests, token_lists, strict=True)):
            if len(ids) > limit:
                answers[number] = TranslationResponse(request, None, TOO_LONG)
            else:
                fitting.append(number)
        # Longest first: the largest batch comes at the start, so memory runs out early or never.
        fitting.sort(key=lambda number: (requests[number].language, -len(token_lists[number])))
        for language, numbers in groupby(fitting, key=lambda number: requests[number].language):
            group = list(numbers)
            for start in range(0, len(group), self.settings.texts_per_batch):
                batch = group[start : start + self.settings.texts_per_batch]
                texts = self._generate([token_lists[number] for number in batch], language)
                for number, text in zip(batch, texts, strict=True):
                    answers[number] = (
                        TranslationResponse(requests[number], None, CUT_OFF)
                        if text is None
                        else respond(requests[number], text)
                    )
        return [answers[number] for number in range(len(requests))]

    def _encode(self, requests: Sequence[TranslationRequest]) -> list[list[int]]:
        convention = self._found.convention
        texts = [convention.tagged(request.text, request.language) for request in requests]
        return [list(ids) for ids in self._found.tokenizer(texts)["input_ids"]]

    def _generate(self, token_lists: Sequence[Sequence[int]], language: str) -> list[str | None]:
        """The translations of one batch; None where one did not end."""
        import torch

        model, tokenizer = self._loaded(), self._found.tokenizer
        batch = tokenizer.pad({"input_ids": [list(ids) for ids in token_lists]}, padding=True)
        inputs = {
            name: torch.tensor(batch[name], device=self._device)
            for name in ("input_ids", "attention_mask")
        }
        ends = self._configure(model, language)
        try:
            with torch.inference_mode():
                output = model.generate(**inputs)
        except torch.OutOfMemoryError as error:
            raise EngineError(
                f"Memory ran out while {self.model} translated {len(token_lists)} texts. "
                "Translations made before are kept; lower transformers_batch_size and run the "
                "command again."
            ) from error
        return [self._decode(row, ends) for row in output.tolist()]

    def _decode(self, ids: Sequence[int], ends: set[int]) -> str | None:
        # Some models start their output with the token that also ends it.
        if not ends & set(ids[1:]):
            return None
        # By default a Marian tokenizer puts pieces together by the source's rules.
        options = {"use_source_tokenizer": False} if self._found.kind == "marian" else {}
        text = self._found.tokenizer.decode(
            ids, skip_special_tokens=True, clean_up_tokenization_spaces=False, **options
        )
        return str(text)

    def _configure(self, model: Any, language: str) -> set[int]:
        """Takes chance out of the checkpoint's own generation settings; gives back the end tokens.

        They are changed in the model: what is None in settings handed over would be filled from it.
        """
        options = model.generation_config
        options.update(
            do_sample=False,
            num_beams=self.settings.beams,
            max_new_tokens=self.settings.new_tokens,
            max_length=None,
            temperature=None,
            top_k=None,
            top_p=None,
            # It would end a translation at the limit as if it were complete.
            forced_eos_token_id=None,
        )
        if self.settings.beams == 1:
            options.update(early_stopping=False, length_penalty=None)
        convention = self._found.convention
        if convention.placement is Placement.FORCED:
            tag = convention.tags[language]
            options.forced_bos_token_id = self._found.tokenizer.convert_tokens_to_ids(tag)
        end = options.eos_token_id
        return {end} if isinstance(end, int) else set(end)

    def _loaded(self) -> Any:
        if self._weights is None:
            self._weights = load_weights(self._found, self.settings.dtype, self._device)
        return self._weights


def open_seq2seq_engine(settings: Seq2SeqSettings) -> Seq2SeqEngine:
    """The engine of a model whose configuration and tokenizer are there; no weights are loaded.

    Raises:
        EngineError: if the model is missing or gated, or no translation model of a known family,
            or the device is not there.
    """
    if settings.dtype not in DTYPES:
        known = ", ".join(DTYPES)
        raise EngineError(f"The dtype {settings.dtype} is not one of {known}: choose one.")
    if settings.device != "auto":
        check_device(settings.device)
    return Seq2SeqEngine(settings, find_model(settings.model))

"""Tokenising through the inner library gives what the tokenizer's own call gives."""

from __future__ import annotations

from typing import Any

import pytest
from architectures import build_sentencepiece_tokenizer
from scoring_models import TEXTS, build_tokenizer

from engines.likelihood import tokenising
from engines.likelihood.tokenising import tokenise_texts


@pytest.mark.parametrize("kind", ["bos", "bare", "pieces"])
def test_ids_are_those_of_the_tokenizer_s_own_call(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = {
        "bos": lambda: build_tokenizer(with_bos=True),
        "bare": lambda: build_tokenizer(with_bos=False),
        "pieces": build_sentencepiece_tokenizer,
    }[kind]()
    monkeypatch.setattr(tokenising, "WINDOW_TEXTS", 4)
    expected = [tuple(ids) for ids in tokenizer(TEXTS)["input_ids"]]
    assert tokenise_texts(tokenizer, TEXTS) == expected


def test_what_a_tokenizer_s_file_says_of_padding_and_cutting_is_not_done() -> None:
    tokenizer = build_tokenizer(with_bos=True)
    expected = [tuple(ids) for ids in tokenizer(TEXTS)["input_ids"]]
    tokenizer.backend_tokenizer.enable_padding(length=64)
    tokenizer.backend_tokenizer.enable_truncation(5)
    assert tokenise_texts(tokenizer, TEXTS) == expected


def test_a_tokenizer_that_adds_something_of_its_own_is_asked_itself() -> None:
    inner = build_tokenizer(with_bos=False)

    class Adding:
        backend_tokenizer = inner.backend_tokenizer

        def __call__(self, texts: list[str]) -> dict[str, Any]:
            return {"input_ids": [[7, *ids] for ids in inner(texts)["input_ids"]]}

    class Slow:
        def __call__(self, texts: list[str]) -> dict[str, Any]:
            return {"input_ids": [[9, len(text)] for text in texts]}

    assert [ids[0] for ids in tokenise_texts(Adding(), TEXTS)] == [7] * len(TEXTS)
    assert tokenise_texts(Slow(), TEXTS) == [(9, len(text)) for text in TEXTS]


def test_no_texts_have_no_tokens() -> None:
    assert tokenise_texts(build_tokenizer(with_bos=True), []) == []

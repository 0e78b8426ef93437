"""Sentence likelihoods of tiny causal models against the plain model's own forward pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scoring_models import build_gpt2, build_tokenizer, save
from sector_models import build_word_tokenizer, place

from corpus.errors import EngineError
from corpus.sector_files import load_sector_languages
from engines.likelihood.association import AssociatedText
from engines.likelihood.association_opening import (
    ASSOCIATION,
    SENTENCE_LIKELIHOOD,
    identify_word_model,
    open_word_engine,
)
from engines.likelihood.sentence_likelihood import PER_TOKEN, load_sentence_engine

FRAMES = ("{target} works in {attribute}.", "For years {target} has been in {attribute}.")
TEXTS = [
    place(frame, word, term)
    for frame in FRAMES
    for word in ("she", "he", "my sister-in-law", "mój szwagier")
    for term in ("trade", "wine-growing")
]


@pytest.fixture(params=["gpt2_folder", "llama_folder"])
def folder(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


def compute_plainly(folder: Path, texts: Sequence[str]) -> list[list[float]]:
    """ln P of each token of each text, from forward passes over `<s>` and one text."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model.eval()
    found = []
    for text in texts:
        ids = [tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([ids])).logits[0].double()
        logprobs = logits.log_softmax(-1)
        found.append([float(logprobs[k, ids[k + 1]]) for k in range(len(ids) - 1)])
    return found


def test_a_sentence_has_the_probability_of_all_its_tokens(folder: Path) -> None:
    engine = load_sentence_engine(str(folder), device="cpu")
    plain = compute_plainly(folder, [one.text for one in TEXTS])
    for found, expected in zip(engine.score(TEXTS), plain, strict=True):
        assert found.association_nats == pytest.approx(math.fsum(expected), abs=1e-4)
        assert found.target_tokens == len(expected)
        assert (found.prior_logprob_nats, found.altered) == (0.0, False)


def test_the_reading_per_token_divides_by_their_number(folder: Path) -> None:
    whole = load_sentence_engine(str(folder), device="cpu").score(TEXTS)
    each = load_sentence_engine(str(folder), device="cpu", reading=PER_TOKEN).score(TEXTS)
    for one, other in zip(whole, each, strict=True):
        assert other.association_nats == pytest.approx(
            one.association_nats / one.target_tokens, abs=1e-6
        )


def test_batched_is_one_at_a_time(folder: Path) -> None:
    engine = load_sentence_engine(str(folder), device="cpu")
    together = list(engine.score(TEXTS))
    for text, expected in zip(TEXTS, together, strict=True):
        (alone,) = engine.score([text])
        # 1e-5 for each token, whose log-probabilities add up.
        within = 1e-5 * expected.target_tokens
        assert alone.association_nats == pytest.approx(expected.association_nats, abs=within)


def test_the_kind_of_the_checkpoint_decides(folder: Path, masked_folders: dict[str, Path]) -> None:
    causal = identify_word_model(str(folder))
    assert (causal.method, causal.reading) == (SENTENCE_LIKELIHOOD, "sentence")
    masked = identify_word_model(str(masked_folders["bert"]), reading="left-to-right")
    assert (masked.method, masked.reading) == (ASSOCIATION, "left-to-right")
    for found, path in ((causal, folder), (masked, masked_folders["bert"])):
        engine = open_word_engine(str(path), found, dtype="float32", device="cpu")
        assert engine.reading == found.reading
        assert (engine.model_id, engine.revision) == (found.model_id, found.revision)
        assert engine.tokenizer_hash == found.tokenizer_hash


def test_a_reading_of_the_other_kind_is_refused(
    folder: Path, masked_folders: dict[str, Path]
) -> None:
    with pytest.raises(EngineError, match="reading joint is not one of sentence, per-token"):
        identify_word_model(str(folder), reading="joint")
    with pytest.raises(EngineError, match="reading sentence is not one of joint, left-to-right"):
        identify_word_model(str(masked_folders["bert"]), reading="sentence")


def test_unknown_words_are_named(tmp_path: Path) -> None:
    tokenizer = build_word_tokenizer()
    tokenizer.bos_token = "[CLS]"
    folder = save(build_gpt2(32), tokenizer, tmp_path / "words")
    engine = load_sentence_engine(str(folder), device="cpu")
    frame = "{target} works in {attribute}"
    engine.check([place(frame, "she", "trade")])
    with pytest.raises(EngineError, match="does not know Her, mining, woman is in trade:"):
        engine.check(
            [
                place(frame, "her", "trade"),
                place(frame, "she", "mining"),
                AssociatedText("woman is in trade", (0, 5), (12, 17)),
            ]
        )


def test_all_sentences_of_a_language_can_be_scored(llama_folder: Path) -> None:
    (english,) = load_sector_languages(["en"])
    sentences = list(english.build_sentences())[::97]
    texts = [AssociatedText(one.text, one.target, one.attribute) for one in sentences]
    engine = load_sentence_engine(str(llama_folder), device="cpu")
    assert all(math.isfinite(one.association_nats) for one in engine.score(texts))


def test_a_model_without_a_token_to_put_first_is_refused(tmp_path: Path) -> None:
    tokenizer = build_tokenizer(with_bos=False)
    tokenizer.bos_token = tokenizer.eos_token = None
    folder = save(build_gpt2(), tokenizer, tmp_path / "bare")
    with pytest.raises(EngineError, match="a person word that begins a sentence would have no"):
        identify_word_model(str(folder))
    with pytest.raises(EngineError, match="does not hold a model"):
        identify_word_model(str(tmp_path))

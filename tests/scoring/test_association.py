"""Associations of four families of masked models against a plain loop, and one known by heart."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from masked_models import FAMILIES
from sector_models import build_constructed, place

from corpus.errors import EngineError
from engines.likelihood import association
from engines.likelihood.association import (
    JOINT,
    LEFT_TO_RIGHT,
    AssociatedText,
    AssociationEngine,
    load_association_engine,
)

MAX_ERROR = 1e-4
MAX_BATCH_GAP = 1e-5
BEGINNING = "{target} works from {attribute} to dusk."
MIDDLE = "I said that {target} works {attribute}"
TEXTS = [
    place(frame, target, attribute)
    for frame, targets in (
        (BEGINNING, ("The man", "The woman")),
        (MIDDLE, ("the man", "the woman", "he", "she", "unavená")),
    )
    for target in targets
    for attribute in ("dawn", "day", "cinema", "every day")
]


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, masked_folders: dict[str, Path]) -> Path:
    return masked_folders[request.param]


def load(folder: Path, reading: str = JOINT) -> AssociationEngine:
    return load_association_engine(str(folder), device="cpu", reading=reading)


class PlainLoop:
    """One masked copy a pass in float64, words found by tokenising what stands before them."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        self.model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float64).eval()
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)

    def places(self, text: str, span: tuple[int, int]) -> list[int]:
        """Between the tokens of the text before the word (without its space) and those up to it."""
        lengths = [
            len(self.tokenizer(part, add_special_tokens=False)["input_ids"]) if part else 0
            for part in (text[: span[0]].rstrip(), text[: span[1]])
        ]
        return [1 + k for k in range(*lengths)]

    def logprob(self, one: AssociatedText, reading: str, *, hide: bool) -> float:
        import torch

        ids = self.tokenizer(one.text)["input_ids"]
        target = self.places(one.text, one.target)
        copy = torch.tensor([ids])
        copy[0, target + (self.places(one.text, one.attribute) if hide else [])] = (
            self.tokenizer.mask_token_id
        )
        total = 0.0
        for k in target:
            with torch.no_grad():
                total += float(torch.log_softmax(self.model(copy).logits[0, k], dim=-1)[ids[k]])
            if reading == LEFT_TO_RIGHT:
                copy[0, k] = ids[k]
        return total


@pytest.mark.parametrize("reading", [JOINT, LEFT_TO_RIGHT])
def test_every_family_agrees_with_a_plain_loop(folder: Path, reading: str) -> None:
    plain = PlainLoop(folder)
    found = list(load(folder, reading).score(TEXTS))
    for one, value in zip(TEXTS, found, strict=True):
        assert value.target_logprob_nats == pytest.approx(
            plain.logprob(one, reading, hide=False), abs=MAX_ERROR
        )
        assert value.prior_logprob_nats == pytest.approx(
            plain.logprob(one, reading, hide=True), abs=MAX_ERROR
        )
        assert value.target_tokens == len(plain.places(one.text, one.target))
        assert value.attribute_tokens == len(plain.places(one.text, one.attribute))
        assert not value.altered
    assert len({value.target_tokens for value in found}) > 1
    spread = [value.association_nats for value in found]
    assert max(spread) - min(spread) > 0.5


def test_a_batch_says_what_one_text_at_a_time_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = list(load(folder).score(TEXTS))
    monkeypatch.setattr(association, "WINDOW_TEXTS", 7)
    in_windows = list(load(folder).score(TEXTS))
    alone = [next(load(folder).score([one])) for one in TEXTS[::6]]
    for first, second in (
        *zip(together, in_windows, strict=True),
        *zip(together[::6], alone, strict=True),
    ):
        assert abs(first.association_nats - second.association_nats) <= MAX_BATCH_GAP
        assert abs(first.target_logprob_nats - second.target_logprob_nats) <= MAX_BATCH_GAP


@pytest.mark.parametrize("reading", [JOINT, LEFT_TO_RIGHT])
def test_a_long_word_says_the_same_beside_any_others(folder: Path, reading: str) -> None:
    """Exactly the same: its copies share no pass, while those of short words do."""
    long = place(BEGINNING, " ".join(["the man", "the woman"] * 4), "dawn")
    *_, beside = load(folder, reading).score([*TEXTS, long])
    assert beside.target_tokens > association.SHARING_TOKENS
    assert beside == next(load(folder, reading).score([long]))


def test_readings_agree_on_one_token_and_part_on_several(folder: Path) -> None:
    joint = list(load(folder).score(TEXTS))
    filled = list(load(folder, LEFT_TO_RIGHT).score(TEXTS))
    gaps = [
        (abs(a.target_logprob_nats - b.target_logprob_nats), a.target_tokens)
        for a, b in zip(joint, filled, strict=True)
    ]
    assert all(gap < MAX_BATCH_GAP for gap, tokens in gaps if tokens == 1)
    assert all(gap > 1e-3 for gap, tokens in gaps if tokens > 1)


def test_a_leading_space_belongs_to_the_word(masked_folders: dict[str, Path]) -> None:
    engine = load(masked_folders["roberta"])
    found = next(engine.score([place("I said {target} works {attribute}", "she", "day")]))
    tokenizer = engine._loaded.tokenizer
    assert found.target_tokens == len(tokenizer(" she", add_special_tokens=False)["input_ids"])


# The constructed model: "works in farming", p(he) = .4, p(she) = .1; with farming masked
# p(he) = .2, p(she) = .2.
def test_a_constructed_model_gives_what_was_worked_out_by_hand() -> None:
    engine = AssociationEngine(build_constructed(), "float32", "cpu", JOINT)
    texts = [place("{target} works in {attribute}", who, "farming") for who in ("she", "he")]
    she, he = engine.score(texts)
    assert she.target_logprob_nats == pytest.approx(math.log(0.1), abs=1e-6)
    assert she.prior_logprob_nats == pytest.approx(math.log(0.2), abs=1e-6)
    assert she.association_nats == pytest.approx(-math.log(2), abs=1e-6)
    assert he.association_nats == pytest.approx(math.log(2), abs=1e-6)


# Two tokens "my aunt": at the first mask p(my) = .5 whatever stands there. At the second
# p(aunt) = .1 beside a mask and .4 beside "my"; with farming masked .2 and .2.
@pytest.mark.parametrize(
    ("reading", "visible", "prior"),
    [(JOINT, 0.5 * 0.1, 0.5 * 0.2), (LEFT_TO_RIGHT, 0.5 * 0.4, 0.5 * 0.2)],
)
def test_several_tokens_are_a_product_with_all_masks_or_left_to_right(
    reading: str, visible: float, prior: float
) -> None:
    engine = AssociationEngine(build_constructed(), "float32", "cpu", reading)
    (found,) = engine.score([place("{target} works in {attribute}", "my aunt", "farming")])
    assert found.target_tokens == 2
    assert found.target_logprob_nats == pytest.approx(math.log(visible), abs=1e-6)
    assert found.prior_logprob_nats == pytest.approx(math.log(prior), abs=1e-6)


def test_words_that_become_unknown_are_all_named_before_work() -> None:
    engine = AssociationEngine(build_constructed(), "float32", "cpu", JOINT)
    texts = [
        place("{target} works in {attribute}", *words)
        for words in (
            ("he", "farming"),
            ("niece", "farming"),
            ("he", "weaving"),
            ("nephew", "trade"),
        )
    ]
    with pytest.raises(
        EngineError, match="does not know Niece, weaving, Nephew: the word would be"
    ):
        next(engine.score(texts))


def test_an_uncased_tokenizer_that_alters_a_word_is_marked() -> None:
    loaded = build_constructed(strip_accents=True)
    engine = AssociationEngine(loaded, "float32", "cpu", JOINT)
    texts = [place("{target} works in {attribute}", who, "farming") for who in ("Hé", "He")]
    assert [one.altered for one in engine.score(texts)] == [True, False]


def test_a_word_without_tokens_of_its_own_is_refused(masked_folders: dict[str, Path]) -> None:
    whole = place("The {target} works {attribute}", "woman", "day")
    cut = replace(whole, target=(whole.target[0], whole.target[0] + 1))
    engine = AssociationEngine(build_constructed(), "float32", "cpu", JOINT)
    with pytest.raises(EngineError, match="makes no tokens of its own for 'w'"):
        engine.check([cut])
    long = place("{target} works from " + "dawn to " * 60 + "{attribute}", "he", "dusk")
    with pytest.raises(EngineError, match="takes 66 tokens at most"):
        load(masked_folders["bert"]).check([long])
    marked = place("{target} works [MASK] from {attribute}", "he", "dusk")
    with pytest.raises(EngineError, match="one of its own marks"):
        load(masked_folders["bert"]).check([marked])


def test_what_cannot_be_used_is_refused(masked_folders: dict[str, Path], gpt2_folder: Path) -> None:
    folder = str(masked_folders["bert"])
    with pytest.raises(EngineError, match="reading backwards is not one of joint, left-to-right"):
        load_association_engine(folder, reading="backwards")
    with pytest.raises(EngineError, match="dtype int8 is not one of"):
        load_association_engine(folder, dtype="int8")
    with pytest.raises(EngineError, match="no masked language-model head"):
        load_association_engine(str(gpt2_folder))

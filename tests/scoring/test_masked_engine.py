"""Masked models of four families against a plain loop over one masked copy at a time."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from masked_models import FAMILIES
from scoring_models import TEXTS

from corpus.errors import EngineError
from engines.likelihood import masked, masked_copies
from engines.likelihood.masked import MASKED_LIKELIHOODS, MaskedEngine, load_masked_engine
from engines.likelihood.masked_loading import identify_masked_model
from engines.likelihood.opening import EngineChoice, open_engine
from engines.likelihood.pairs import score_pairs
from engines.likelihood.protocol import BOS_ADDED, TokenScores
from scoring.protocols import PROTOCOLS, compute_values
from scoring.run import score_language
from scoring.shards import read_shard, shard_key, shard_path
from scoring.variants import Condition, ScoredItem

MAX_LOGPROB_ERROR = 1e-4
MAX_BATCH_GAP = 1e-5
PAIRS = list(itertools.pairwise(TEXTS))[::2]


@pytest.fixture(scope="module", params=FAMILIES)
def folder(request: pytest.FixtureRequest, masked_folders: dict[str, Path]) -> Path:
    return masked_folders[request.param]


def load(folder: Path, likelihood: str = "pseudo", **options: Any) -> MaskedEngine:
    return load_masked_engine(str(folder), device="cpu", likelihood=likelihood, **options)


class PlainLoop:
    """One masked copy a pass in float64, written without the engine's code."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        self.model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float64).eval()
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text)["input_ids"])

    def logprobs(self, ids: list[int], hidden: list[int], scored: list[int]) -> list[float]:
        import torch

        copy = torch.tensor([ids])
        copy[0, hidden] = self.tokenizer.mask_token_id
        with torch.no_grad():
            found = torch.log_softmax(self.model(copy).logits[0], dim=-1)
        return [float(found[place, ids[place]]) for place in scored]

    def spread(self, text: str) -> float:
        import torch

        with torch.no_grad():
            return float(self.model(torch.tensor([self.ids(text)])).logits.std())


@pytest.fixture(scope="module")
def loop(folder: Path) -> PlainLoop:
    return PlainLoop(folder)


def check(found: TokenScores, ids: list[int], logprobs: list[float]) -> None:
    assert list(found.token_ids) == ids
    assert found.logprobs_nats == pytest.approx(logprobs, abs=MAX_LOGPROB_ERROR)


def test_pseudo_log_likelihood_masks_one_token_at_a_time(folder: Path, loop: PlainLoop) -> None:
    for text, found in zip(TEXTS, load(folder).score(TEXTS), strict=True):
        ids = loop.ids(text)
        # The last token is the tokenizer's own and is not scored; nor is the first.
        expected = [loop.logprobs(ids, [k], [k])[0] for k in range(1, len(ids) - 1)]
        check(found, ids[:-1], expected)
    assert loop.spread(TEXTS[0]) >= 2, "the test model would hide a lost scale"


def test_pseudo_within_word_masks_what_follows_in_the_word(folder: Path, loop: PlainLoop) -> None:
    engine = load(folder, "pseudo-within-word")
    differs = False
    for text, found in zip(TEXTS, engine.score(TEXTS), strict=True):
        ids = loop.ids(text)
        ends = word_ends(loop.tokenizer, text)
        expected = [
            loop.logprobs(ids, list(range(k, ends[k])), [k])[0] for k in range(1, len(ids) - 1)
        ]
        check(found, ids[:-1], expected)
        differs = differs or any(ends[k] > k + 1 for k in range(1, len(ids) - 1))
    assert differs, "no word of these texts has two tokens"


def word_ends(tokenizer: Any, text: str) -> dict[int, int]:
    """Place of a token → place behind the last token of its word, found by writing words out."""
    encoded = tokenizer(text, return_offsets_mapping=True)
    offsets, words = encoded["offset_mapping"], encoded.word_ids(0)
    last = len(encoded["input_ids"]) - 1
    ends = {}
    for k in range(1, last):
        end = k + 1
        while end < last and words[end] == words[k]:
            reached = text[offsets[k][0] : offsets[end][0] + 1].strip()
            if any(character.isspace() for character in reached) or text[offsets[end][0]].isspace():
                break
            end += 1
        ends[k] = end
    return ends


def test_masked_difference_masks_both_texts_where_they_differ(
    folder: Path, loop: PlainLoop
) -> None:
    engine = load(folder, "masked-difference")
    ((masculine, feminine),) = engine.score_pairs([("he said he cried", "she said she cried")])
    for text, found in (("he said he cried", masculine), ("she said she cried", feminine)):
        ids = loop.ids(text)
        other = loop.ids("she said she cried" if text.startswith("he") else "he said he cried")
        hidden = [k for k in range(len(ids)) if ids[k] in found.token_ids[1:]]
        kept = [token for k, token in enumerate(ids) if k not in hidden]
        assert hidden
        assert set(kept) <= set(other)
        check(found, [ids[0], *(ids[k] for k in hidden)], loop.logprobs(ids, hidden, hidden))


@pytest.mark.parametrize("likelihood", MASKED_LIKELIHOODS)
def test_batches_change_nothing(
    folder: Path, likelihood: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load(folder, likelihood)
    together = list(engine.score_pairs(PAIRS))
    backwards = list(engine.score_pairs(PAIRS[::-1]))[::-1]
    alone = [next(engine.score_pairs([pair])) for pair in PAIRS]
    monkeypatch.setattr(masked_copies, "BATCH_POSITIONS", 1)
    monkeypatch.setattr(masked, "WINDOW_TEXTS", 2)
    singly = list(engine.score_pairs(PAIRS))
    for one, *others in zip(together, backwards, alone, singly, strict=True):
        for other in others:
            for mine, theirs in zip(one, other, strict=True):
                assert mine.token_ids == theirs.token_ids
                assert mine.logprobs_nats == pytest.approx(
                    theirs.logprobs_nats, abs=MAX_BATCH_GAP, rel=0
                )


def test_a_copy_that_both_texts_share_is_computed_once(
    masked_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load(masked_folders["bert"], "masked-difference")
    computed: list[int] = []
    whole = masked_copies.CopyScorer.score

    def counting(self: Any, targets: Any) -> Any:
        computed.append(len(targets))
        return whole(self, targets)

    monkeypatch.setattr(masked_copies.CopyScorer, "score", counting)
    list(engine.score_pairs([("he said", "she said")]))
    assert computed == [1]


def test_less_memory_makes_smaller_batches_and_the_same_numbers(
    masked_folders: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    import torch

    expected = list(load(masked_folders["bert"]).score(TEXTS))
    whole = masked_copies.CopyScorer._score_batch

    def crowded(self: Any, batch: Any, wanted: Any) -> list[float]:
        if len(batch) > 3:
            raise torch.OutOfMemoryError("out of memory")
        return whole(self, batch, wanted)

    monkeypatch.setattr(masked_copies.CopyScorer, "_score_batch", crowded)
    for mine, theirs in zip(load(masked_folders["bert"]).score(TEXTS), expected, strict=True):
        assert mine.logprobs_nats == pytest.approx(theirs.logprobs_nats, abs=MAX_BATCH_GAP, rel=0)
    assert "texts at once from here on" in caplog.text


@pytest.mark.parametrize("likelihood", MASKED_LIKELIHOODS)
def test_half_precision_says_how_far_it_is_from_float32(
    masked_folders: dict[str, Path], likelihood: str
) -> None:
    folder = masked_folders["bert"]
    half = load(folder, likelihood, dtype="bfloat16")
    scores = list(half.score_pairs(PAIRS))
    exact = list(load(folder, likelihood).score_pairs(PAIRS))
    gaps = [
        abs(sum(a.logprobs_nats) - sum(b.logprobs_nats)) / len(a.logprobs_nats)
        for one, other in zip(scores, exact, strict=True)
        if all(side.logprobs_nats for side in one)
        for a, b in zip(one, other, strict=True)
    ]
    record = half.run_record()
    assert record["half_precision_error_nats"] == pytest.approx(max(gaps), rel=0.05)
    assert 0 < float(record["r_error"]) < 0.5
    assert "r_error" not in load(folder, likelihood).run_record()


@pytest.mark.parametrize("lost", ["mask", "positions"])
def test_a_lost_mask_or_position_would_show(
    folder: Path, loop: PlainLoop, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    engine = load(folder)
    model = engine._loaded.model
    if lost == "positions":
        with torch.no_grad():
            model.base_model.embeddings.position_embeddings.weight.zero_()
    else:
        whole = model.forward
        monkeypatch.setattr(
            model, "forward", lambda *, input_ids, attention_mask: whole(
                input_ids=input_ids, attention_mask=torch.ones_like(attention_mask))
        )  # fmt: skip
    gaps = []
    for text, found in zip(TEXTS[:5], engine.score(TEXTS), strict=False):
        ids = loop.ids(text)
        expected = [loop.logprobs(ids, [k], [k])[0] for k in range(1, len(ids) - 1)]
        gaps += [abs(a - b) for a, b in zip(found.logprobs_nats, expected, strict=True)]
    assert max(gaps) > 100 * MAX_LOGPROB_ERROR


def test_masked_difference_needs_both_texts(masked_folders: dict[str, Path]) -> None:
    with pytest.raises(EngineError, match="compares the two texts of an item"):
        list(load(masked_folders["bert"], "masked-difference").score(["he said"]))


def test_what_an_engine_says_of_itself(folder: Path) -> None:
    engine = load(folder)
    assert engine.run_record() == {}
    list(engine.score(["he said"]))
    assert engine.run_record() == {"path": "masked copies in sorted batches", "device": "cpu"}
    assert (engine.bos_policy, engine.likelihood, engine.dtype) == (BOS_ADDED, "pseudo", "float32")
    assert engine.model_id == folder.name
    assert engine.revision.startswith("sha256:")
    found = identify_masked_model(str(folder))
    for name in ("model_id", "revision", "tokenizer_hash", "bos_policy"):
        assert getattr(found, name) == getattr(engine, name), name


@pytest.mark.parametrize("likelihood", MASKED_LIKELIHOODS)
def test_shards_and_every_protocol_take_masked_scores(
    masked_folders: dict[str, Path], likelihood: str, tmp_path: Path
) -> None:
    items = [
        ScoredItem(f"eurogest/en/s/{k}", "en", 1 + k, Condition.PRONOUN, "t", *texts)
        for k, texts in enumerate([("he said", "she said"), ("the man said", "the woman said")])
    ]
    keys = set()
    for each in MASKED_LIKELIHOODS:
        engine = load(masked_folders["bert"], each)
        key = shard_key(engine, "en", items, templates_hash="t", data_hash="d")
        keys.add(key.digest)
        if each == likelihood:
            path = score_language(engine, items, shard_path(tmp_path, key), key)
            shard = read_shard(path, key)
            direct = list(score_pairs(engine, [item.texts for item in items]))
            assert [(pair.masculine, pair.feminine) for pair in shard.pairs] == direct
    assert len(keys) == len(MASKED_LIKELIHOODS), "likelihoods must not share a shard"
    for name, protocol in PROTOCOLS.items():
        if not protocol.terminated:
            assert len(compute_values(shard.pairs, protocol).values) == 2, name


# What is refused, in one sentence and before any work.


def test_a_model_spread_over_devices_scores_alike(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoModelForMaskedLM

    asked: list[Any] = []
    inner = AutoModelForMaskedLM.from_pretrained

    def load_model(*names: Any, **options: Any) -> Any:
        asked.append(options["device_map"])
        return inner(*names, **options)

    monkeypatch.setattr(AutoModelForMaskedLM, "from_pretrained", load_model)
    spread = open_engine(EngineChoice(str(folder), likelihood="pseudo", device_map="auto"))
    assert asked == ["auto"]
    for one, other in zip(spread.score(TEXTS), load(folder).score(TEXTS), strict=True):
        check(one, list(other.token_ids), list(other.logprobs_nats))


def test_a_text_too_long_is_refused_and_named(folder: Path) -> None:
    engine = load(folder)
    text = "he " * 80
    with pytest.raises(EngineError, match=r"takes 6[456] tokens at most.*he he"):
        list(engine.score(["fine", text]))
    # As many tokens as the model has positions are fine.
    limit = engine._loaded.max_tokens
    assert limit is not None
    longest = max(
        (text for text in ("I " * k for k in range(1, limit)) if _length(engine, text) <= limit),
        key=len,
    )
    assert len(next(engine.score([longest])).logprobs_nats) > limit // 3


def _length(engine: MaskedEngine, text: str) -> int:
    return len(engine._loaded.tokenizer(text)["input_ids"])


def test_all_texts_are_looked_at_before_the_first_is_scored(
    masked_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load(masked_folders["bert"])
    monkeypatch.setattr(masked, "WINDOW_TEXTS", 2)
    with pytest.raises(EngineError, match="tokens at most"):
        next(engine.score([*TEXTS, "he " * 80]))
    assert engine.run_record() == {}


def test_no_room_for_one_text_is_one_sentence(
    masked_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def full(*_: Any) -> list[float]:
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(masked_copies.CopyScorer, "_score_batch", full)
    with pytest.raises(EngineError, match="no room on cpu to score even one text"):
        list(load(masked_folders["bert"]).score(TEXTS))


def test_a_text_that_holds_the_tokenizer_s_own_mark_is_refused(folder: Path) -> None:
    engine = load(folder)
    mark = engine._loaded.tokenizer.mask_token
    with pytest.raises(EngineError, match="one of its own marks"):
        list(engine.score([f"he said {mark}"]))


def test_an_empty_text_has_no_score(folder: Path) -> None:
    (found,) = load(folder).score([""])
    assert found.logprobs_nats == ()


def test_damaged_weights_are_refused(masked_folders: dict[str, Path]) -> None:
    import torch

    engine = load(masked_folders["bert"])
    with torch.no_grad():
        engine._loaded.model.bert.encoder.layer[0].output.dense.weight[0, 0] = float("nan")
    with pytest.raises(EngineError, match=r"not a finite number.*he said"):
        list(engine.score(["he said"]))


def test_a_causal_model_is_refused(gpt2_folder: Path, llama_folder: Path) -> None:
    for folder in (gpt2_folder, llama_folder):
        for act in (identify_masked_model, load_masked_engine):
            with pytest.raises(EngineError, match="no masked language-model head"):
                act(str(folder))


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"hub could not be asked|neither as a folder"):
        identify_masked_model("nobody/no-such-model")
    with pytest.raises(EngineError, match="does not hold a model"):
        identify_masked_model(str(tmp_path))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"likelihood": "causal"}, "choose one of pseudo, pseudo-within-word, masked-difference"),
        ({"dtype": "int8"}, "choose one"),
        ({"device": "cuda:77"}, "The device cuda:77 cannot be used"),
    ],
)
def test_options_that_cannot_be_are_refused(
    masked_folders: dict[str, Path], options: dict[str, str], problem: str
) -> None:
    with pytest.raises(EngineError, match=problem):
        load_masked_engine(str(masked_folders["bert"]), **{"device": "cpu", **options})


def test_a_tokenizer_without_a_mask_token_is_refused(
    masked_folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_model(masked_folders["bert"], tmp_path)
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    del settings["mask_token"]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    for act in (identify_masked_model, load_masked_engine):
        with pytest.raises(EngineError, match="has no mask token"):
            act(str(folder))


def test_a_tokenizer_of_another_model_is_refused(
    masked_folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_model(masked_folders["bert"], tmp_path)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((masked_folders["roberta"] / name).read_bytes())
    for act in (identify_masked_model, load_masked_engine):
        with pytest.raises(EngineError, match="does not fit it"):
            act(str(folder))


def test_a_checkpoint_without_its_head_is_refused(
    masked_folders: dict[str, Path], tmp_path: Path
) -> None:
    from transformers import AutoModelForMaskedLM

    folder = copy_model(masked_folders["bert"], tmp_path)
    model = AutoModelForMaskedLM.from_pretrained(folder)
    state = {k: v for k, v in model.state_dict().items() if "predictions.transform" not in k}
    model.save_pretrained(folder, state_dict=state)
    with pytest.raises(EngineError, match="lacks weights of a masked language model"):
        load_masked_engine(str(folder), device="cpu")


def copy_model(source: Path, target: Path) -> Path:
    folder = target / "model"
    folder.mkdir()
    for file in source.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder

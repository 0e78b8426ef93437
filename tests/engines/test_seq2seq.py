"""The engine `transformers` on tiny checkpoints of the real families that know a few phrases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiny_translators
from tiny_translators import PHRASES

from corpus.errors import EngineError, InputError
from corpus.languages import load_languages
from engines.language_tags import Placement, find_convention
from engines.seq2seq import (
    CUT_OFF,
    TOO_LONG,
    Seq2SeqEngine,
    Seq2SeqSettings,
    open_seq2seq_engine,
)
from engines.translation import TranslationRequest

BUILDERS: dict[str, Callable[[Path], Path]] = {
    "nllb": tiny_translators.build_nllb,
    "madlad": tiny_translators.build_madlad,
    "opus": lambda folder: tiny_translators.build_marian(folder, ["sk", "tr"]),
    "bilingual": lambda folder: tiny_translators.build_marian(folder, ["sk"]),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Family → folder; a bilingual model's name says its target."""
    root = tmp_path_factory.mktemp("translators")
    return {family: build(root / f"made-{family}-en-sk") for family, build in BUILDERS.items()}


def open_engine(folder: Path, **settings: int | str) -> Seq2SeqEngine:
    small = {"device": "cpu", "new_tokens": 48, **settings}
    return open_seq2seq_engine(Seq2SeqSettings(str(folder), **small))  # type: ignore[arg-type]


def requests_for(family: str) -> list[TranslationRequest]:
    known = ("sk",) if family == "bilingual" else ("sk", "tr")
    return [TranslationRequest(text, code) for text, code in PHRASES if code in known]


def outcomes(engine: Seq2SeqEngine, requests: list[TranslationRequest]) -> list[str | None]:
    return [each.text or each.reason for chunk in engine.translate(requests) for each in chunk]


@pytest.mark.parametrize("family", BUILDERS)
@pytest.mark.parametrize("beams", [1, 3])
def test_a_text_is_translated_alike_alone_and_in_any_batch(
    folders: dict[str, Path], family: str, beams: int
) -> None:
    asked = requests_for(family)
    expected = [PHRASES[each.text, each.language] for each in asked]
    engine = open_engine(folders[family], beams=beams, texts_per_batch=3)
    assert engine._found.convention.family == family
    assert outcomes(engine, asked) == expected
    assert outcomes(engine, asked[::-1]) == expected[::-1]
    assert [outcomes(engine, [each])[0] for each in asked] == expected


def test_yields_a_few_batches_at_a_time(folders: dict[str, Path]) -> None:
    engine = open_engine(folders["opus"], beams=1, texts_per_batch=1)
    asked = [TranslationRequest("I sing .", "sk")] * 19
    assert [len(chunk) for chunk in engine.translate(asked)] == [8, 8, 3]


def test_the_model_gets_whole_batches_of_one_language(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(folders["nllb"], beams=1, texts_per_batch=3)
    generated: list[tuple[int, str]] = []
    original = engine._generate

    def generate(token_lists: Any, language: str) -> Any:
        generated.append((len(token_lists), language))
        return original(token_lists, language)

    monkeypatch.setattr(engine, "_generate", generate)
    codes = ("sk", "tr", "sk", "sk", "tr", "sk")
    outcomes(engine, [TranslationRequest("I sing .", code) for code in codes])
    assert generated == [(3, "sk"), (1, "sk"), (2, "tr")]


@pytest.mark.parametrize("family", BUILDERS)
def test_a_gpu_writes_the_same(folders: dict[str, Path], family: str) -> None:
    import torch

    if not torch.cuda.is_available():
        pytest.skip("there is no GPU that PyTorch knows")
    asked = requests_for(family)
    engine = open_engine(folders[family], device="cuda", beams=3)
    assert outcomes(engine, asked) == [PHRASES[each.text, each.language] for each in asked]
    assert next(engine._loaded().parameters()).is_cuda


@pytest.mark.parametrize("device", ["abacus", "cuda:99"])
def test_a_device_that_is_not_there_is_refused_before_work(
    folders: dict[str, Path], device: str
) -> None:
    with pytest.raises(EngineError, match=f"The device {device} cannot be used.*auto or cpu"):
        open_engine(folders["nllb"], device=device)


@pytest.mark.parametrize("family", ["nllb", "opus"])
def test_too_long_a_text_is_flagged_and_never_cut(folders: dict[str, Path], family: str) -> None:
    engine = open_engine(folders[family])
    long = TranslationRequest("I sing . " * 40, "sk")
    short = TranslationRequest("I sing .", "sk")
    assert engine._found.input_tokens == 64
    assert outcomes(engine, [long, short]) == [TOO_LONG, "Spievam ."]


def test_the_limit_of_the_settings_counts_where_a_model_has_none(folders: dict[str, Path]) -> None:
    engine = open_engine(folders["madlad"], input_tokens=8)
    texts = ["I sing .", "The woman said that I sing and that I cook ."]
    asked = [TranslationRequest(text, "sk") for text in texts]
    assert outcomes(engine, asked) == ["Spievam .", TOO_LONG]


def test_a_translation_that_does_not_end_is_flagged(folders: dict[str, Path]) -> None:
    engine = open_engine(folders["opus"], new_tokens=4)
    texts = ["I sing .", "The woman said that I sing and that I cook ."]
    asked = [TranslationRequest(text, "sk") for text in texts]
    assert outcomes(engine, asked) == ["Spievam .", CUT_OFF]


def test_what_decides_the_text_is_in_the_key_and_nothing_else(folders: dict[str, Path]) -> None:
    engine = open_engine(folders["nllb"], beams=2)
    assert engine.model == "made-nllb-en-sk"
    assert engine.version.startswith("sha256:")
    assert engine.version.endswith(",beams-2,new-tokens-48,float32")
    assert open_engine(folders["nllb"], beams=2, texts_per_batch=1).version == engine.version
    assert open_engine(folders["nllb"], beams=1).version != engine.version


def test_another_tokenizer_is_another_version(folders: dict[str, Path], tmp_path: Path) -> None:
    for file in folders["madlad"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert open_engine(tmp_path).version == open_engine(folders["madlad"]).version
    config = tmp_path / "tokenizer_config.json"
    config.write_text(config.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert open_engine(tmp_path).version != open_engine(folders["madlad"]).version


@pytest.mark.parametrize(
    ("family", "codes", "problem"),
    [
        ("nllb", "sk de", "made-nllb-en-sk [de]: the model does not know the language"),
        ("bilingual", "tr", "made-bilingual-en-sk [tr]: the model does not know the language"),
    ],
)
def test_unknown_languages_are_refused_before_weights_are_loaded(
    folders: dict[str, Path], family: str, codes: str, problem: str
) -> None:
    engine = open_engine(folders[family])
    with pytest.raises(InputError) as caught:
        engine.translate([TranslationRequest("I sing .", code) for code in codes.split()])
    assert problem in str(caught.value)
    assert engine._weights is None


def test_a_bilingual_model_has_one_target_whatever_its_name(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    named = tmp_path / "my model"
    named.symlink_to(folders["bilingual"])
    found = find_convention([], "marian", "my model")
    assert found is not None
    assert (found.placement, set(found.tags)) == (Placement.NONE, set(load_languages()))
    (tmp_path / "plain").mkdir()
    for file in folders["bilingual"].iterdir():
        (tmp_path / "plain" / file.name).write_bytes(file.read_bytes())
    engine = open_engine(tmp_path / "plain")
    with pytest.raises(InputError, match="one target language, not sk, tr"):
        engine.translate([TranslationRequest("I sing .", code) for code in ("sk", "tr")])


@pytest.mark.parametrize(
    ("tag", "family", "code", "text"),
    [
        ("nob_Latn", "nllb", "no", "I."),
        ("lvs_Latn", "nllb", "lv", "I."),
        ("__hr__", "m2m100", "hr", "I."),
        ("<2mt>", "madlad", "mt", "<2mt> I."),
        (">>nor<<", "opus", "no", ">>nor<< I."),
        (">>ell<<", "opus", "el", ">>ell<< I."),
        (">>es<<", "opus", "es", ">>es<< I."),
    ],
)
def test_each_family_names_languages_in_its_way(
    tag: str, family: str, code: str, text: str
) -> None:
    found = find_convention(["a", tag], "any", "any")
    assert found is not None
    assert (found.family, dict(found.tags)) == (family, {code: tag})
    assert found.tagged("I.", code) == text


def test_every_language_has_its_tags() -> None:
    forms = ("{code}", "<2{code}>")
    madlad = find_convention([forms[1].format(code=code) for code in load_languages()], "t5", "m")
    assert madlad is not None
    assert set(madlad.tags) == set(load_languages())


def refusal_of(path: str | Path) -> str:
    with pytest.raises(EngineError) as caught:
        open_engine(Path(path))
    message = str(caught.value)
    assert message.count(". ") == 0, "one sentence"
    return message


def test_a_missing_model_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()
    assert "does not hold a model" in refusal_of(tmp_path / "empty")
    assert "The model nobody/none" in refusal_of("nobody/none")


def test_what_is_no_translation_model_is_one_sentence(tmp_path: Path) -> None:
    from transformers import BartConfig, GPT2Config

    GPT2Config().save_pretrained(tmp_path / "causal")
    assert "(gpt2) is no sequence-to-sequence model" in refusal_of(tmp_path / "causal")
    BartConfig().save_pretrained(tmp_path / "bare")
    assert "target languages in no way" in refusal_of(tmp_path / "bare")


def copy_without(folder: Path, into: Path, *endings: str) -> Path:
    """The files of a model, less those that end so."""
    for file in folder.iterdir():
        if not file.name.endswith(endings):
            (into / file.name).write_bytes(file.read_bytes())
    return into


@pytest.mark.parametrize(
    ("family", "problem"),
    [
        ("nllb", "The tokenizer of the model {} cannot be loaded"),
        ("madlad", "check that its tokenizer files are there"),
        ("opus", "The tokenizer of the model {} cannot be loaded"),
    ],
)
def test_a_model_without_its_tokenizer_is_one_sentence(
    folders: dict[str, Path], tmp_path: Path, family: str, problem: str
) -> None:
    lacking = ("tokenizer.json", "tokenizer_config.json", ".spm", "vocab.json", "spiece.model")
    folder = copy_without(folders[family], tmp_path, *lacking)
    assert problem.format(folder) in refusal_of(folder)


def test_a_model_without_its_weights_is_one_sentence(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    engine = open_engine(copy_without(folders["nllb"], tmp_path, ".safetensors"))
    with pytest.raises(EngineError, match=r"it needs a valid config\.json and weights"):
        list(engine.translate([TranslationRequest("I sing .", "sk")]))


def test_an_incomplete_checkpoint_is_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in folders["madlad"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    kept = {name: value for name, value in weights.items() if "encoder.block.0.layer.1" not in name}
    save_file(kept, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(EngineError, match=r"lacks weights \(first: encoder\.block"):
        outcomes(open_engine(tmp_path), [TranslationRequest("I sing .", "sk")])

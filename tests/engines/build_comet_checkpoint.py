"""Builds tiny untrained COMET checkpoints; run with the interpreter of the COMET environment.

Usage: build_comet_checkpoint.py FOLDER < pairs.json

`pairs.json` is a list of [source, translation]. Writes FOLDER/qe, FOLDER/wmt22-cometkiwi-da and
FOLDER/reference as real checkpoints, and FOLDER/scores.json with what `predict`, called directly,
gives for the pairs. The scores mean nothing; they show whether the way to them changes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytorch_lightning
import torch
import yaml
from comet import load_from_checkpoint
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def build_encoder(folder: Path, texts: list[str]) -> None:
    """A tokenizer trained on the texts and a random XLM-R of two small layers."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=200, special_tokens=SPECIAL, unk_token="<unk>")
    tokenizer.train_from_iterator(texts, trainer)
    names = dict(zip(("bos", "pad", "eos", "unk", "mask"), SPECIAL, strict=True))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        cls_token="<s>",
        sep_token="</s>",
        **{f"{name}_token": token for name, token in names.items()},
    )
    fast.save_pretrained(folder)
    config_file = folder / "tokenizer_config.json"
    config = json.loads(config_file.read_text(encoding="utf-8"))
    config["tokenizer_class"] = "XLMRobertaTokenizer"
    config_file.write_text(json.dumps(config), encoding="utf-8")
    XLMRobertaModel(
        XLMRobertaConfig(
            vocab_size=len(fast),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=130,
            pad_token_id=1,
        )
    ).save_pretrained(folder)


def save_checkpoint(model: pytorch_lightning.LightningModule, name: str, folder: Path) -> Path:
    """The layout that COMET publishes: hparams.yaml beside a folder with the checkpoint."""
    checkpoint = folder / "checkpoints" / "model.ckpt"
    trainer = pytorch_lightning.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False
    )
    trainer.strategy.connect(model)
    trainer.save_checkpoint(checkpoint)
    hparams = {"class_identifier": name, **dict(model.hparams)}
    (folder / "hparams.yaml").write_text(yaml.safe_dump(json.loads(json.dumps(hparams))), "utf-8")
    return checkpoint


def main() -> None:
    folder = Path(sys.argv[1])
    pairs = json.load(sys.stdin)
    torch.manual_seed(20)
    encoder = folder / "encoder"
    build_encoder(encoder, [text for pair in pairs for text in pair])
    common = {
        "encoder_model": "XLM-RoBERTa",
        "pretrained_model": str(encoder),
        "hidden_sizes": [16],
        "layer_norm": False,
        "local_files_only": True,
    }
    built = {
        "qe": (ReferencelessRegression(**common), "referenceless_regression_metric"),
        "wmt22-cometkiwi-da": (
            UnifiedMetric(input_segments=["mt", "src"], **common),
            "unified_metric",
        ),
        "reference": (RegressionMetric(**common), "regression_metric"),
    }
    scores = {}
    samples = [{"src": source, "mt": translation} for source, translation in pairs]
    for name, (model, identifier) in built.items():
        checkpoint = save_checkpoint(model, identifier, folder / name)
        if name != "reference":
            loaded = load_from_checkpoint(str(checkpoint), local_files_only=True)
            prediction = loaded.predict(samples, batch_size=8, gpus=0, num_workers=0)
            scores[name] = prediction.scores
    (folder / "scores.json").write_text(json.dumps(scores), "utf-8")


if __name__ == "__main__":
    main()

"""`score`: several models of a file at once, each with a result of its own; faults before work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.samples import sentences_path
from engines.tiny_model import build_tiny_model
from tests.app.refusals import MODEL_NAME, refuse
from tests.command_line import run_here


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = sentences_path().read_text(encoding="utf-8").splitlines()
    return build_tiny_model(tmp_path_factory.mktemp("model") / "tiny", texts)


def models_file(folder: Path, text: str) -> Path:
    path = folder / "models.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_models_of_a_file_have_results_of_their_own(
    study_copy: Path, tiny: Path, tmp_path: Path
) -> None:
    file = models_file(
        tmp_path,
        f'[[models]]\nname = "{tiny}"\nkind = "base"\nsize = 1000\nsupported_languages = ["en"]\n'
        f'[[models]]\nname = "{tiny}"\nbos = "always"\nkind = "instruct"\nbase = "{tiny.parent}"\n',
    )
    score = ["score", "--models", file, "--device", "cpu", "-w", study_copy]
    ended = run_here(*score, "--json")
    assert ended.code == 0, ended.text
    figures = json.loads(ended.out)["figures"]
    manifests = [
        json.loads(path.read_bytes()) for path in study_copy.glob("results/*/manifest.json")
    ]
    assert sorted(each["bos_policy"] for each in manifests) == ["none", "put first on request"]
    said = {each["bos_policy"]: each["model_metadata"] for each in manifests}
    assert said == {
        "none": {"kind": "base", "size": 1000, "supported_languages": ["en"]},
        "put first on request": {"kind": "instruct", "base": tiny.parent.name},
    }
    assert sum(each["name"] == "g_s" for each in figures) == 2 * 3
    again = run_here(*score)
    assert again.code == 0
    assert again.out.count("g_s of tiny on release 0.1.0") == 2
    states = [json.loads(path.read_bytes()) for path in study_copy.glob("results/*/run.json")]
    assert [each["shards"]["en"]["state"] for each in states] == ["kept", "kept"]


def test_every_model_of_a_file_is_looked_for_before_one_is_scored(
    study_copy: Path, tiny: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    names = (tiny, MODEL_NAME, empty, f"{tiny.parent}/./tiny")
    file = models_file(tmp_path, "".join(f'[[models]]\nname = "{name}"\n' for name in names))
    message = refuse(study_copy, "score", "--models", file, "--device", "cpu").message
    for place, problem in (
        ("[models[2].name]", f"The model {MODEL_NAME} was not found locally"),
        ("[models[3].name]", f"The folder {empty} does not hold a model"),
        ("[models[4]]", f"the same model as {tiny}"),
    ):
        assert f"{file} {place}: {problem}" in message
    assert "models[1]" not in message


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "Name one model with --model, or a file of several with --models."),
        (["--model", "m", "--models", "f.toml"], "Name one model with --model, or a file"),
        (["--models", "absent.toml"], "absent.toml: cannot be read"),
        (["--model", "m", "--workers", "2"], "--workers belongs to --runner local"),
        (["--model", "m", "--runner", "slurm"], "There is no SLURM on this machine"),
        (["--model", "m", "--likelihood", "magic"], "The likelihood magic is not one of auto"),
        (["--model", "m", "--device-map", "all"], "The device map all is not one of auto"),
    ],
)
def test_what_does_not_fit_together_is_one_sentence(
    study_copy: Path, options: list[str], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(study_copy))
    assert problem in refuse(study_copy, "score", *options).message


def test_a_model_that_fails_everywhere_is_a_gap_and_the_command_fails(
    study_copy: Path, tiny: Path, tmp_path: Path
) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    broken = tmp_path / "broken"
    build_tiny_model(broken, ["I sleep well."])
    model = AutoModelForCausalLM.from_pretrained(broken)
    with torch.no_grad():
        next(iter(model.parameters())).fill_(float("nan"))
    model.save_pretrained(broken)
    file = models_file(tmp_path, f'[[models]]\nname = "{broken}"\n[[models]]\nname = "{tiny}"\n')
    ended = run_here("score", "--models", file, "--device", "cpu", "-w", study_copy)
    assert ended.code == 1
    assert "GAP broken, en: The model broken (float32) gives a token" in ended.message
    assert "GAP broken: no language could be scored; nothing was stored of it." in ended.message
    assert "g_s of tiny on release 0.1.0" in ended.out
    [manifest] = study_copy.glob("results/*/manifest.json")
    assert json.loads(manifest.read_bytes())["model"] == "tiny"

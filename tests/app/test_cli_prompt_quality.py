"""`prompts quality`: both orders beside one another, in a table, a picture and a document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.app.test_cli_prompt_augmentation import make_workspace, script
from tests.command_line import run_here
from tests.corpus.prompt_files import write_prompts
from tests.engines.prompt_servers import RewritingScript
from tests.engines.tiny_embedders import build_tiny_embedder

__all__ = ["script"]
HUMAN = [
    {"prompt": "¿Son {GENDER1} más tranquilos que {GENDER2}?"},
    {"prompt_id": "2", "prompt": "¿Es así?"},
]


@pytest.fixture
def workspace(tmp_path: Path, httpserver: HTTPServer, script: RewritingScript) -> Path:
    workspace = make_workspace(tmp_path, httpserver.url_for("/v1"))
    spanish = write_prompts(tmp_path, HUMAN, "prompts_es_es.csv")
    assert run_here("prompts", "import", spanish, "--workspace", workspace).code == 0
    for order in ("t2p", "p2t"):
        options = ["-l", "es,lb", "-n", "2", "--order", order, "--workspace", workspace]
        told = run_here("prompts", "augment", *options)
        assert told.code == 0, told.text
    return workspace


def test_both_orders_are_measured_and_drawn(workspace: Path, tmp_path: Path) -> None:
    model = build_tiny_embedder(tmp_path / "model", ["en", "es"])
    out = tmp_path / "quality"
    told = run_here(
        "prompts", "quality", "-w", workspace, "--embedding-model", model, "-o", out, "--json"
    )
    assert told.code == 0, told.text
    document = json.loads(told.out)
    found = {
        (each["name"], *each["scope"].values()): (each["value"], each["reason"], each["n"])
        for each in document["figures"]
    }
    assert found[("meaning", "lb", "t2p", "english")] == (None, "language_unsupported", 3)
    assert -1 <= found[("meaning", "es", "t2p", "english")][0] <= 1
    assert found[("bleu", "es", "p2t", "human")][2] == 2
    assert found[("chrf", "lb", "t2p", "human")][1] == "no_data"
    assert found[("chrf", "es", "t2p-p2t", "human")][2] == 2
    assert any("seen by a human: es t2p 0 of 6, " in line for line in document["statements"])
    assert str(model) not in told.text
    assert json.loads((out / "augmentation_quality.json").read_text("utf-8")) == document
    picture = (out / "augmentation_quality.svg").read_text("utf-8")
    assert "Quality of augmented prompts" in picture
    assert "Spanish" in picture


def test_without_a_model_the_table_says_so(workspace: Path) -> None:
    told = run_here("prompts", "quality", "-l", "es", "--workspace", workspace)
    assert told.code == 0, told.text
    assert "– (a setting" in told.out
    assert "lower: more varied" in told.out
    assert "neither says that a test is still the same test" in told.message
    for wrong in (["-l", "xx"], ["-l", "fr"], ["--format", "gif"], ["--dataset", "none"]):
        assert run_here("prompts", "quality", *wrong, "--workspace", workspace).code == 1
    silent = build_tiny_embedder(workspace / "silent", [])
    told = run_here("prompts", "quality", "-w", workspace, "--embedding-model", silent)
    assert "declares no language" in told.message
    assert "the model does not declare" in told.out
    missing = workspace / "no-model"
    told = run_here("prompts", "quality", "--embedding-model", missing, "--workspace", workspace)
    assert told.code == 1
    assert "embedding model" in told.message

"""What is missing to ask the models of a file is told before any is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.errors import InputError
from scoring.model_connections import ModelConnections
from scoring.tested_models import ModelEngine, TestedModel, TestedModels
from tests.engines.tiny_chat_models import build_chat_model


def told(connections: ModelConnections, *models: TestedModel) -> list[str]:
    with pytest.raises(InputError) as caught:
        connections.resolve(TestedModels(models), "models.toml")
    return [f"{fault.field}: {fault.problem}" for fault in caught.value.faults]


def endpoint(url: str) -> TestedModel:
    return TestedModel("stork", "Stork", ModelEngine.ENDPOINT, url=url)


@pytest.mark.parametrize(
    "url", ["http://", "http://[::1/v1", "http://127.0.0.1:99999/v1", "http://127.0.0.1:x/v1"]
)
def test_address_that_cannot_be_used_is_a_fault(url: str) -> None:
    assert told(ModelConnections({}), endpoint(url)) == [
        "models[1].url: no address that can be used"
    ]


def test_local_model_that_is_not_for_chat_is_told_with_all_else(tmp_path: Path) -> None:
    folder = build_chat_model(tmp_path / "base", template=None)
    local = TestedModel("base", "Tiny", ModelEngine.LOCAL, path=str(folder))
    found = told(ModelConnections({}, "nowhere"), endpoint("https://example.org/v1"), local)
    assert [each.partition(":")[0] for each in found] == [
        "device",
        "models[1].key_variable",
        "models[2].path",
    ]
    assert "has no chat template" in found[2]


def test_precision_is_a_part_of_what_was_asked(tmp_path: Path) -> None:
    folder = build_chat_model(tmp_path / "chat")
    local = TestedModel("tiny", "Tiny", ModelEngine.LOCAL, path=str(folder))
    one, other = (
        ModelConnections({}, "cpu", dtype).resolve(TestedModels((local,)), "models.toml").models[0]
        for dtype in ("float32", "bfloat16")
    )
    assert other.revision == f"{one.revision} bfloat16"

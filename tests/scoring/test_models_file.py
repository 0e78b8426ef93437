"""Models files: what they say of each model, and every fault of one at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.errors import InputError
from scoring.models_file import ModelEntry, ModelKind, ModelMetadata, load_models_file, parse_models

WHOLE = """
[[models]]
name = "example/stork-1b"
family = "Stork"
size = 1_000_000_000
kind = "base"
supported_languages = ["sk", "en"]

[[models]]
name = "models/stork-1b-chat"
revision = "v2"
dtype = "bfloat16"
bos = "always"
likelihood = "causal"
kind = "instruct"
base = "example/stork-1b"
"""


def faults_of(text: str) -> dict[str | None, tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        parse_models(text.encode("utf-8"), "models.toml")
    assert all(fault.file == "models.toml" for fault in caught.value.faults)
    return {fault.field: (fault.problem, fault.remedy) for fault in caught.value.faults}


def test_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(WHOLE, encoding="utf-8")
    assert load_models_file(file) == (
        ModelEntry(
            "example/stork-1b",
            metadata=ModelMetadata("Stork", 1_000_000_000, ModelKind.BASE, None, ("en", "sk")),
        ),
        ModelEntry(
            "models/stork-1b-chat",
            "v2",
            "bfloat16",
            "always",
            "causal",
            ModelMetadata(kind=ModelKind.INSTRUCT, base="example/stork-1b"),
        ),
    )


def test_metadata_holds_what_is_said_and_nothing_else() -> None:
    first, second = parse_models(WHOLE.encode("utf-8"), "models.toml")
    assert first.metadata.as_json() == {
        "family": "Stork",
        "size": 1_000_000_000,
        "kind": "base",
        "supported_languages": ["en", "sk"],
    }
    assert second.metadata.as_json() == {"kind": "instruct", "base": "example/stork-1b"}
    assert ModelMetadata().as_json() == {}


def test_size_name_and_casing_are_said_of_masked_models() -> None:
    text = '[[models]]\nname = "a"\nsize_name = "large"\ncasing = "{}"\n'
    (entry,) = parse_models(text.format("uncased").encode(), "models.toml")
    assert entry.metadata.as_json() == {"size_name": "large", "casing": "uncased"}
    assert faults_of(text.format("lower")) == {
        "models[1].casing": ("'lower' is not known", "use cased, uncased")
    }


def test_all_faults_are_told_at_once() -> None:
    found = faults_of("""
notes = "mine"
[[models]]
nmae = "a"
dtype = "float64"
[[models]]
name = "b"
size = 0
kind = "chat"
base = "b"
supported_languages = ["en", "klingon", "EN"]
[[models]]
name = 3
bos = true
size = true
supported_languages = "en"
[[models]]
name = "  "
revision = ""
likelihood = "magic"
""")
    assert list(found) == [
        "notes",
        "models[1].nmae",
        "models[1].name",
        "models[1].dtype",
        "models[2].kind",
        "models[2].size",
        "models[2].base",
        "models[2].supported_languages",
        "models[3].name",
        "models[3].bos",
        "models[3].size",
        "models[3].supported_languages",
        "models[4].name",
        "models[4].revision",
        "models[4].likelihood",
    ]
    assert found["models[1].dtype"] == (
        "'float64' is not known",
        "use float32, bfloat16, float16",
    )
    assert "'klingon', 'EN' is no language code" in found["models[2].supported_languages"]


def test_a_model_that_stands_twice_is_refused_unless_it_is_loaded_in_another_way() -> None:
    twice = '[[models]]\nname = "a"\n[[models]]\nname = "a"\nsize = 3\n'
    assert faults_of(twice) == {"models[2]": ("'a' stands 2 times", "keep one")}
    two = '[[models]]\nname = "a"\n[[models]]\nname = "a"\nrevision = "v2"\n'
    assert len(parse_models(two.encode("utf-8"), "models.toml")) == 2


@pytest.mark.parametrize(
    "text", ["", "models = []", "models = 3", 'models = ["a"]', "[models]\nname = 'a'"]
)
def test_a_file_without_models_is_refused(text: str) -> None:
    assert "models" in faults_of(text)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            load_models_file(path)
    for data in (b"[[models", b"\xff\xfe"):
        with pytest.raises(InputError, match="not a TOML file"):
            parse_models(data, "models.toml")

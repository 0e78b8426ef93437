"""`sectors score` of several models, killed with SIGKILL between them and run again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corpus.sector_files import load_sector_languages
from engines.tiny_model import build_tiny_masked_model
from tests.command_line import ROOT, environment_of, run_here

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("killed_command.py")


def results_of(workspace: Path) -> dict[str, bytes]:
    found = (workspace / "results" / "sectors").rglob("*")
    return {str(path.relative_to(workspace)): path.read_bytes() for path in found if path.is_file()}


def test_a_killed_run_over_models_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    (english,) = load_sector_languages(["en"])
    texts = sorted({one.text for one in english.build_sentences()})
    for name in ("stone", "river"):
        build_tiny_masked_model(tmp_path / name, texts, seed=len(name) + ord(name[0]))
    models = tmp_path / "models.toml"
    models.write_text(
        f'[[models]]\nname = "{tmp_path / "stone"}"\nsize_name = "base"\ncasing = "cased"\n'
        f'[[models]]\nname = "{tmp_path / "river"}"\n',
        encoding="utf-8",
    )
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for workspace in (killed, whole):
        assert run_here("init", workspace, "--name", "S").code == 0
        # As few as there may be.
        with (workspace / "stereoscope.toml").open("a", encoding="utf-8") as settings:
            settings.write("draws = 100\n")
    arguments = ["sectors", "score", "--models", str(models), "-l", "en", "-w"]
    # The first file that gets its name is the first model's shard.
    command = [sys.executable, str(SCRIPT), "after replace", "1", *arguments, str(killed)]
    ended = subprocess.run(command, env=environment_of(None), cwd=ROOT, check=False, timeout=300)
    assert ended.returncode == -signal.SIGKILL
    left = results_of(killed)
    assert [Path(name).suffix for name in left] == [".parquet"]
    again = run_here(*arguments, killed)
    assert again.code == 0, again.text
    assert run_here(*arguments, whole).code == 0
    found = results_of(killed)
    assert found == results_of(whole)
    assert left.items() <= found.items()
    manifests = [json.loads(data) for name, data in found.items() if name.endswith("manifest.json")]
    assert {each["model"]: each["metadata"] for each in manifests} == {
        "stone": {"size_name": "base", "casing": "cased"},
        "river": {},
    }

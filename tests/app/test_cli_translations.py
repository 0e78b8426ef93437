"""`translations import` and `export`: exact texts, all faults at once, and a full round trip."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.samples import sentences_path, translation_paths
from engines.translation_files import load_translation_file
from tests.command_line import run_here, snapshot_of
from tests.sample_workspaces import run_all, translation_options

MADE_BY = ("--engine", "google", "--model", "general/nmt", "--version", "v3")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run_here("init", folder).code == 0
    run_all(folder, ["source", "add", sentences_path(), "--dataset", "sample"])
    return folder


def export(workspace: Path, name: str, *options: str) -> Path:
    out = workspace.parent / name
    ended = run_here("translations", "export", "--out", out, *options, "-w", workspace)
    assert ended.code == 0, ended.text
    return out


def texts_of(path: Path) -> list[tuple[str, str]]:
    return [(each.source, each.translation) for each in load_translation_file(path).rows]


def test_imported_translations_are_not_sent_again(empty: Path) -> None:
    files = [path for code, path in translation_paths().items() if code in ("sk", "sv")]
    ended = run_here("translations", "import", *files, *MADE_BY, "-w", empty)
    assert ended.code == 0, ended.text
    count = sum(len(set(texts_of(path))) for path in files)
    assert f"{count} translations added, 0 were there already." in ended.message
    again = run_here("translations", "import", *files, *MADE_BY, "-w", empty)
    assert f"0 translations added, {count} were there already." in again.message
    dry = run_here("generate", "-l", "sk,sv", "--engine", "google", "--dry-run", "-w", empty)
    assert "0 requests with 0 characters would be sent" in dry.message
    done = run_here("generate", "-l", "sk,sv", "--engine", "google", "-w", empty)
    assert done.code == 0, done.text
    listed = run_here("translations", "list", "-w", empty)
    assert "general/nmt" in listed.out


@pytest.mark.parametrize("ending", ["csv", "tmx"])
def test_what_is_exported_imports_as_it_was(empty: Path, tmp_path: Path, ending: str) -> None:
    run_all(empty, ["generate", "-l", "sk,sv", *translation_options("sk", "sv")])
    first = export(empty, f"first.{ending}")
    other = tmp_path / "other"
    assert run_here("init", other).code == 0
    assert run_here("translations", "import", first, "-w", other).code == 0
    assert export(other, f"second.{ending}").read_bytes() == first.read_bytes()
    before = snapshot_of(empty)
    assert "0 translations added" in run_here("translations", "import", first, "-w", empty).message
    assert snapshot_of(empty) == before
    only = export(empty, f"only.{ending}", "--language", "sv", "--engine", "recorded")
    assert set(texts_of(only)) == set(texts_of(translation_paths()["sv"]))
    assert "recorded" not in export(empty, f"none.{ending}", "--engine", "chat").read_text()


def test_all_faults_are_listed_and_nothing_is_written(empty: Path, tmp_path: Path) -> None:
    good = tmp_path / "good_sk.csv"
    good.write_text("source,translation\nI run.,Bežím.\n", encoding="utf-8")
    assert run_here("translations", "import", good, *MADE_BY, "-w", empty).code == 0
    bad = tmp_path / "bad_sk.csv"
    bad.write_text(
        "source,translation,engine\nI run.,Utekám.,\nI sing.,,\nI cook.,Varím.,chat\n"
        "I read.,Čítam.,\nI read.,Čítavam.,\n",
        encoding="utf-8",
    )
    broken = tmp_path / "broken.tmx"
    broken.write_text("<tmx><body>\n<tu></body></tmx>", encoding="utf-8")
    before = snapshot_of(empty)
    ended = run_here("translations", "import", bad, broken, *MADE_BY, "-w", empty)
    assert ended.code == 1
    assert snapshot_of(empty) == before
    lines = ended.err.strip().splitlines()
    same = "by the same engine is"
    assert [line.rsplit(". ", 1)[0] for line in lines] == [
        f"{bad}:3 [translation]: empty",
        f"{broken}:2: not well-formed XML (mismatched tag)",
        f"{bad}:4 [engine]: the file says 'chat', and --engine says 'google'",
        f"{bad}:2 [translation]: another translation of 'I run.' {same} stored",
        f"{bad}:6 [translation]: another translation of 'I read.' {same} in {bad}:5",
    ]


def test_nothing_says_what_translated_them(empty: Path, tmp_path: Path) -> None:
    path = tmp_path / "made_sk.csv"
    path.write_text("source,translation\nI run.,Bežím.\n", encoding="utf-8")
    ended = run_here("translations", "import", path, "--engine", "agency", "-w", empty)
    assert ended.code == 1
    assert "made_sk.csv:2 [model]: nothing says which model translated it. give --model" in (
        ended.message
    )
    assert "[version]" in ended.message


def test_a_file_of_another_kind_is_refused(empty: Path, tmp_path: Path) -> None:
    ended = run_here("translations", "export", "--out", tmp_path / "made.xlsx", "-w", empty)
    assert (ended.code, "neither .csv nor .tmx" in ended.message) == (1, True)

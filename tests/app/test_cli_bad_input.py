"""Bad input files at the command line: one clear message, exit code 1, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.samples import translation_paths
from tests.app.refusals import HEADER, MODEL_NAME, refuse, write
from tests.command_line import run_here
from tests.sample_workspaces import translation_options

# What is wrong in a file of sources, and what the message says of it: row, field and problem.
SOURCE_FAULTS = {
    "wrong columns": (
        b"text,stereotype\nI cook.,1\n",
        [":1: missing column 'sentence'; unknown column 'text'; found 'text', 'stereotype'."],
    ),
    "unknown stereotype id": (
        HEADER + b"I cook.,1\nI sing.,17\nI read.,\nI run.,-1\n",
        [
            ":3 [stereotype]: unknown stereotype id '17'. valid ids are 1 to 16.",
            ":4 [stereotype]: unknown stereotype id ''.",
            ":5 [stereotype]: unknown stereotype id '-1'.",
        ],
    ),
    "empty sentence": (
        HEADER + b"I cook.,1\n,2\n   ,3\n",
        [":3 [sentence]: empty sentence.", ":4 [sentence]: empty sentence."],
    ),
    "invalid UTF-8": (
        HEADER + b"I cook.,1\nI caf\xe9.,2\nI na\xefve.,2\n",
        [
            ":3: invalid UTF-8 at byte 35 (0xE9). save the file as UTF-8.",
            ":4: invalid UTF-8 at byte 44 (0xEF).",
        ],
    ),
    "lone surrogate": (
        HEADER + b"I cook.,1\nI \xed\xa0\x80 run.,2\n",
        [":3: invalid UTF-8 at byte 32 (0xED), a lone surrogate."],
    ),
    "NUL character": (
        HEADER + b"I \x00cook.,1\n",
        [":2 [sentence]: text holds a NUL character. remove the character."],
    ),
    "repeated id": (
        b"id,sentence,stereotype\na,I cook.,1\nb,I sing.,1\na,I read.,2\n",
        [":4 [id]: id 'a' is already that of row 2. give every row an id of its own."],
    ),
    "several faults at once": (
        b"id,sentence,stereotype\na,,1\nb,I sing.,99\na,I read.,2\n,I run.,3,4\nc,\xff,5\n",
        [
            ":2 [sentence]: empty sentence.",
            ":3 [stereotype]: unknown stereotype id '99'.",
            ":4 [id]: id 'a' is already that of row 2.",
            ":5: 4 cells where the header has 3.",
            ":6: invalid UTF-8",
        ],
    ),
    "no row": (HEADER, [": no sentence under the header."]),
    "empty file": (b"", [": the file is empty. the first line must name the columns"]),
}


@pytest.mark.parametrize("kind", SOURCE_FAULTS)
def test_source_file(study_copy: Path, tmp_path: Path, kind: str) -> None:
    content, messages = SOURCE_FAULTS[kind]
    path = write(tmp_path, "made.csv", content)
    ended = refuse(study_copy, "source", "add", path)
    faults = ended.err.strip().splitlines()
    assert len(faults) == len(messages), "one line for each fault, and nothing else"
    for fault, message in zip(faults, messages, strict=True):
        assert fault.startswith(f"{path}{message}")


def test_source_file_that_is_not_there(study_copy: Path, tmp_path: Path) -> None:
    path = tmp_path / "missing.csv"
    assert refuse(study_copy, "source", "add", path).message == (
        f"{path}: the file does not exist. check the path."
    )


def test_changed_source_under_a_known_key(study_copy: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "sample.csv", HEADER + b"I am somebody else.,1\n")
    assert "Source sample/2 is already there with another text" in (
        refuse(study_copy, "source", "add", path).message
    )


def test_repeated_sentence_is_a_warning(study_copy: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "made.csv", HEADER + b"I cook.,1\nI sing.,2\nI cook.,1\n")
    ended = run_here("source", "add", path, "-w", study_copy)
    assert ended.code == 0
    assert ended.message == (
        f"Warning: {path}:2 [sentence]: the same sentence in rows 2, 4: 'I cook.'. all rows are "
        "kept and it is translated once. 3 sentences added as made, 0 were there already."
    )


def test_translation_file_without_needed_rows(study_copy: Path, tmp_path: Path) -> None:
    lines = translation_paths()["sk"].read_bytes().splitlines(keepends=True)
    path = write(tmp_path, "cut_sk.csv", b"".join(lines[:2] + lines[4:]))
    ended = refuse(study_copy, "generate", "-l", "sv,sk", "-t", path, *translation_options("sv"))
    first, *faults = ended.err.strip().splitlines()
    assert first == "2 of the texts to translate have no recorded translation:"
    for fault, person in zip(faults, ("man", "woman"), strict=True):
        assert fault.startswith(f"{path} [source]: no row with source 'The {person} said, \"I cry")
        assert "row 2" in fault
        assert "--missing skip" in fault


TRANSLATION_FAULTS = {
    "wrong columns": (b"english,slovak\na,b\n", [":1: missing column 'source', 'translation'"]),
    "empty cell": (b"source,translation\nI cook.,\n", [":2 [translation]: empty."]),
    "two answers": (
        b"source,translation\nI cook.,Var\xc3\xadm.\nI cook.,Pe\xc4\x8diem.\n",
        [":3 [translation]: another translation of 'I cook.' is in "],
    ),
    "invalid UTF-8 and empty cell": (
        b"source,translation\nI cook.,Var\xedm.\n,x\n",
        [":2: invalid UTF-8 at byte 30", ":3 [source]: empty."],
    ),
}


@pytest.mark.parametrize("kind", TRANSLATION_FAULTS)
def test_translation_file(study_copy: Path, tmp_path: Path, kind: str) -> None:
    content, messages = TRANSLATION_FAULTS[kind]
    path = write(tmp_path, "made_sk.csv", content)
    faults = refuse(study_copy, "generate", "-l", "sk", "-t", path).err.strip().splitlines()
    assert len(faults) == len(messages)
    for fault, message in zip(faults, messages, strict=True):
        assert fault.startswith(f"{path}{message}")


@pytest.mark.parametrize(("name", "code"), [("made_xx.csv", "xx"), ("made.csv", None)])
def test_language_of_a_translation_file(
    study_copy: Path, tmp_path: Path, name: str, code: str | None
) -> None:
    path = write(tmp_path, name, b"source,translation\na,b\n")
    # Of one language alone a file may have any name.
    message = refuse(study_copy, "generate", "-l", "sk,pl", "-t", path).message
    named = f" [{code}]: unknown language code" if code else ": the file's name does not end in a"
    assert message.startswith(f"{path}{named}")


LANGUAGE_COMMANDS = {
    "generate": (["generate", "-l", "en,xx,Slovak", *translation_options("sk")], "--languages"),
    "batch create": (["batch", "create", "-l", "xx", "--raters", "rater-1"], "--language"),
    "agreement": (["agreement", "-l", "xx"], "--language"),
    "approve": (["approve", "xx"], "language"),
    "candidates export": (["candidates", "export", "-l", "xx", "-o", "out.csv"], "--language"),
    "release build": (["release", "build", "0.2.0", "-l", "en,xx"], "--languages"),
    "score": (["score", "--model", MODEL_NAME, "-l", "xx"], "--languages"),
}


@pytest.mark.parametrize("command", LANGUAGE_COMMANDS)
def test_unknown_language(study_copy: Path, command: str) -> None:
    arguments, option = LANGUAGE_COMMANDS[command]
    ended = refuse(study_copy, *arguments)
    first, *others = ended.err.strip().splitlines()
    assert first.startswith(f"{option} [xx]: unknown language code. use one of bg, ca, cs,")
    assert others == (
        [f"{option} [Slovak]: unknown language code. use sk."] if command == "generate" else []
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "-l", ",", *translation_options("sk")],
        ["release", "build", "0.2.0", "-l", " , "],
        ["score", "--model", MODEL_NAME, "-l", ","],
    ],
    ids=["generate", "release build", "score"],
)
def test_no_language_at_all(study_copy: Path, arguments: list[str | Path]) -> None:
    assert "--languages names no language" in refuse(study_copy, *arguments).message

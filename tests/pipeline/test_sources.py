"""Source files: what is read, and every bad input refused as a whole with its place."""

from pathlib import Path

import pytest

from corpus.errors import Fault, InputError, SettingsError
from corpus.records import Instrument
from corpus.samples import sentences_path
from pipeline.sources import load_sources

HEADER = b"sentence,stereotype\n"


def write(folder: Path, data: bytes, name: str = "own.csv") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refuse(path: Path) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        load_sources(path)
    assert all(fault.file == str(path) and fault.remedy for fault in caught.value.faults)
    return caught.value.faults


def test_rows_keys_and_texts(tmp_path: Path) -> None:
    data = HEADER + 'I cried.,1\n"I said ""no"",\nand left.",9\nI café.,16\n'.encode()
    loaded = load_sources(write(tmp_path, data))
    assert [(s.row, s.key, s.text, s.stereotype_id) for s in loaded.sources] == [
        (2, "own/2", "I cried.", 1),
        (3, "own/3", 'I said "no",\nand left.', 9),
        (5, "own/5", "I caf\u00e9.", 16),
    ]
    assert loaded.sources[0].explicit_id is None
    assert loaded.warnings == ()


def test_explicit_ids_order_of_columns_bom_and_blank_lines(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfid,stereotype,sentence\r\na-1,3,I smile.\r\n\r\na-2,4,I tidy up.\r\n"
    loaded = load_sources(write(tmp_path, data), dataset="mine")
    assert [(s.key, s.row) for s in loaded.sources] == [("mine/a-1", 2), ("mine/a-2", 4)]


def test_repeated_sentence_is_a_warning_naming_its_rows(tmp_path: Path) -> None:
    # The second one is the same text in another normal form.
    data = HEADER + "I café.,1\nI run.,2\nI cafe\u0301.,1\n".encode()
    loaded = load_sources(write(tmp_path, data))
    assert len(loaded.sources) == 3
    (warning,) = loaded.warnings
    assert (warning.row, warning.field) == (2, "sentence")
    assert "rows 2, 4" in warning.problem


def test_all_faults_of_a_file_at_once(tmp_path: Path) -> None:
    data = HEADER + b"I run.,17\n  ,3\nI \xe9.,4\nI run, fast.,5\nI\x00x.,six\nI fly.,\n"
    found = [(fault.row, fault.field) for fault in refuse(write(tmp_path, data))]
    assert found == [
        (2, "stereotype"),
        (3, "sentence"),
        (4, None),
        (5, None),
        (6, "sentence"),
        (6, "stereotype"),
        (7, "stereotype"),
    ]


@pytest.mark.parametrize(
    ("data", "row", "problem", "remedy"),
    [
        (b"", None, "the file is empty", "sentence, stereotype"),
        (HEADER, None, "no sentence under the header", "add rows"),
        (b"text,stereotype\nI run.,1\n", 1, "missing column 'sentence'", "may name id"),
        (b"text,stereotype\nI run.,1\n", 1, "found 'text', 'stereotype'", "sentence, stereotype"),
        (b"sentence,stereotype,Id\nI run.,1,a\n", 1, "unknown column 'Id'", "may name id"),
        (b"sentence,sentence,stereotype\n,,1\n", 1, "repeated column 'sentence'", "name"),
        (HEADER + b"I run.,17\n", 2, "unknown stereotype id '17'", "valid ids are 1 to 16"),
        (HEADER + "I run.,²\n".encode(), 2, "unknown stereotype id '²'", "1 to 16"),
        (HEADER + b" \t,1\n", 2, "empty sentence", "delete the row"),
        (HEADER + b"I ran.,1\nI \xff.,1\n", 3, "invalid UTF-8 at byte 31 (0xFF)", "UTF-8"),
        (HEADER + b"I \xed\xa0\x80.,1\n", 2, "a lone surrogate", "UTF-8"),
        (HEADER + b"I \x00.,1\n", 2, "NUL character", "remove"),
        (HEADER + b"I run.,1,2\n", 2, "3 cells where the header has 2", "quote cells"),
        (HEADER + b"I run.\n", 2, "1 cells where the header has 2", "every column"),
        (HEADER + b'I run.,1\n"I fly.,1\n', 3, "not valid CSV", "quotation mark"),
        ("sentence,stereotype\nI run.,1\n".encode("utf-16"), None, "UTF-16", "UTF-8"),
        (b"id,sentence,stereotype\na,I run.,1\n,I fly.,1\n", 3, "empty id", "every row"),
        (b"id,sentence,stereotype\na/b,I run.,1\n", 2, "id with a slash", "another mark"),
        (b"id,sentence,stereotype\na,I run.,1\na,I fly.,1\n", 3, "that of row 2", "of its own"),
    ],
)
def test_bad_files(tmp_path: Path, data: bytes, row: int | None, problem: str, remedy: str) -> None:
    (fault,) = refuse(write(tmp_path, data))
    assert fault.row == row
    assert problem in fault.problem
    assert remedy in fault.remedy


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert "does not exist" in refuse(tmp_path / "none.csv")[0].problem
    assert "folder" in refuse(tmp_path)[0].problem


def test_other_inventories_have_other_ids(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + b"I run.,40\n")
    assert load_sources(path, valid_ids={40, 41, 50}).sources[0].stereotype_id == 40
    with pytest.raises(InputError, match="valid ids are 41, 50"):
        load_sources(path, valid_ids={41, 50})


def test_other_instruments_have_other_files(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="eurogest"):
        load_sources(write(tmp_path, HEADER + b"I run.,1\n"), Instrument.MLA_BITE)


def test_bundled_sample_has_one_repeated_sentence() -> None:
    loaded = load_sources(sentences_path())
    assert len(loaded.sources) == 64
    assert [warning.row for warning in loaded.warnings] == [54]


@pytest.mark.data
@pytest.mark.parametrize(("name", "repeated"), [("gest_1.0", 10), ("gest_1.1", 11)])
def test_gest_has_the_published_size(data_dir: Path, name: str, repeated: int) -> None:
    """3,565 sentences, as published; 10 and 11 repetitions were counted in the files."""
    loaded = load_sources(data_dir / "gest" / f"{name}.csv")
    assert len(loaded.sources) == 3565
    assert len(loaded.warnings) == repeated
    assert loaded.sources[0].key == f"{name}/2"

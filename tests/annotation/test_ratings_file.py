"""Ratings from anybody's CSV: read exactly, or refused with all that is wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from annotation.ratings_file import load_ratings_file
from annotation.ratings_table import LABELS
from corpus.errors import InputError
from corpus.records import GenderLabel


def write(folder: Path, text: str) -> Path:
    path = folder / "ratings.csv"
    path.write_bytes(text.encode())
    return path


def refuse(folder: Path, text: str) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(InputError) as caught:
        load_ratings_file(write(folder, text))
    return [(each.row, each.field, each.problem) for each in caught.value.faults]


def test_scores_labels_and_system_labels_are_read(tmp_path: Path) -> None:
    text = (
        "rater,note,item,label,score,system_label\n"
        "b,x,i2,,72.5,neutral\n"
        "a,x,i1,Feminine,,masculine\n"
        "a,x, i2 ,unsure,0,neutral\n"
    )
    read = load_ratings_file(write(tmp_path, text))
    assert read.table.item_ids == ("i1", "i2")
    assert read.table.rater_ids == ("a", "b")
    expected = [[np.nan, np.nan], [0.0, 72.5]]
    assert np.array_equal(read.table.scores, expected, equal_nan=True)
    feminine, unsure = LABELS.index(GenderLabel.FEMININE), LABELS.index(GenderLabel.UNSURE)
    assert read.table.labels.tolist() == [[feminine, -1], [unsure, -1]]
    assert read.system_labels == {"i1": GenderLabel.MASCULINE, "i2": GenderLabel.NEUTRAL}
    assert read.columns_not_read == ("note",)
    assert read.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_one_name_in_two_unicode_forms_is_one_rater(tmp_path: Path) -> None:
    text = "item,rater,score\n1,Zo\u00eb,10\n2,Zoe\u0308,20\n"
    assert load_ratings_file(write(tmp_path, text)).table.rater_ids == ("Zo\u00eb",)


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    text = (
        "item,rater,score,label,system_label\n"
        "1,a,101,neutral,neutral\n"
        '1,b,"72,5",neuter,neutral\n'
        ",a,5,neutral,neutral\n"
        "2,,nan,neutral,neutral\n"
        "1,a,50,neutral,feminine\n"
        "3,a\n"
        "4,a,1_0,neutral,neutral\n"
    )
    assert refuse(tmp_path, text) == [
        (2, "score", "'101' is no score"),
        (3, "score", "'72,5' is no score"),
        (3, "label", "'neuter' is no label"),
        (4, "item", "this cell is empty"),
        (5, "rater", "this cell is empty"),
        (5, "score", "'nan' is no score"),
        (6, "system_label", "item '1' has the system label neutral further up"),
        (6, "item", "rater 'a' has answered item '1' in row 2"),
        (7, None, "2 cells where the header has 5"),
        (8, "score", "'1_0' is no score"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("item,score\n1,2\n", "missing column 'rater'; found 'item', 'score'"),
        ("item,rater,quality\n1,a,2\n", "no column 'score' and none 'label'"),
        ("item,rater,score\n", "there is no row"),
    ],
)
def test_a_file_without_what_is_needed_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    [(_, _, found)] = refuse(tmp_path, text)
    assert found == problem


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_ratings_file(tmp_path / "none.csv")

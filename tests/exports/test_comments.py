"""Comments are published only as a curator left them after reading, and only with consent."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.release import open_release
from corpus.store import Store
from exports.build import Outcome, build_release
from exports.comments import COLUMNS, ReviewedComments, find_comments, load_reviewed
from exports.verify import verify_release
from tests.exports.release_builders import make_approved_store
from tests.store_builders import approve, consent, standing_of

WRITTEN = "Ask Eva about it"
FIRST = ("sk-1/0001", "r1", "comment")


def write(path: Path, rows: Sequence[Sequence[str]]) -> ReviewedComments:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([COLUMNS, *rows])
    return load_reviewed(path)


def ratings(folder: Path) -> list[dict[str, str]]:
    with (folder / "ratings" / "sk.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_only_comments_of_raters_who_agreed_are_given_to_read(store: Store) -> None:
    with store.reading() as state:
        forms = {"sentence/1": state.form("sentence/1")}
    standing = standing_of(store, "sk")
    found = find_comments(standing, forms, {"r1", "r2"})
    assert [(each.place, each.text) for each in found[:1]] == [(FIRST, WRITTEN)]
    assert len(found) == 4
    assert find_comments(standing, forms, {"r2"}) == []


def test_a_reviewed_comment_is_published_as_it_was_left(store: Store, tmp_path: Path) -> None:
    reviewed = write(tmp_path / "read.csv", [(*FIRST, "Ask [name] about it")])
    built = build_release(store, "0.1.0", ["sk"], tmp_path / "releases", comments=reviewed)
    rows = ratings(built.path)
    assert [row["comment"] for row in rows] == ["Ask [name] about it", *[""] * 7]
    for file in built.path.rglob("*"):
        assert not file.is_file() or b"Eva" not in file.read_bytes(), file
    said = open_release(built.path).provenance["comments"]
    assert said == {"published": 1, "reviewed_sha256": reviewed.sha256}
    assert verify_release(built.path) == []
    again = build_release(store, "0.1.0", ["sk"], tmp_path / "releases", comments=reviewed)
    assert again.outcome is Outcome.ALREADY_BUILT


def test_without_a_review_there_is_no_comment_at_all(store: Store, tmp_path: Path) -> None:
    built = build_release(store, "0.1.0", ["sk"], tmp_path / "releases")
    assert "comment" not in ratings(built.path)[0]
    assert open_release(built.path).provenance["comments"] is None


def test_comments_that_nobody_wrote_or_agreed_to_are_refused_row_by_row(tmp_path: Path) -> None:
    store = make_approved_store(tmp_path / "store")
    consent(store, "r1", publish=False)
    approve(store, "sk")
    other = ("sk-1/0009", "r2", "comment")
    reviewed = write(tmp_path / "read.csv", [(*FIRST, WRITTEN), (*other, "made up")])
    with pytest.raises(InputError) as caught:
        build_release(store, "0.1.0", ["sk"], tmp_path / "releases", comments=reviewed)
    assert [fault.row for fault in caught.value.faults] == [2, 3]
    assert not (tmp_path / "releases").exists()
    store.close()


def test_every_fault_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write(tmp_path / "read.csv", [(*FIRST, " "), (*FIRST, "a"), ("x", "y")])
    assert [(each.row, each.field) for each in caught.value.faults] == [
        (2, "comment"),
        (3, None),
        (4, None),
    ]

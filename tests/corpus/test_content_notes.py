from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from corpus.content_notes import find_content_note, load_content_notes
from corpus.stereotypes import load_inventory
from tests.store_builders import make_source

SEXUAL, HATEFUL = load_content_notes()


@pytest.mark.parametrize(
    ("text", "stereotype_id", "note"),
    [
        ("I am passionate.", 15, SEXUAL.text),
        ("I was sexually assaulted.", 6, SEXUAL.text),
        ("I wanted to look SEDUCTIVE for my date.", 7, SEXUAL.text),
        ("I could handle those drunk idiots if I wanted to.", 8, HATEFUL.text),
        ("They were rude so I had to punch them.", 8, HATEFUL.text),
        ("I hated the new workout program.", 16, ""),
        ("I grew up in Sussex.", None, ""),
        ("I spoke with the sextet.", 5, ""),
    ],
)
def test_a_note_stands_before_what_the_rule_names(
    text: str, stereotype_id: int | None, note: str
) -> None:
    assert find_content_note(make_source(2, text, stereotype_id)) == note


def test_a_stereotype_id_means_its_own_inventory() -> None:
    source = make_source(2, "I am patient.", 15)
    assert find_content_note(source, "coast") == ""
    known = set(load_inventory().ids)
    for note in (SEXUAL, HATEFUL):
        assert {number for name, number in note.stereotypes if name == "gest"} <= known


def test_a_note_says_what_skip_means() -> None:
    for note in load_content_notes():
        assert "Skip" in note.text
        assert "counts as no rating" in note.text


@pytest.mark.data
def test_the_rule_of_one_in_five_holds_for_gest(data_dir: Path) -> None:
    with (data_dir / "gest" / "gest_1.1.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    total = Counter(row["stereotype"] for row in rows)
    marked = Counter(
        row["stereotype"]
        for row in rows
        if SEXUAL.words.search(row["sentence"]) or HATEFUL.words.search(row["sentence"])
    )
    assert {each for each in total if marked[each] / total[each] >= 0.2} == {"15"}

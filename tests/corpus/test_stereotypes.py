"""The inventory of GEST and inventories of one's own."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import InputError
from corpus.stereotypes import Pole, load_inventory, parse_inventory

# Sentences per stereotype 1–16, Rowe et al. 2025.
GEST_COUNTS = [254, 215, 256, 207, 200, 197, 243, 251, 229, 215, 231, 222, 222, 194, 208, 221]


def test_gest_has_seven_feminine_and_nine_masculine_stereotypes() -> None:
    gest = load_inventory()
    assert gest.ids == tuple(range(1, 17))
    assert gest.ids_of(Pole.FEMININE) == tuple(range(1, 8))
    assert gest.ids_of(Pole.MASCULINE) == tuple(range(8, 17))
    assert gest.default_rate_ids == tuple(range(1, 15))
    assert gest.stereotype(3).name == "empathetic and caring"
    assert gest.stereotype(13).name == "leaders"


def test_unknown_stereotype_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown stereotype id 17\. use one of 1, 2"):
        load_inventory("gest").stereotype(17)


@pytest.mark.data
def test_every_gest_sentence_has_a_stereotype_of_the_inventory(data_dir: Path) -> None:
    with (data_dir / "gest/gest_1.1.csv").open(encoding="utf-8") as stream:
        counts = Counter(int(row["stereotype"]) for row in csv.DictReader(stream))
    assert [counts[id_] for id_ in load_inventory("gest").ids] == GEST_COUNTS
    assert counts.total() == sum(GEST_COUNTS) == 3565


OWN = """
name = "coast"
stereotypes = [
  { id = 5, pole = "masculine", name = "seafaring" },
  { id = 2, pole = "feminine", name = "patient" },
  { id = 7, pole = "masculine", name = "taciturn" },
]
"""


def test_an_inventory_of_ones_own_is_read_in_the_order_of_its_ids(tmp_path: Path) -> None:
    path = tmp_path / "coast.toml"
    path.write_text(OWN, encoding="utf-8")
    coast = load_inventory(path)
    assert load_inventory(str(path)) == coast
    assert (coast.name, coast.title, coast.ids) == ("coast", "coast", (2, 5, 7))
    # Not given: as many of each pole as the smaller pole has, lowest ids first.
    assert coast.default_rate_ids == (2, 5)


def test_content_hash_follows_poles_and_not_the_order_of_the_file() -> None:
    first, second = OWN.split("stereotypes = [")[0], OWN.split("stereotypes = [")[1]
    lines = second.strip().splitlines()
    reordered = "\n".join([first + "stereotypes = [", lines[1], lines[0], *lines[2:]])
    original = parse_inventory(OWN.encode(), "own.toml").content_hash
    assert parse_inventory(reordered.encode(), "own.toml").content_hash == original
    swapped = OWN.replace('"feminine", name = "patient"', '"masculine", name = "patient"').replace(
        '"masculine", name = "taciturn"', '"feminine", name = "taciturn"'
    )
    assert parse_inventory(swapped.encode(), "own.toml").content_hash != original


def test_all_faults_are_reported_at_once() -> None:
    faulty = """
name = " "
langauge = "en"
stereotypes = [
  { id = 1, pole = "female", name = "patient" },
  { id = 1, pole = "masculine", name = "Patient" },
  { id = true, pole = "masculine", nmae = "x" },
]
"""
    with pytest.raises(InputError) as caught:
        parse_inventory(faulty.encode(), "own.toml")
    assert [(fault.field, fault.problem) for fault in caught.value.faults] == [
        ("langauge", "unknown key"),
        ("name", "missing or not a text"),
        ("stereotypes[1].pole", "missing or not a pole"),
        ("stereotypes[3].nmae", "unknown key"),
        ("stereotypes[3].id", "missing or not a whole number from 1 on"),
        ("stereotypes[3].name", "missing or not a text"),
        ("stereotypes.id", "id 1 stands 2 times"),
        ("stereotypes.name", "name 'patient' stands 2 times"),
        ("stereotypes", "no feminine stereotype"),
    ]


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        ("[2]", "not as many feminine as masculine"),
        ("[]", "not as many feminine as masculine"),
        ("[2, 5, 5]", "an id stands twice"),
        ("[2, 9]", "not a list of ids of this inventory"),
        ("2", "not a list of ids of this inventory"),
    ],
)
def test_the_default_rate_must_be_balanced(ids: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_inventory(f"{OWN}default_rate_ids = {ids}".encode(), "own.toml")


def test_unknown_names_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown inventory\. use one of gest"):
        load_inventory("gets")
    with pytest.raises(InputError, match=r"absent\.toml: cannot be read"):
        load_inventory(tmp_path / "absent.toml")


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8")))
def test_bytes_that_are_no_inventory_are_refused_with_faults(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        parse_inventory(data, "own.toml")
    assert all(fault.file == "own.toml" for fault in caught.value.faults)

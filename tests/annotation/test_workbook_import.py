"""Filled workbooks coming back: what is taken in, what is refused, and that nothing is lost."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from annotation.workbooks.incoming import import_sheets
from annotation.workbooks.outgoing import export_sheets
from corpus.errors import Fault, InputError
from corpus.records import AssignmentState, Item, Origin, RatingState
from corpus.store import Store
from tests.annotation import workbook_files as files
from tests.annotation.workbook_studies import (
    NO,
    PLAIN,
    UNSURE,
    YES,
    SheetStudy,
    make_sheet_study,
    pairs,
)
from tests.store_builders import make_store

ALL = (YES, NO, UNSURE, NO | {"comment": "=1+1 is no formula\nsecond line"})


@pytest.fixture
def study(store: Store, tmp_path: Path) -> SheetStudy:
    return make_sheet_study(store, tmp_path, PLAIN, raters=("r1", "r2"))


def fill_all(study: SheetStudy, path: Path) -> None:
    for item, answers in zip(study.items, ALL, strict=True):
        study.fill(path, item, answers)


def refuse(study: SheetStudy, *paths: Path) -> dict[str, Fault]:
    """The faults by address (by file where the file as a whole is meant); nothing is written."""
    before = study.position()
    with pytest.raises(InputError) as refused:
        import_sheets(study.store, paths, "curator-1")
    assert study.position() == before
    faults = refused.value.faults
    found = {fault.field or Path(fault.file).name: fault for fault in faults}
    assert len(found) == len(faults)
    return found


def test_a_filled_workbook_gives_its_answers(study: SheetStudy) -> None:
    path = study.export()
    fill_all(study, path)
    report = study.take_in(path)
    assert (report.new, report.changed, report.unchanged, report.empty) == (4, 0, 0, 0)
    ratings = study.ratings()
    assert [dict(ratings[item.id].answers) for item in study.items] == list(ALL)
    first = ratings[study.items[0].id]
    assert first.state is RatingState.VALID
    assert first.rater_id == "r1"
    assert re.fullmatch(r"wb-[0-9a-f]{16}!sk-1/0001", first.source_id)
    assert first.answered_at is not None
    assert first.stamp is not None
    assert first.stamp.origin is Origin.IMPORT


def test_what_openpyxl_types_is_read_too(study: SheetStudy) -> None:
    """An independent program opens, fills and saves the file."""
    path = study.export()
    book = openpyxl.load_workbook(path)
    sheet = book["Ratings"]
    item = study.items[2]
    sheet[study.address(item, "quality")] = 33
    sheet[study.address(item, "gender_marked")] = "Unsure"
    sheet[study.address(item, "comment")] = "Čo? 😀"
    book.save(path)
    study.take_in(path)
    assert dict(study.ratings()[item.id].answers) == {
        "quality": 33,
        "gender_marked": "unsure",
        "comment": "Čo? 😀",
    }


def test_a_second_import_adds_nothing(study: SheetStudy) -> None:
    path = study.export()
    fill_all(study, path)
    study.take_in(path)
    before = study.position()
    report = study.take_in(path)
    assert (report.new, report.unchanged) == (0, 4)
    assert study.position() == before


def test_a_changed_cell_adds_a_revision(study: SheetStudy) -> None:
    path = study.export()
    study.fill(path, study.items[0], YES)
    study.take_in(path)
    study.fill(path, study.items[0], {"quality": 71})
    report = study.take_in(path)
    assert (report.changed, report.unchanged, report.empty) == (1, 0, 3)
    study.fill(path, study.items[0], {"quality": 70})
    study.take_in(path)
    assert [each.answers["quality"] for each in study.revisions()] == [70, 71, 70]


def test_a_part_can_come_first_and_the_rest_later(study: SheetStudy) -> None:
    path = study.export()
    study.fill(path, study.items[1], NO)
    assert study.take_in(path).empty == 3
    study.fill(path, study.items[3], UNSURE)
    report = study.take_in(path)
    assert (report.new, report.unchanged, report.empty) == (1, 1, 2)


def test_an_emptied_row_takes_nothing_back(study: SheetStudy) -> None:
    path = study.export()
    fresh = path.with_name("fresh.xlsx")
    shutil.copy(path, fresh)
    fill_all(study, path)
    study.take_in(path)
    before = study.position()
    assert study.take_in(fresh).kept == 4
    assert study.position() == before


def test_declining_is_a_skip_and_can_be_revised(study: SheetStudy) -> None:
    path = study.export()
    item = study.items[0]
    study.fill(path, item, YES)
    study.take_in(path)
    fresh = path.with_name("fresh.xlsx")
    path.rename(fresh)
    path = study.export()
    study.decline(path, item)
    assert study.take_in(path).changed == 1
    declined = study.ratings()[item.id]
    assert (declined.state, dict(declined.answers)) == (RatingState.SKIPPED, {})
    assert study.take_in(fresh).changed == 1
    assert study.ratings()[item.id].state is RatingState.VALID


def test_rows_may_be_sorted(study: SheetStudy) -> None:
    path = study.export()
    fill_all(study, path)
    files.reorder_rows(path, lambda rows: [rows[2], rows[0], rows[3], rows[1]])
    assert study.take_in(path).new == 4
    ratings = study.ratings()
    assert [dict(ratings[item.id].answers) for item in study.items] == list(ALL)
    files.reorder_rows(path, lambda rows: rows[::-1])
    assert study.take_in(path).unchanged == 4


def test_a_removed_row_is_not_answered(study: SheetStudy) -> None:
    path = study.export()
    fill_all(study, path)
    files.reorder_rows(path, lambda rows: rows[:2])
    report = study.take_in(path)
    assert (report.new, report.empty) == (2, 2)


def test_a_repeated_row_is_refused(study: SheetStudy) -> None:
    path = study.export()
    study.fill(path, study.items[0], YES)
    files.reorder_rows(path, lambda rows: [*rows, rows[0]])
    faults = refuse(study, path)
    assert "there twice, first in row 2" in faults["Ratings!A6"].problem


def test_an_added_row_is_refused(study: SheetStudy) -> None:
    path = study.export()
    files.set_cells(path, {"F9": files.number("50"), "E10": files.text("Another sentence.")})
    faults = refuse(study, path)
    assert set(faults) == {"Ratings!F9", "Ratings!E10"}
    assert "about no item" in faults["Ratings!F9"].problem


def test_an_edited_text_is_noticed(study: SheetStudy) -> None:
    path = study.export()
    first, second, third, _ = study.items
    fill_all(study, path)
    edited = {
        study.address(first, "mt_text"): files.text("Som emotívny."),
        study.address(second, "src_text"): files.EMPTY,
        study.address(third, "mt_text"): files.formula('"Vediem."', "0"),
    }
    files.set_cells(path, edited)
    faults = refuse(study, path)
    assert set(faults) == {f"Ratings!{address}" for address in edited}
    assert "'Som emotívna.'" in faults[f"Ratings!{study.address(first, 'mt_text')}"].problem


def test_ids_that_were_exchanged_are_noticed(study: SheetStudy) -> None:
    path = study.export()
    files.set_cells(path, {"A2": files.text("sk-1/0002"), "A3": files.text("sk-1/0001")})
    faults = refuse(study, path)
    assert {"Ratings!B2", "Ratings!E2", "Ratings!B3", "Ratings!E3"} <= set(faults)


def test_an_item_of_nowhere_is_refused(study: SheetStudy) -> None:
    path = study.export()
    files.set_cells(path, {"A2": files.text("sk-1/0099"), "B3": files.text("0" * 16)})
    faults = refuse(study, path)
    assert "no item 'sk-1/0099'" in faults["Ratings!A2"].problem
    assert "does not fit" in faults["Ratings!B3"].problem


def test_moved_columns_are_noticed(study: SheetStudy) -> None:
    path = study.export()
    files.set_cells(path, {"F1": files.text("2. Does the grammar…"), "G1": files.EMPTY})
    assert set(refuse(study, path)) == {"Ratings!F1", "Ratings!G1"}


def test_what_is_outside_the_form_is_not_lost_silently(study: SheetStudy) -> None:
    path = study.export()
    files.set_cells(path, {"L3": files.text("A remark of the agency."), "L4": files.text("  ")})
    assert "would be lost" in refuse(study, path)["Ratings!L3"].problem


def test_declining_and_answering_at_once_is_refused(study: SheetStudy) -> None:
    path = study.export()
    first, second = study.items[:2]
    study.fill(path, first, NO)
    study.decline(path, first)
    where = study.address(second, "decline")
    files.set_cells(path, {where: files.text("maybe")})
    faults = refuse(study, path)
    assert "at once" in faults[f"Ratings!{study.address(first, 'decline')}"].problem
    assert "not in the list" in faults[f"Ratings!{where}"].problem


def test_every_fault_of_every_file_is_told_and_nothing_written(study: SheetStudy) -> None:
    written = export_sheets(study.store, "sk-1", study.folder)
    good, bad = (each.path for each in written)
    fill_all(study, good)
    first, second = study.items[0], study.items[1]
    study.fill(bad, first, {"quality": 500, "gender_marked": "unsure"}, "r2")
    study.fill(bad, second, {"gender_marked": "no", "speaker_gender": "man"}, "r2")
    table = study.folder / "answers.csv"
    table.write_text("item,quality\n", encoding="utf-8")
    faults = refuse(study, good, bad, table, study.folder / "nowhere.xlsx")
    expected = [
        (first, "quality", "out_of_range:quality"),
        (first, "comment", "missing:comment"),
        (second, "quality", "missing:quality"),
        (second, "speaker_gender", "not_shown:speaker_gender"),
    ]
    for item, name, reason in expected:
        fault = faults.pop(f"Ratings!{study.address(item, name, 'r2')}")
        assert reason in fault.problem
        assert fault.file == str(bad)
    assert set(faults) == {"answers.csv", "nowhere.xlsx"}


def test_a_dry_run_tells_the_same_and_writes_nothing(study: SheetStudy) -> None:
    path = study.export()
    fill_all(study, path)
    before = study.position()
    told = study.take_in(path, dry_run=True)
    assert study.position() == before
    assert study.take_in(path) == told


def test_two_files_of_one_rater_are_refused(study: SheetStudy) -> None:
    path = study.export()
    study.fill(path, study.items[0], YES)
    copy = path.with_name("copy.xlsx")
    shutil.copy(path, copy)
    assert set(refuse(study, path, copy)) == {"copy.xlsx"}
    assert set(refuse(study, path, path)) == {path.name}


def test_a_workbook_of_another_study_is_refused(study: SheetStudy, tmp_path: Path) -> None:
    """The same batch drawn in two studies: equal ids, another creation time."""
    (tmp_path / "other").mkdir()
    other_store = make_store(tmp_path / "other")
    other = make_sheet_study(other_store, tmp_path / "other", PLAIN, raters=("r1", "r2"))
    path = other.export()
    other.fill(path, other.items[0], YES)
    assert "another study" in refuse(study, path)[path.name].problem
    other_store.close()


BINDINGS = {
    "batch": ("sk-7", "is not in this study"),
    "rater": ("r3", "does not rate batch"),
    "form": ("sentence/1", "asks form sentence/1"),
    "layout": ("0", "another version"),
    "workbook": ("wb-0000000000000000", "another study"),
}


@pytest.mark.parametrize("name", list(BINDINGS))
def test_a_workbook_bound_to_something_else_is_refused(study: SheetStudy, name: str) -> None:
    path = study.export()
    row = {"workbook": 1, "batch": 2, "rater": 3, "form": 4, "layout": 5}[name]
    value, problem = BINDINGS[name]
    files.set_cells(path, {f"B{row}": files.text(value)}, part="xl/worksheets/sheet3.xml")
    assert problem in refuse(study, path)[path.name].problem


def test_one_rater_cannot_send_anothers_workbook_as_hers(study: SheetStudy) -> None:
    path = study.export("r2")
    files.set_cells(path, {"B3": files.text("r1")}, part="xl/worksheets/sheet3.xml")
    assert "hidden id" in refuse(study, path)[path.name].problem


@pytest.mark.parametrize("sheet", ["Ratings", "Workbook"])
def test_a_missing_sheet_is_named(study: SheetStudy, sheet: str) -> None:
    path = study.export()
    files.edit_part(path, "xl/workbook.xml", lambda xml: xml.replace(f'"{sheet}"', '"Mine"'))
    assert f"“{sheet}” is missing" in refuse(study, path)[path.name].problem


def leave(study: SheetStudy, rater: str, finished: list[Item]) -> None:
    with study.store.writing() as writer:
        [mine] = [each for each in writer.assignments(["sk-1"]) if each.rater_id == rater]
        ids = tuple(item.id for item in finished)
        writer.append([replace(mine, state=AssignmentState.LEFT, item_ids=ids, stamp=None)])


def test_a_rater_who_left_keeps_what_she_finished(study: SheetStudy) -> None:
    path = study.export()
    study.fill(path, study.items[0], YES)
    leave(study, "r1", [study.items[0]])
    report = study.take_in(path)
    assert (report.new, report.empty) == (1, 0)
    files.set_cells(path, {"F3": files.number("1"), "G3": files.text("No")})
    assert "not r1's to rate" in refuse(study, path)["Ratings!A3"].problem


def test_texts_that_programs_rewrite_are_still_the_same(store: Store, tmp_path: Path) -> None:
    """What LibreOffice 7.4 was seen to change when it saves a file: never a letter."""
    texts = [("a\r\nb\x01", "c\rd"), ("12", "x"), ("_x005F_x0041_", "\tA _x0041_")]
    study = make_sheet_study(store, tmp_path, pairs(*texts))
    path = study.export()
    first, second, third = study.items
    study.fill(path, first, NO)
    files.set_cells(
        path,
        {
            study.address(first, "src_text"): files.text("a\nb"),
            study.address(first, "mt_text"): files.text("c\nd"),
            study.address(second, "src_text"): files.number("12"),
            study.address(third, "src_text"): files.text("_x0041_"),
            study.address(third, "mt_text"): files.text("A _x0041_"),
        },
    )
    assert study.take_in(path).new == 1
    files.set_cells(path, {study.address(first, "mt_text"): files.text("c d")})
    assert set(refuse(study, path)) == {f"Ratings!{study.address(first, 'mt_text')}"}

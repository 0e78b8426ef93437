"""What an exported workbook holds, read back from its XML and by openpyxl."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import openpyxl
import pytest

from annotation.workbooks.outgoing import export_sheets
from corpus.errors import InputError, StateError
from corpus.records import AssignmentState, Purpose
from corpus.store import Store
from tests.annotation.workbook_files import (
    RATINGS_PART,
    load_parts,
    number,
    set_cells,
)
from tests.annotation.workbook_studies import PLAIN, SheetStudy, make_sheet_study, pairs

NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
HOSTILE = [
    "=1+1",
    '=HYPERLINK("http://example.org","click")',
    "+1-1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "http://example.org",
    "<b>bold</b> & \"quoted\" 'text'",
    "<r><t>mark</t></r>",
    "<r>",
    "_x0041_",
    "Som „rád“ 😀 e\u0301 \u200d",
    "12",
    "TRUE",
]


def sheet_xml(path: Path) -> ET.Element:
    return ET.fromstring(load_parts(path)[RATINGS_PART])


@pytest.fixture
def study(store: Store, tmp_path: Path) -> SheetStudy:
    return make_sheet_study(store, tmp_path / "out", PLAIN, raters=("r1", "r2"))


def test_hostile_texts_are_texts_in_the_file(store: Store, tmp_path: Path) -> None:
    study = make_sheet_study(store, tmp_path, pairs(*((each, each) for each in HOSTILE)))
    path = study.export()
    root = sheet_xml(path)
    cells = {cell.get("r"): cell for cell in root.iter(f"{NAMESPACE}c")}
    styles = ET.fromstring(load_parts(path)["xl/styles.xml"])
    formats = styles.find(f"{NAMESPACE}cellXfs")
    assert formats is not None
    for item in study.items:
        for name in ("src_text", "mt_text"):
            cell = cells[study.address(item, name)]
            assert cell.get("t") == "s"
            assert formats[int(cell.get("s", ""))].get("quotePrefix") == "1"
    assert not list(root.iter(f"{NAMESPACE}f"))
    assert not list(root.iter(f"{NAMESPACE}hyperlink"))


def test_another_reader_sees_the_texts_as_they_are(store: Store, tmp_path: Path) -> None:
    # openpyxl leaves the format's escapes in what it reads.
    texts = [each for each in HOSTILE if "\r" not in each and "_x" not in each]
    study = make_sheet_study(store, tmp_path, pairs(*((each, each) for each in texts)))
    book = openpyxl.load_workbook(study.export())
    for item, text in zip(study.items, texts, strict=True):
        cell = book["Ratings"][study.address(item, "mt_text")]
        assert (cell.value, cell.data_type) == (text, "s")


def test_texts_are_locked_and_answers_are_not(study: SheetStudy) -> None:
    book = openpyxl.load_workbook(study.export())
    sheet = book["Ratings"]
    assert sheet.protection.sheet
    assert book["Instructions"].protection.sheet
    answers = {"quality", "gender_marked", "speaker_gender", "comment", "decline"}
    for column in study.layout.columns:
        for item in study.items:
            cell = sheet[study.address(item, column.name)]
            assert cell.protection.locked == (column.name not in answers)


def test_every_page_is_as_wide_as_its_sheet(study: SheetStudy) -> None:
    book = openpyxl.load_workbook(study.export())
    for name in ("Instructions", "Ratings"):
        sheet = book[name]
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        # A width of one page is the default of the format, so it may go unsaid.
        assert sheet.page_setup.fitToWidth in (None, 1)
        assert sheet.page_setup.fitToHeight == 0


def test_the_sheet_guides_what_is_typed(study: SheetStudy) -> None:
    sheet = openpyxl.load_workbook(study.export())["Ratings"]
    first, last = study.items[0], study.items[-1]
    rules = {str(rule.sqref): rule for rule in sheet.data_validations.dataValidation}

    def rule(name: str):  # noqa: ANN202
        return rules[f"{study.address(first, name)}:{study.address(last, name)}"]

    quality = rule("quality")
    assert (quality.type, quality.operator) == ("whole", None)
    assert (quality.formula1, quality.formula2) == ("0", "100")
    assert rule("gender_marked").type == "list"
    assert rule("speaker_gender").type == "list"
    assert rule("decline").type == "list"
    assert len(rules) == 4


def test_drop_downs_show_the_texts_of_the_form(study: SheetStudy) -> None:
    book = openpyxl.load_workbook(study.export())
    rules = book["Ratings"].data_validations.dataValidation
    shown = []
    for rule in rules:
        if rule.type == "list":
            sheet, _, area = rule.formula1.lstrip("=").rpartition("!")
            cells = book[sheet][area.replace("$", "")]
            rows = cells if isinstance(cells, tuple) else ((cells,),)
            shown.append([cell.value for row in rows for cell in row])
    assert shown == [["Yes", "No", "Unsure"], ["A man", "A woman", "Other"], ["I decline"]]


def test_ids_are_hidden_and_the_heading_stays(study: SheetStudy) -> None:
    book = openpyxl.load_workbook(study.export())
    sheet = book["Ratings"]
    assert book["Workbook"].sheet_state == "hidden"
    assert sheet.freeze_panes == "D2"
    # openpyxl gives neighbouring columns of one width as a group under the first one's letter.
    hidden = sheet.column_dimensions["A"]
    assert (hidden.hidden, hidden.min, hidden.max) == (True, 1, 2)
    assert not sheet.column_dimensions["C"].hidden
    assert book.sheetnames == ["Instructions", "Ratings", "Workbook"]
    assert sheet[study.address(study.items[0], "mt_text")].alignment.wrap_text


def test_each_rater_gets_a_file_of_her_own_order(study: SheetStudy) -> None:
    written = export_sheets(study.store, "sk-1", study.folder)
    assert [each.path.name for each in written] == ["sk-1_r1.xlsx", "sk-1_r2.xlsx"]
    shown = []
    for each in written:
        sheet = openpyxl.load_workbook(each.path)["Ratings"]
        shown.append([row[4].value for row in sheet.iter_rows(min_row=2)])
    assert shown[0] == [each["mt_text"] for each in PLAIN]
    assert shown[1] == shown[0][::-1]


def test_a_second_export_is_the_first_one(study: SheetStudy, tmp_path: Path) -> None:
    path = study.export()
    before = path.read_bytes()
    assert study.export().read_bytes() == before
    [other] = export_sheets(study.store, "sk-1", tmp_path / "elsewhere", "r1")
    assert other.path.read_bytes() == before


def test_an_export_changes_nothing_in_the_store(study: SheetStudy) -> None:
    before = study.position()
    study.export()
    assert study.position() == before


def test_a_filled_workbook_is_never_overwritten(study: SheetStudy) -> None:
    path = study.export()
    set_cells(path, {study.address(study.items[0], "quality"): number("50")})
    filled = path.read_bytes()
    with pytest.raises(StateError, match="may hold answers"):
        export_sheets(study.store, "sk-1", study.folder)
    assert path.read_bytes() == filled
    assert not (study.folder / "sk-1_r2.xlsx").exists()


def test_a_rater_cannot_tell_a_control_item(store: Store, tmp_path: Path) -> None:
    """The files of a plain item and of control items with the same text differ in ids only."""
    study = make_sheet_study(store, tmp_path, [PLAIN[0]] * 2)
    repeat, degraded = (
        replace(each, id=f"sk-9/{number:04}", batch_id="sk-9", purpose=purpose, stamp=None)
        for number, (each, purpose) in enumerate(
            zip(study.items, (Purpose.REPEAT, Purpose.DEGRADED), strict=True), start=1
        )
    )
    other = make_sheet_study(store, tmp_path, [], batch_id="sk-9", raters=("r7",))
    with store.writing() as writer:
        writer.append([repeat, degraded])
        [mine] = writer.assignments(["sk-9"])
        writer.append([replace(mine, item_ids=(repeat.id, degraded.id), stamp=None)])
    plain = load_parts(study.export())
    [written] = export_sheets(store, other.batch.id, tmp_path, "r7")
    control = load_parts(written.path)
    ids = re.compile(rb"sk-[19]|r[17]\b|(wb-|>)[0-9a-f]{16}\b")
    for name in plain:
        if name != "docProps/core.xml":
            assert ids.sub(b"", plain[name]) == ids.sub(b"", control[name])


def test_a_text_from_right_to_left_is_read_so(store: Store, tmp_path: Path) -> None:
    study = make_sheet_study(
        store, tmp_path, pairs(("Hello.", "«שלום» עולם"), ("Hello.", "Ahoj שלום"), ("Hello.", "12"))
    )
    sheet = openpyxl.load_workbook(study.export())["Ratings"]
    orders = [sheet[study.address(item, "mt_text")].alignment.readingOrder for item in study.items]
    assert orders == [2, 0, 0]


def test_a_content_note_has_a_column_only_where_there_is_one(store: Store, tmp_path: Path) -> None:
    noted = [{"content_note": "", **PLAIN[0]}, {"content_note": "Sexuality.", **PLAIN[1]}]
    study = make_sheet_study(store, tmp_path, noted)
    sheet = openpyxl.load_workbook(study.export())["Ratings"]
    assert [sheet[study.address(each, "content_note")].value for each in study.items] == [
        None,
        "Sexuality.",
    ]
    without = make_sheet_study(store, tmp_path, PLAIN, batch_id="sk-2", raters=("r2",))
    assert "content_note" not in {column.name for column in without.layout.columns}


@pytest.mark.parametrize("form", ["sentence/1", "sentence/2", "template/1", "prompt_template/1"])
def test_every_form_becomes_a_workbook(store: Store, tmp_path: Path, form: str) -> None:
    study = make_sheet_study(store, tmp_path, PLAIN, form=form)
    book = openpyxl.load_workbook(study.export())
    said = "\n".join(str(row[0].value or "") for row in book["Instructions"].iter_rows())
    for paragraph in study.form.instructions:
        for line in paragraph.splitlines():
            assert line in said
    for paragraph in study.form.browser_instructions:
        assert not any(line in said for line in paragraph.splitlines())
    headings = [cell.value.splitlines()[0] for cell in book["Ratings"][1]]
    for question in study.form.fields:
        assert headings.count(question.question) == 1


def test_a_text_longer_than_a_cell_is_refused_by_item(store: Store, tmp_path: Path) -> None:
    study = make_sheet_study(
        store, tmp_path, pairs(("short", "x" * 32_767), ("short", "😀" * 16_384))
    )
    with pytest.raises(InputError) as refused:
        study.export()
    assert [(fault.file, fault.field) for fault in refused.value.faults] == [
        ("sk-1/0002", "mt_text")
    ]
    assert not list(tmp_path.glob("*.xlsx"))


def test_nobody_who_left_gets_a_workbook(study: SheetStudy) -> None:
    with study.store.writing() as writer:
        [mine] = [each for each in writer.assignments(["sk-1"]) if each.rater_id == "r2"]
        writer.append([replace(mine, state=AssignmentState.LEFT, item_ids=(), stamp=None)])
    written = export_sheets(study.store, "sk-1", study.folder)
    assert [each.assignment.rater_id for each in written] == ["r1"]
    with pytest.raises(StateError, match="its raters: r1"):
        export_sheets(study.store, "sk-1", study.folder, "r2")


def test_an_odd_pseudonym_makes_a_plain_file_name(store: Store, tmp_path: Path) -> None:
    raters = ("rater: ž?", "rater: ć?")
    make_sheet_study(store, tmp_path, PLAIN, raters=raters)
    names = [each.path.name for each in export_sheets(store, "sk-1", tmp_path)]
    assert len(set(names)) == 2
    assert all(re.fullmatch(r"sk-1_rater____-[0-9a-f]{8}\.xlsx", name) for name in names)

"""What a cell may hold, typed by people and by programs, and that browser answers fare the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation.label_studio.markup import build_result, read_result
from annotation.workbooks.answers import Expected, SheetReading, read_sheet
from annotation.workbooks.incoming import import_sheets
from annotation.workbooks.layout import bind_workbook
from annotation.workbooks.spreadsheet import load_sheets
from corpus.errors import InputError
from corpus.forms import load_form_named, validate_answers
from corpus.store import Store
from tests.annotation import workbook_files as files
from tests.annotation.workbook_studies import PLAIN, SheetStudy, make_sheet_study


@pytest.fixture
def study(store: Store, tmp_path: Path) -> SheetStudy:
    return make_sheet_study(store, tmp_path, PLAIN[:1])


def add_styles(path: Path) -> dict[str, int]:
    """Adds cell styles with number formats; gives the number of each style by its name."""
    wanted = {
        "percent": 'numFmtId="9"',
        "date": 'numFmtId="14"',
        "own date": 'numFmtId="200"',
        "elapsed": 'numFmtId="201"',
        "own percent": 'numFmtId="202"',
        "plain": 'numFmtId="203"',
        "two decimals": 'numFmtId="2"',
    }
    codes = {
        200: "d\\.\\ mmm\\ yyyy",
        201: "[h]:mm",
        202: "0.0%",
        203: "[Red]0&quot; of 100 days&quot;",
    }
    numbers: dict[str, int] = {}

    def edit(xml: str) -> str:
        start = xml.index("<cellXfs")
        count = xml[start : xml.index("</cellXfs>")].count("<xf ")
        added = ""
        for place, (name, attribute) in enumerate(wanted.items()):
            numbers[name] = count + place
            added += f'<xf {attribute} fontId="0" fillId="0" borderId="0" xfId="0"/>'
        xml = xml.replace("</cellXfs>", f"{added}</cellXfs>")
        formats = "".join(
            f'<numFmt numFmtId="{number}" formatCode="{code}"/>' for number, code in codes.items()
        )
        return xml.replace("<fonts", f"<numFmts>{formats}</numFmts><fonts", 1)

    files.edit_part(path, "xl/styles.xml", edit)
    return numbers


ACCEPTED = {
    "number": ("quality", files.number("77"), 77),
    "number with a decimal point": ("quality", files.number("77.0"), 77),
    "number with an exponent": ("quality", files.number("7.7E1"), 77),
    "zero": ("quality", files.number("0"), 0),
    "fifty": ("quality", files.number("50"), 50),
    "number as text": ("quality", files.text("77"), 77),
    "number as text in spaces": ("quality", files.text(" 77\u00a0"), 77),
    "choice in capitals": ("gender_marked", files.text(" NO "), "no"),
    "stored value": ("gender_marked", files.text("no"), "no"),
    "number as comment": ("comment", files.number("42"), "42"),
    "decimal as comment": ("comment", files.number("0.1"), "0.1"),
    "comment like a formula": ("comment", files.text("=1+1"), "=1+1"),
    "comment with control codes": ("comment", files.text("a\x01\rb_x0041_"), "a\x01\rb_x0041_"),
}


@pytest.mark.parametrize("name", list(ACCEPTED))
def test_what_is_meant_is_taken(study: SheetStudy, name: str) -> None:
    field, inside, value = ACCEPTED[name]
    path = study.export()
    [item] = study.items
    study.fill(path, item, {"quality": 1, "gender_marked": "no"})
    files.set_cells(path, {study.address(item, field): inside})
    study.take_in(path)
    answers = study.ratings()[item.id].answers
    assert answers[field] == value
    assert type(answers[field]) is type(value)


def styled(style: str, value: str) -> tuple[str, str]:
    return style, value


REFUSED = {
    "percent text": ("quality", files.text("77%"), "not_a_whole_number"),
    "words": ("quality", files.text("good"), "not_a_whole_number"),
    "decimal": ("quality", files.number("76.5"), "not_a_whole_number"),
    "decimal text": ("quality", files.text("76,5"), "not_a_whole_number"),
    "too much": ("quality", files.number("101"), "out_of_range"),
    "too little": ("quality", files.text("-1"), "out_of_range"),
    "true": ("quality", files.boolean(True), "not_a_whole_number"),
    "infinite": ("quality", files.number("1e999"), "not_a_whole_number"),
    "no number": ("quality", files.number("NaN"), "not_a_whole_number"),
    "percentage": ("quality", styled("percent", "0.77"), "not_a_whole_number"),
    "whole percentage": ("quality", styled("percent", "1"), "not_a_whole_number"),
    "own percentage": ("quality", styled("own percent", "77"), "not_a_whole_number"),
    "date": ("quality", styled("date", "77"), "not_a_whole_number"),
    "own date": ("quality", styled("own date", "77"), "not_a_whole_number"),
    "duration": ("quality", styled("elapsed", "3"), "not_a_whole_number"),
    "formula": ("quality", files.formula("70+7", "77"), "unreadable_cell"),
    "formula in a choice": ("gender_marked", files.formula('"No"', "No"), "unreadable_cell"),
    "formula in a comment": ("comment", files.formula("A1", "1"), "unreadable_cell"),
    "error": ("quality", files.error("#N/A"), "unreadable_cell"),
    "error in a comment": ("comment", files.error("#REF!"), "unreadable_cell"),
    "other choice": ("gender_marked", files.text("perhaps"), "unknown_choice"),
    "number for a choice": ("gender_marked", files.number("1"), "unknown_choice"),
    "true for a choice": ("gender_marked", files.boolean(False), "unknown_choice"),
    "date for a comment": ("comment", styled("date", "45000"), "not_text"),
    "true for a comment": ("comment", files.boolean(True), "not_text"),
    "NUL": ("comment", files.text("a\x00b"), "unreadable_cell"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_not_sure_is_refused_by_its_cell(study: SheetStudy, name: str) -> None:
    field, inside, code = REFUSED[name]
    path = study.export()
    [item] = study.items
    styles = add_styles(path)
    if isinstance(inside, tuple):
        inside = files.number(inside[1], styles[inside[0]])
    study.fill(path, item, {"quality": 1, "gender_marked": "no"})
    files.set_cells(path, {study.address(item, field): inside})
    with pytest.raises(InputError) as refused:
        study.take_in(path)
    [fault] = refused.value.faults
    assert fault.field == f"Ratings!{study.address(item, field)}"
    assert f"({code}:{field})" in fault.problem
    assert fault.remedy
    assert not study.revisions()


@pytest.mark.parametrize("style", ["plain", "two decimals"])
def test_a_format_that_does_not_change_a_number_is_taken(study: SheetStudy, style: str) -> None:
    path = study.export()
    [item] = study.items
    styles = add_styles(path)
    study.fill(path, item, {"gender_marked": "no"})
    files.set_cells(path, {study.address(item, "quality"): files.number("77", styles[style])})
    study.take_in(path)
    assert study.ratings()[item.id].answers["quality"] == 77


def test_a_row_of_spaces_is_not_answered(study: SheetStudy) -> None:
    path = study.export()
    [item] = study.items
    blank = {study.address(item, name): files.text(" ") for name in ("quality", "comment")}
    files.set_cells(path, blank)
    assert study.take_in(path).empty == 1


SENTENCE: list[Mapping[str, Any]] = [
    {"quality": 90, "gender_marked": "no"},
    {"quality": 0, "gender_marked": "yes", "speaker_gender": "other"},
    {"gender_marked": "no"},
    {"quality": 90},
    {"quality": 500, "gender_marked": "yes"},
    {"quality": -1, "gender_marked": "unsure"},
    {"quality": 1.5, "gender_marked": "no", "speaker_gender": "man"},
    {"quality": 50, "gender_marked": "maybe"},
    {"quality": 50, "gender_marked": "maybe", "speaker_gender": "man"},
    {"quality": 50, "gender_marked": "yes", "speaker_gender": "nobody"},
    {"comment": "only a comment"},
]
TEMPLATE: list[Mapping[str, Any]] = [
    {"quality": 100, "reworded": "no"},
    {"quality": 99, "reworded": "no"},
    {"quality": 99, "reworded": "yes"},
    {"quality": 99, "reworded": "yes", "suggestion": "„S“, povedal muž"},
    {"quality": 100, "reworded": "no", "suggestion": "„S“, povedal muž"},
    {"quality": 100, "reworded": "yes", "comment": "why not"},
]
CASES = [("sentence/2", each) for each in SENTENCE] + [("template/1", each) for each in TEMPLATE]


def type_in(study: SheetStudy, path: Path, answers: Mapping[str, Any]) -> None:
    """Types answers that a form would not offer, too."""
    [item] = study.items
    choices = {each.name: each.choices for each in study.form.fields}
    cells = {}
    for name, value in answers.items():
        shown = choices[name].get(value, value) if isinstance(value, str) else value
        inside = files.text(shown) if isinstance(shown, str) else files.number(str(shown))
        cells[study.address(item, name)] = inside
    files.set_cells(path, cells)


def read(study: SheetStudy, path: Path) -> SheetReading:
    items = {item.id: item for item in study.items}
    with study.store.reading() as state:
        [assignment] = state.assignments([study.batch.id])
    binding = bind_workbook(study.batch, assignment)
    expected = Expected(study.layout, binding, items, assignment.item_ids)
    return read_sheet(path.name, load_sheets(path)["Ratings"], expected)


@pytest.mark.parametrize(("form", "answers"), CASES)
def test_browser_and_workbook_refuse_the_same_for_the_same_reason(
    store: Store, tmp_path: Path, form: str, answers: Mapping[str, Any]
) -> None:
    study = make_sheet_study(store, tmp_path, PLAIN[:1], form)
    asked = load_form_named(form)
    browser, broken = read_result(build_result(asked, answers))
    expected = broken + validate_answers(asked, browser)
    path = study.export()
    type_in(study, path, answers)
    reading = read(study, path)
    [answered] = reading.answered
    assert answered.reasons == expected
    assert len(reading.faults) == len(expected)
    if not expected:
        assert dict(answered.answers) == browser
        assert import_sheets(store, [path], "curator-1")[0].new == 1

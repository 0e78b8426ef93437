"""Any texts and any valid answers survive export, filling in and import."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.workbooks.layout import ColumnKind
from annotation.workbooks.spreadsheet import load_sheets
from corpus.forms import FieldKind, Form, load_form_named, validate_answers
from corpus.store import Store
from tests.annotation.workbook_studies import make_sheet_study
from tests.store_builders import make_store

FORMS = ("sentence/2", "template/1", "prompt_template/1")
# Escapes of the format, formulas, control codes and halves of pairs are what goes wrong.
ODD = [
    "_x0041_",
    "_x005F_",
    "_x005F_x0041_",
    "x005F_",
    "_x",
    "=1+1",
    "&amp;",
    "'",
    '"',
    "שלום",
    "😀",
]
MARKUP = ["&amp;", "<r>", "</r>", "<t>", "]]>", "<!--"]
CONTROLS = [
    "\t",
    "\r\n",
    "\r",
    "\n",
    "\x01",
    "\x1f",
    "\x7f",
    "\ufffe",
    "\uffff",
    "\u0301",
    "\u200f",
]
PIECES = st.sampled_from([*ODD, *MARKUP, *CONTROLS])
CHARACTERS = st.characters(codec="utf-8", exclude_characters="\x00")
TEXTS = st.lists(PIECES | st.text(CHARACTERS, max_size=5), max_size=5).map("".join)
COMMENTS = TEXTS.filter(lambda text: bool(text.strip()))


@st.composite
def valid_answers(draw: st.DrawFn, form: Form) -> dict[str, Any]:
    """Answers that the form takes, in the order of its fields."""
    answers: dict[str, Any] = {}
    for field in form.fields:
        if field.shown_when is not None and not field.shown_when.holds(answers):
            continue
        if not field.is_required(answers) and draw(st.booleans()):
            continue
        if field.kind is FieldKind.SCORE:
            answers[field.name] = draw(st.integers(field.low, field.high))
        elif field.kind is FieldKind.CHOICE:
            answers[field.name] = draw(st.sampled_from(sorted(field.choices)))
        else:
            answers[field.name] = draw(COMMENTS)
    return answers


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Path]]:
    """One store and folder; every example has a batch of its own."""
    folder = tmp_path_factory.mktemp("workbooks")
    store = make_store(folder)
    yield store, folder
    store.close()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
@pytest.mark.parametrize("name", FORMS)
def test_texts_and_answers_survive(
    workshop: tuple[Store, Path], name: str, data: st.DataObject
) -> None:
    form = load_form_named(name)
    texts = st.fixed_dictionaries({"src_text": TEXTS, "mt_text": TEXTS})
    shown = data.draw(st.lists(texts, min_size=1, max_size=3))
    valid = valid_answers(form).filter(lambda each: not validate_answers(form, each))
    filled = [data.draw(valid) for _ in shown]
    study = make_sheet_study(*workshop, shown, name, batch_id=f"sk-{uuid.uuid4().hex}")
    path = study.export()
    cells = load_sheets(path)["Ratings"]
    for item, answers in zip(study.items, filled, strict=True):
        row = study.row_of(item)
        for column in study.layout.of_kind(ColumnKind.SHOWN):
            cell = cells.get((row, column.index))
            assert (cell.value if cell else "") == item.shown[column.name]
        study.fill(path, item, answers)
    assert study.take_in(path).new == len(shown)
    ratings = study.ratings()
    assert [dict(ratings[item.id].answers) for item in study.items] == filled
    assert study.take_in(path).unchanged == len(shown)

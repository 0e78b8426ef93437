"""Batches of made texts, and their raters' workbooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.workbooks.incoming import ImportedWorkbook, import_sheets
from annotation.workbooks.layout import ColumnKind, Layout, build_layout
from annotation.workbooks.outgoing import export_sheets
from corpus.forms import FieldKind, Form, load_form_named
from corpus.people import Person
from corpus.records import (
    Assignment,
    Batch,
    Instrument,
    Item,
    Origin,
    Purpose,
    RatingRevision,
)
from corpus.store import Store
from tests.annotation import workbook_files as files

Shown = Mapping[str, str]
YES = {"quality": 70, "gender_marked": "yes", "speaker_gender": "woman"}
NO = {"quality": 100, "gender_marked": "no"}
UNSURE = {"quality": 0, "gender_marked": "unsure", "comment": "Two readings."}


@dataclass
class SheetStudy:
    """A batch in a store and a folder of workbooks."""

    store: Store
    batch: Batch
    items: list[Item]
    form: Form
    folder: Path

    @property
    def layout(self) -> Layout:
        return build_layout(self.form, self.items)

    def export(self, rater: str = "r1") -> Path:
        [written] = export_sheets(self.store, self.batch.id, self.folder, rater)
        return written.path

    def row_of(self, item: Item, rater: str = "r1") -> int:
        with self.store.reading() as state:
            [mine] = [each for each in state.assignments([self.batch.id]) if each.rater_id == rater]
        return mine.item_ids.index(item.id) + 2

    def address(self, item: Item, name: str, rater: str = "r1") -> str:
        """Address of a field's or shown text's cell in a fresh workbook, without the sheet."""
        [column] = [each for each in self.layout.columns if each.name == name]
        return column.address(self.row_of(item, rater)).removeprefix("Ratings!")

    def fill(self, path: Path, item: Item, answers: Mapping[str, Any], rater: str = "r1") -> None:
        """Types the answers as a careful rater does."""
        files.set_cells(path, self.cells_of(item, answers, rater))

    def cells_of(self, item: Item, answers: Mapping[str, Any], rater: str = "r1") -> dict[str, str]:
        """The cells that these answers fill, by address."""
        fields = {each.name: each for each in self.form.fields}
        cells = {}
        for name, value in answers.items():
            kind = fields[name].kind
            if kind is FieldKind.CHOICE:
                value = fields[name].choices[value]
            inside = files.number(str(value)) if kind is FieldKind.SCORE else files.text(value)
            cells[self.address(item, name, rater)] = inside
        return cells

    def decline(self, path: Path, item: Item, rater: str = "r1") -> None:
        where = self.address(item, self.layout.only(ColumnKind.DECLINE).name, rater)
        files.set_cells(path, {where: files.text("I decline")})

    def take_in(self, *paths: Path, dry_run: bool = False) -> ImportedWorkbook:
        """Imports files and gives the report of the first."""
        return import_sheets(self.store, paths, "curator-1", dry_run)[0]

    def ratings(self) -> dict[str, RatingRevision]:
        """The current workbook answer of each item that has one."""
        with self.store.reading() as state:
            found = state.ratings(item.id for item in self.items)
        return {each.item_id: each for each in found if each.source == "workbook"}

    def revisions(self) -> list[RatingRevision]:
        with self.store.reading() as state:
            return state.rating_revisions(item.id for item in self.items)

    def position(self) -> int:
        with self.store.reading() as state:
            return state.position


def make_sheet_study(
    store: Store,
    folder: Path,
    shown: Sequence[Shown],
    form: str = "sentence/2",
    raters: Sequence[str] = ("r1",),
    batch_id: str = "sk-1",
) -> SheetStudy:
    """A batch that shows these texts to each rater, to the second one in the other order."""
    batch = Batch(batch_id, Instrument.EUROGEST, "sk", form, seed=1, raters_planned=len(raters))
    items = [
        Item(
            id=f"{batch_id}/{number:04}",
            batch_id=batch_id,
            instrument=Instrument.EUROGEST,
            subject_kind="sentence",
            subject_id=f"eurogest/sk/made/{number}",
            variant="neutral",
            purpose=Purpose.SAMPLE,
            shown=dict(texts),
            content_hash=str(number),
        )
        for number, texts in enumerate(shown, start=1)
    ]
    ids = [item.id for item in items]
    with store.writing(Origin.HUMAN) as writer:
        writer.append_form(load_form_named(form))
        writer.append([Person(rater, "rater") for rater in raters])
        [stored] = writer.append([batch])
        writer.append(items)
        writer.append(
            [
                Assignment(batch_id, rater, tuple(ids if number % 2 == 0 else reversed(ids)))
                for number, rater in enumerate(raters)
            ]
        )
    return SheetStudy(store, stored, items, load_form_named(form), folder)


def pairs(*texts: tuple[str, str]) -> list[Shown]:
    """Source and translation as items show them."""
    return [{"src_text": source, "mt_text": translation} for source, translation in texts]


PLAIN = pairs(
    ("I am emotional.", "Som emotívna."),
    ("I like order.", "Mám rád poriadok."),
    ("I lead.", "Vediem."),
    ("I work.", "Pracujem."),
)

"""Raters' comments in a release: only those that a curator has read, as she left them.

A comment is free text and may name people, so none is published by itself. A curator gets a file of
them, deletes rows or changes texts, and gives the file to the build.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from corpus.csv_table import load_csv_table
from corpus.errors import Fault, InputError
from corpus.forms import FieldKind, Form
from corpus.hashing import nfc
from corpus.records import RatingRevision
from corpus.standing import Standing

COLUMNS = ("item_id", "rater_id", "field", "comment")


@dataclass(frozen=True, slots=True)
class Comment:
    """What one rater wrote about one item in one field of the form."""

    item_id: str
    rater_id: str
    field: str
    text: str
    row: int = 0
    """Of the file it was read from."""

    @property
    def place(self) -> tuple[str, str, str]:
        """Item, rater and field: whose it is."""
        return (self.item_id, self.rater_id, self.field)


@dataclass(frozen=True, slots=True)
class ReviewedComments:
    """The comments that a curator lets be published."""

    file: str
    sha256: str
    comments: tuple[Comment, ...]

    @property
    def texts(self) -> dict[tuple[str, str, str], str]:
        """The texts by item, rater and field."""
        return {each.place: each.text for each in self.comments}


def find_comments(
    standing: Standing, forms: Mapping[str, Form], published: Collection[str]
) -> list[Comment]:
    """The comments of a language's counted ratings by raters who agreed to be published."""
    batches = {each.id: each.form for each in standing.batches}
    form_of = {each.id: forms[batches[each.batch_id]] for each in standing.items}
    return [
        comment
        for rating in sorted(standing.counted, key=lambda each: (each.item_id, each.rater_id))
        if rating.rater_id in published
        for comment in _comments_of(rating, form_of[rating.item_id])
    ]


def text_fields(forms: Iterable[Form]) -> list[str]:
    """Names of the free text fields of forms, in the forms' order."""
    names = (field.name for form in forms for field in form.fields if _is_text(field.kind))
    return list(dict.fromkeys(names))


def load_reviewed(path: Path) -> ReviewedComments:
    """The comments of a file that a curator has been through.

    Raises:
        InputError: with every fault of the file.
    """
    table = load_csv_table(path, COLUMNS)
    faults = list(table.faults)
    comments: dict[tuple[str, str, str], Comment] = {}
    for row in table.rows:
        cells = row.cells
        found = Comment(
            cells["item_id"], cells["rater_id"], cells["field"], nfc(cells["comment"]), row.row
        )
        if not found.text.strip():
            remedy = "delete the row of a comment that is not to be published"
            faults.append(Fault(table.file, row.row, "comment", "empty comment", remedy))
        if found.place in comments:
            problem = f"the same comment as in row {comments[found.place].row}"
            faults.append(Fault(table.file, row.row, None, problem, "keep one of them"))
        comments.setdefault(found.place, found)
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.row or 0))
    return ReviewedComments(table.file, table.sha256, tuple(comments.values()))


def check_reviewed(reviewed: ReviewedComments, known: Iterable[Comment]) -> None:
    """Refuses comments that nobody wrote, or whose rater did not agree.

    Args:
        reviewed: What is to be published.
        known: What `find_comments` gives of all languages of the release.

    Raises:
        InputError: with the row of each.
    """
    places = {each.place for each in known}
    faults = [
        Fault(
            reviewed.file,
            each.row,
            None,
            "no comment of a counted rating whose rater agreed to be published",
            "write the file anew with `release comments`, or delete the row",
        )
        for each in reviewed.comments
        if each.place not in places
    ]
    if faults:
        raise InputError(faults)


def _comments_of(rating: RatingRevision, form: Form) -> Iterator[Comment]:
    for field in form.fields:
        text = rating.answers.get(field.name)
        if _is_text(field.kind) and isinstance(text, str) and text.strip():
            yield Comment(rating.item_id, rating.rater_id, field.name, text)


def _is_text(kind: FieldKind) -> bool:
    return kind is FieldKind.TEXT

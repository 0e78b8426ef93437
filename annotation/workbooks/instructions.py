"""What a workbook tells its rater: how it is filled in, then the instructions of its form."""

from __future__ import annotations

from annotation.workbooks.layout import (
    DECLINED,
    RATINGS_SHEET,
    Binding,
    ColumnKind,
    Layout,
    describe_condition,
)
from corpus.forms import Field, FieldKind, Form

Section = tuple[str, tuple[str, ...]]
"""A heading and its paragraphs."""


def build_instructions(layout: Layout, binding: Binding) -> list[Section]:
    """The sections of the instructions sheet, in order."""
    return [
        ("How to fill in this workbook", _about_sheet(layout, binding)),
        *(_section(paragraph) for paragraph in layout.form.instructions),
    ]


def _about_sheet(layout: Layout, binding: Binding) -> tuple[str, ...]:
    decline = layout.only(ColumnKind.DECLINE)
    return (
        f"Rate on the sheet “{RATINGS_SHEET}”, one row after the other, in the white columns:",
        *(f"• {_about_field(layout.form, each)}" for each in layout.form.fields),
        f"• {decline.heading}: choose “{DECLINED}” in the list. It counts as no rating, and "
        "somebody else may be asked.",
        "A cell is yellow while it still needs an answer and dark where none belongs. You may stop "
        "at any time: a row that you leave empty counts as not rated yet.",
        "The grey columns hold what you rate and cannot be changed. Please do not add, copy or "
        "rename anything in this file; you may widen columns and filter rows.",
        "Please work alone and without a translation program. Where the text below speaks of a "
        "slider or of Skip, it means the same form in a browser.",
        "When you are done, save the file as an Excel workbook (.xlsx), without a password, and "
        "send it back.",
        f"Batch {binding.batch} · rater {binding.rater} · form {binding.form} · "
        f"workbook {binding.workbook}",
    )


def _about_field(form: Form, question: Field) -> str:
    if question.kind is FieldKind.SCORE:
        how = (
            f"type a whole number from {question.low} to {question.high}, without a % sign and "
            "without decimals"
        )
    elif question.kind is FieldKind.CHOICE:
        choices = ", ".join(f"“{text}”" for text in question.choices.values())
        how = f"choose {choices} in the list"
    else:
        how = "write a text"
    if question.shown_when is not None:
        how += f"; only if {describe_condition(form, question.shown_when)}"
    if question.required_when is not None:
        how += f"; needed if {describe_condition(form, question.required_when)}"
    return f"{question.question} {how[0].upper()}{how[1:]}."


def _section(paragraph: str) -> Section:
    """The first of several lines is a heading."""
    first, *others = paragraph.splitlines()
    return (first, tuple(others)) if others else ("", (first,))

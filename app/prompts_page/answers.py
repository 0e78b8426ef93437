"""One test: its template, its instances, what came back word for word, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import pandas as pd
import streamlit as st

from app.elements import choose, show_empty, show_sentences
from app.views.prompt_cases import (
    Case,
    describe_oracle,
    list_answers,
    list_cases,
    list_unread,
)
from app.views.prompt_points import name_language
from app.views.prompt_results import ShownPrompts
from app.views.prompt_statements import describe_unread
from scoring.oracles import Outcome

ANY = "any"
NO_TEXT = "(no text)"
MOST_UNREAD = 2000
"""Rows of a table that a browser still shows well."""
TEST_WIDTHS = {
    "instance": 70,
    "communities": 110,
    "answer": 235,
    "verdict": 105,
    "seen": 80,
    "message": 215,
}
UNREAD_WIDTHS = {
    "outcome": 85,
    "model": 70,
    "language": 90,
    "answer": 205,
    "remark": 165,
    "message": 205,
}
"""Pixels of the columns that a table of 820 shows without scrolling; else one long prompt pushes
what came back out of sight."""


def show_test(shown: ShownPrompts) -> None:
    """The part of the page with one test."""
    cases = _choose_cases(shown)
    if not cases:
        show_empty("No test has this outcome here; choose another one.")
        return
    by_place = {f"{each.place.template}/{each.place.repeat}": each for each in cases}
    chosen = by_place[choose("Test", "test", list(by_place), lambda place: by_place[place].title)]
    _show_case(chosen)


def _choose_cases(shown: ShownPrompts) -> Sequence[Case]:
    columns = st.columns(4)
    with columns[0]:
        model = choose("Model", "model", shown.models)
    with columns[1]:
        language = choose("Language", "tested", shown.languages, name_language)
    with columns[2]:
        concern = choose("Concern", "concern", shown.concerns)
    with columns[3]:
        outcome = choose("Outcome", "outcome", [ANY, *map(str, Outcome)])
    return [
        case
        for case in list_cases(shown)
        if (case.place.model, case.place.language, case.concern) == (model, language, concern)
        and outcome in (ANY, str(case.outcome))
    ]


def _show_case(case: Case) -> None:
    template = case.run.template_of(case.place)
    judged = case.result.judged
    st.subheader("Template")
    with st.container(border=True, gap="xxsmall"):
        for title, text in (
            ("Task prefix", template.task_prefix),
            ("Prompt", template.prompt),
            ("Form of the answer", template.output_formatting),
        ):
            if text:
                st.text(f"{title}:")
                st.text(text)
    facts = [
        f"Verdict of the test: {judged.outcome}. One verdict over all instances: every answer "
        "counts.",
        f"Oracle: {describe_oracle(case)}",
        f"Input {template.input_type}, reflection {template.reflection_type}; id {template.id}"
        + (f", source {template.source}" if template.source else ""),
        f"Instances asked: {len(judged.answers)} of {judged.possible}.",
        *(f"Note: {note.replace('_', ' ')}" for note in judged.notes),
    ]
    st.text("\n".join(facts))
    st.subheader("Instances and answers")
    answers = list_answers(case)
    rows = pd.DataFrame([asdict(each) for each in answers])
    if not any(each.judges for each in answers):
        rows = rows.drop(columns=["judges"])
    alt_text = "Every instance with what was sent, what came back, and its verdict"
    _show_answers(rows, alt_text, TEST_WIDTHS)
    by_number = {row.instance: row for row in answers}
    number = choose(
        "Instance",
        "instance",
        list(by_number),
        lambda number: f"{number}: {by_number[number].verdict}",
    )
    row = by_number[number]
    with st.container(border=True, gap="xxsmall"):
        for title, text in (("Sent", row.message), ("Answer", row.answer or NO_TEXT)):
            st.text(f"{title}:")
            st.text(text)
    if row.remark:
        st.text(row.remark)


def show_unread(shown: ShownPrompts) -> None:
    """The part of the page that lists refusals, unreadable answers and errors."""
    st.text(describe_unread(shown))
    rows = list_unread(shown)
    if not rows:
        show_empty("Every answer was read.")
        return
    kinds = [ANY, *dict.fromkeys(each.outcome for each in rows)]
    kind = choose("Outcome", "unread", kinds)
    found = [each for each in rows if kind in (ANY, each.outcome)]
    table = pd.DataFrame([asdict(each) for each in found])
    table["language"] = table["language"].map(name_language)
    if len(found) > MOST_UNREAD:
        st.text(f"The first {MOST_UNREAD} of {len(found)}; the download has all.")
    _show_answers(
        table.head(MOST_UNREAD),
        "Answers that were refused unexpectedly, could not be read, or never came",
        UNREAD_WIDTHS,
    )
    st.download_button(
        "Download this table (CSV)",
        lambda: table.to_csv(index=False).encode("utf-8"),
        file_name="unread.csv",
        mime="text/csv",
        on_click="ignore",
    )


def _show_answers(table: pd.DataFrame, alt_text: str, widths: Mapping[str, int]) -> None:
    """The columns that have a width, in its order, and then the others."""
    others = [name for name in table.columns if name not in widths]
    columns = {name: st.column_config.Column(width=width) for name, width in widths.items()}
    show_sentences(table[[*widths, *others]], alt_text, **columns)

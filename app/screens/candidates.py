"""Candidates: what generation made of each source sentence, filtered, texts shown literally."""

from __future__ import annotations

import streamlit as st

from app.elements import build_table, choose, choose_language, show_empty, show_table
from app.study import open_study
from app.views.candidates import CandidateRow, build_candidate_rows, choices, filter_candidates
from app.views.overview import NO_CANDIDATES

TEXTS = ("source", "neutral", "masculine", "feminine")
TEXT_WIDTH = 180


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = choose_language(study)
    rows = build_candidate_rows(study.standing(language), study.snapshot.sources)
    shown = _filter(rows)
    st.text(f"{len(shown)} of {len(rows)} candidates")
    if not shown:
        show_empty("No candidate fits these filters. Set one of them back to `any`.")
        return
    show_table(
        build_table(shown),
        f"Candidates of {language}: label, reason, texts and differing words",
        label=st.column_config.TextColumn(width=80),
        **{name: st.column_config.TextColumn(width=TEXT_WIDTH) for name in TEXTS},
    )


def _filter(rows: tuple[CandidateRow, ...]) -> tuple[CandidateRow, ...]:
    columns = st.columns(4)
    with columns[0]:
        label = choose("Label", "label", choices(row.label for row in rows))
    with columns[1]:
        reason = choose("Reason", "reason", choices(row.reason for row in rows))
    with columns[2]:
        stereotypes = sorted({row.stereotype for row in rows if row.stereotype}, key=_number)
        stereotype = choose("Stereotype", "stereotype", choices(stereotypes))
    with columns[3]:
        text = st.text_input("Text contains", key="text", bind="query-params")
    return filter_candidates(rows, label, reason, stereotype, text)


def _number(stereotype: str) -> tuple[int, str]:
    number = stereotype.split(" ")[0]
    return (int(number) if number.isdigit() else 0, stereotype)


show()

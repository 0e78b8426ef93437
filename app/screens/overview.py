"""Overview: how each language stands and what to do next."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from app.elements import build_table, choose_language, show_empty, show_table
from app.study import Study, open_study
from app.views import words
from app.views.gates import build_gate_rows
from app.views.overview import (
    NO_CANDIDATES,
    OverviewRow,
    build_overview_row,
)
from app.views.repairs import MEANING

REPAIRED_COLUMN = "of both repaired"


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    rows = [
        build_overview_row(study.standing(code), study.assessment(code)) for code in study.languages
    ]
    show_table(_count_table(rows), "One row per language: state, counts and gates")
    if any(row.repaired for row in rows):
        st.text(f"Of neutral and pair, {MEANING}. Page Releases says whether they are released.")
    st.subheader("What to do next")
    wide = st.column_config.TextColumn(width="large")
    show_table(
        _next_table(rows), "One row per language: next step and approval", **{"next step": wide}
    )
    st.subheader("One language")
    _show_language(study, choose_language(study))


def _count_table(rows: list[OverviewRow]) -> pd.DataFrame:
    any_repaired = any(row.repaired for row in rows)

    def cells(row: OverviewRow) -> dict[str, Any]:
        return {
            "language": words.describe_language(row.language),
            "state": str(row.state),
            # What a tablet's width does not show comes last.
            "gates": row.gates_in_words,
            "ratings": row.ratings,
            "neutral": row.neutral,
            "pair": row.pair,
            **({REPAIRED_COLUMN: row.repaired} if any_repaired else {}),
            "discarded": row.discarded,
            "rejected": row.rejected,
        }

    return pd.DataFrame([cells(row) for row in rows])


def _next_table(rows: list[OverviewRow]) -> pd.DataFrame:
    def cells(row: OverviewRow) -> dict[str, str]:
        return {
            "language": words.describe_language(row.language),
            "next step": row.next_step,
            "approval": row.approval,
        }

    return pd.DataFrame([cells(row) for row in rows])


def _show_language(study: Study, language: str) -> None:
    standing, assessment = study.standing(language), study.assessment(language)
    row = build_overview_row(standing, assessment)
    st.text(f"State: {row.state}. Approval: {row.approval}.")
    st.text(f"Next: {row.next_step}")
    if assessment.outdated_items:
        st.text(
            f"{assessment.outdated_items} rated items show a text that has changed since; "
            "their ratings do not count."
        )
    if row.gates:
        gates = build_gate_rows(row.gates, study.instrument)
        show_table(build_table(gates), f"Gates of {language}")


show()

"""Overview: how each language stands and what to do next; approve a language or revoke that."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from annotation.approvals import approve_language, revoke_approval
from annotation.gates import is_approvable
from app.access import Role
from app.commands.labelling import pull_before_approval
from app.elements import (
    attempt,
    build_table,
    choose_language,
    show_empty,
    show_table,
)
from app.session import Session
from app.study import Study, open_study
from app.views import words
from app.views.overview import (
    NO_CANDIDATES,
    OverviewRow,
    build_gate_rows,
    build_overview_row,
    describe_approval,
)
from app.views.repairs import MEANING
from corpus.review import LanguageState

OVERRIDE_KEY = "override reason"
REVOKE_KEY = "revoke reason"
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
            "neutral": row.neutral,
            "pair": row.pair,
            **({REPAIRED_COLUMN: row.repaired} if any_repaired else {}),
            "discarded": row.discarded,
            "rejected": row.rejected,
            "ratings": row.ratings,
            "gates": row.gates_in_words,
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
    if not row.gates:
        return
    show_table(build_table(build_gate_rows(row.gates)), f"Gates of {language}")
    if standing.review.state is LanguageState.IN_REVIEW:
        _show_approve_form(study, language)
    if standing.review.approval is not None:
        _show_revoke_form(study, language)


def _show_approve_form(study: Study, language: str) -> None:
    blocked = not is_approvable(study.assessment(language).gates)
    with st.form(f"approve {language}"):
        if blocked:
            st.text("A gate is not passed: an approval against it needs a written reason.")
            st.text_area("Reason for approving against the gate", key=OVERRIDE_KEY)
        st.form_submit_button(
            "Approve against the gate" if blocked else "Approve",
            type="primary",
            on_click=_approve,
            args=(study, language, study.standing(language).data_hash, blocked),
        )


def _show_revoke_form(study: Study, language: str) -> None:
    with st.form(f"revoke {language}"):
        st.text(describe_approval(study.standing(language)))
        st.text_area("Reason for revoking the approval", key=REVOKE_KEY)
        st.form_submit_button("Revoke", on_click=_revoke, args=(study, language))


def _approve(study: Study, language: str, seen_hash: str, blocked: bool) -> None:
    def approve() -> str:
        override = st.session_state.get(OVERRIDE_KEY, "") if blocked else None
        settings = study.assessment_settings
        if study.workspace.settings.label_studio_token.get_secret_value():
            # What is new changes the hash: then the approval is refused until it was seen.
            session = Session(study.workspace, study.store, study.actor)
            pull_before_approval(session, study.instrument, language)
        approve_language(
            study.store,
            study.instrument,
            language,
            study.actor,
            settings,
            override,
            seen_hash=seen_hash,
        )
        return f"{words.describe_language(language)} is approved."

    attempt(study, Role.CURATOR, approve)


def _revoke(study: Study, language: str) -> None:
    def revoke() -> str:
        reason = st.session_state.get(REVOKE_KEY, "")
        revoke_approval(study.store, study.instrument, language, study.actor, reason)
        return f"The approval of {words.describe_language(language)} is revoked."

    attempt(study, Role.CURATOR, revoke)


show()

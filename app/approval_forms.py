"""Forms that approve a language, against a gate where one is not passed, and revoke that."""

from __future__ import annotations

import streamlit as st

from annotation.approvals import approve_language, revoke_approval
from annotation.gates import is_approvable
from app.access import Role
from app.commands.labelling import pull_before_approval
from app.elements import attempt
from app.session import Session
from app.study import Study
from app.views import words
from app.views.overview import describe_approval
from corpus.review import LanguageState

OVERRIDE_KEY = "override reason"
REVOKE_KEY = "revoke reason"


def show_approval_forms(study: Study, language: str) -> None:
    """The form to approve a language in review, and the one to revoke an approval it has."""
    review = study.standing(language).review
    if review.state is LanguageState.IN_REVIEW:
        _show_approve_form(study, language)
    if review.approval is not None:
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

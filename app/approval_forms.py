"""Forms that approve a language, also against a gate, revoke that, and explain invalid ratings."""

from __future__ import annotations

import streamlit as st

from annotation.approvals import approve_language, revoke_approval
from annotation.explanations import explain_ratings, list_unexplained
from annotation.gates import is_approvable
from app.access import Role
from app.commands.labelling import pull_before_approval
from app.elements import attempt
from app.session import Session
from app.study import Study
from app.views import words
from app.views.invalid_ratings import name_invalid_rating
from app.views.overview import describe_approval
from corpus.invalid_ratings import InvalidRating
from corpus.review import LanguageState

OVERRIDE_KEY = "override reason"
REVOKE_KEY = "revoke reason"
EXPLAIN_KEY, EXPLAINED_KEY = "explain reason", "explained ratings"


def show_approval_forms(study: Study, language: str) -> None:
    """The form to approve a language in review, and the one to revoke an approval it has."""
    review = study.standing(language).review
    if review.state is LanguageState.IN_REVIEW:
        _show_approve_form(study, language)
    if review.approval is not None:
        _show_revoke_form(study, language)


def show_explanation_form(study: Study, language: str) -> None:
    """The form to explain the invalid ratings of a language that nobody has explained yet."""
    unexplained = list_unexplained(study.standing(language))
    if not unexplained:
        return
    names = {each.revision: name_invalid_rating(each) for each in unexplained}
    with st.form(f"explain {language}"):
        st.multiselect(
            "Invalid ratings to explain",
            list(names),
            list(names),
            format_func=names.__getitem__,
            key=_explained_key(unexplained),
        )
        st.text_area("What was found out about them", key=EXPLAIN_KEY)
        st.form_submit_button("Explain", on_click=_explain, args=(study, unexplained))


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


def _explained_key(offered: tuple[InvalidRating, ...]) -> str:
    # Other ratings to choose from are another choice: nothing of the last one is kept.
    return f"{EXPLAINED_KEY} {[each.revision for each in offered]}"


def _explain(study: Study, seen: tuple[InvalidRating, ...]) -> None:
    def explain() -> str:
        chosen = st.session_state.get(_explained_key(seen), [])
        ratings = [each for each in seen if each.revision in chosen]
        explain_ratings(study.store, ratings, st.session_state.get(EXPLAIN_KEY, ""), study.actor)
        return f"Invalid ratings explained: {len(ratings)}."

    attempt(study, Role.CURATOR, explain)


def _revoke(study: Study, language: str) -> None:
    def revoke() -> str:
        reason = st.session_state.get(REVOKE_KEY, "")
        revoke_approval(study.store, study.instrument, language, study.actor, reason)
        return f"The approval of {words.describe_language(language)} is revoked."

    attempt(study, Role.CURATOR, revoke)

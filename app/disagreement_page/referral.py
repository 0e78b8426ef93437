"""Asking raters about one candidate: sent back to its own, or shown to another one."""

from __future__ import annotations

import streamlit as st

from annotation.referrals import (
    LONGEST_QUESTION,
    Question,
    Referral,
    find_free_raters,
    refer_candidate,
)
from app.access import Role
from app.elements import attempt, show_empty
from app.study import Study
from app.views.disagreements import describe_referral
from app.views.planning import describe_created
from corpus.records import Candidate

QUESTION_KEY, RATER_KEY = "referral question", "referral rater"
NOTHING_ELSE = (
    "Write nothing of what other raters or the system said: she must judge by herself. Neither "
    "answer enters any figure of agreement; until it is there the candidate stays open and no rule "
    "decides it."
)


def show_referrals(referrals: tuple[Referral, ...]) -> None:
    """Who was asked about a candidate, if anybody was."""
    if not referrals:
        return
    with st.container(border=True, gap="xxsmall"):
        if any(each.awaited for each in referrals):
            st.badge("waiting for raters", icon=":material/hourglass_top:", color="orange")
        st.text("\n".join(map(describe_referral, referrals)))


def show_referral_forms(study: Study, language: str, candidate: Candidate) -> None:
    """The form that asks, for a candidate that is not decided."""
    free = find_free_raters(study.standing(language), candidate.id, study.snapshot.raters)
    with st.form(f"refer {candidate.id}"):
        st.text_area(
            "Question to the raters, shown above the texts",
            key=f"{QUESTION_KEY} {candidate.id}",
            max_chars=LONGEST_QUESTION,
        )
        st.caption(NOTHING_ELSE)
        if free:
            st.selectbox("Another rater", free, key=f"{RATER_KEY} {candidate.id}")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Send back to its raters",
                shortcut="Alt+B",
                on_click=_refer,
                args=(study, candidate, False),
            )
            if free:
                st.form_submit_button(
                    "Ask another rater",
                    shortcut="Alt+O",
                    on_click=_refer,
                    args=(study, candidate, True),
                )
    if not free:
        show_empty("Every rater was given a text of this candidate; add one to ask another.")


def _refer(study: Study, candidate: Candidate, another: bool) -> None:
    given = st.session_state

    def refer() -> str:
        question = Question(
            candidate.id,
            candidate.content_hash,
            str(given[f"{QUESTION_KEY} {candidate.id}"]),
            str(given[f"{RATER_KEY} {candidate.id}"]) if another else None,
        )
        made = refer_candidate(study.store, question, study.actor)
        return describe_created(made)

    if attempt(study, Role.CURATOR, refer):
        given[f"{QUESTION_KEY} {candidate.id}"] = ""

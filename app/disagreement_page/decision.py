"""The forms that decide one candidate: at once by a key, or with texts and a reason."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from annotation.decisions import UNDECIDED, VARIANTS_OF_LABEL, Verdict, decide
from app.access import Role
from app.checks import check_pair
from app.disagreement_page.queue import DECIDED, LAST_KEY, go_to
from app.elements import attempt
from app.study import Study
from corpus.errors import StaleError
from corpus.prompt_sources import FRAME
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Candidate,
    Decision,
    DecisionAction,
    Instrument,
    Label,
)
from corpus.review import ReviewedCandidate

TYPED_KEY = "disagreement typed"
"""Holds what a curator had typed when somebody else was faster."""
STORE_KEY = "Alt+S"
ONE_GENDER_WORDS = "one gender only: nobody can give the other variant, keep it out"
FRAME_IS_NOT_EDITED = (
    "Only the prompt is edited here. What is sent before and after it, and the answers its oracle "
    "expects, come from a file: correct the CSV of this language, run `stereoscope prompts import` "
    "and, for paraphrases, `stereoscope prompts augment` again. An approval that was given before "
    "does not hold any more then."
)
ACTION_WORDS = {
    DecisionAction.ACCEPT: "accept: the system is right",
    DecisionAction.RELABEL: "relabel: it is neutral, or a pair",
    DecisionAction.EDIT: "edit: the texts need a correction",
    DecisionAction.REJECT: "reject: keep it out of every release",
    DecisionAction.REOPEN: "reopen: take back every decision so far",
}


@dataclass(frozen=True, slots=True)
class QuickDecision:
    """A decision with a reason of its own, made by one key."""

    action: DecisionAction
    label: str
    shortcut: str
    reason: str


QUICK = (
    QuickDecision(
        DecisionAction.ACCEPT, "Accept: the system is right", "A", "The system is right."
    ),
    QuickDecision(
        DecisionAction.REJECT, "Reject: the raters are right", "X", "The raters are right."
    ),
)


@dataclass(frozen=True, slots=True)
class Typed:
    """What a curator had typed for a candidate that somebody else changed meanwhile."""

    subject_id: str
    reason: str
    variants: dict[str, str]


def show_decision(study: Study, reviewed: ReviewedCandidate, next_subject: str | None) -> None:
    """Both ways to decide a candidate."""
    possible = _possible_actions(reviewed)
    with st.container(horizontal=True, vertical_alignment="center"):
        for quick in QUICK:
            st.button(
                quick.label,
                shortcut=quick.shortcut,
                on_click=_decide_quickly,
                args=(study, reviewed, quick, next_subject),
                disabled=quick.action not in possible,
                key=f"quick {quick.action}",
            )
    st.text("These store their own label as the reason and show the next candidate. Anything else:")
    _show_form(study, reviewed, possible, next_subject)


def show_typed(queue_ids: frozenset[str]) -> None:
    """What was typed for a candidate that somebody else changed or decided meanwhile."""
    typed = st.session_state.get(TYPED_KEY)
    if not isinstance(typed, Typed):
        return
    with st.container(border=True):
        st.text(f"What you had typed for {typed.subject_id}, which was not stored:")
        for name, text in {**typed.variants, "reason": typed.reason}.items():
            st.text(f"{name}: {text}")
        with st.container(horizontal=True):
            if typed.subject_id not in queue_ids:
                st.button("Show what was decided", on_click=go_to, args=(typed.subject_id, DECIDED))
            st.button("Drop it", on_click=st.session_state.pop, args=(TYPED_KEY, None))


def _show_form(
    study: Study,
    reviewed: ReviewedCandidate,
    possible: list[DecisionAction],
    next_subject: str | None,
) -> None:
    candidate = reviewed.candidate
    action = st.selectbox(
        "Action", possible, format_func=ACTION_WORDS.__getitem__, key=_action_key(candidate.id)
    )
    with st.container():
        label = _choose_label(candidate) if action is DecisionAction.RELABEL else None
        kept = _choose_kept(candidate) if label is Label.DISCARDED else {}
    variants = _texts_to_ask(candidate, action, label)
    # Fields carry the content's hash: when the candidate changes, its new texts are shown.
    mark = candidate.content_hash[:12]
    with st.form(f"decide {candidate.id}"):
        for variant in variants:
            st.text_area(
                f"New {variant} text",
                value=_prefill(candidate, variant),
                key=_text_key(candidate.id, mark, variant),
            )
        if variants and candidate.instrument is Instrument.MLA_BITE and FRAME in candidate.evidence:
            st.caption(FRAME_IS_NOT_EDITED)
        if variants:
            st.caption(
                "A text that you write is human-written: the candidate is released once a rater "
                "has rated it."
            )
        st.text_area("Reason", key=_reason_key(candidate.id))
        st.form_submit_button(
            "Store the decision",
            type="primary",
            shortcut=STORE_KEY,
            on_click=_decide_from_form,
            args=(study, reviewed, action, label, variants, kept, next_subject),
        )


def _possible_actions(reviewed: ReviewedCandidate) -> list[DecisionAction]:
    impossible = set()
    if reviewed.candidate.label is Label.DISCARDED:
        impossible = {DecisionAction.ACCEPT, DecisionAction.EDIT}
    if reviewed.decision is None:
        impossible |= {DecisionAction.REOPEN}
    if reviewed.candidate.instrument is not Instrument.EUROGEST:
        impossible |= {DecisionAction.RELABEL}
    return [each for each in DecisionAction if each not in impossible]


def _choose_label(candidate: Candidate) -> Label:
    options = [
        each for each in (*VARIANTS_OF_LABEL, Label.DISCARDED) if each is not candidate.label
    ]
    if not candidate.variants and Label.DISCARDED in options:
        options.remove(Label.DISCARDED)

    def describe(label: Label) -> str:
        return ONE_GENDER_WORDS if label is Label.DISCARDED else str(label)

    return Label(
        st.selectbox("New label", options, format_func=describe, key=f"label {candidate.id}")
    )


def _choose_kept(candidate: Candidate) -> dict[str, str]:
    """The one text that there is of a pair, under the gender that it shows."""
    gender = st.selectbox(
        "Gender that the text shows",
        (MASCULINE_VARIANT, FEMININE_VARIANT),
        key=f"gender {candidate.id}",
    )
    text = candidate.variants.get(gender, next(iter(candidate.variants.values())))
    st.text(text)
    return {gender: text}


def _texts_to_ask(
    candidate: Candidate, action: DecisionAction, label: Label | None
) -> tuple[str, ...]:
    if action is DecisionAction.EDIT:
        return tuple(candidate.variants)
    if action is DecisionAction.RELABEL and label is not None:
        return tuple(sorted(VARIANTS_OF_LABEL.get(label, ()), reverse=True))
    return ()


def _prefill(candidate: Candidate, variant: str) -> str:
    """The present text; for a variant that is missing the neutral one, to be changed."""
    return candidate.variants.get(variant, candidate.variants.get(NEUTRAL_VARIANT, ""))


def _text_key(subject_id: str, mark: str, variant: str) -> str:
    return f"text {subject_id} {mark} {variant}"


def _action_key(subject_id: str) -> str:
    return f"action {subject_id}"


def _reason_key(subject_id: str) -> str:
    return f"reason {subject_id}"


def _decide_quickly(
    study: Study, reviewed: ReviewedCandidate, quick: QuickDecision, next_subject: str | None
) -> None:
    candidate = reviewed.candidate
    verdict = Verdict(
        candidate.id,
        candidate.content_hash,
        quick.action,
        quick.reason,
        seen_decision=_position(reviewed.decision),
    )
    _decide(study, verdict, next_subject)


def _decide_from_form(
    study: Study,
    reviewed: ReviewedCandidate,
    action: DecisionAction,
    label: Label | None,
    variants: tuple[str, ...],
    kept: dict[str, str],
    next_subject: str | None,
) -> None:
    given, seen = st.session_state, reviewed.candidate
    # Who is quick stores before the page has followed her last choice of action.
    chosen = DecisionAction(given[_action_key(seen.id)])
    if chosen is not action:
        action, label, variants, kept = chosen, None, (), {}
    mark = seen.content_hash[:12]
    typed = {name: str(given[_text_key(seen.id, mark, name)]) for name in variants}
    verdict = Verdict(
        subject_id=seen.id,
        seen_hash=seen.content_hash,
        action=action,
        reason=str(given[_reason_key(seen.id)]),
        label=label,
        variants=kept or typed or None,
        seen_decision=_position(reviewed.decision),
    )
    _decide(study, verdict, next_subject, typed)


def _decide(
    study: Study,
    verdict: Verdict,
    next_subject: str | None,
    typed: dict[str, str] | None = None,
) -> None:
    """Stores the decision on the content that was on the screen; then goes to the next one."""

    def store() -> str:
        try:
            stored = decide(study.store, verdict, study.actor, check_pair)
        except StaleError:
            if typed is not None:
                given = Typed(verdict.subject_id, verdict.reason, typed)
                st.session_state[TYPED_KEY] = given
            raise
        written = f"; human-written, to be rated: {', '.join(stored.written)}"
        return f"Stored: {verdict.action} {verdict.subject_id}{written if stored.written else ''}"

    if not attempt(study, Role.CURATOR, store):
        return
    st.session_state[LAST_KEY] = verdict.subject_id
    if next_subject is not None:
        go_to(next_subject)


def _position(last: Decision | None) -> int:
    return last.stamp.position if last and last.stamp else UNDECIDED

"""Disagreements: the queue, all the evidence about one candidate, and the curator's decision."""

from __future__ import annotations

import streamlit as st

from annotation.decisions import UNDECIDED, VARIANTS_OF_LABEL, Verdict, decide
from annotation.disagreements import Disagreement, DisagreementKind
from app.access import Role
from app.checks import check_pair
from app.elements import (
    attempt,
    build_table,
    choice_key,
    choose,
    choose_language,
    show_empty,
    show_facts,
    show_table,
    show_texts,
)
from app.rule_forms import show_rule_forms
from app.study import Study, open_study
from app.views import words
from app.views.audit import build_audit_rows
from app.views.disagreements import Evidence, build_evidence, build_queue, find_next
from app.views.overview import NO_CANDIDATES, NOT_RATED
from corpus.records import Candidate, DecisionAction, Label
from corpus.review import LanguageState, ReviewedCandidate

ANY_KIND = "any"
OPEN, DECIDED = "open", "decided"
ITEM = "item"


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    filters = st.columns(3)
    with filters[0]:
        language = choose_language(study)
    with filters[1]:
        kind = _choose_kind()
    with filters[2]:
        status = choose("Show", "status", (OPEN, DECIDED))
    queue = build_queue(study.assessment(language), kind, decided=status == DECIDED)
    if not queue:
        _show_empty_queue(study, language, kind, status)
        if study.standing(language).counted:
            show_rule_forms(study, language)
        return
    _show_item(study, language, queue, _choose_item(queue))
    show_rule_forms(study, language)


def _choose_kind() -> DisagreementKind | None:
    chosen = choose("Kind", "kind", (ANY_KIND, *map(str, DisagreementKind)), _describe_kind)
    return None if chosen == ANY_KIND else DisagreementKind(chosen)


def _describe_kind(kind: str) -> str:
    return "any kind" if kind == ANY_KIND else words.KINDS[DisagreementKind(kind)]


def _choose_item(queue: tuple[Disagreement, ...]) -> Disagreement:
    by_id = {each.subject_id: each for each in queue}

    def describe(subject: str) -> str:
        return f"{subject}: {', '.join(words.KINDS[kind] for kind in by_id[subject].kinds)}"

    st.text(f"{len(queue)} in the queue, heaviest first")
    return by_id[choose("Candidate", ITEM, list(by_id), describe)]


def _show_empty_queue(
    study: Study, language: str, kind: DisagreementKind | None, status: str
) -> None:
    if kind is not None:
        show_empty("No disagreement of this kind. Choose any kind to see the others.")
    elif status == DECIDED:
        show_empty("Nothing is decided yet in this language.")
    elif study.standing(language).review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
    elif not study.standing(language).counted:
        show_empty("No valid ratings of this language yet. Pull them on page Annotation.")
    elif study.standing(language).review.state is LanguageState.IN_REVIEW:
        show_empty("No disagreement is open. Next: look at the gates on page Overview.")
    else:
        show_empty("No disagreement is open in this language.")


def _show_item(
    study: Study, language: str, queue: tuple[Disagreement, ...], disagreement: Disagreement
) -> None:
    evidence = build_evidence(
        study.standing(language), disagreement, study.snapshot.sources, study.snapshot.audit
    )
    _show_texts(evidence)
    st.subheader("Ratings")
    ratings = build_table(evidence.rows).rename(columns={"da": "DA"})
    show_table(ratings, "All ratings of this candidate, by rater pseudonym")
    st.subheader("Decision")
    _show_decision_form(study, evidence, find_next(queue, disagreement.subject_id))
    st.subheader("Audit trail of this candidate")
    if evidence.audit:
        show_table(
            build_table(build_audit_rows(evidence.audit)), "What was done with this candidate"
        )
    else:
        show_empty("Nothing has been decided about this candidate yet.")


def _show_texts(evidence: Evidence) -> None:
    st.subheader("Texts")
    texts, facts = st.columns([3, 2])
    candidate = evidence.reviewed.candidate
    with texts:
        show_texts(evidence.source, candidate.variants, evidence.marked)
    with facts:
        show_facts(evidence.facts, evidence.repair)


def _show_decision_form(study: Study, evidence: Evidence, next_subject: str | None) -> None:
    candidate = evidence.reviewed.candidate
    action = st.selectbox(
        "Action",
        _possible_actions(evidence.reviewed),
        format_func=_describe_action,
        key=f"action {candidate.id}",
    )
    label = None
    if action is DecisionAction.RELABEL:
        options = [each for each in VARIANTS_OF_LABEL if each is not candidate.label]
        label = st.selectbox("New label", options, format_func=str, key=f"label {candidate.id}")
    variants = _texts_to_ask(candidate, action, label)
    # Fields carry the content's hash: when the candidate changes, its new texts are shown.
    mark = candidate.content_hash[:12]
    with st.form(f"decide {candidate.id}"):
        for variant in variants:
            st.text_area(
                f"New {variant} text",
                value=candidate.variants.get(variant, ""),
                key=_text_key(candidate.id, mark, variant),
            )
        st.text_area("Reason", key=f"reason {candidate.id}")
        st.form_submit_button(
            "Store the decision",
            type="primary",
            on_click=_decide,
            args=(study, evidence.reviewed, action, label, variants, next_subject),
        )


def _possible_actions(reviewed: ReviewedCandidate) -> list[DecisionAction]:
    impossible = set()
    if reviewed.candidate.label is Label.DISCARDED:
        impossible = {DecisionAction.ACCEPT, DecisionAction.EDIT}
    if reviewed.decision is None:
        impossible |= {DecisionAction.REOPEN}
    return [each for each in DecisionAction if each not in impossible]


def _describe_action(action: DecisionAction) -> str:
    return {
        DecisionAction.ACCEPT: "accept: the system is right",
        DecisionAction.RELABEL: "relabel: it is neutral, or a pair",
        DecisionAction.EDIT: "edit: the texts need a correction",
        DecisionAction.REJECT: "reject: keep it out of every release",
        DecisionAction.REOPEN: "reopen: take back every decision so far",
    }[action]


def _texts_to_ask(
    candidate: Candidate, action: DecisionAction, label: Label | None
) -> tuple[str, ...]:
    if action is DecisionAction.EDIT:
        return tuple(candidate.variants)
    if action is DecisionAction.RELABEL and label is not None:
        return tuple(sorted(VARIANTS_OF_LABEL[label], reverse=True))
    return ()


def _text_key(subject_id: str, mark: str, variant: str) -> str:
    return f"text {subject_id} {mark} {variant}"


def _decide(
    study: Study,
    reviewed: ReviewedCandidate,
    action: DecisionAction,
    label: Label | None,
    variants: tuple[str, ...],
    next_subject: str | None,
) -> None:
    """Stores the decision on the content that was on the screen; then goes to the next one."""
    given = st.session_state
    seen, last = reviewed.candidate, reviewed.decision
    mark = seen.content_hash[:12]
    verdict = Verdict(
        subject_id=seen.id,
        seen_hash=seen.content_hash,
        action=action,
        reason=given[f"reason {seen.id}"],
        label=label,
        variants={name: given[_text_key(seen.id, mark, name)] for name in variants} or None,
        seen_decision=last.stamp.position if last and last.stamp else UNDECIDED,
    )

    def store() -> str:
        decide(study.store, verdict, study.actor, check_pair)
        return f"Stored: {action} {seen.id}"

    if attempt(study, Role.CURATOR, store) and next_subject is not None:
        given[choice_key(ITEM)] = next_subject


show()

"""Disagreements: the queue, all the evidence about one candidate, and the curator's decision."""

from __future__ import annotations

import streamlit as st

from annotation.disagreements import Disagreement
from annotation.referrals import find_awaited
from app.disagreement_page.batches import show_written
from app.disagreement_page.decision import show_decision, show_typed
from app.disagreement_page.queue import choose_item, choose_language_and_filter, show_way_back
from app.disagreement_page.referral import show_referral_forms, show_referrals
from app.disagreement_page.rules import show_rule_forms
from app.disagreement_page.shared import show_shared
from app.elements import build_table, show_empty, show_facts, show_table, show_texts
from app.study import Study, open_study
from app.views.audit import build_audit_rows
from app.views.disagreements import Evidence, Place, QueueFilter, build_evidence, build_queue
from app.views.overview import NO_CANDIDATES, NOT_RATED
from corpus.review import LanguageState


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language, chosen = choose_language_and_filter(study)
    queue = build_queue(study.assessment(language), study.snapshot.sources, chosen)
    with st.container():
        show_typed(frozenset(each.subject_id for each in queue))
    if queue:
        awaited = find_awaited(study.standing(language))
        _show_item(study, language, *choose_item(queue, awaited))
    else:
        _show_empty_queue(study, language, chosen)
        show_way_back()
    if study.standing(language).counted:
        show_rule_forms(study, language)
        show_written(study, language)


def _show_empty_queue(study: Study, language: str, chosen: QueueFilter) -> None:
    state = study.standing(language).review.state
    if chosen.kind is not None or chosen.stereotype_id is not None:
        show_empty("No disagreement fits. Choose any kind and any stereotype to see the others.")
    elif chosen.decided:
        show_empty("Nothing is decided yet in this language.")
    elif state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
    elif not study.standing(language).counted:
        show_empty("No valid ratings of this language yet. Pull them on page Annotation.")
    elif state is LanguageState.IN_REVIEW:
        show_empty("No disagreement is open. Next: look at the gates on page Approval.")
    else:
        show_empty("No disagreement is open in this language.")


def _show_item(study: Study, language: str, disagreement: Disagreement, place: Place) -> None:
    evidence = build_evidence(
        study.standing(language),
        disagreement,
        study.snapshot.sources,
        study.snapshot.audit,
        study.inventory,
    )
    reviewed = evidence.reviewed
    _show_texts(evidence)
    st.subheader("Ratings")
    ratings = build_table(evidence.rows).rename(columns={"da": "DA"})
    show_table(ratings, "All ratings of this candidate, by rater pseudonym")
    show_referrals(evidence.referrals)
    st.subheader("Decision")
    show_decision(study, reviewed, place.next)
    if reviewed.decision is None:
        st.subheader("Not sure? Ask")
        show_referral_forms(study, language, reviewed.candidate)
    show_shared(study, language, reviewed)
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


show()

"""From one candidate to all that share its evidence: a few of them, a rule, a targeted batch."""

from __future__ import annotations

import streamlit as st

from annotation.bulk_rules import SAME_EVIDENCE, apply_rule, preview_shared
from annotation.chosen import choose_candidates
from annotation.decisions import Verdict
from annotation.design import ChosenCandidate
from app.access import Role
from app.disagreement_page.batches import show_batch_form
from app.elements import attempt, build_table, show_empty, show_table
from app.study import Study
from app.views.bulk_rules import build_preview, count_preview
from app.views.shared_evidence import (
    FIRST_FEW,
    EvidenceIndex,
    Shared,
    build_evidence_index,
    build_shared_rows,
    count_undecided,
    describe_shared,
    find_shared,
)
from corpus.errors import StateError
from corpus.records import DecisionAction
from corpus.review import LanguageState, ReviewedCandidate
from corpus.standing import Standing

LANGUAGES_KEPT = 32
ACTIONS = (DecisionAction.REJECT, DecisionAction.ACCEPT)


def show_shared(study: Study, language: str, reviewed: ReviewedCandidate) -> None:
    """What a candidate shares with others, and what can be done with all of them."""
    st.subheader("Candidates that share its evidence")
    standing = study.standing(language)
    found = find_shared(_index(study, standing), reviewed.candidate.id)
    if not found:
        show_empty("No other candidate of the language rests on the same.")
        return
    by_key = {each.key: each for each in found}
    counts = {each.key: count_undecided(standing, set(each.others)) for each in found}
    # Not kept in the address: the next candidate rests on something else.
    chosen = by_key[
        st.selectbox(
            "Evidence",
            list(by_key),
            format_func=lambda key: describe_shared(by_key[key], counts[key]),
            key=f"evidence {reviewed.candidate.id}",
        )
    ]
    rows = build_shared_rows(standing, study.snapshot.sources, set(chosen.others))
    if len(chosen.others) > FIRST_FEW:
        st.text(f"The first {FIRST_FEW} of {len(chosen.others)}:")
    show_table(build_table(rows), "Candidates that share this evidence, undecided ones first")
    rule, batch = st.columns(2)
    with rule:
        _show_rule(study, standing, reviewed, chosen)
    with batch:
        _show_batch(study, language, standing, reviewed, chosen)


def _index(study: Study, standing: Standing) -> EvidenceIndex:
    generated = (each.generated.stamp for each in standing.candidates)
    latest = max((stamp.position for stamp in generated if stamp), default=0)
    return _build_index(
        study.workspace.database_url,
        latest,
        str(study.instrument),
        standing.language,
        standing,
    )


@st.cache_resource(show_spinner=False, max_entries=LANGUAGES_KEPT)
def _build_index(
    database_url: str, generated_at: int, instrument: str, language: str, _standing: Standing
) -> EvidenceIndex:
    """Kept until something is generated anew: comparing thousands of texts takes a second."""
    return build_evidence_index(_standing)


def _show_rule(
    study: Study, standing: Standing, reviewed: ReviewedCandidate, shared: Shared
) -> None:
    st.text("Decide all of them that are undecided")
    name = f"{reviewed.candidate.id} {shared.key}"
    decided = reviewed.decision.action if reviewed.decision else None
    action = st.selectbox(
        "Decision",
        ACTIONS,
        index=ACTIONS.index(decided) if decided in ACTIONS else 0,
        format_func=str,
        key=f"shared action {name}",
    )
    reason = st.text_area("Reason for all of them", key=f"shared reason {name}")
    told = f"Rule: same {shared.key} as {reviewed.candidate.id}. {reason.strip()}"
    verdicts = preview_shared(standing, set(shared.others), action, told)
    if not verdicts:
        show_empty("None of them is undecided and can be decided so.")
        return
    st.text(count_preview(verdicts))
    with st.expander("What it would decide"):
        preview = build_table(build_preview(standing, verdicts))
        show_table(preview, "What this rule would decide, one row for each candidate")
    st.button(
        f"Decide {len(verdicts)} so",
        on_click=_apply,
        args=(study, verdicts, bool(reason.strip())),
        key=f"shared apply {name}",
    )


def _apply(study: Study, verdicts: list[Verdict], has_reason: bool) -> None:
    def apply() -> str:
        if not has_reason:
            raise StateError("A decision needs a reason.")
        name = apply_rule(study.store, SAME_EVIDENCE, verdicts, study.actor)
        return f"Applied: {name}; {len(verdicts)} decided. It can be undone below."

    attempt(study, Role.CURATOR, apply)


def _show_batch(
    study: Study, language: str, standing: Standing, reviewed: ReviewedCandidate, shared: Shared
) -> None:
    if standing.review.state is LanguageState.SOURCE:
        return
    st.text("Or let raters judge them, as a targeted batch that enters no agreement")
    rejected = {each.candidate.id for each in standing.candidates if each.rejected}
    with_texts = {each.candidate.id for each in standing.candidates if each.candidate.variants}
    ids = [each for each in shared.others if each in with_texts and each not in rejected]
    if not ids:
        show_empty("All of them are rejected or without a text.")
        return

    def choose() -> tuple[ChosenCandidate, ...]:
        return choose_candidates(standing, ids)

    show_batch_form(study, language, f"{reviewed.candidate.id} {shared.key}", len(ids), choose)

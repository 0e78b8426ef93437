"""Forms that decide many disagreements by a rule, previewed, and that undo such a rule."""

from __future__ import annotations

import streamlit as st

from annotation.bulk_rules import (
    LOW_DA,
    BulkRule,
    apply_rule,
    find_applied,
    preview_rule,
    undo_rule,
)
from annotation.decisions import Verdict
from app.access import Role
from app.elements import attempt, build_table, show_empty, show_table
from app.study import Study
from app.views.bulk_rules import build_preview, count_preview, describe_rule

UNDO_KEY = "undo reason"


def show_rule_forms(study: Study, language: str) -> None:
    """A rule's preview with the button that applies it, and the rules that can be undone."""
    st.subheader("Decide many by a rule")
    rules: list[BulkRule] = list(BulkRule)
    rule = BulkRule(st.selectbox("Rule", rules, format_func=describe_rule, key="rule"))
    low_da = LOW_DA
    if rule is BulkRule.LOW_DA:
        low_da = float(st.number_input("Limit of the median DA", 0.0, 100.0, LOW_DA, step=1.0))
    standing = study.standing(language)
    verdicts = preview_rule(standing, study.assessment(language), rule, low_da)
    if verdicts:
        st.text(count_preview(verdicts))
        table = build_table(build_preview(standing, verdicts))
        show_table(table, "What this rule would decide, one row for each candidate")
        st.button(
            f"Apply this rule to {len(verdicts)}",
            on_click=_apply,
            args=(study, rule, verdicts),
        )
    else:
        show_empty("This rule settles none of the open disagreements.")
    _show_undo_form(study, language)


def _show_undo_form(study: Study, language: str) -> None:
    applied = find_applied(study.standing(language))
    if not applied:
        return
    with st.form(f"undo {language}"):
        name = st.selectbox(
            "Rule to undo",
            list(applied),
            format_func=lambda each: f"{each}: {len(applied[each])} candidates",
        )
        st.text_area("Reason for undoing it", key=UNDO_KEY)
        st.form_submit_button("Undo this rule", on_click=_undo, args=(study, language, name))


def _apply(study: Study, rule: BulkRule, verdicts: list[Verdict]) -> None:
    def apply() -> str:
        name = apply_rule(study.store, rule, verdicts, study.actor)
        return f"Applied: {name}; {len(verdicts)} decided."

    attempt(study, Role.CURATOR, apply)


def _undo(study: Study, language: str, name: str) -> None:
    def undo() -> str:
        reason = st.session_state[UNDO_KEY]
        found = undo_rule(study.store, study.instrument, language, name, study.actor, reason)
        return f"Undone: {name}; {len(found)} open again."

    attempt(study, Role.CURATOR, undo)

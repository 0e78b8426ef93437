"""Leaving a rater out, or putting her back, with a reason, and what it does to the figures."""

from __future__ import annotations

import streamlit as st

from annotation.assessment import AssessmentSettings, gather_ratings
from annotation.exclusion_effect import ExclusionEffect, compute_exclusion_effect, count_rater
from annotation.exclusions import exclude_rater
from app.access import Role
from app.agreement_page.figures import show_figure
from app.charts_of_agreement import series_chart
from app.elements import attempt, build_table, show_empty, show_table
from app.study import Study
from app.views.agreement import find_system_labels
from app.views.agreement_exclusion import (
    build_change_points,
    build_change_rows,
    build_effect_table,
    describe_chance,
    describe_exclusion,
    find_exclusions,
    find_rater_batches,
)
from corpus.records import Exclusion
from corpus.standing import Standing


def show_exclusion(study: Study, standing: Standing, rater: str) -> None:
    """What leaving this rater out does, where she is left out now, and the form."""
    st.subheader("Leave a rater out")
    left_out = find_exclusions(standing, rater)
    for each in left_out:
        st.text(describe_exclusion(each))
    _show_effect(study, standing, rater)
    _show_form(study, standing, rater, left_out)


def _show_form(
    study: Study, standing: Standing, rater: str, left_out: tuple[Exclusion, ...]
) -> None:
    batches = find_rater_batches(standing, rater)
    out_of = tuple(each.batch_id for each in left_out)
    stays_in = tuple(each for each in batches if each not in out_of)
    with st.container(border=True):
        st.text(
            f"Batches of {standing.language} that {rater} has a part of: {', '.join(batches)}. "
            "Her ratings stay; leaving her out takes them out of every figure of these batches."
        )
        key = f"exclusion reason {rater}"
        st.text_area("Reason", key=key, help="Stands in the audit trail.")
        with st.container(horizontal=True):
            st.button(
                "Leave her out",
                key=f"exclude {rater}",
                on_click=_exclude,
                args=(study, rater, stays_in, True, key),
                disabled=not stays_in,
            )
            st.button(
                "Put her back",
                key=f"reinstate {rater}",
                on_click=_exclude,
                args=(study, rater, out_of, False, key),
                disabled=not out_of,
            )


def _exclude(
    study: Study, rater: str, batches: tuple[str, ...], excluded: bool, reason_key: str
) -> None:
    reason = str(st.session_state.get(reason_key, "")).strip()

    def exclude() -> str:
        exclude_rater(
            study.store,
            [Exclusion(rater, each, excluded, reason, study.actor) for each in batches],
        )
        done = "is left out of" if excluded else "counts again in"
        return f"{rater} {done} {', '.join(batches)}. Reason: {reason}"

    if attempt(study, Role.CURATOR, exclude):
        st.session_state[reason_key] = ""


def _show_effect(study: Study, standing: Standing, rater: str) -> None:
    effect = _effect(
        study.workspace.database_url,
        standing.position,
        (str(study.instrument), standing.language),
        rater,
        study.assessment_settings,
        standing,
    )
    if effect is None:
        show_empty("This rater answered no item that counts; leaving her out changes no figure.")
        return
    st.text(describe_chance(effect))
    points = build_change_points(effect)
    if points:
        show_figure(
            series_chart(points, "value", "figure", "raters counted"),
            build_effect_table(effect),
            f"Figures of {standing.language} with {rater} and without her, with intervals: "
            + "; ".join(f"{each.mark} {each.series} {each.value:.3f}" for each in points),
            f"without-{rater}",
        )
    rows = build_change_rows(effect)
    show_table(
        build_table(rows),
        f"Figures of {standing.language} that leaving {rater} out changes",
    )
    st.text(
        "Figures without her are chosen after seeing the data. Those about the others alone stay "
        "as they are."
    )


@st.cache_resource(show_spinner=False, max_entries=64)
def _effect(
    database_url: str,
    position: int,
    about: tuple[str, str],
    rater: str,
    settings: AssessmentSettings,
    _standing: Standing,
) -> ExclusionEffect | None:
    table, _ = gather_ratings(count_rater(_standing, rater))
    if rater not in table.rater_ids:
        return None
    return compute_exclusion_effect(
        table,
        find_system_labels(_standing),
        rater,
        settings.seed,
        (("language", about[1]),),
        draws=settings.draws,
    )

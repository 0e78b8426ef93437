"""Planning: what a batch would be, tell, take and cost before it is created; and the rounds so far.

Nothing is written until a batch is created, which is what `stereoscope batch create` does.
"""

from __future__ import annotations

import streamlit as st

from annotation.batches import create_batch
from annotation.controls import MOST_CONTROLS, ControlShares
from annotation.costs import CostRates
from annotation.design import BatchPlan
from annotation.forecast import Expectations
from annotation.label_schemes import SCHEMES
from annotation.rounds import compute_pace, compute_rounds
from annotation.sampling import Allocation
from app.access import Role
from app.elements import attempt, build_table, choose_language, show_empty, show_error, show_table
from app.study import Study, open_study
from app.views.groups import TITLES
from app.views.overview import NO_CANDIDATES, NOT_RATED
from app.views.planning import (
    ASSUMPTIONS,
    PlannedBatch,
    build_fact_rows,
    build_interval_rows,
    build_round_rows,
    build_strata_rows,
    describe_created,
    describe_totals,
    plan_a_batch,
)
from corpus.errors import StateError, StereoscopeError
from corpus.records import Instrument, Origin
from corpus.review import LanguageState
from corpus.stereotypes import Inventory

ALL, SOME, DOUBLE = "all raters", "a number of them", "two raters for a part, one for the rest"


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = choose_language(study)
    pace = _find_pace(study)
    if study.standing(language).review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
    else:
        _show_plan(study, language, pace)
    st.subheader("Rounds")
    _show_rounds(study, pace)


def _show_plan(study: Study, language: str, pace: float | None) -> None:
    plan = _choose_plan(study, language)
    expected, pace = _choose_expectations(pace, study.instrument)
    try:
        planned = plan_a_batch(
            study.standing(language), study.snapshot.sources, plan, pace, expected
        )
    except StereoscopeError as error:
        show_error(error)
        return
    _show_planned(planned, language, study.inventory)
    _show_button(study, plan)


def _choose_plan(study: Study, language: str) -> BatchPlan:
    settings = study.workspace.settings
    st.subheader("Design")
    first, second, third = st.columns(3)
    with first:
        size = st.number_input(
            "Candidates in the sample", min_value=1, value=settings.batch_size, key="plan size"
        )
        allocation = st.selectbox(
            f"Allocation over labels and {TITLES[study.instrument].lower()}s",
            [str(each) for each in Allocation],
            key="plan allocation",
            help="equal: as many of each; items then carry inclusion weights into every estimate.",
        )
        seed = st.number_input("Seed", min_value=0, value=settings.seed, key="plan seed")
    with second:
        raters = st.multiselect("Raters", study.snapshot.raters, key="plan raters")
        count = st.number_input(
            "How many raters, while none is chosen",
            min_value=1,
            value=2,
            disabled=bool(raters),
            key="plan count",
        )
        both = st.checkbox(
            "Both variants of a pair",
            help="To different raters; each has half the weight.",
            key="plan both variants",
        )
    with third:
        overlap = st.selectbox("Each item is rated by", [ALL, SOME, DOUBLE], key="plan overlap")
        each = double = None
        if overlap == SOME:
            each = int(st.number_input("Raters for each item", min_value=1, value=2, key="plan k"))
        if overlap == DOUBLE:
            double = _choose_share("Part with two raters", "part", 0.2)
        repeats = _choose_share("Exact repeats, of the sample", "repeats", 0.0, MOST_CONTROLS)
        degraded = _choose_share(
            "Degraded translations, of the sample", "degraded", 0.0, MOST_CONTROLS
        )
    return BatchPlan(
        instrument=study.instrument,
        language=language,
        size=int(size),
        raters=tuple(raters) or tuple(f"rater {n}" for n in range(1, 1 + int(count))),
        seed=int(seed),
        allocation=Allocation(allocation),
        raters_per_item=each,
        double_share=double,
        both_variants=both,
        controls=ControlShares(repeats, degraded),
        cost=CostRates.from_settings(settings),
    )


def _choose_expectations(
    pace: float | None, instrument: Instrument
) -> tuple[Expectations, float | None]:
    default = Expectations()
    labelled = instrument is Instrument.EUROGEST
    title = SCHEMES[instrument].accuracy_name
    with st.expander("What you expect to see"):
        columns = st.columns(4)
        with columns[0]:
            accuracy = _choose_share(
                title[0].upper() + title[1:], "accuracy", default.label_accuracy
            )
        with columns[1]:
            agreement = _choose_share(
                "Items labelled alike" if labelled else "Items answered alike",
                "agreement",
                round(default.raw_agreement, 3),
            )
        with columns[2]:
            pearson = _choose_share("Pearson's r of DA", "pearson", default.pearson, 0.99)
        seconds = columns[3].number_input(
            "Seconds an answer",
            value=pace,
            min_value=1.0,
            placeholder="not known",
            help="By default the setting seconds_per_item, else the median of the study's answers.",
        )
        st.caption("The defaults are what the EuroGEST study reports over its languages.")
    return Expectations(accuracy, agreement, pearson), seconds


def _choose_share(label: str, name: str, value: float, most: float = 1.0) -> float:
    return st.number_input(
        label,
        min_value=0.0,
        max_value=most,
        value=value,
        step=0.01,
        format="%.3f",
        key=f"plan {name}",
    )


def _show_planned(planned: PlannedBatch, language: str, inventory: Inventory) -> None:
    st.subheader("Size, time and cost")
    show_table(
        build_table(build_fact_rows(planned)),
        f"Facts of the plan for {language}",
        what=st.column_config.TextColumn(width="medium"),
        value=st.column_config.TextColumn(width="large"),
    )
    st.subheader("Expected intervals")
    number = st.column_config.NumberColumn(format="%.3f")
    show_table(
        build_table(build_interval_rows(planned.forecast.figures, planned.plan.instrument)),
        f"Expected figures of the plan for {language} with their intervals and widths",
        **dict.fromkeys(("expected", "low", "high", "width"), number),
    )
    st.caption(ASSUMPTIONS)
    with st.expander("Strata"):
        show_table(
            build_table(build_strata_rows(planned.draft, inventory)),
            f"Candidates and sample of each label and group of {language}",
            weight=st.column_config.NumberColumn(format="%.3f"),
        )


def _show_button(study: Study, plan: BatchPlan) -> None:
    st.button(
        "Create this batch",
        on_click=_create,
        args=(study, plan),
        disabled=not _are_known(study, plan),
        help="Choose the raters first; add them with `stereoscope raters add`.",
    )


def _are_known(study: Study, plan: BatchPlan) -> bool:
    return set(plan.raters) <= set(study.snapshot.raters)


def _create(study: Study, plan: BatchPlan) -> None:
    def create() -> str:
        if not _are_known(study, plan):
            raise StateError("Choose the raters first.")
        return describe_created(create_batch(study.store, plan, study.actor, Origin.HUMAN))

    attempt(study, Role.CURATOR, create)


def _show_rounds(study: Study, pace: float | None) -> None:
    rates = CostRates.from_settings(study.workspace.settings)
    rounds = compute_rounds(map(study.standing, study.languages), rates, pace)
    if not rounds:
        show_empty("No batch has been created yet.")
        return
    show_table(
        build_table(build_round_rows(rounds)),
        "Answers, words, hours and cost of each batch: so far, of what was forecast",
    )
    if totals := describe_totals(rounds):
        st.text(f"All rounds: {totals}")
    st.caption(
        "A batch keeps the rates that were set when it was created. Hours are those of timed "
        "answers; a pause over five minutes counts as five."
    )


def _find_pace(study: Study) -> float | None:
    ratings = (answer.rating for code in study.languages for answer in study.standing(code).answers)
    return compute_pace(ratings, study.workspace.settings.seconds_per_item)


show()

"""Targeted batches from page Disagreements: chosen candidates, and texts that curators wrote."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from annotation.batches import BatchPlan, create_batch
from annotation.chosen import choose_written
from annotation.design import ChosenCandidate
from app.access import Role
from app.elements import attempt
from app.study import Study
from app.views.planning import describe_created
from corpus.errors import StateError
from corpus.records import Origin, Purpose
from corpus.written import WRITTEN_FLAG, find_held, find_unsent

Chooser = Callable[[], tuple[ChosenCandidate, ...]]


def show_batch_form(
    study: Study, language: str, name: str, count: int, choose: Chooser, flags: tuple[str, ...] = ()
) -> None:
    """The form that sends chosen candidates to raters.

    Args:
        study: in which it is done.
        language: of the candidates.
        name: tells the form from others of the page.
        count: how many candidates there are.
        choose: gives them when the button is pressed.
        flags: what the batch is about, as in `BatchPlan.flags`.
    """
    with st.form(f"batch {name}"):
        st.multiselect("Raters", study.snapshot.raters, key=f"raters {name}")
        st.number_input("Number of items", 1, count, count, key=f"size {name}")
        st.form_submit_button(
            "Send them to raters",
            on_click=_create,
            args=(study, language, name, choose, flags),
        )


def show_written(study: Study, language: str) -> None:
    """How many human-written texts wait, and the form that sends them."""
    standing = study.standing(language)
    held, unsent = find_held(standing), find_unsent(standing)
    if not held:
        return
    st.subheader("Texts that curators wrote")
    st.text(
        f"{len(held)} candidates stay out of releases until somebody other than the writer has "
        f"rated the text; {len(unsent)} of them can be sent now, the others are with raters."
    )
    if unsent:

        def choose() -> tuple[ChosenCandidate, ...]:
            return choose_written(standing)

        show_batch_form(study, language, "written", len(unsent), choose, (WRITTEN_FLAG,))


def _create(
    study: Study, language: str, name: str, choose: Chooser, flags: tuple[str, ...]
) -> None:
    def create() -> str:
        raters = tuple(st.session_state.get(f"raters {name}", ()))
        if not raters:
            raise StateError("Choose at least one rater.")
        plan = BatchPlan(
            instrument=study.instrument,
            language=language,
            size=int(st.session_state[f"size {name}"]),
            raters=raters,
            seed=study.workspace.settings.seed,
            purpose=Purpose.TARGETED,
            flags=flags,
            chosen=choose(),
        )
        return describe_created(create_batch(study.store, plan, study.actor, Origin.HUMAN))

    attempt(study, Role.CURATOR, create)

"""The queue: its filters, the candidate that is shown, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import streamlit as st

from annotation.disagreements import Disagreement, DisagreementKind
from app.elements import choice_key, choose, choose_language
from app.study import Study
from app.views import words
from app.views.disagreements import (
    Place,
    QueueFilter,
    describe_queued,
    find_place,
    list_stereotypes,
)
from corpus.records import Instrument
from corpus.stereotypes import Inventory

ANY = "any"
OPEN, DECIDED = "open", "decided"
ITEM, STATUS = "item", "status"
LAST_KEY = "disagreement decided last"
"""Holds the id of the candidate that was decided last in this browser."""
PREVIOUS_KEY, NEXT_KEY, BACK_KEY = "P", "N", "B"


def choose_language_and_filter(study: Study) -> tuple[str, QueueFilter]:
    """The language and which of its disagreements are shown, kept in the address."""
    columns = st.columns(4)
    with columns[0]:
        language = choose_language(study)
    with columns[1]:
        kind = choose("Kind", "kind", (ANY, *map(str, DisagreementKind)), _describe_kind)
    with columns[2]:
        stereotype = ANY
        if study.instrument is Instrument.EUROGEST:
            ids = list_stereotypes(study.assessment(language), study.snapshot.sources)
            describe = partial(_describe_stereotype, study.inventory)
            stereotype = choose("Stereotype", "stereotype", (ANY, *map(str, ids)), describe)
    with columns[3]:
        status = choose("Show", STATUS, (OPEN, DECIDED))
    chosen = QueueFilter(
        None if kind == ANY else DisagreementKind(kind),
        None if stereotype == ANY else int(stereotype),
        status == DECIDED,
    )
    return language, chosen


def choose_item(
    queue: tuple[Disagreement, ...], awaited: Collection[str]
) -> tuple[Disagreement, Place]:
    """The candidate that is shown and its place; buttons lead to the ones beside it."""
    by_id = {each.subject_id: each for each in queue}

    def describe(subject: str) -> str:
        return describe_queued(by_id[subject], subject in awaited)

    chosen = by_id[choose("Candidate", ITEM, list(by_id), describe)]
    place = find_place(queue, chosen.subject_id)
    with st.container(horizontal=True, vertical_alignment="center"):
        _show_way("Previous", place.previous, PREVIOUS_KEY, ":material/arrow_back:")
        _show_way("Next", place.next, NEXT_KEY, ":material/arrow_forward:")
        show_way_back()
        st.text(f"{place.number} of {place.of} in the queue, heaviest first")
    return chosen, place


def show_way_back() -> None:
    """The button to what was decided last in this browser."""
    last = st.session_state.get(LAST_KEY)
    if last is not None:
        st.button(
            "Decided last",
            shortcut=BACK_KEY,
            icon=":material/undo:",
            on_click=go_to,
            args=(last, DECIDED),
            key="way back",
        )


def go_to(subject_id: str, status: str | None = None) -> None:
    """Shows a candidate in the next run of the page; for callbacks."""
    if status is not None:
        st.session_state[choice_key(STATUS)] = status
        for name in ("kind", "stereotype"):
            st.session_state[choice_key(name)] = ANY
    st.session_state[choice_key(ITEM)] = subject_id


def _show_way(label: str, subject_id: str | None, key: str, icon: str) -> None:
    st.button(
        label,
        shortcut=key,
        icon=icon,
        on_click=go_to,
        args=(subject_id,),
        disabled=subject_id is None,
        key=f"way {label}",
    )


def _describe_kind(kind: str) -> str:
    return "any kind" if kind == ANY else words.KINDS[DisagreementKind(kind)]


def _describe_stereotype(inventory: Inventory, stereotype: str) -> str:
    if stereotype == ANY:
        return "any stereotype"
    return words.describe_stereotype(int(stereotype), inventory)

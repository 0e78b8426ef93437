"""One sentence: both variants token by token, where they part, and its place in q_i."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from app.charts_of_tokens import token_chart
from app.elements import choice_key, choose, show_chart, show_empty, show_table
from app.scores_page.refusals import show_refusal
from app.views import words
from app.views.score_items import (
    ItemView,
    LanguageItems,
    describe_tokens,
    load_items,
    view_item,
)
from app.views.scores import Result
from corpus.errors import InputError
from corpus.stereotypes import Inventory
from engines.likelihood.protocol import MASKED_DIFFERENCE
from scoring.item_means import LogOdds, MeanLogprobs
from scoring.protocols import BASES

SENTENCE, STEREOTYPE = "sentence", "stereotype"
"""Names of the choices in the address."""


def show_sentence(result: Result, results: Path, scope: dict[str, str], language: str) -> None:
    """The part of the page about one sentence."""
    try:
        items = load_items(result, results, language)
    except InputError as error:
        show_refusal("The tokens of this result cannot be read.", error, results)
        return
    condition = scope["condition"]
    subject_id = _choose_sentence(items, condition)
    if subject_id is None:
        show_empty("No sentence was scored in this condition; choose another one.")
        return
    view = view_item(items, subject_id, scope["protocol"], condition)
    _show_item(view, result.inventory, items.key.likelihood)


def _choose_sentence(items: LanguageItems, condition: str) -> str | None:
    numbers = items.stereotypes(condition)
    if not numbers:
        return None
    # An address may name the sentence alone.
    named = items.stereotype_of(st.query_params.get(SENTENCE, ""))
    if named in numbers and choice_key(STEREOTYPE) not in st.session_state:
        st.session_state[choice_key(STEREOTYPE)] = named
    describe = partial(words.describe_stereotype, inventory=items.result.inventory)
    stereotype = choose("Stereotype", STEREOTYPE, numbers, describe)
    sentences = items.sentences(condition, stereotype)
    return choose("Sentence", SENTENCE, list(sentences), lambda each: f"{sentences[each]} ({each})")


def _show_item(view: ItemView, inventory: Inventory, likelihood: str) -> None:
    item = view.pair.item
    for title, text in zip(("masculine", "feminine"), item.texts, strict=True):
        with st.container(border=True, gap="xxsmall"):
            st.text(f"{title}:")
            st.text(text)
    st.text("\n".join(describe_item(view, inventory)))
    if not view.has_texts:
        st.info("The tokens' text was not kept with this result: they are shown as numbers.")
    st.subheader("Token by token")
    values = [nats for row in view.rows for nats in (row.masculine_nats, row.feminine_nats)]
    if any(nats is not None for nats in values):
        _show_chart(view, likelihood)
    number = st.column_config.NumberColumn(format="%.3f")
    table = pd.DataFrame(
        [
            {
                "place": row.place,
                "where they part": row.mark,
                "masculine token": row.masculine,
                "masculine (nats)": row.masculine_nats,
                "feminine token": row.feminine,
                "feminine (nats)": row.feminine_nats,
                "masculine − feminine": row.difference_nats,
            }
            for row in view.rows
        ]
    )
    show_table(
        table,
        f"Tokens of {item.subject_id} in both variants with their log-probabilities",
        **dict.fromkeys(("masculine (nats)", "feminine (nats)", "masculine − feminine"), number),
    )
    st.caption(describe_tokens(likelihood))
    st.download_button(
        "Download these tokens (CSV, unrounded)",
        lambda: table.to_csv(index=False).encode("utf-8"),
        file_name=f"tokens-{item.subject_id.replace('/', '-')}.csv",
        mime="text/csv",
        on_click="ignore",
    )


def _show_chart(view: ItemView, likelihood: str) -> None:
    show_chart(
        # Of tokens that the texts share nothing is shown between those in which they differ.
        token_chart(view.rows, joined=likelihood != MASKED_DIFFERENCE),
        "Log-probability of each token of both variants; the table below has the same numbers",
    )


def describe_item(view: ItemView, inventory: Inventory) -> list[str]:
    """What the sentence's value is, and where it stands among those of its stereotype."""
    item = view.pair.item
    stereotype = words.describe_stereotype(item.stereotype_id, inventory)
    told = [f"{item.subject_id}: stereotype {stereotype}, condition {item.condition}"]
    if view.means is None:
        told.append(f"No value under this protocol: {view.undefined}.")
        return told
    means = view.means
    told.append(
        f"ℓ masculine {means.masculine:.4f}, ℓ feminine {means.feminine:.4f}, difference "
        f"{means.logit_r:+.4f}; {_describe_value(means)}."
    )
    told.append(
        f"Place {view.place} of {view.sentences} sentences of its stereotype; 1 is the most "
        "masculine."
    )
    if view.q is not None:
        rate = f"; default rate {view.default_rate:.3f}" if view.default_rate is not None else ""
        told.append(f"q_i of the stereotype {view.q:.3f}{rate}.")
    return told


def _describe_value(means: MeanLogprobs) -> str:
    """What is averaged to q_i: a share, or under protocols of odds what must not be read as one."""
    if not isinstance(means, LogOdds):
        return f"r_masc {means.r_masc:.3f}"
    if means.base == BASES["gest-odds"]:
        return f"odds {means.odds:.4g}, P(masculine) / P(feminine); 1 is equal likelihood"
    return (
        f"odds with bases mixed as in GEST's code {means.odds:.4g}, no ratio of probabilities; "
        "1 is equal likelihood"
    )

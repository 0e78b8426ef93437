"""Edited prompts and sector sentences must stay the tests they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.decisions import Verdict, decide
from corpus.errors import StateError
from corpus.records import Candidate, DecisionAction, Instrument, Label
from corpus.store import Store
from tests.prompt_studies import add_prompts
from tests.store_builders import add_candidates, add_sources, make_candidate, make_source


def edit(store: Store, candidate: Candidate, **variants: str) -> None:
    verdict = Verdict(
        candidate.id, candidate.content_hash, DecisionAction.EDIT, "better", variants=variants
    )
    decide(store, verdict, "curator-1")


def test_an_edited_prompt_keeps_its_placeholders(store: Store) -> None:
    _, candidate = add_prompts(store, {"sexism": 1})["prompts/2"]
    for text, message in (
        ("¿Son mejores que {GENDER2}?", r"lacks \{GENDER1\}"),
        (
            "¿Son {GENDER1} mejores que {GENDER1}?",
            r"lacks \{GENDER2\} and has \{GENDER1\} too many",
        ),
        ("¿Son {GENDER1} mejores que {GENDER2} o {GENDER3}?", r"has \{GENDER3\} too many"),
        ("¿Son {gender1} mejores que {GENDER2}?", r"lacks \{GENDER1\}"),
    ):
        with pytest.raises(StateError, match=message):
            edit(store, candidate, neutral=text)
    edit(store, candidate, neutral="Que {GENDER2}, ¿son mejores {GENDER1}?")


def test_a_prompt_is_not_relabelled(store: Store) -> None:
    _, candidate = add_prompts(store, {"sexism": 1})["prompts/2"]
    texts = {"feminine": "¿{GENDER1} o {GENDER2}?", "masculine": "¿{GENDER2} o {GENDER1}?"}
    verdict = Verdict(
        candidate.id, candidate.content_hash, DecisionAction.RELABEL, "no", Label.PAIR, texts
    )
    with pytest.raises(StateError, match="no label to change"):
        decide(store, verdict, "curator-1", lambda *_: None)


def test_a_community_has_no_placeholder(store: Store) -> None:
    made = add_prompts(store, {"sexism": 1})
    _, candidate = made["prompts.communities/sexism.1"]
    with pytest.raises(StateError, match="too many"):
        edit(store, candidate, neutral="las {GENDER}")
    edit(store, candidate, neutral="mujeres")


def test_an_edited_sector_sentence_keeps_person_and_term(store: Store) -> None:
    source = make_source(2, "f / m", None, instrument=Instrument.SECTORS, dataset="sectors")
    texts = {
        "feminine": "Die Schwester arbeitet im Bergbau.",
        "masculine": "Der Bruder hat im Bergbau zu tun.",
    }
    words = {"feminine": "die Schwester", "masculine": "der Bruder", "term": "Bergbau"}
    candidate = make_candidate(source, "de", Label.PAIR, variants=texts, evidence={"words": words})
    add_sources(store, [source])
    add_candidates(store, [candidate])
    # Words of one person need not be another gender's form of each other.
    changed = {**texts, "feminine": "Die Schwester hat im Bergbau zu tun."}
    with pytest.raises(StateError, match="'Bergbau' stands 0 times"):
        edit(store, candidate, **{**changed, "feminine": "Die Schwester hat im Wald zu tun."})
    edit(store, candidate, **changed)
    again = replace(candidate, variants=changed)
    with pytest.raises(StateError, match="has the variants"):
        edit(store, again, feminine=changed["feminine"])

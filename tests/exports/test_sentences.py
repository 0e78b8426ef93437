"""Card and data statement hold no sentence that other data or other authors would not change."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.hashing import sha256_text
from corpus.people import Consent, Ethics
from corpus.publication import Author, Publication
from corpus.records import DecisionAction, Label, Origin
from exports.build import build_release
from exports.card import build_card
from exports.contents import LeftOut
from exports.history import History
from exports.provenance import Draft
from exports.statement import build_statement
from tests.exports.release_builders import NEUTRAL, SOURCES, decide, make_approved_store
from tests.store_builders import add_batch, add_candidates, add_ratings, make_candidate

LEAST: dict[Callable[[Draft], str], int] = {build_card: 25, build_statement: 5}
"""So many sentences there are at least to be compared."""
FIELDS = (
    *("description", "intended_use", "licence", "source_licence", "engine_terms"),
    *("quality_model_licence", "pay", "url"),
)


class KeptError(Exception):
    """Ends a build before anything is written."""


def say(what: str) -> Publication:
    """Authors who say something in every field."""
    fields = {name: f"{what} of {name}" for name in FIELDS}
    return Publication(authors=(Author(name=f"Eva {what}", affiliation=what),), **fields)


def draft_of(
    monkeypatch: pytest.MonkeyPatch, folder: Path, said: Publication, origin: Origin, *, more: bool
) -> Draft:
    """What a release is written from; with `more`, Polish and another answer of a new rater."""
    store = make_approved_store(folder / "store", origin)
    codes = ["en", "sk"]
    if more:
        codes.append("pl")
        polish = [
            make_candidate(source, "pl", Label.PAIR, variants={"masculine": a, "feminine": b})
            for source, a, b in zip(
                SOURCES, ("Jestem sam!", "Spałem"), ("Jestem sama!", "Spałam"), strict=False
            )
        ]
        add_candidates(store, polish)
        _, items = add_batch(store, polish, ["r3"])
        add_ratings(store, items, "r3", {"quality": 50, "gender_marked": "no"}, origin=origin)
        edited = {"neutral": "Spím."}
        decide(store, NEUTRAL[2], DecisionAction.EDIT, variants=edited)
        with store.writing(origin) as writer:
            text = "I agree to more."
            writer.append([Ethics("Committee of Others", "2027/9", text)])
            writer.append([Consent("r1", True, sha256_text(text), "curator-1")])
            writer.append([Consent("r2", False, sha256_text(text), "curator-1")])
    drafts: list[Draft] = []

    def keep(_: Path, draft: Draft, __: History) -> None:
        drafts.append(draft)
        raise KeptError

    monkeypatch.setattr("exports.build.write_release", keep)
    with pytest.raises(KeptError):
        build_release(
            store,
            "2.0.0" if more else "1.0.0",
            codes,
            folder / "releases",
            title="Other" if more else "One",
            publication=said,
            include_unvalidated=True,
        )
    store.close()
    return drafts[0]


def left_out(draft: Draft, number: int) -> Draft:
    """The draft as if so many repaired and written candidates had been left out."""
    first, *others = draft.contents
    counts = LeftOut(0, 0, 0, repaired=number, written=number)
    return replace(draft, contents=(replace(first, left_out=counts), *others))


def sentences(text: str) -> set[str]:
    """The sentences and list items of a text, without headings and tables."""
    lines = text.split("\n---\n", 1)[-1].split("\n")
    said = [line for line in lines if not line.startswith(("#", "|", "```"))]
    return {each.strip() for line in said for each in re.split(r"(?<=[.!?]) ", line)} - {""}


@pytest.mark.parametrize("origin", [Origin.HUMAN, Origin.DEMO])
@pytest.mark.parametrize("build", [build_card, build_statement])
def test_other_data_and_authors_change_every_sentence(
    build: Callable[[Draft], str], origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = draft_of(monkeypatch, tmp_path / "one", say("One"), origin, more=False)
    other = draft_of(monkeypatch, tmp_path / "other", say("Other"), origin, more=True)
    texts = [build(left_out(draft, number)) for draft, number in ((one, 1), (other, 2))]
    said = [sentences(text) for text in texts]
    assert min(map(len, said)) >= LEAST[build]
    assert said[0] & said[1] == set()

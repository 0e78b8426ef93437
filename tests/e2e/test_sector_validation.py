"""Sector sentences validated by people: from the product's files to a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from annotation.approvals import approve_language
from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import BatchPlan, create_batch
from annotation.decisions import Verdict, decide
from annotation.disagreements import DisagreementKind
from annotation.labels import STATED
from corpus.errors import StateError
from corpus.people import Person
from corpus.records import DecisionAction, Instrument, Item, Origin
from corpus.release import open_release
from corpus.release_schema import HumanSeen
from corpus.sector_files import load_sector_languages
from corpus.sectors import SectorLanguage
from corpus.settings import Settings
from corpus.store import Store
from exports.build import build_release
from exports.verify import verify_release
from pipeline.sector_candidates import import_sectors
from tests.store_builders import add_ratings, consent, make_store, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))
OPPOSITE = {"yes": "no", "no": "yes"}


def shorten(code: str) -> SectorLanguage:
    """An open template and the last, which in Polish shows the gender; five pairs, two terms."""
    [found] = load_sector_languages([code])
    templates = (found.templates[0], found.templates[-1])
    return replace(found, templates=templates, pairs=found.pairs[:5], terms=found.terms[::9])


@pytest.fixture
def study(tmp_path: Path) -> tuple[Store, tuple[Item, ...]]:
    """All 20 Polish sentences, rated by two: number 1 the other way round, number 2 unsure."""
    store = make_store(tmp_path)
    with store.runs.watched("test") as progress:
        import_sectors(store, [shorten("pl")], shorten("en"), progress)
    with store.writing() as writer:
        writer.append([Person(rater, "rater") for rater in ("r1", "r2")])
    plan = BatchPlan(Instrument.SECTORS, "pl", 20, ("r1", "r2"), seed=7)
    items = create_batch(store, plan, "curator-1", Origin.HUMAN).items
    for number, item in enumerate(items, start=1):
        for rater, more in (("r1", 0), ("r2", number % 2)):
            stated = str(item.making[STATED])
            answers = {"quality": 75 + (7 * number) % 20 + more, "gender_elsewhere": stated}
            if number == 1:
                answers["gender_elsewhere"] = OPPOSITE[stated]
            if number == 2 and rater == "r1":
                answers |= {"gender_elsewhere": "unsure", "comment": "Could be both."}
            add_ratings(store, [item], rater, answers)
    consent(store, "r1", "r2")
    return store, items


def test_sentences_are_rated_decided_approved_and_released(
    study: tuple[Store, tuple[Item, ...]], tmp_path: Path
) -> None:
    store, items = study
    # Half of the sentences are of the template that shows the gender, and say so to nobody.
    assert sorted(str(item.making[STATED]) for item in items) == ["no"] * 10 + ["yes"] * 10
    standing = standing_of(store, "pl", Instrument.SECTORS)
    assessment = assess_language(standing, SETTINGS)
    found = {each.name: each for each in assessment.figures if each.scope[-1] == ("raters", "all")}
    # 40 answers: two say the opposite, one is unsure.
    assert found["label_accuracy"].value == pytest.approx(37 / 40)
    assert found["raw_agreement"].value == pytest.approx(19 / 20)
    assert "person's gender" in found["ac1"].definition
    kinds = {each.subject_id: each.kinds for each in assessment.disagreements}
    assert kinds == {
        items[0].subject_id: (DisagreementKind.SYSTEM_CONFLICT,),
        items[1].subject_id: (DisagreementKind.UNSURE, DisagreementKind.COMMENT),
    }

    with pytest.raises(StateError, match="open_disagreements"):
        approve_language(store, Instrument.SECTORS, "pl", "curator-1", SETTINGS)
    for item, action in (
        (items[0], DecisionAction.REJECT),
        (items[1], DecisionAction.ACCEPT),
    ):
        verdict = Verdict(item.subject_id, item.content_hash, action, "looked at")
        decide(store, verdict, "curator-1")
    approve_language(store, Instrument.SECTORS, "pl", "curator-1", SETTINGS)

    built = build_release(store, "1.0.0", ["pl"], tmp_path / "releases", Instrument.SECTORS)
    assert verify_release(built.path) == []
    rows = open_release(built.path).rows("pl")
    assert len(rows) == 19
    # One text of each pair was shown; who decided one candidate has read both.
    seen = {row.id: row.human_seen for row in rows}
    assert seen.pop(items[1].subject_id) is HumanSeen.BOTH
    assert set(seen.values()) == {HumanSeen.ONE}
    card = (built.path / "README.md").read_text(encoding="utf-8")
    # The sentences of the template that shows the gender have no English original.
    shown = sum(row.attributes["shows_gender"] for row in rows)
    assert f"{19 - shown} of 19 source sentences are English" in card
    assert "stereotypes" not in card
    store.close()

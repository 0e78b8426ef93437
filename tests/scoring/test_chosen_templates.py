"""The template that a curator chose is released, and it is what models are scored with."""

from __future__ import annotations

from pathlib import Path

from corpus.languages import Edition
from corpus.records import TemplateChoice
from corpus.release import open_release
from corpus.stereotypes import load_inventory
from exports.build import build_release
from scoring.protocols import protocol_named
from scoring.scores import ScoreRequest, score_release
from tests.exports.release_builders import make_approved_store
from tests.scoring.toy_engine import ToyEngine
from tests.store_builders import approve


def texts_scored(folder: Path, edition: Edition) -> list[str]:
    release = open_release(folder / "releases" / "1.0.0")
    engine = ToyEngine()
    request = ScoreRequest(
        release, ("sk",), (protocol_named("paper"),), load_inventory(), 1, 20, edition=edition
    )
    score_release(engine, request, folder / "results")
    return engine.scored


def test_a_chosen_template_goes_from_the_store_over_the_release_to_the_model(
    tmp_path: Path,
) -> None:
    store = make_approved_store(tmp_path / "store")
    choice = TemplateChoice(
        "sk",
        "noun",
        ("Istý muž vraví: „", "“"),
        ("Istá žena vraví: „", "“"),
        "raters asked for the present tense",
        "curator-1",
    )
    with store.writing() as writer:
        writer.append([choice])
    approve(store, "sk")
    build_release(store, "1.0.0", ["sk"], tmp_path / "releases")
    store.close()

    chosen = texts_scored(tmp_path, Edition.CHOSEN)
    assert "Istý muž vraví: „nič“" in chosen
    assert "Istá žena vraví: „nič“" in chosen
    # A pair is scored as it is; whoever names another edition gets that one.
    assert "Som emotívna." in chosen
    corrected = texts_scored(tmp_path, Edition.CORRECTED)
    assert not any("vraví" in text for text in corrected)
    assert any(text.endswith("povedal muž") for text in corrected)

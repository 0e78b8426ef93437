"""Sector sentences from their files to a release, and the scores of exactly what it holds."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import masked_models
import pytest

from corpus.errors import InputError, ReleaseError
from corpus.records import Candidate, Decision, DecisionAction, Instrument, Origin
from corpus.sector_files import load_sector_languages
from corpus.sector_releases import load_released_sentences
from corpus.sectors import Sector, SectorLanguage
from corpus.store import Store
from exports.build import build_release
from pipeline.sector_candidates import import_sectors
from tests.command_line import run_here
from tests.store_builders import add_batch, add_ratings, approve, consent, make_store

EDITED = "sectors/job.she.agriculture"
REJECTED = "sectors/job.she.trade"


def shorten(language: SectorLanguage) -> SectorLanguage:
    """Two open templates, two pairs and a term of each sector."""
    return replace(
        language,
        templates=language.templates[:2],
        pairs=language.pairs[:2],
        terms=tuple(language.terms_of(sector)[0] for sector in Sector),
    )


def decide(store: Store, candidate: Candidate, action: DecisionAction, **new: str) -> None:
    decision = Decision(
        candidate.id, candidate.content_hash, action, "a reason", "curator-1", variants=new or None
    )
    with store.writing(Origin.HUMAN) as writer:
        writer.append([decision])


def build(folder: Path, edited: str = "Ella trabaja hoy en el sector agrícola.") -> Path:
    """A release of Spanish: 12 pairs, one edited and one rejected, of four a text was rated."""
    store = make_store(folder)
    english, spanish = map(shorten, load_sector_languages(["en", "es"]))
    with store.runs.watched("test") as progress:
        import_sectors(store, [spanish], english, progress)
    with store.reading() as state:
        candidates = {each.source_key: each for each in state.candidates(Instrument.SECTORS, "es")}
    assert len(candidates) == 12
    rated = [each for key, each in candidates.items() if key not in (EDITED, REJECTED)][:4]
    _, items = add_batch(store, rated, ["r1"], subject_kind="sector_sentence", batch_id="s-es-1")
    add_ratings(store, items, "r1", {"quality": 90, "gender_marked": "no"})
    consent(store, "r1")
    masculine = candidates[EDITED].variants["masculine"]
    decide(store, candidates[EDITED], DecisionAction.EDIT, feminine=edited, masculine=masculine)
    decide(store, candidates[REJECTED], DecisionAction.REJECT)
    approve(store, "es", Instrument.SECTORS)
    built = build_release(store, "0.1.0", ["es"], folder / "releases", Instrument.SECTORS)
    store.close()
    return built.path


def test_a_release_gives_exactly_its_sentences_and_what_people_saw_of_them(tmp_path: Path) -> None:
    (spanish,), origin = load_released_sentences(build(tmp_path))
    sentences = {(one.template, one.pair, one.term, str(one.gender)): one for one in spanish}
    assert len(sentences) == 22
    edited = sentences["job", "she", "agriculture", "feminine"]
    assert edited.text == "Ella trabaja hoy en el sector agrícola."
    assert (edited.target_text, edited.attribute_text) == ("Ella", "agrícola")
    assert ("job", "she", "trade", "feminine") not in sentences
    # One of both texts was rated of four pairs; the curator saw both of the edited one.
    seen = sum("seen by a human" in one.status for one in spanish)
    assert origin.eyes == {"es": "6 of 22 sentences seen by a human"}
    assert seen == 2 * 5
    assert spanish.status == "6 of 22 sentences seen by a human, release 0.1.0"
    assert origin.version == "0.1.0"
    files = {one.key: one for one in shorten(load_sector_languages(["es"])[0]).build_sentences()}
    for one in spanish:
        if one != edited:
            assert replace(files[one.key], status=one.status) == one


def test_a_sentence_without_its_words_is_refused_by_name(tmp_path: Path) -> None:
    path = build(tmp_path, "La señora trabaja en el sector agrario.")
    with pytest.raises(InputError) as caught:
        load_released_sentences(path)
    (fault,) = map(str, caught.value.faults)
    assert "sectors/es/sectors/job.she.agriculture" in fault
    assert "'ella' stands 0 times, not once, 'agrícola' stands 0 times, not once" in fault


def test_a_language_that_a_release_lacks_and_another_instrument_are_refused(
    tmp_path: Path,
) -> None:
    path = build(tmp_path)
    with pytest.raises(ReleaseError, match="no language de"):
        load_released_sentences(path, ["de"])
    (path / "README.md").write_text("changed", encoding="utf-8")
    with pytest.raises(ReleaseError, match="changed since"):
        load_released_sentences(path)


def test_a_release_is_scored_and_says_how_many_of_its_sentences_people_saw(
    tmp_path: Path,
) -> None:
    (tmp_path / "made").mkdir()
    release = build(tmp_path / "made")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(masked_models.SIZES, "max_position_embeddings", 130)
        model = masked_models.save_masked("roberta", tmp_path / "tiny-roberta")
    study = tmp_path / "study"
    assert run_here("init", study, "--name", "Sectors").code == 0
    score = ["sectors", "score", "-m", model, "-w", study]
    ended = run_here(*score, "--release", release)
    assert ended.code == 0, ended.text
    assert (
        "es: sentences 6 of 22 sentences seen by a human, release 0.1.0; of 11 sentence pairs"
        in ended.message
    )
    (path,) = study.glob("results/sectors/*/manifest.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["release"]["version"] == "0.1.0"
    assert manifest["human_eyes"] == {"es": "6 of 22 sentences seen by a human"}
    assert manifest["sentences"] == {"es": 22}
    figures = json.loads((path.parent / "figures.json").read_text(encoding="utf-8"))["figures"]
    assert all("|status:6 of 22 sentences seen by a human" in one["signature"] for one in figures)
    table = tmp_path / "sentences.csv"
    ended = run_here("sectors", "templates", "--release", release, "--to", table)
    assert ended.code == 0, ended.text
    assert (
        "es: 6 of 22 sentences seen by a human, release 0.1.0; the developers' reading, 2026."
        in (ended.message)
    )
    with table.open(encoding="utf-8", newline="") as stream:
        statuses = Counter(row["status"] for row in csv.DictReader(stream))
    assert statuses == {
        "seen by a human": 2, "one of the pair seen by a human": 8, "unreviewed": 12,
    }  # fmt: skip
    ended = run_here(*score, "-l", "es", "--release", tmp_path)
    assert ended.code == 1
    assert "not a release" in ended.message

"""Sector sentences as sources and candidates."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import corpus
from corpus.errors import StateError
from corpus.records import Instrument, Label, Origin
from corpus.sector_files import load_sector_languages
from corpus.sectors import ATTRIBUTE, TARGET, SectorLanguage, find_places
from corpus.standing import language_standing
from pipeline.sector_candidates import DRAFT_STRATEGY, FILE_STRATEGY, import_sectors
from tests.command_line import run_here
from tests.store_builders import make_store


def shorten(language: SectorLanguage) -> SectorLanguage:
    """An open template and the last one, which in Polish shows the gender; two pairs and terms."""
    templates = (language.templates[0], language.templates[-1])
    return replace(
        language, templates=templates, pairs=language.pairs[:2], terms=language.terms[::9]
    )


@pytest.fixture(scope="module")
def english() -> SectorLanguage:
    return shorten(load_sector_languages(["en"])[0])


@pytest.fixture(scope="module")
def polish() -> SectorLanguage:
    return shorten(load_sector_languages(["pl"])[0])


def test_a_pair_of_sentences_is_one_candidate_with_two_variants(
    tmp_path: Path, english: SectorLanguage, polish: SectorLanguage
) -> None:
    store = make_store(tmp_path)
    with store.runs.watched("test") as progress:
        reports = import_sectors(store, [polish, english], english, progress)
        assert progress.done == progress.total == 16
    assert [(one.language, one.candidates, one.changed) for one in reports] == [
        ("pl", 8, 8),
        ("en", 8, 8),
    ]
    assert [one.shows_gender for one in reports] == [4, 0]
    with store.reading() as state:
        sources = {source.key: source for source in state.sources(Instrument.SECTORS)}
        candidates = {one.source_key: one for one in state.candidates(Instrument.SECTORS, "pl")}
    assert len(sources) == 8 + 4
    one = candidates["sectors/works.she.agriculture"]
    assert (one.label, one.strategy, one.flags) == (Label.PAIR, FILE_STRATEGY, ())
    assert one.variants == {
        "feminine": "Ona pracuje w sektorze rolnictwa.",
        "masculine": "On pracuje w sektorze rolnictwa.",
    }
    assert one.stamp is not None
    assert one.stamp.origin is Origin.IMPORT
    source = sources[one.source_key]
    assert source.attributes["feminine"] == "She works in the agricultural sector."
    assert source.text.endswith(" / He works in the agricultural sector.")
    assert (source.attributes["sector"], source.attributes["pair"]) == ("primary", "she")
    shown = candidates["sectors.pl/employed.she.agriculture"]
    assert shown.flags == ("shows_gender",)
    english_words = sources[shown.source_key].attributes["feminine"]
    assert english_words == "[no English sentence: she, agricultural]"
    for each in candidates.values():
        words = each.evidence["words"]
        for variant, text in each.variants.items():
            spans = find_places(text, words[variant], words["term"], "pl")
            assert text[slice(*spans[TARGET])] == words[variant]
            assert text[slice(*spans[ATTRIBUTE])] == words["term"]
    store.close()


def test_importing_again_changes_nothing_and_a_changed_file_changes_its_sentences(
    tmp_path: Path, english: SectorLanguage, polish: SectorLanguage
) -> None:
    store = make_store(tmp_path)
    with store.runs.watched("test") as progress:
        import_sectors(store, [polish], english, progress)
        (again,) = import_sectors(store, [polish], english, progress)
        assert (again.changed, again.left_over) == (0, 0)
        pairs = (replace(polish.pairs[0], feminine="ona ta"), polish.pairs[1])
        (changed,) = import_sectors(store, [replace(polish, pairs=pairs)], english, progress)
        fewer = replace(polish, pairs=polish.pairs[1:], is_draft=True)
        (left,) = import_sectors(store, [fewer], english, progress)
    # The word stands in two templates with two terms.
    assert (changed.candidates, changed.changed) == (8, 4)
    assert left.left_over == 4
    with store.reading() as state:
        strategies = {c.strategy for c in state.candidates(Instrument.SECTORS, "pl")}
        standing = language_standing(state, Instrument.SECTORS, "pl")
    assert strategies == {FILE_STRATEGY, DRAFT_STRATEGY}
    assert len(standing.candidates) == 8
    store.close()


def test_another_english_needs_another_dataset(
    tmp_path: Path, english: SectorLanguage, polish: SectorLanguage
) -> None:
    store = make_store(tmp_path)
    other = replace(english, pairs=(replace(english.pairs[0], feminine="her"), english.pairs[1]))
    with store.runs.watched("test") as progress:
        import_sectors(store, [polish], english, progress)
        with pytest.raises(StateError, match="already there with another text"):
            import_sectors(store, [polish], other, progress)
        import_sectors(store, [polish], other, progress, dataset="mine")
    with store.reading() as state:
        assert {source.dataset for source in state.sources(Instrument.SECTORS)} == {
            "sectors", "sectors.pl", "mine", "mine.pl",
        }  # fmt: skip
    store.close()


def test_places_are_found_as_whole_words_or_refused() -> None:
    spans = find_places("The other day he works in trade.", "he", "trade", "en")
    assert spans[TARGET] == (14, 16)
    assert find_places("My sister, in the trade", "my sister", "trade", "en")[TARGET] == (0, 9)
    for text, problem in (
        ("He works in trade as he says.", "'he' stands 2 times"),
        ("The works in trades.", "'he' stands 0 times, not once, 'trade' stands 0 times"),
    ):
        with pytest.raises(ValueError, match=problem):
            find_places(text, "he", "trade", "en")
    with pytest.raises(ValueError, match="overlap"):
        find_places("my trade", "my trade", "trade", "en")


def test_the_command_imports_a_language_once(tmp_path: Path) -> None:
    study = tmp_path / "study"
    assert run_here("init", study, "--name", "Sectors").code == 0
    ended = run_here("sectors", "import", "-l", "es", "-w", study)
    assert ended.code == 0, ended.text
    assert "1944" in ended.out
    assert "324" in ended.out
    assert "es: unreviewed; the developers' reading, 2026." in ended.message
    folder = Path(shutil.copytree(Path(corpus.__file__).parent / "sectors", tmp_path / "mine"))
    text = (folder / "es.toml").read_text(encoding="utf-8")
    (folder / "es.toml").write_text("draft = 3\n" + text, encoding="utf-8")
    ended = run_here("sectors", "import", "-l", "es", "-w", study, "--data", folder)
    assert ended.code == 1
    assert "es.toml [draft]: not true or false" in ended.message

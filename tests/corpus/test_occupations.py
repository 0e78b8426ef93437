"""The occupations of the control and the files they come from."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import corpus
from corpus.errors import InputError
from corpus.occupations import load_occupations
from corpus.sectors import TermForm

OURS = Path(corpus.__file__).parent / "occupations"


def test_gendered_languages_have_two_forms_and_english_has_one() -> None:
    languages = {one.code: one for one in load_occupations()}
    assert list(languages) == ["de", "en", "es", "pl"]
    for code, one in languages.items():
        wanted = {TermForm.COMMON} if code == "en" else {TermForm.MASCULINE, TermForm.FEMININE}
        assert all(set(forms) == wanted for forms in one.words.values())
        assert len(one.words) == 10
        assert one.status == "unreviewed"
        sentences = list(one.build_sentences())
        assert len(sentences) == 5 * 18 * 2 * 10 * len(wanted)
        assert len({each.key for each in sentences}) == len(sentences)
        assert len({each.text for each in sentences}) == len(sentences)
    german = {one.text for one in languages["de"].build_sentences()}
    assert "Meine Schwester arbeitet als Köchin." in german
    assert "Meine Schwester arbeitet als Koch." in german


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OURS, tmp_path / "mine"))
    german = (folder / "de.toml").read_text(encoding="utf-8")
    german = german.replace('feminine_form = "Köchin"', 'feminine_form = "Koch"')
    german = german.replace(', feminine_form = "Malerin"', "")
    (folder / "de.toml").write_text(german.replace("als {attribute}", "hier"), encoding="utf-8")
    (folder / "xx.toml").write_text("[", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_occupations(["fr"], folder)
    told = "\n".join(map(str, caught.value.faults))
    for expected in (
        "fr [language]: no occupations for it",
        "de.toml [occupations.cook]: both forms are one word",
        "de.toml [occupations.painter]: not the forms of a word",
        "de.toml [templates[1].text]: no such text",
        "xx.toml: not a TOML file",
    ):
        assert expected in told


def test_another_language_is_a_file_with_the_person_words_of_its_sectors(tmp_path: Path) -> None:
    sectors = Path(shutil.copytree(OURS.parent / "sectors", tmp_path / "mine"))
    folder = Path(shutil.copytree(OURS, sectors / "occupations"))
    english = (folder / "en.toml").read_text(encoding="utf-8")
    (folder / "fr.toml").write_text(english.replace('"en"', '"fr"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"fr.toml \[language\]: no person words for it"):
        load_occupations(["fr"], folder, sectors)
    english = (sectors / "en.toml").read_text(encoding="utf-8")
    french = english.replace('"en"', '"fr"').replace('feminine = "she"', 'feminine = "elle"')
    (sectors / "fr.toml").write_text(french, encoding="utf-8")
    (french_words,) = load_occupations(["fr"], folder, sectors)
    assert "elle" in {pair.feminine for pair in french_words.pairs}
    assert len(list(french_words.build_sentences())) == 5 * 18 * 2 * 10
    with pytest.raises(InputError, match="no such folder"):
        load_occupations(["fr"], tmp_path / "none")


def test_a_template_that_stands_twice_is_named(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OURS, tmp_path / "mine"))
    text = (folder / "es.toml").read_text(encoding="utf-8")
    (folder / "es.toml").write_text(text.replace('id = "job"', 'id = "works"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"es.toml \[templates\[2\].id\]: stands twice"):
        load_occupations(folder=folder)


def test_a_word_that_one_language_lacks_is_named(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OURS, tmp_path / "mine"))
    text = (folder / "es.toml").read_text(encoding="utf-8")
    (folder / "es.toml").write_text(text.replace("baker =", "bakers ="), encoding="utf-8")
    with pytest.raises(InputError, match=r"es.toml \[occupations\]: 'baker' is missing"):
        load_occupations(folder=folder)


def test_an_id_that_is_no_text_is_named(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(OURS, tmp_path / "mine"))
    text = (folder / "es.toml").read_text(encoding="utf-8")
    (folder / "es.toml").write_text(text.replace('id = "job"', 'id = ["job"]'), encoding="utf-8")
    with pytest.raises(InputError, match=r"es.toml \[templates\[\d\].id\]"):
        load_occupations(["es"], folder)

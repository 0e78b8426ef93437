"""The sentences of the instrument sectors and the files they come from."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import corpus
from corpus.errors import InputError
from corpus.sector_files import load_sector_languages
from corpus.sectors import ATTRIBUTE, TARGET, Gender, Sector, fill_places, find_places

CODES = ("de", "en", "es", "pl")
OURS = Path(corpus.__file__).parent / "sectors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the product's files, to spoil."""
    return Path(shutil.copytree(OURS, tmp_path / "sectors"))


def spoil(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def refuse(folder: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_sector_languages(folder=folder)
    return [str(fault) for fault in caught.value.faults]


def test_four_languages_have_templates_pairs_and_terms() -> None:
    languages = load_sector_languages()
    assert tuple(one.code for one in languages) == CODES
    for language in languages:
        assert sum(not t.shows_gender for t in language.templates) == 5
        assert len(language.pairs) == 18
        assert [len(language.terms_of(sector)) for sector in Sector] == [6, 6, 6]
        assert language.status == "unreviewed"
        assert Counter(str(pair.kind) for pair in language.pairs) == {
            "pronoun": 1, "kinship": 11, "noun": 6,
        }  # fmt: skip


def test_construction_is_industry_and_mining_is_not_agriculture() -> None:
    # As statistics of employment have it: mining and construction are industry.
    for language in load_sector_languages():
        sectors = {term.id: term.sector for term in language.terms}
        assert sectors["construction"] is Sector.SECONDARY
        assert sectors.get("mining", Sector.SECONDARY) is Sector.SECONDARY


def test_every_sentence_of_a_language_is_there_once_with_its_places() -> None:
    for language in load_sector_languages():
        sentences = list(language.build_sentences())
        assert len(sentences) == len(language.templates) * 18 * 2 * 18
        assert len({one.key for one in sentences}) == len(sentences)
        assert len({one.text for one in sentences}) == len(sentences)
        words = {g: {getattr(p, g) for p in language.pairs} for g in Gender}
        terms = {t.id: t.text for t in language.terms}
        for one in sentences:
            assert one.attribute_text == terms[one.term]
            word = one.target_text
            assert word in words[one.gender] or word[0].lower() + word[1:] in words[one.gender]
            assert one.text[0].isupper()
            assert one.text.endswith(".")
            assert not re.search(r"[{}]|  ", one.text)


def test_two_sentences_of_a_pair_differ_in_the_person_word_alone_unless_the_template_says_so() -> (
    None
):
    for language in load_sector_languages():
        rests: dict[tuple[str, str, str], set[str]] = {}
        shown: dict[str, bool] = {}
        for one in language.build_sentences():
            rest = one.text[: one.target[0]] + "…" + one.text[one.target[1] :]
            rests.setdefault((one.template, one.pair, one.term), set()).add(rest)
            shown[one.template] = one.shows_gender
        for (template, _, _), found in rests.items():
            assert len(found) == (2 if shown[template] else 1), found


def test_polish_past_tense_shows_the_gender() -> None:
    (polish,) = load_sector_languages(["pl"])
    texts = {
        (one.template, one.gender): one.text
        for one in polish.build_sentences()
        if one.pair == "sister" and one.term == "agriculture"
    }
    assert texts["worked", Gender.FEMININE] == "Moja siostra pracowała w sektorze rolnictwa."
    assert texts["worked", Gender.MASCULINE] == "Mój brat pracował w sektorze rolnictwa."
    assert texts["for_years", Gender.MASCULINE] == "Od lat mój brat pracuje w sektorze rolnictwa."


def test_a_filler_at_the_beginning_gets_a_capital() -> None:
    text, spans = fill_places(f"{TARGET} in {ATTRIBUTE}", {TARGET: "élan", ATTRIBUTE: "x"}, "fr")
    assert text == "Élan in x"
    assert spans == {TARGET: (0, 4), ATTRIBUTE: (8, 9)}
    fillers = {TARGET: "ella", ATTRIBUTE: "banca"}
    text, spans = fill_places(f"¿{ATTRIBUTE}, {TARGET}?", fillers, "es")
    assert text == "¿banca, ella?"
    assert text[slice(*spans[TARGET])] == "ella"
    # Georgian begins no sentence with a letter of another form, Bulgarian does.
    for language, word, beginning in (
        ("ka", "ის", "ის"),
        ("bg", "тя", "Тя"),
        ("en", "it", "It"),
        ("tr", "iş arkadaşım", "İş arkadaşım"),
        ("az", "iş yoldaşım", "İş yoldaşım"),
        ("tr", "ırgat", "Irgat"),
    ):
        text, _ = fill_places(f"{TARGET} {ATTRIBUTE}", {TARGET: word, ATTRIBUTE: "x"}, language)
        assert text == f"{beginning} x"
        assert find_places(text, word, "x", language)[TARGET] == (0, len(word))


def test_a_language_is_added_by_adding_a_file(folder: Path) -> None:
    text = (folder / "en.toml").read_text(encoding="utf-8")
    (folder / "ga.toml").write_text(
        text.replace('"en"', '"ga"').replace("works in", "is in"), encoding="utf-8"
    )
    languages = load_sector_languages(["ga", "de"], folder)
    assert [one.code for one in languages] == ["ga", "de"]
    (english,) = load_sector_languages(["en"], folder)
    assert languages[0].content_hash != english.content_hash
    assert english.content_hash == load_sector_languages(["en"])[0].content_hash


def test_a_term_that_one_language_lacks_is_named(folder: Path) -> None:
    spoil(folder / "pl.toml", "tourism = ", "travel = ")
    faults = refuse(folder)
    assert "pl.toml [sectors.tertiary]: 'tourism' is missing, which de.toml, en.toml, es.toml" in (
        "\n".join(faults)
    )
    assert sum("'travel' is missing, which pl.toml has" in fault for fault in faults) == 3
    assert len(faults) == 4


def test_what_is_missing_is_named_beside_how_many_there_are(folder: Path) -> None:
    spoil(folder / "de.toml", 'trade = { term = "Handel", gender = "masculine" }\n', "")
    faults = "\n".join(refuse(folder))
    assert "de.toml [sectors.tertiary]: 5 terms of the sector" in faults
    assert "de.toml [sectors.tertiary]: 'trade' is missing, which en.toml, es.toml" in faults
    (folder / "de.toml").write_text('language = "de"\npairs = 3\nsectors = "none"\n', "utf-8")
    assert not any("is missing, which" in fault for fault in refuse(folder))


def test_all_faults_of_all_files_are_told_at_once(folder: Path) -> None:
    spoil(folder / "de.toml", 'trade = { term = "Handel", gender = "masculine" }\n', "")
    spoil(folder / "en.toml", '"{target} works in the {attribute} sector."', '"{target} works."')
    spoil(folder / "en.toml", 'feminine = "she", masculine = "he"', 'feminine = "they"')
    spoil(
        folder / "es.toml", 'feminine = "ella", masculine = "él"', 'feminine = "x", masculine = "x"'
    )
    spoil(folder / "es.toml", 'id = "job", shows_gender = false', 'id = "job"')
    spoil(folder / "pl.toml", "pracowała", "pracował")
    spoil(folder / "pl.toml", "[sectors.primary]", "[sectors.quaternary]")
    (folder / "xx.toml").write_text("templates = [", encoding="utf-8")
    faults = "\n".join(refuse(folder))
    for expected in (
        "de.toml [sectors.tertiary]: 5 terms of the sector",
        "en.toml [templates[1].text]: {attribute} stands 0 times",
        "en.toml [pairs[1].masculine]: missing or not a text",
        "es.toml [pairs[1]]: feminine and masculine are one word",
        "es.toml [templates[2].shows_gender]: missing or not true/false",
        "es.toml [templates]: 4 templates that do not show the gender",
        "pl.toml [templates[6]]: shows the gender, but feminine and masculine are one text",
        "pl.toml [sectors.quaternary]: unknown sector",
        "pl.toml [sectors.primary]: missing or not a table",
        "xx.toml: not a TOML file",
    ):
        assert expected in faults


def test_what_is_there_twice_is_named_whatever_its_case_or_spelling(folder: Path) -> None:
    # The same letters, of which the second spelling writes the accent by itself.
    composed, apart = "él", "e\u0301l"
    spoil(
        folder / "es.toml",
        'feminine = "ella", masculine = "él"',
        f'feminine = "{composed}", masculine = "{apart}"',
    )
    spoil(
        folder / "de.toml",
        'feminine = "sie", masculine = "er"',
        'feminine = "er", masculine = "Er"',
    )
    spoil(folder / "en.toml", "{target} has a job in the", "{target} works in the")
    spoil(folder / "pl.toml", 'term = "szkolnictwa"', 'term = "handlu"')
    faults = "\n".join(refuse(folder))
    for expected in (
        "es.toml [pairs[1]]: feminine and masculine are one word",
        "de.toml [pairs[1]]: feminine and masculine are one word",
        "en.toml [templates]: '{target} works in the {attribute} sector.' stands 2 times",
        "pl.toml [sectors]: term 'handlu' stands 2 times",
    ):
        assert expected in faults


def test_an_unknown_language_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"fr.*no file for it"):
        load_sector_languages(["fr"])
    with pytest.raises(InputError, match="no language's file"):
        load_sector_languages(folder=tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        load_sector_languages(folder=tmp_path / "nowhere")

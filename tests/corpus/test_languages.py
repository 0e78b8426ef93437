"""The tables of Rowe et al. 2025: which languages, where they show gender, their templates."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.languages import (
    Edition,
    Position,
    TemplateKind,
    by_name,
    language,
    languages,
    load_languages,
)
from corpus.templates import template_for


def codes(text: str) -> set[str]:
    return set(text.split())


GENDERED = codes("bg ca cs de el es fr gl hr it lt lv mt pl pt ro ru sk sl uk")
# Pronouns, nouns and articles, adjectives, verbs: the paper's table of languages.
SHOWS = {
    "et fi hu tr": (False, False, False, False),
    "en da nl ga sv no": (True, False, False, False),
    "el": (False, True, True, False),
    "de": (True, True, False, False),
    "es fr gl pt ro": (True, True, True, False),
    "it ca bg hr cs lv lt mt pl ru sk sl uk": (True, True, True, True),
}


def codes_where(attribute: str) -> set[str]:
    return {code for code, one in load_languages().items() if getattr(one, attribute)}


def test_thirty_languages_twenty_of_them_gendered() -> None:
    assert len(load_languages()) == 30
    assert codes_where("gendered_first_person") == GENDERED


def test_twenty_four_are_official_in_the_eu() -> None:
    assert set(load_languages()) - codes_where("eu_official") == codes("ca gl no ru tr uk")


def test_gender_shows_where_the_paper_says() -> None:
    expected = {code: shows for codes, shows in SHOWS.items() for code in codes.split()}
    actual = {
        code: (
            one.shows.pronouns,
            one.shows.nouns_articles,
            one.shows.adjectives,
            one.shows.verbs,
        )
        for code, one in load_languages().items()
    }
    assert actual == expected


def test_a_usable_pronoun_template_is_not_a_gendered_pronoun() -> None:
    unusable = set(load_languages()) - codes_where("pronoun_template_usable")
    assert unusable == codes("et fi hu tr el es gl")
    assert {code for code in unusable if language(code).shows.pronouns} == {"es", "gl"}


@pytest.mark.parametrize("code", sorted(load_languages()))
def test_every_language_is_complete(code: str) -> None:
    one = language(code)
    texts = [one.name, one.endonym, one.family, one.branch]
    assert all(text == text.strip() != "" for text in texts)
    assert {len(mark) for pair in one.quotation_pairs for mark in pair} == {1}
    assert ('"', '"') in one.quotation_pairs
    frames = [frame for t in one.templates for frame in (t.masculine, t.feminine)]
    parts = [part for frame in frames for part in (frame.before, frame.after)]
    assert all(unicodedata.is_normalized("NFC", part) and part for part in parts)
    assert len({template.id for template in one.templates}) == len(one.templates)
    # The quotation marks of its own templates must be among the pairs its text uses.
    final = template_for(one, TemplateKind.NOUN)
    closing = set(final.masculine.after[:4])
    assert any(
        opening == final.masculine.before.strip() and close in closing
        for opening, close in one.quotation_pairs
    )


def test_only_the_corrected_phrases_are_kept_as_published_too() -> None:
    published = {
        template.id: (template.masculine.after, template.feminine.after)
        for one in load_languages().values()
        for template in one.templates
        if template.edition is Edition.PUBLISHED
    }
    assert published == {
        "ca/pronoun/final/published": ('", va dir', '", va dir ella'),
        "gl/pronoun/final/published": ('" dixo', '" dixo ela'),
        "it/pronoun/final/published": ('", disse', '", disse'),
    }


def test_translators_corrections_are_applied() -> None:
    after = {
        code: (template.masculine.after, template.feminine.after)
        for code in ("ca", "gl", "it")
        for template in [template_for(language(code), TemplateKind.PRONOUN)]
    }
    assert after == {
        "ca": ('", va dir ell', '", va dir ella'),
        "gl": ('" dixo', '" dixo'),
        "it": ('", disse lui', '", disse lei'),
    }


def test_turkish_alone_has_an_initial_template() -> None:
    initial = [
        template
        for one in load_languages().values()
        for template in one.templates
        if template.position is Position.INITIAL
    ]
    assert [template.id for template in initial] == ["tr/noun/initial/corrected"]


def test_content_hash_follows_every_byte_of_a_template() -> None:
    catalan = language("ca")
    corrected = template_for(catalan, TemplateKind.PRONOUN)
    published = template_for(catalan, TemplateKind.PRONOUN, Edition.PUBLISHED)
    assert corrected.content_hash != published.content_hash


def test_unknown_codes_are_reported_at_once_with_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        languages(["sk", "xx", "Slovak", "yy"], origin="--language")
    assert [fault.field for fault in caught.value.faults] == ["xx", "Slovak", "yy"]
    assert "--language [xx]: unknown language code. use one of bg, ca" in str(caught.value)
    assert caught.value.faults[1].remedy == "use sk"


def test_languages_keep_the_order_given_and_drop_repetitions() -> None:
    assert [one.code for one in languages(["uk", "bg", "uk"])] == ["uk", "bg"]


def test_by_name_finds_what_published_splits_are_called() -> None:
    assert by_name("Slovenian").code == "sl"
    assert by_name("norwegian").code == "no"
    with pytest.raises(InputError, match="use one of Bulgarian"):
        by_name("Klingon")


@pytest.mark.data
def test_published_phrases_and_quotes_are_byte_exact(data_dir: Path) -> None:
    phrases = json.loads((data_dir / "eurogest/template_phrases.json").read_text("utf-8"))
    quotes = json.loads((data_dir / "eurogest/quotation_marks.json").read_text("utf-8"))
    columns = {
        TemplateKind.PRONOUN: ("he said", "she said"),
        TemplateKind.NOUN: ("the man said", "the woman said"),
    }
    checked = 0
    for name, (opening, closing) in quotes.items():
        for kind, (he, she) in columns.items():
            template = template_for(by_name(name), kind, Edition.PUBLISHED)
            masculine = he if name == "English" else phrases[he][name]
            feminine = she if name == "English" else phrases[she][name]
            assert (template.masculine.before, template.feminine.before) == (opening, opening)
            assert template.masculine.after == f"{closing} {masculine}"
            assert template.feminine.after == f"{closing} {feminine}"
            checked += 1
    assert checked == 60


@pytest.mark.data
def test_usable_pronouns_are_those_of_the_published_code(data_dir: Path) -> None:
    text = (data_dir / "eurogest/pronoun_languages.json").read_text("utf-8")
    types = json.loads(text)["language_types"]
    for usable, group in ((True, "gendered_pronouns"), (False, "no_gendered_pronouns")):
        assert {by_name(name).pronoun_template_usable for name in types[group]} == {usable}
    assert sum(map(len, types.values())) == 30

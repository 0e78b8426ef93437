"""Templates against the strings that the published evaluation code made (items.csv)."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import InputError
from corpus.languages import Edition, Position, Template, TemplateKind, by_name, load_languages
from corpus.languages import language as language_of
from corpus.templates import (
    Overlap,
    overlap_of,
    render,
    strip_outer,
    template_for,
    template_overlap,
    usable_templates,
)

LANGUAGES = load_languages()
TEMPLATES = [template for one in LANGUAGES.values() for template in one.templates]


def codes(text: str) -> set[str]:
    return set(text.split())


def codes_with(overlap: Overlap, edition: Edition) -> set[str]:
    return {
        code
        for code, one in LANGUAGES.items()
        if template_overlap(template_for(one, TemplateKind.PRONOUN, edition)) is overlap
    }


def test_published_pronouns_overlap_where_measured() -> None:
    # Masculine is the beginning of feminine in six languages (Galician "dixo" / "dixo ela");
    # Lithuanian "pasakė jis" / "pasakė ji" is contained the other way round.
    contained = codes_with(Overlap.CONTAINED, Edition.PUBLISHED)
    identical = codes_with(Overlap.IDENTICAL, Edition.PUBLISHED)
    assert contained == codes("ca cs gl mt pl sk lt")
    assert identical == codes("et fi el hu es tr it")


def test_he_said_begins_she_said_in_six_languages() -> None:
    masculine_first = set()
    for code in codes_with(Overlap.CONTAINED, Edition.PUBLISHED):
        template = template_for(LANGUAGES[code], TemplateKind.PRONOUN, Edition.PUBLISHED)
        pair = render(template, "S")
        if pair.feminine.startswith(pair.masculine):
            masculine_first.add(code)
    assert masculine_first == codes("ca cs gl mt pl sk")


def test_corrections_change_the_overlap_of_galician_and_italian() -> None:
    # Galician "she" became "dixo", the text of "he"; Italian became "disse lui" / "disse lei";
    # Catalan became "va dir ell" / "va dir ella", still one the beginning of the other.
    contained = codes_with(Overlap.CONTAINED, Edition.CORRECTED)
    identical = codes_with(Overlap.IDENTICAL, Edition.CORRECTED)
    assert contained == codes("ca cs mt pl sk lt")
    assert identical == codes("et fi el hu es tr gl")


def test_noun_templates_are_distinct_everywhere() -> None:
    overlaps = {
        template_overlap(template) for template in TEMPLATES if template.kind is TemplateKind.NOUN
    }
    assert overlaps == {Overlap.DISTINCT}


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_pronouns_are_used_exactly_where_their_variants_differ(code: str) -> None:
    one = LANGUAGES[code]
    kinds = [template.kind for template in usable_templates(one)]
    if one.pronoun_template_usable:
        assert kinds == [TemplateKind.NOUN, TemplateKind.PRONOUN]
    else:
        assert kinds == [TemplateKind.NOUN]


def test_identical_variants_are_refused_unless_asked_for() -> None:
    hungarian = template_for(language_of("hu"), TemplateKind.PRONOUN)
    with pytest.raises(InputError, match="same text for both genders"):
        render(hungarian, "Minden nap dolgozom.")
    pair = render(hungarian, "Minden nap dolgozom.", allow_identical=True)
    assert pair == ("„Minden nap dolgozom” – mondta",) * 2


def test_templates_before_the_sentence() -> None:
    turkish = template_for(language_of("tr"), TemplateKind.NOUN, position=Position.INITIAL)
    assert render(turkish, "Yorgundum.") == ("Adam, “Yorgundum” dedi", "Kadın, “Yorgundum” dedi")


def test_a_position_that_a_language_lacks_is_refused() -> None:
    with pytest.raises(InputError, match="Slovak has no initial noun template"):
        template_for(language_of("sk"), TemplateKind.NOUN, position=Position.INITIAL)


def test_french_pronouns_end_in_a_space() -> None:
    french = template_for(language_of("fr"), TemplateKind.PRONOUN)
    assert render(french, "J'ai 18 ans.").feminine == "« J'ai 18 ans », a-t-elle déclaré "


@pytest.mark.parametrize("sentence", ["", "  ", "…", " . "])
def test_nothing_to_render_is_refused(sentence: str) -> None:
    with pytest.raises(InputError, match="no letter or digit"):
        render(template_for(language_of("en"), TemplateKind.NOUN), sentence)


@given(st.text())
def test_strip_outer_is_the_published_rule(sentence: str) -> None:
    # The published rule, as a pattern over Python's word and space classes.
    expected = re.sub(r"\A[^\w\s]+|[^\w\s]+\Z", "", sentence.strip())
    assert strip_outer(sentence) == expected


def test_strip_outer_keeps_inner_punctuation_and_inner_space() -> None:
    assert strip_outer(" «Did I, really?» ") == "Did I, really"
    assert strip_outer("… aby som im urobil radosť.") == " aby som im urobil radosť"


@given(st.sampled_from(TEMPLATES), st.from_regex(r"\A\w[\w ,'-]*\w\Z"))
def test_rendering_adds_the_frames_and_nothing_else(template: Template, core: str) -> None:
    pair = render(template, f"{core}.", allow_identical=True)
    for text, frame in zip(pair, (template.masculine, template.feminine), strict=True):
        assert text == frame.before + core + frame.after
    assert overlap_of(*pair) is template_overlap(template)


@pytest.mark.data
def test_published_edition_renders_the_scored_strings(data_dir: Path) -> None:
    """All wrapped neutral sentences of items.csv, in eight languages, in both conditions."""
    kinds = {"P": TemplateKind.PRONOUN, "N": TemplateKind.NOUN}
    seen: set[str] = set()
    checked = 0
    with (data_dir / "expected/reference_scores/items.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["condition"] not in kinds:
                continue
            one = by_name(row["language"])
            template = template_for(one, kinds[row["condition"]], Edition.PUBLISHED)
            opening, closing = template.masculine.before, template.masculine.after
            core = row["masculine"].removeprefix(opening).removesuffix(closing)
            pair = render(template, f"“{core}.” ", allow_identical=True)
            assert pair == (row["masculine"], row["feminine"])
            assert row["case"] in ("plain", overlap_of(*pair))
            seen.add(one.code)
            checked += 1
    assert seen == codes("en sk it tr ca fr pl el")
    assert checked == 492


@pytest.mark.data
def test_english_items_come_from_gest_sentences(data_dir: Path) -> None:
    """From the raw source sentence to the scored string, without undoing it first."""
    with (data_dir / "gest/gest_1.1.csv").open(encoding="utf-8") as stream:
        sources = [row["sentence"] for row in csv.DictReader(stream)]
    with (data_dir / "gest/gest_1.0.csv").open(encoding="utf-8") as stream:
        sources += [row["sentence"] for row in csv.DictReader(stream)]
    template = template_for(language_of("en"), TemplateKind.PRONOUN)
    rendered = {render(template, sentence) for sentence in sources}
    with (data_dir / "expected/reference_scores/items.csv").open(encoding="utf-8") as stream:
        scored = {
            (row["masculine"], row["feminine"])
            for row in csv.DictReader(stream)
            if row["language"] == "English"
        }
    assert scored
    assert scored <= rendered

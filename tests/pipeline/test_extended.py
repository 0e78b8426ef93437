"""Strategy `extended` on single sentences: each rule, each reason, by hand.

Sentences and verdicts are the developers' reading of docs/rules/minimal-pairs.md.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from corpus.records import Label
from pipeline.extended.strategy import ExtendedStrategy, compare_sentences
from pipeline.pairing import pairing_strategy
from pipeline.pairing_result import PairingResult


def _compare(masculine: str, feminine: str, language: str = "sk") -> PairingResult:
    return compare_sentences(language, masculine, feminine)


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("Bol som unavený.", "Bola som unavená."),
        ("Včera som išiel domov.", "Včera som išla domov."),
        ("Urobil som to sám.", "Urobila som to sama."),
        ("Rád čítam knihy.", "Rada čítam knihy."),
        ("Keď som bol mladší, rád som kreslil.", "Keď som bola mladšia, rada som kreslila."),
        ("Nikdy nie som unavený.", "Nikdy nie som unavená."),
    ],
)
def test_each_differing_word_in_the_other_gender_makes_a_pair(
    masculine: str, feminine: str
) -> None:
    found = _compare(masculine, feminine)
    assert (found.label, found.reason) == (Label.PAIR, "inflection")
    assert found.flags == ()
    assert found.variants == {"masculine": masculine, "feminine": feminine}
    assert 0.5 < found.evidence["confidence"] <= 1


@pytest.mark.parametrize(
    ("masculine", "feminine", "language"),
    [
        ("Som študent.", "Som študentka.", "sk"),
        ("Bol som učiteľom na dedine.", "Bola som učiteľkou na dedine.", "sk"),
        ("Fui actor.", "Fui actriz.", "es"),
    ],
)
def test_a_noun_for_the_speaker_makes_a_pair_marked_derived(
    masculine: str, feminine: str, language: str
) -> None:
    found = _compare(masculine, feminine, language)
    assert (found.label, found.reason, found.flags) == (Label.PAIR, "derived", ("derived",))


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("Pohádal som sa so svojím partnerom.", "Pohádala som sa so svojou partnerkou."),
        ("Pohádal som sa so svojou partnerkou.", "Pohádala som sa so svojím partnerom."),
        (
            "Umyl som riad, ale partnerka mi to nedovolila.",
            "Umyla som riad, ale partner mi to nedovolil.",
        ),
    ],
)
def test_another_person_beside_the_speaker_is_flagged(masculine: str, feminine: str) -> None:
    found = _compare(masculine, feminine)
    assert (found.label, found.reason) == (Label.PAIR, "inflection")
    assert found.flags == ("object_gender",)


@pytest.mark.parametrize(
    ("masculine", "feminine", "reason"),
    [
        ("Môj partner je milý.", "Moja partnerka je milá.", "object_gender"),
        ("Povedal, že ma miluje.", "Povedala, že ma miluje.", "object_gender"),
        ("On po tom túži.", "Oni po tom túžia.", "number"),
        ("Bol som unavený.", "Bola som unavený.", "inconsistent"),
        ("Bol som doma, lebo som pracoval.", "Bola som doma, lebo som pracoval.", "inconsistent"),
        ("Bola som unavená.", "Bol som unavený.", "inconsistent"),
        ("Skúmal som možnosti.", "Preskúmala som možnosti.", "aspect_or_tense"),
        ("Dieťa po tom túži.", "Dieťa po tom túžia.", "number"),
        ("Prišiel som domov.", "Prišli sme domov.", "number"),
        ("Kúpil som veľké auto.", "Kúpila som obrovské auto.", "synonym"),
        ("Som rád.", "Som šťastná.", "synonym"),
        ("Nikdy som sa nebál.", "Nebála som sa nikdy.", "word_order"),
        ("Bol som doma.", "Bola som vtedy doma.", "word_count"),
        ("Mám suseda.", "Mám susedu.", "object_gender"),
    ],
)
def test_what_is_no_pair_has_its_reason(masculine: str, feminine: str, reason: str) -> None:
    found = _compare(masculine, feminine)
    assert (found.label, found.reason) == (Label.DISCARDED, reason)


@pytest.mark.parametrize(
    "text", ["Milujem psy.", "Som dobrý človek.", "Môj otec bol prísny.", "Partner varil večeru."]
)
def test_an_identical_text_that_shows_no_speaker_is_neutral(text: str) -> None:
    found = _compare(text, text)
    assert (found.label, found.reason) == (Label.NEUTRAL, "identical")


@pytest.mark.parametrize(
    ("text", "word", "gender"),
    [
        ("Pokojne som riešil konflikt.", "riešil", "masculine"),
        ("Vždy som unavená.", "unavená", "feminine"),
        ("Rád čítam.", "Rád", "masculine"),
    ],
)
def test_an_identical_text_that_shows_the_speaker_is_never_neutral(
    text: str, word: str, gender: str
) -> None:
    found = _compare(text, text)
    assert (found.label, found.reason) == (Label.DISCARDED, "identical_gendered")
    (form,) = found.evidence["speaker_forms"]
    assert (form["text"], form["gender"]) == (word, gender)
    start, end = form["span"]
    assert text[start:end] == word


def test_differences_in_spelling_alone_are_no_pair() -> None:
    found = _compare("Milujem psy.", "milujem  psy!")
    assert (found.label, found.flags) == (Label.NEUTRAL, ("spelling",))


def test_spans_point_at_the_words_that_differ() -> None:
    masculine, feminine = "Keď som prišiel, bol som sám.", "Keď som prišla, bola som sama."
    found = _compare(masculine, feminine)
    spans = [
        (masculine[slice(*each["masculine_span"])], feminine[slice(*each["feminine_span"])])
        for each in found.evidence["differences"]
    ]
    assert spans == [("prišiel", "prišla"), ("bol", "bola"), ("sám", "sama")]


def test_words_are_split_where_the_language_says() -> None:
    found = _compare("Sono un amico.", "Sono un'amica.", "it")
    assert found.label is Label.PAIR


def test_wrapped_translations_are_extracted_and_failures_named() -> None:
    strategy = pairing_strategy("extended")
    wrapped = 'Muž povedal: "Bol som sám."', 'Žena povedala: "Bola som sama."'
    assert strategy.pair("sk", *wrapped).reason == "inflection"
    assert strategy.pair("sk", wrapped[0], None).reason == "not_translated"
    assert strategy.pair("sk", wrapped[0], "  ").reason == "empty"
    assert strategy.pair("sk", wrapped[0], "Bola som sama.").reason == "extraction_failed"


MADE_UP = [
    (f"fa {stem}us ko.", f"fa {stem}issa ko.")
    for stem in ("bal", "der", "gam", "kol", "mop", "nit", "pat", "rud", "sef")
]
"""A language that nobody knows: one word, `us` for men and `issa` for women."""


def test_a_language_without_a_table_learns_from_its_own_translations() -> None:
    wrapped = [(f'Vo: "{first}"', f'Va: "{second}"') for first, second in MADE_UP]
    before = ExtendedStrategy()
    after = before.prepare("xx", wrapped)
    assert before.compare("xx", *MADE_UP[0]).label is Label.DISCARDED
    assert after.compare("xx", "fa tagus ko.", "fa tagissa ko.").label is Label.PAIR
    assert after.compare("xx", "fa tagus ko.", "fa tagoma ko.").reason == "synonym"
    assert after.compare("xx", "fa tagissa ko.", "fa tagus ko.").reason == "inconsistent"


def test_an_exchange_that_turns_both_ways_is_not_learned() -> None:
    both = [*MADE_UP, *((second, first) for first, second in MADE_UP)]
    wrapped = [(f'Vo: "{first}"', f'Va: "{second}"') for first, second in both]
    strategy = ExtendedStrategy().prepare("xx", wrapped)
    assert strategy.compare("xx", "fa tagus ko.", "fa tagissa ko.").label is Label.DISCARDED


def test_the_order_of_the_translations_makes_no_difference() -> None:
    wrapped = [(f'Vo: "{first}"', f'Va: "{second}"') for first, second in MADE_UP[:4]]
    prepared = {
        ExtendedStrategy().prepare("xx", order).compare("xx", "fa tagus.", "fa tagissa.").label
        for order in permutations(wrapped)
    }
    assert prepared == {Label.PAIR}


def test_what_was_learned_of_one_language_is_not_used_for_another() -> None:
    wrapped = [(f'Vo: "{first}"', f'Va: "{second}"') for first, second in MADE_UP]
    strategy = ExtendedStrategy().prepare("xx", wrapped)
    assert strategy.compare("yy", "fa tagus ko.", "fa tagissa ko.").label is Label.DISCARDED

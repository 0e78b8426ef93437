"""What `extended` sees in one sentence alone: who speaks, or nobody's gender.

The sentences are written for this test; the labels are the developers' reading.
"""

from __future__ import annotations

import pytest

from corpus.records import Label
from pipeline.extended.strategy import compare_sentences

GENDERED = {
    "an infinitive follows": [
        ("sk", "Som pripravený odísť.", "pripravený"),
        ("pl", "Jestem zdecydowana wygrać ten mecz.", "zdecydowana"),
        ("hr", "Spremna sam otići.", "Spremna"),
        ("uk", "Я готовий допомогти сусідам.", "готовий"),
        ("ru", "Я способна защитить детей.", "способна"),
        ("cs", "Jsem schopná vyhrát.", "schopná"),
    ],
    "another case follows": [
        ("sk", "Som otvorená novým nápadom.", "otvorená"),
        ("pl", "Jestem świadomy swoich błędów.", "świadomy"),
        ("uk", "Я сповнена рішучості.", "сповнена"),
    ],
    "a phrase or an adverb stands before it": [
        ("sk", "Som v tom lepšia ako oni.", "lepšia"),
        ("sk", "Som finančne nezávislý.", "nezávislý"),
        ("pl", "Jestem od tego uzależniona.", "uzależniona"),
        ("uk", "Я від природи сильніший.", "сильніший"),
    ],
    "an ending that other words share, right after the copula": [
        ("pl", "Jestem słaby.", "słaby"),
        ("pl", "Jestem naprawdę piękna.", "piękna"),
        ("uk", "Я мужній.", "мужній"),
        ("hr", "Ja sam djetinjasta.", "djetinjasta"),
    ],
    "the instrumental as a predicate": [
        ("uk", "Я почуваюся щасливим.", "щасливим"),
        ("ru", "Я хочу быть сильной.", "сильной"),
    ],
    "it stands before the copula": [
        ("hr", "Radim puno, ali takav sam.", "takav"),
        ("pl", "Wiedzą, jaki jestem.", "jaki"),
    ],
    "it describes who does what a verb says": [
        ("sk", "Do práce prichádzam pripravený.", "pripravený"),
        ("hr", "U utrkama završim prvi.", "prvi"),
    ],
    "the pronoun is dropped": [
        ("uk", "Купила квитки на балет.", "Купила"),
        ("uk", "Я втомився, тому заснув.", "втомився"),
        ("ru", "Вчера купила змею.", "купила"),
    ],
    "an article shows it alone": [
        ("de", "Ich bin die Beste von allen.", "die"),
        ("es", "Soy el mejor.", "el"),
    ],
    "a role that is declined like an adjective": [
        ("sk", "Ako vedúca tímu som chorá.", "vedúca"),
    ],
}


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [case for cases in GENDERED.values() for case in cases],
)
def test_a_form_of_the_speakers_is_seen(language: str, text: str, word: str) -> None:
    found = compare_sentences(language, text, text)
    assert (found.label, found.reason) == (Label.DISCARDED, "identical_gendered")
    assert word in [form["text"] for form in found.evidence["speaker_forms"]]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        # the adjective belongs to a noun
        ("sk", "Som veľmi zdvorilá osoba."),
        ("pl", "Jestem w stanie unieść ciężkie walizki."),
        ("uk", "Я чудовий оратор."),
        ("de", "Ich bin die jüngste Person hier."),
        ("es", "Soy la mejor persona para esto."),
        # a phrase holds it
        ("sk", "Som za dobrý plán."),
        ("pl", "Lubię być w centrum uwagi."),
        # somebody else is the subject
        ("uk", "Сестра купила квитки."),
        ("uk", "Мені сподобалася книга."),
        ("uk", "Телефон зламався."),
        ("ru", "Моя подруга пришла и сказала правду."),
        # nouns that end like forms
        ("sk", "Som profesionál."),
        ("hr", "Ja sam član ovog tima."),
        ("uk", "Мене не хвилювали правила."),
        # a role with which somebody is compared
        ("sk", "Pracujem viac ako vedúci."),
    ],
)
def test_what_shows_nobody_stays_neutral(language: str, text: str) -> None:
    found = compare_sentences(language, text, text)
    assert (found.label, found.reason) == (Label.NEUTRAL, "identical"), found.evidence


@pytest.mark.parametrize(
    ("language", "masculine", "feminine"),
    [
        ("sk", "Ako vedúci tímu som súhlasil.", "Ako vedúci tímu som súhlasila."),
        ("de", "Ich war der Jüngste und der Beste.", "Ich war die Jüngste und der Beste."),
        ("sk", "Som jediný, ktorý varí.", "Som jediná, ktorý varí."),
        ("it", "Sono tornato presto e stanca.", "Sono tornata presto e stanca."),
        ("uk", "Я прийшов і купив хліб.", "Я прийшла і купив хліб."),
    ],
)
def test_a_form_that_was_not_switched_makes_a_pair_inconsistent(
    language: str, masculine: str, feminine: str
) -> None:
    assert compare_sentences(language, masculine, feminine).reason == "inconsistent"


@pytest.mark.parametrize(
    ("language", "masculine", "feminine"),
    [
        ("sk", "Som dobrý otec.", "Som dobrá matka."),
        ("hr", "Ja sam muškarac.", "Ja sam žena."),
        ("ru", "Я брат Ивана.", "Я сестра Ивана."),
    ],
)
def test_nouns_of_two_stems_are_two_words(language: str, masculine: str, feminine: str) -> None:
    found = compare_sentences(language, masculine, feminine)
    assert (found.label, found.reason) == (Label.DISCARDED, "synonym")

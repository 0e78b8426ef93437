"""Repair: the missing variant of a pair, built by attested exchanges and nothing else.

The Slovak sentences and verdicts are the developers' reading.
"""

from __future__ import annotations

import pytest

from corpus.errors import SettingsError
from corpus.records import Label
from pipeline.extended.strategy import ExtendedStrategy
from pipeline.pairing import pairing_strategy
from pipeline.pairing_result import PairingResult

VERBS = [
    ("robil", "robila"),
    ("mal", "mala"),
    ("bol", "bola"),
    ("čítal", "čítala"),
    ("videl", "videla"),
    ("kúpil", "kúpila"),
    ("písal", "písala"),
    ("volal", "volala"),
    ("hral", "hrala"),
    ("plakal", "plakala"),
    ("spal", "spala"),
    ("našiel", "našla"),
]
ATTESTED = [(f"Vtedy som to {first}.", f"Vtedy som to {second}.") for first, second in VERBS]


@pytest.fixture(scope="module")
def strategy() -> ExtendedStrategy:
    wrapped = [(f'Muž: "{first}"', f'Žena: "{second}"') for first, second in ATTESTED]
    return ExtendedStrategy(repairs=True).prepare("sk", wrapped)


def _repair(strategy: ExtendedStrategy, masculine: str, feminine: str) -> PairingResult:
    found = strategy.compare("sk", masculine, feminine)
    assert "repaired" in found.flags, found.reason
    return found


def test_the_missing_variant_is_built_from_the_other(strategy: ExtendedStrategy) -> None:
    masculine, feminine = "Kúpil som veľké auto.", "Kúpila som obrovské auto."
    found = _repair(strategy, masculine, feminine)
    assert found.label is Label.PAIR
    assert found.reason == "inflection"
    either = [
        {"masculine": masculine, "feminine": "Kúpila som veľké auto."},
        {"masculine": "Kúpil som obrovské auto.", "feminine": feminine},
    ]
    assert found.variants in either
    repair = found.evidence["repair"]
    assert repair["was"] == "synonym"
    assert found.variants[repair["base"]] in (masculine, feminine)
    assert repair["replaced"] in (masculine, feminine)
    assert [change["by"] for change in repair["changes"]] == ["form"]


def test_an_identical_gendered_text_gets_its_other_half(strategy: ExtendedStrategy) -> None:
    text = "Našiel som kľúče a videl som psa."
    found = _repair(strategy, text, text)
    assert found.variants == {"masculine": text, "feminine": "Našla som kľúče a videla som psa."}
    text = "Vtedy som spala."
    assert _repair(strategy, text, text).variants["masculine"] == "Vtedy som spal."


def test_an_unseen_verb_is_built_by_an_exchange_that_many_forms_attest(
    strategy: ExtendedStrategy,
) -> None:
    found = _repair(strategy, "Zametal som.", "Zametal som.")
    (change,) = found.evidence["repair"]["changes"]
    assert (change["to"], change["by"]) == ("Zametala", "ending")
    assert change["seen"] >= 10


def test_both_directions_are_about_as_frequent(strategy: ExtendedStrategy) -> None:
    bases = [
        _repair(
            strategy, f"Kúpil som {number} malých áut.", f"Kúpila som {number} veľkých áut."
        ).evidence["repair"]["base"]
        for number in range(100)
    ]
    assert 30 <= bases.count("masculine") <= 70


def test_texts_that_show_nobody_become_one_neutral_text(strategy: ExtendedStrategy) -> None:
    found = _repair(strategy, "Milujem cudzie mestá.", "Milujem ďaleké mestá.")
    assert found.label is Label.NEUTRAL
    assert found.evidence["repair"]["changes"] == []


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        # the variants are turned round; no exchange of these verbs is attested
        ("Kúpila som auto.", "Kúpil som dom."),
        ("Šomral som.", "Reptala som."),
    ],
)
def test_what_is_not_certain_is_left_as_it_was(masculine: str, feminine: str) -> None:
    bare = ExtendedStrategy(repairs=True)
    found = bare.compare("sk", masculine, feminine)
    assert found.label is Label.DISCARDED
    assert found == ExtendedStrategy().compare("sk", masculine, feminine)


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("Som veľmi zdvorilý človek.", "Som veľmi zdvorilá osoba."),
        (
            "Pretože som talentovaný rečník, volal som.",
            "Volala som, lebo som talentovaná rečníčka.",
        ),
    ],
)
def test_an_adjective_is_not_switched_apart_from_its_noun(masculine: str, feminine: str) -> None:
    adjectives = [
        ("Som zdvorilý.", "Som zdvorilá."),
        ("Som talentovaný.", "Som talentovaná."),
        ("Som unavený.", "Som unavená."),
    ]
    prepared = ExtendedStrategy(repairs=True).prepare(
        "sk", ATTESTED + adjectives * 2, wrapped=False
    )
    assert prepared.compare("sk", *adjectives[0]).label is Label.PAIR
    assert prepared.compare("sk", masculine, feminine).label is Label.DISCARDED


def test_a_change_of_another_person_is_more_than_wording(strategy: ExtendedStrategy) -> None:
    masculine, feminine = "Moja partnerka vie, že mám hlad.", "Môj partner dobre vie, že mám hlad."
    assert strategy.compare("sk", masculine, feminine).label is Label.DISCARDED


def test_pairs_and_neutral_sentences_are_not_touched(strategy: ExtendedStrategy) -> None:
    for masculine, feminine in [*ATTESTED, ("Milujem psy.", "Milujem psy.")]:
        assert "repaired" not in strategy.compare("sk", masculine, feminine).flags


def test_the_version_says_whether_it_repairs() -> None:
    assert pairing_strategy("extended").version == "2"
    assert pairing_strategy("extended", repairs=True).version == "2+repair"
    with pytest.raises(SettingsError, match="cannot repair"):
        pairing_strategy("strict", repairs=True)

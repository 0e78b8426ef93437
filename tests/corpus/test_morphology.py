"""The tables of gender exchanges: each loads, and a bad one is refused with every fault."""

from __future__ import annotations

from importlib import resources

import pytest

from corpus.errors import InputError
from corpus.languages import load_languages
from corpus.morphology import Agreement, WordKind, load_morphology, parse_morphology

TABLES = sorted(
    entry.name.removesuffix(".toml")
    for entry in (resources.files("corpus") / "morphology").iterdir()
    if entry.name.endswith(".toml")
)

HEAD = 'language = "sk"\nreading = "r"\nsources = [{ work = "w", section = "s", used_for = "u" }]\n'


@pytest.mark.parametrize("code", TABLES)
def test_every_table_loads_and_is_of_a_gendered_language(code: str) -> None:
    table = load_morphology(code)
    assert table is not None
    assert table.language == code
    assert load_languages()[code].gendered_first_person
    assert table.exchanges or table.words


def test_a_language_without_a_table_has_none() -> None:
    assert load_morphology("tr") is None
    assert load_morphology("../sk") is None


def test_defaults_are_those_of_the_how_to() -> None:
    table = parse_morphology(
        (
            HEAD + 'exchanges = [{ masculine = "o", feminine = "a", kind = "adjective", '
            'example = ["cansado", "cansada"] }]'
        ).encode(),
        "x.toml",
    )
    (exchange,) = table.exchanges
    assert exchange.kind is WordKind.ADJECTIVE
    assert exchange.agrees_with is Agreement.ANY
    assert exchange.minimal_stem == 2
    assert exchange.predicate
    assert table.cues.first_person == ()


def test_all_faults_of_values_are_named_at_once() -> None:
    table = (
        HEAD + 'exchanges = [{ masculine = "o", feminine = "A", kind = "thing", '
        'example = ["cansado", "cansada"] }]\nperson_nouns = ["el hombre"]\nunknown = 1\n'
    )
    with pytest.raises(InputError) as caught:
        parse_morphology(table.encode(), "x.toml")
    places = {fault.field for fault in caught.value.faults}
    assert places == {
        "exchanges[1].feminine",
        "exchanges[1].kind",
        "person_nouns[1]",
        "unknown",
    }


def test_all_faults_of_content_are_named_at_once() -> None:
    exchange = '{ masculine = "o", feminine = "a", kind = "adjective", example = ["alto", "alba"] }'
    table = (
        HEAD.replace('[{ work = "w", section = "s", used_for = "u" }]', "[]")
        + f"exchanges = [{exchange}, {exchange}]\n"
        + 'words = [{ masculine = "x", feminine = "x", kind = "noun" }]\n'
    )
    with pytest.raises(InputError) as caught:
        parse_morphology(table.encode(), "x.toml")
    places = [fault.field for fault in caught.value.faults]
    assert places == [
        "sources",
        "exchanges[1].example",
        "exchanges[2].example",
        "words[1]",
        "exchanges",
    ]


@pytest.mark.parametrize("data", [b"\xff", b"language = "])
def test_what_is_not_toml_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match="not a TOML file"):
        parse_morphology(data, "x.toml")

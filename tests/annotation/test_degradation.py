"""Translations made worse on purpose: what changes, how much, and what never does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import add_language

from annotation.degradation import (
    STRENGTHS,
    Degraded,
    attest_exchanges,
    break_agreement,
    count_affected,
    drop_words,
    insert_foreign_words,
)
from corpus.records import Instrument, Label
from corpus.store import Store
from tests.store_builders import make_candidate, make_source

SLOVAK = "Vždy som bol na svoju prácu veľmi pyšný."
OTHER = "Moja sestra dnes varí obed pre celú rodinu."
words = st.text("abcdefghij", min_size=1, max_size=8)
sentences = st.lists(words, min_size=1, max_size=15).map(lambda parts: " ".join(parts) + ".")


def nothing(_: str) -> None:
    return None


@pytest.mark.parametrize(
    ("count", "affected"),
    # By the rule of the module: one word; a third, at least two; two thirds, at least three.
    [
        (1, [None, None, None]),
        (2, [1, None, None]),
        (3, [1, 2, None]),
        (4, [1, 2, 3]),
        (8, [1, 3, 6]),
        (12, [1, 4, 8]),
    ],
)
def test_how_many_words_a_strength_affects(count: int, affected: list[int | None]) -> None:
    assert [count_affected(count, strength) for strength in STRENGTHS] == affected
    with pytest.raises(ValueError, match="1, 2 or 3"):
        count_affected(count, 4)


@given(sentences, st.sampled_from(STRENGTHS), st.integers(0, 99))
def test_dropped_words_are_gone_and_the_others_stay_in_order(
    text: str, strength: int, seed: int
) -> None:
    own = text.removesuffix(".").split()
    made = drop_words(text, strength, Random(seed))
    count = count_affected(len(own), strength)
    if made is None:
        assert count is None
        return
    gone = {change["place"] for change in made.changes}
    assert len(gone) == len(made.changes) == count
    assert all(own[change["place"]] == change["from"] for change in made.changes)
    assert made.text == " ".join(w for place, w in enumerate(own) if place not in gone) + "."


@given(sentences, st.lists(sentences, max_size=4), st.sampled_from(STRENGTHS), st.integers(0, 99))
def test_foreign_words_stand_where_the_changes_say(
    text: str, others: list[str], strength: int, seed: int
) -> None:
    own = text.removesuffix(".").split()
    made = insert_foreign_words(text, others, strength, Random(seed))
    if made is None:
        return
    changed = {change["place"]: change["to"] for change in made.changes}
    assert len(changed) == count_affected(len(own), strength)
    assert made.text == " ".join(changed.get(place, w) for place, w in enumerate(own)) + "."
    # All from one other sentence, none of them a word of this one.
    assert any(set(changed.values()) <= set(other.removesuffix(".").split()) for other in others)
    assert not set(changed.values()) & set(own)


def test_a_sentence_without_foreign_words_cannot_be_mixed() -> None:
    assert insert_foreign_words("One two three.", [], 1, Random(1)) is None
    assert insert_foreign_words("One two three.", ["two three one."], 1, Random(1)) is None


def test_the_ends_of_a_sentence_do_not_tell() -> None:
    text = "¿Soy yo quien manda?"
    made = [drop_words(text, strength, Random(s)) for s in range(30) for strength in STRENGTHS]
    texts = {each.text for each in made if each}
    assert len(texts) > 2
    assert all(each[0] == "¿" and each[1].isupper() and each.endswith("?") for each in texts)
    mixed = insert_foreign_words(SLOVAK, [OTHER], 3, Random(3))
    assert mixed is not None
    assert mixed.text[0].isupper()
    assert mixed.text.endswith(".")


def test_the_mildest_and_the_strongest() -> None:
    """8 words: one dropped at the least, six of another sentence at the most."""
    mildest = drop_words(SLOVAK, 1, Random(5))
    strongest = insert_foreign_words(SLOVAK, [OTHER], 3, Random(5))
    assert mildest is not None
    assert strongest is not None
    assert len(mildest.text.split()) == 7
    assert len(mildest.changes[0]["from"]) >= 4, "a word of the longer half"
    kept = set(strongest.text.rstrip(".").split()) & set(SLOVAK.rstrip(".").split())
    assert len(kept) == 2


def test_one_of_several_differing_words_takes_the_other_gender() -> None:
    masculine, feminine = "Bol som rád a pyšný.", "Bola som rada a pyšná."
    made = {
        broken.text
        for seed in range(30)
        if (broken := break_agreement(masculine, [masculine, feminine], nothing, Random(seed)))
    }
    # Each of the three words alone: never the other variant, never two at once.
    assert made == {"Bola som rád a pyšný.", "Bol som rada a pyšný.", "Bol som rád a pyšná."}
    one = break_agreement(feminine, [masculine, feminine], nothing, Random(1))
    assert one is not None
    assert (one.strength, len(one.changes)) == (1, 1)


def test_the_only_differing_word_is_left_alone() -> None:
    pair = ["Som pyšný na svoju prácu.", "Som pyšná na svoju prácu."]
    both_ways = {"pyšný": "pyšná", "pyšná": "pyšný", "svoju": "svoj"}
    made = break_agreement(pair[0], pair, both_ways.get, Random(1))
    assert made is not None
    assert made.text == "Som pyšný na svoj prácu."
    assert break_agreement(pair[0], pair, {"pyšný": "pyšná"}.get, Random(1)) is None
    assert (
        break_agreement("Som rád.", ["Som rád.", "Ja som rada."], both_ways.get, Random(1)) is None
    )


def test_a_neutral_text_takes_an_exchange_and_keeps_its_large_letter() -> None:
    exchanges = {"Dobrá": "dobrý"}
    made = break_agreement("Dobrá práca teší.", ["Dobrá práca teší."], exchanges.get, Random(1))
    assert made == Degraded(
        "Dobrý práca teší.",
        made.kind if made else None,  # type: ignore[arg-type]
        1,
        ({"place": 0, "from": "Dobrá", "to": "Dobrý"},),
    )


def test_pairs_attest_the_most_frequent_exchange() -> None:
    texts = [("Som rád.", "Som rada."), ("Bol rád!", "Bola rada!"), ("Tak rád", "Tak ráda")]
    pairs = [
        make_candidate(
            make_source(row, "I am glad."),
            "sk",
            Label.PAIR,
            variants={"masculine": masculine, "feminine": feminine},
        )
        for row, (masculine, feminine) in enumerate(texts, start=2)
    ]
    exchange = attest_exchanges(pairs)
    assert [exchange(word) for word in ("rád", "Rada", "ráda", "bol", "som", "nič")] == [
        "rada",
        "rád",
        "rád",
        "bola",
        None,
        None,
    ]


def test_discarded_and_neutral_candidates_attest_nothing(store: Store) -> None:
    add_language(store, "sk", neutral=3, pairs=0, discarded=3)
    with store.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    assert attest_exchanges(candidates)("rád") is None


def test_marks_and_letters_of_all_kinds_survive() -> None:
    text = "„Som — naozaj! — šťastný“, povedal 👩🏽‍💻 e\u0301mile\u00a0& <b>."
    for strength in STRENGTHS:
        for made in (
            drop_words(text, strength, Random(2)),
            insert_foreign_words(text, [OTHER], strength, Random(2)),
        ):
            assert made is not None
            assert made.text.startswith("„")
            assert made.text.endswith(".")

"""Protocol `terminated`: both variants end with the same punctuation, once."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shard_builders import make_item, make_pair

from corpus.languages import languages, load_languages
from corpus.templates import Overlap
from scoring.endings import FULL_STOP, cut_marks, end_alike
from scoring.protocols import PAPER, PROTOCOLS, TERMINATED, compute_values, select_pairs
from scoring.variants import Condition, ScoredItem, build_variants, end_item, hash_items


@dataclass(frozen=True)
class Row:
    id: str
    language: str
    stereotype_id: int | None = 1
    neutral: str | None = None
    masculine: str | None = None
    feminine: str | None = None


def plan(*rows: Row, terminated: bool = True) -> tuple[ScoredItem, ...]:
    known = languages(dict.fromkeys(row.language for row in rows))
    return build_variants(rows, known, terminated=terminated).items


@pytest.mark.parametrize(
    ("masculine", "feminine", "language", "alike"),
    [
        ("Bol som sám.", "Bola som sama.", "sk", True),
        ("Bol som sám", "Bola som sama", "sk", False),
        ("Bol som sám!", "Bola som sama.", "sk", False),
        ("Bol som sám.", "Bola som sama", "sk", False),
        ("Naozaj som bol sám?!", "Naozaj som bola sama?!", "sk", True),
        ('Povedal: "Som sám."', 'Povedala: "Som sama."', "sk", True),
        ("Povedal: „Som sám.“", "Povedala: „Som sama.“", "sk", True),
        # A closing quotation mark alone ends nothing.
        ('Povedal: "Som sám"', 'Povedala: "Som sama"', "sk", False),
        # Greek asks with a semicolon, Slovak does not.
        ("Ήμουν κουρασμένος;", "Ήμουν κουρασμένη;", "el", True),
        ("Bol som sám;", "Bola som sama;", "sk", False),
    ],
)
def test_what_ends_alike(masculine: str, feminine: str, language: str, alike: bool) -> None:
    assert end_alike(masculine, feminine, language) is alike
    assert end_alike(feminine, masculine, language) is alike


def test_marks_and_white_space_give_way_to_the_full_stop() -> None:
    assert cut_marks("Bol som sám?! ", "sk") == "Bol som sám"
    assert cut_marks("a-t-il déclaré ", "fr") == "a-t-il déclaré"
    assert cut_marks("Ήμουν κουρασμένος;", "el") == "Ήμουν κουρασμένος"
    assert cut_marks('Povedal: "Som sám"', "sk") == 'Povedal: "Som sám"'


def test_a_template_is_scored_with_and_without_its_ending() -> None:
    plain, ended = plan(Row("eurogest/tr/s/1", "tr", neutral="Her gün çalışıyorum."))
    assert plain.texts == ('"Her gün çalışıyorum" dedi adam', '"Her gün çalışıyorum" dedi kadın')
    assert ended.ending == "."
    assert ended.texts == ('"Her gün çalışıyorum" dedi adam.', '"Her gün çalışıyorum" dedi kadın.')
    assert (ended.subject_id, ended.condition) == (plain.subject_id, plain.condition)


def test_texts_that_end_alike_are_not_scored_twice() -> None:
    row = Row("eurogest/sk/s/1", "sk", masculine="Bol som sám.", feminine="Bola som sama.")
    assert [item.ending for item in plan(row)] == [""]


def test_a_pair_whose_variants_end_differently_gets_one_full_stop() -> None:
    row = Row("eurogest/sk/s/1", "sk", masculine="Bol som sám.", feminine="Bola som sama")
    _, ended = plan(row)
    assert ended.texts == ("Bol som sám.", "Bola som sama.")


def test_nothing_is_added_unless_asked_for() -> None:
    rows = (
        Row("eurogest/pl/s/1", "pl", neutral="Pracuję codziennie"),
        Row("eurogest/pl/s/2", "pl", masculine="Byłem sam", feminine="Byłam sama"),
    )
    asked, plain = plan(*rows), plan(*rows, terminated=False)
    assert plain == tuple(item for item in asked if not item.ending)
    assert hash_items(asked) != hash_items(plain)


@pytest.mark.parametrize("code", list(load_languages()))
def test_no_variant_of_a_template_is_the_beginning_of_the_other_once_ended(code: str) -> None:
    """The purpose of the protocol: Polish `powiedział.` is no beginning of `powiedziała.`."""
    (language,) = languages([code])
    row = Row(f"eurogest/{code}/s/1", code, neutral="S")
    items = build_variants([row], [language], terminated=True).items
    ended = [item for item in items if item.ending]
    assert len(ended) == (2 if language.pronoun_template_usable else 1)
    for item in ended:
        assert item.overlap is Overlap.DISTINCT
        assert item.ends_alike
        assert all(text.endswith(FULL_STOP) and text[-2].isalpha() for text in item.texts)


def test_only_terminated_reads_texts_with_an_ending() -> None:
    plain = make_item(1, condition=Condition.PRONOUN)
    alone = make_item(2, masculine="Bol som sám.", feminine="Bola som sama.")
    scores = [
        make_pair([(0, None), (5, -1.0)], [(0, None), (6, -2.0)], plain),
        make_pair([(0, None), (5, -1.0), (9, -3.0)], [(0, None), (6, -2.0), (9, -4.0)],
                  end_item(plain)),
        make_pair([(0, None), (7, -5.0)], [(0, None), (8, -6.0)], alone),
    ]  # fmt: skip
    for name, protocol in PROTOCOLS.items():
        found = compute_values(select_pairs(scores, "pooled"), protocol)
        assert len(found.values) == 2, name
        assert [value.item.ending for value in found.values] == (
            [".", ""] if name == "terminated" else ["", ""]
        )
    found = compute_values(scores, TERMINATED)
    # Texts that end alike as they are count with the scores they have.
    assert [(v.means.masculine, v.means.feminine) for v in found.values] == [(-2, -3), (-5, -6)]
    assert compute_values(scores, PAPER).values[0].means.masculine == -1


def test_a_run_without_endings_has_no_terminated_value_and_counts_why() -> None:
    alone = make_item(2, masculine="Bol som sám.", feminine="Bola som sama.")
    scores = [
        make_pair([(0, None), (5, -1.0)], [(0, None), (6, -2.0)], make_item(1)),
        make_pair([(0, None), (7, -5.0)], [(0, None), (8, -6.0)], alone),
    ]
    found = compute_values(scores, TERMINATED)
    assert [value.item for value in found.values] == [alone]
    assert found.undefined == {"not_terminated": 1}

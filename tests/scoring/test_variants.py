"""What is scored of a release row, condition by condition."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from corpus.errors import InputError
from corpus.languages import Edition, languages
from corpus.templates import Overlap
from scoring.variants import Condition, VariantPlan, build_variants, hash_items


@dataclass(frozen=True)
class Row:
    id: str
    language: str
    stereotype_id: int | None = 1
    neutral: str | None = None
    masculine: str | None = None
    feminine: str | None = None


def plan_of(*rows: Row, edition: Edition = Edition.CORRECTED) -> VariantPlan:
    codes = dict.fromkeys(row.language for row in rows)
    return build_variants(rows, languages(codes), edition)


def test_a_neutral_row_is_scored_in_both_templates_where_the_pronoun_one_is_usable() -> None:
    plan = plan_of(Row("eurogest/en/s/1", "en", neutral="I cried."))
    assert [(item.condition, item.texts) for item in plan.items] == [
        (Condition.NOUN, ('"I cried," the man said', '"I cried," the woman said')),
        (Condition.PRONOUN, ('"I cried," he said', '"I cried," she said')),
    ]
    assert [item.template for item in plan.items] == [
        "en/noun/final/corrected",
        "en/pronoun/final/corrected",
    ]


def test_a_neutral_row_is_scored_in_the_noun_template_alone_otherwise() -> None:
    plan = plan_of(Row("eurogest/tr/s/1", "tr", neutral="Her gün çalışıyorum."))
    assert [item.condition for item in plan.items] == [Condition.NOUN]
    assert not plan.refused


def test_a_pair_is_scored_as_it_is() -> None:
    plan = plan_of(
        Row("eurogest/sk/s/1", "sk", 9, masculine="Bol som sám.", feminine="Bola som sama.")
    )
    (item,) = plan.items
    assert (item.condition, item.template, item.stereotype_id) == (Condition.PAIR, "", 9)
    assert item.texts == ("Bol som sám.", "Bola som sama.")


def test_a_template_that_makes_one_text_is_refused_and_counted() -> None:
    """The published Italian pronoun template is `disse` for both genders."""
    rows = [Row(f"eurogest/it/s/{k}", "it", neutral="Piango spesso.") for k in range(3)]
    plan = plan_of(*rows, edition=Edition.PUBLISHED)
    assert plan.refused == {("it", Condition.PRONOUN): 3}
    assert {item.condition for item in plan.items} == {Condition.NOUN}
    assert not plan_of(*rows).refused


def test_a_pair_of_equal_texts_is_refused_and_counted() -> None:
    plan = plan_of(Row("eurogest/sk/s/1", "sk", masculine="Plačem.", feminine="Plačem."))
    assert plan.items == ()
    assert plan.refused == {("sk", Condition.PAIR): 1}


def test_contained_items_are_kept_and_counted() -> None:
    """Polish `powiedział` is the beginning of `powiedziała`."""
    plan = plan_of(Row("eurogest/pl/s/1", "pl", neutral="Pracuję codziennie"))
    pronoun = [item for item in plan.items if item.condition is Condition.PRONOUN]
    assert pronoun[0].overlap is Overlap.CONTAINED
    assert plan.contained == {("pl", Condition.PRONOUN): 1}


def test_rows_of_other_languages_are_passed_over() -> None:
    rows = [Row("eurogest/en/s/1", "en", neutral="I cried"), Row("eurogest/xx/s/1", "xx")]
    plan = build_variants(rows, languages(["en"]))
    assert {item.language for item in plan.items} == {"en"}


def test_every_row_that_cannot_be_scored_is_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        plan_of(
            Row("eurogest/en/s/1", "en"),
            Row("eurogest/en/s/2", "en", neutral="I", masculine="he", feminine="she"),
            Row("eurogest/en/s/3", "en", masculine="he"),
            Row("eurogest/en/s/4", "en", None, neutral="I cried"),
            Row("eurogest/en/s/5", "en", neutral="…"),
        )
    assert [fault.file for fault in caught.value.faults] == [
        f"release row eurogest/en/s/{k}" for k in range(1, 6)
    ]


def test_template_hash_follows_the_wording() -> None:
    row = Row("eurogest/ca/s/1", "ca", neutral="Treballo cada dia")
    corrected, published = plan_of(row), plan_of(row, edition=Edition.PUBLISHED)
    assert corrected.templates_hash["ca"] != published.templates_hash["ca"]
    assert hash_items(corrected.items) != hash_items(published.items)
    assert hash_items(corrected.items) == hash_items(plan_of(row).items_of("ca"))

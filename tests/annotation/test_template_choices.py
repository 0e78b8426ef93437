"""Choosing the final templates of a language from what is shipped and what raters suggest."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.template_choices import (
    TemplateOption,
    choose_template,
    find_unsettled,
    is_wording,
    list_options,
    read_frame,
    write_frame,
)
from annotation.templates import TemplatePlan, create_template_batch, list_template_ratings
from corpus.errors import InputError, StateError
from corpus.languages import Edition, Frame, TemplateKind, language, load_languages
from corpus.records import Instrument, Item, Label, Origin, TemplateChoice
from corpus.standing import Standing, language_standing
from corpus.store import Store
from corpus.templates import render, take_chosen, template_for
from tests.annotation.studies import add_people
from tests.store_builders import (
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
)

GOOD = {"quality": 100, "reworded": "no"}
MAN, WOMAN = ("Muž riekol: „", "“"), ("Žena riekla: „", "“")


def choice(**others: Any) -> TemplateChoice:
    given = {"language": "sk", "kind": "noun", "masculine": MAN, "feminine": WOMAN}
    return TemplateChoice(**(given | {"reason": "as rated", "by": "curator-1"} | others))


def add_rated(store: Store) -> tuple[Item, ...]:
    """Slovak templates around one sentence, rated by nobody yet: man and woman, he and she."""
    add_people(store, ["r1", "r2"])
    source = make_source(2, "I am glad.")
    add_sources(store, [source])
    texts = {"neutral": "Teším sa."}
    add_candidates(store, [make_candidate(source, "sk", Label.NEUTRAL, variants=texts)])
    plan = TemplatePlan("sk", ("r1", "r2"), seed=7)
    return create_template_batch(store, plan, "curator-1", Origin.HUMAN).items


def suggest(store: Store, item: Item, rater: str, text: str) -> None:
    answers = {"quality": 70, "reworded": "yes", "suggestion": text}
    add_ratings(store, [item], rater, answers)


def options_of(store: Store) -> list[TemplateOption]:
    with store.reading() as state:
        return list_options("sk", list_template_ratings(state, "sk"))


def standing_of(store: Store) -> Standing:
    with store.reading() as state:
        return language_standing(state, Instrument.EUROGEST, "sk")


def test_options_are_the_shipped_wordings_without_ratings() -> None:
    for code in sorted(set(load_languages()) - {"en"}):
        listed = list_options(code, [])
        assert {each.kind for each in listed} == set(TemplateKind)
        assert {each.source for each in listed} <= {"as corrected", "as published"}
        wordings = [(each.kind, each.masculine, each.feminine) for each in listed]
        assert len(set(wordings)) == len(wordings)


def test_a_suggestion_around_the_sentence_is_an_option(store: Store) -> None:
    items = add_rated(store)
    add_ratings(store, items, "r1", GOOD)
    suggest(store, items[0], "r2", " Muž riekol: „Teším sa“ ")
    suggested = [each for each in options_of(store) if each.source.startswith("suggested")]
    shown = template_for(language("sk"), TemplateKind.NOUN)
    assert suggested == [
        TemplateOption(TemplateKind.NOUN, "suggested by r2", Frame(*MAN), shown.feminine)
    ]


@pytest.mark.parametrize("text", ["Muž sa teší.", "„Teším sa, Teším sa,“ povedal muž"])
def test_a_suggestion_that_is_not_around_the_sentence_is_none(store: Store, text: str) -> None:
    items = add_rated(store)
    suggest(store, items[0], "r2", text)
    assert not [each for each in options_of(store) if each.source.startswith("suggested")]


def test_a_choice_is_kept_audited_and_part_of_the_data(store: Store) -> None:
    add_rated(store)
    before = standing_of(store)
    assert find_unsettled(before) == (TemplateKind.NOUN, TemplateKind.PRONOUN)
    stored = choose_template(store, choice())
    assert choose_template(store, choice(reason="again")) == stored
    after = standing_of(store)
    assert find_unsettled(after) == (TemplateKind.PRONOUN,)
    assert after.data_hash != before.data_hash
    assert after.templates["sk/noun/final/chosen"] == [list(MAN), list(WOMAN)]
    with store.reading() as state:
        entries = [each for each in state.audit_entries() if each.action == "choose template"]
    [entry] = entries
    assert (entry.actor, entry.subject) == ("curator-1", "eurogest/sk/template/noun")
    assert entry.after["masculine"] == list(MAN)
    other = choose_template(store, choice(feminine=("Ona: „", "“")))
    assert standing_of(store).template_choices == (other,)


def test_the_chosen_wording_is_what_is_scored() -> None:
    slovak = language("sk")
    frames = {"sk/noun/final/chosen": [list(MAN), list(WOMAN)], "sk/noun/final/corrected": []}
    known = take_chosen(slovak, frames)
    template = template_for(known, TemplateKind.NOUN, Edition.CHOSEN)
    assert template.id == "sk/noun/final/chosen"
    assert render(template, "Teším sa.") == ("Muž riekol: „Teším sa“", "Žena riekla: „Teším sa“")
    for edition in (Edition.CORRECTED, Edition.PUBLISHED):
        assert template_for(known, TemplateKind.NOUN, edition) == template_for(
            slovak, TemplateKind.NOUN, edition
        )
    pronoun = template_for(known, TemplateKind.PRONOUN, Edition.CHOSEN)
    assert pronoun == template_for(slovak, TemplateKind.PRONOUN)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"reason": " "}, "needs a written reason"),
        ({"kind": "verb"}, "no verb template"),
        ({"language": "en"}, "no noun template"),
        ({"masculine": ("„", "“")}, "masculine frame has no word"),
        ({"feminine": MAN}, "the same text"),
        ({"feminine": ("a\x00", "b")}, "feminine frame holds"),
    ],
)
def test_what_cannot_be_chosen_is_refused(store: Store, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(StateError, match=said):
        choose_template(store, choice(**wrong))
    with store.reading() as state:
        assert (state.template_choices("sk"), state.audit_entries()) == ([], [])


def test_an_unknown_language_is_refused(store: Store) -> None:
    with pytest.raises(InputError, match="xx"):
        choose_template(store, choice(language="xx"))


def test_a_frame_is_written_and_read_as_one_text() -> None:
    frame = Frame(*MAN)
    assert write_frame(frame) == "Muž riekol: „{}“"
    assert read_frame(write_frame(frame)) == MAN
    for text in ("„“", "{} a {}"):
        with pytest.raises(StateError, match="once"):
            read_frame(text)


def test_an_option_is_known_as_the_chosen_one() -> None:
    option = TemplateOption(TemplateKind.NOUN, "as corrected", Frame(*MAN), Frame(*WOMAN))
    assert is_wording(choice(), option)
    assert not is_wording(choice(kind="pronoun"), option)
    assert not is_wording(choice(feminine=MAN), option)

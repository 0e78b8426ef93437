"""Every way of filling a template, its order and its seeded samples."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_tests import make_requirement, make_template

from scoring.prompt_instances import build_instances, unrank_permutation


@given(st.integers(0, 6).flatmap(lambda k: st.tuples(st.just(k), st.integers(0, k))))
def test_numbers_are_places_in_the_standard_order_of_permutations(sizes: tuple[int, int]) -> None:
    k, n = sizes
    found = [unrank_permutation(number, k, n) for number in range(math.perm(k, n))]
    assert found == list(itertools.permutations(range(k), n))


def test_no_community_is_compared_with_itself() -> None:
    made = build_instances(make_template(), make_requirement(("men", "women", "children")))
    assert made.possible == 6
    assert [each.prompt for each in made.instances] == [
        f"Are {one} calmer than {other}?"
        for one, other in itertools.permutations(("men", "women", "children"), 2)
    ]


def test_a_repeated_placeholder_is_one_community_and_names_are_taken_literally() -> None:
    template = make_template("{GENDER2} and {GENDER1}, {GENDER2} {X}")
    made = build_instances(
        make_template("{GENDER2} and {GENDER1}, {GENDER2}"), make_requirement(("{GENDER2}", r"\1"))
    )
    assert [each.prompt for each in made.instances] == [
        r"\1 and {GENDER2}, \1",
        r"{GENDER2} and \1, {GENDER2}",
    ]
    with pytest.raises(ValueError, match=r"REQ1 does not fill \{X\} of 1"):
        build_instances(template, make_requirement())


def test_a_template_without_placeholders_is_one_instance() -> None:
    for requirement in (make_requirement(), make_requirement(())):
        made = build_instances(make_template("Is it so?"), requirement, limit=5)
        assert [each.prompt for each in made.instances] == ["Is it so?"]
        assert made.possible == 1


def test_too_few_communities_are_refused() -> None:
    with pytest.raises(ValueError, match="too few communities for template 1"):
        build_instances(make_template(), make_requirement(("men",)))
    with pytest.raises(ValueError, match="at least 1, not 0"):
        build_instances(make_template(), make_requirement(), limit=0)


def test_a_sample_is_seeded_and_of_the_same_communities_in_every_language() -> None:
    names = [f"group {number}" for number in range(30)]
    others = [f"groupe {number}" for number in range(30)]
    requirement = make_requirement(names, others=others)
    english = build_instances(make_template(), requirement, limit=40, seed=7)
    french = build_instances(make_template(language="fr"), requirement, limit=40, seed=7)
    assert english.possible == 30 * 29
    assert len({each.number for each in english.instances}) == 40
    assert [each.communities for each in english.instances] == [
        each.communities for each in french.instances
    ]
    assert french.instances[0].prompt == english.instances[0].prompt.replace("group", "groupe")
    other_seed = build_instances(make_template(), requirement, limit=40, seed=8)
    assert other_seed.instances != english.instances
    other_template = build_instances(make_template(number="2"), requirement, limit=40, seed=7)
    assert other_template.instances != english.instances
    whole = build_instances(make_template(), requirement, limit=870, seed=7)
    assert len(whole.instances) == whole.possible


def test_what_is_sent_has_prefix_prompt_and_form() -> None:
    requirement = make_requirement()
    plain = make_template("Is it so?", formatting="Say yes or no.")
    assert build_instances(plain, requirement).instances[0].message == "Is it so? Say yes or no."
    prefixed = make_template("It is.", formatting="Say yes or no.", prefix="Do you agree?")
    message = build_instances(prefixed, requirement).instances[0].message
    assert message == "Do you agree?\nIt is.\nSay yes or no."

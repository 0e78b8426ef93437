"""Wrappers: the exact texts that are sent."""

import pytest

from corpus.errors import SettingsError
from corpus.records import Wrapper
from pipeline.wrapping import WrapperForm, wrap, wrapper_form


@pytest.mark.parametrize(
    ("form", "masculine", "feminine"),
    [
        (WrapperForm.PAPER, 'The man said, "I\'m sad."', 'The woman said, "I\'m sad."'),
        (WrapperForm.CODE, "The man said, 'I'm sad.'", "The woman said, 'I'm sad.'"),
        (WrapperForm.GEST, 'The man said: "I\'m sad."', 'The woman said: "I\'m sad."'),
    ],
)
def test_wrapped_texts(form: WrapperForm, masculine: str, feminine: str) -> None:
    assert wrap("I'm sad.", Wrapper.MASCULINE, form) == masculine
    assert wrap("I'm sad.", Wrapper.FEMININE, form) == feminine
    assert wrap("I'm sad.", Wrapper.NONE, form) == "I'm sad."


def test_paper_is_the_default() -> None:
    assert wrap("S", Wrapper.MASCULINE) == wrap("S", Wrapper.MASCULINE, WrapperForm.PAPER)


def test_forms_by_name() -> None:
    assert wrapper_form("gest") is WrapperForm.GEST
    with pytest.raises(SettingsError, match="'GEST'; use one of paper, code, gest"):
        wrapper_form("GEST")

"""The frame that forces a gender on the translation of a first-person sentence."""

from __future__ import annotations

from enum import StrEnum

from corpus.errors import SettingsError
from corpus.records import Wrapper


class WrapperForm(StrEnum):
    """Which wording of the wrapper is sent; it is part of the exact text, and so of the key.

    Source: three forms circulate. `paper` is printed in EuroGEST's paper, `code` is sent by its
    published code, `gest` is that of GEST's recorded translations.
    """

    PAPER = "paper"
    CODE = "code"
    GEST = "gest"


_INTRODUCTIONS = {
    Wrapper.MASCULINE: "The man said",
    Wrapper.FEMININE: "The woman said",
}
_FRAMES = {
    WrapperForm.PAPER: (', "', '"'),
    WrapperForm.CODE: (", '", "'"),
    WrapperForm.GEST: (': "', '"'),
}


def wrap(sentence: str, wrapper: Wrapper, form: WrapperForm = WrapperForm.PAPER) -> str:
    """The exact text to send: the sentence in its wrapper, or alone for `Wrapper.NONE`."""
    if wrapper is Wrapper.NONE:
        return sentence
    before, after = _FRAMES[form]
    return f"{_INTRODUCTIONS[wrapper]}{before}{sentence}{after}"


def wrapper_form(name: str) -> WrapperForm:
    """The wrapper form of that name.

    Raises:
        SettingsError: if there is none, naming those there are.
    """
    try:
        return WrapperForm(name)
    except ValueError:
        known = ", ".join(WrapperForm)
        raise SettingsError(f"Unknown wrapper form {name!r}; use one of {known}.") from None

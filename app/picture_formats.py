"""Formats that figures are written in, known without loading what draws them."""

from __future__ import annotations

from collections.abc import Sequence

from app.options import split_list
from corpus.errors import SettingsError

FORMATS = ("png", "svg", "pdf")


def choose_formats(value: str, known: Sequence[str] = FORMATS) -> list[str]:
    """The formats that `--format` names.

    Args:
        value: Formats with commas.
        known: All that the command writes.

    Raises:
        SettingsError: if it names none, or one that is not known.
    """
    wanted = split_list(value)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        told = f", not {', '.join(unknown)}." if unknown else ", with commas."
        raise SettingsError(f"--format takes {', '.join(known)}{told}")
    return wanted

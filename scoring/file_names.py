"""Names of files and folders that are made of a model's name."""

from __future__ import annotations

import re

NAME_LENGTH = 60


def clean_name(name: str) -> str:
    """A model's name without what a file system may refuse."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"


def shorten_name(name: str) -> str:
    """The same, at most NAME_LENGTH characters: the end, which tells models apart."""
    return clean_name(name)[-NAME_LENGTH:]

"""TOML files that users write, read with a fault that names the file."""

from __future__ import annotations

import tomllib
from typing import Any

from corpus.errors import Fault, InputError


def parse_toml(data: bytes, file: str) -> dict[str, Any]:
    """What the bytes of a file say, a byte order mark or none before it.

    Args:
        data: The bytes.
        file: Name of the file in messages.

    Raises:
        InputError: if they are no TOML in UTF-8.
    """
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        fault = Fault(file, None, None, f"not a TOML file: {error}", "correct it")
        raise InputError([fault]) from error

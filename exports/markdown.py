"""Markdown that the card and the data statement of a release share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from corpus.prompt_languages import name_of

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&])")


def show_literally(text: str) -> str:
    """The text on one line, shown as it is wherever Markdown would read markup."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def quote_literally(text: str) -> str:
    """The text in a block that shows it literally, whatever fences it holds itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def build_table(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table with its header, a line for each row."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def warn_unvalidated(codes: Iterable[str]) -> list[str]:
    """The paragraph that names languages which are released though not approved; none if none."""
    names = [f"{name_of(code)} (`{code}`)" for code in codes]
    if not names:
        return []
    return [
        f"**NOT VALIDATED:** {', '.join(names)}: released on request without an approval that "
        "holds, so that no gate vouches for these rows, whose every file says `unvalidated`."
    ]

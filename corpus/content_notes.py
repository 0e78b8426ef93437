"""Content notes: what a rater is told before a sentence that is sexual or hateful.

The rule and its lists stand in `corpus/content_notes.toml`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from corpus.records import Source
from corpus.stereotypes import DEFAULT_INVENTORY

CONTENT_NOTE = "content_note"
"""Name under which an item shows its note, empty if it has none."""


@dataclass(frozen=True, slots=True)
class ContentNote:
    """One note, and which sentences it stands before."""

    kind: str
    text: str
    stereotypes: frozenset[tuple[str, int]]
    """Inventory and id of the stereotypes that have it as a whole."""
    words: re.Pattern[str]
    """Finds the words and phrases that call for it, as whole words in any case."""


@cache
def load_content_notes() -> tuple[ContentNote, ...]:
    """The bundled notes, in the order in which they take precedence; read once."""
    file = resources.files("corpus") / "content_notes.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        ContentNote(
            kind=each["kind"],
            text=each["text"],
            stereotypes=frozenset(
                (inventory, number)
                for inventory, numbers in each["stereotypes"].items()
                for number in numbers
            ),
            words=re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, each['words']))})(?!\w)", re.I),
        )
        for each in data["notes"]
    )


def find_content_note(source: Source, inventory: str = DEFAULT_INVENTORY) -> str:
    """What to say before a source's texts, empty if nothing needs saying.

    Args:
        source: The English sentence; its translations are judged by it.
        inventory: The inventory that its stereotype id refers to.
    """
    for note in load_content_notes():
        is_listed = (inventory, source.stereotype_id) in note.stereotypes
        if is_listed or note.words.search(source.text):
            return note.text
    return ""

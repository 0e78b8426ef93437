"""The control of the instrument sectors: words for occupations in place of terms of sectors.

    language = "de"
    title = "German"
    status = "unreviewed"
    source = "who wrote it, when"
    templates = [ { id = "works", text = "{target} arbeitet als {attribute}." } ]
    [occupations]
    teacher = { masculine_form = "Lehrer", feminine_form = "Lehrerin" }

A language whose word has one form for all writes `one_form` alone. Where there are two, each agrees
with one gender, so that the word's form tells the person's gender whatever the occupation is: that
is why the study asks for sectors. Person words are those of the sector sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import nfc, sha256_json
from corpus.language_tables import list_language_files, read_language_tables, text_faults
from corpus.sector_files import load_sector_languages
from corpus.sectors import (
    ATTRIBUTE,
    TARGET,
    Gender,
    PersonPair,
    SectorSentence,
    TermForm,
    fill_places,
)

FORMS = (frozenset({TermForm.COMMON}), frozenset({TermForm.MASCULINE, TermForm.FEMININE}))
_TEXTS = ("language", "title", "status", "source")
_KEYS = {*_TEXTS, "templates", "occupations"}


@dataclass(frozen=True, slots=True)
class OccupationLanguage:
    """What one language's sentences of the control are made of."""

    code: str
    title: str
    status: str
    """`unreviewed` until people other than the authors have judged the sentences."""
    source: str
    templates: Mapping[str, str]
    """Text by id."""
    pairs: tuple[PersonPair, ...]
    words: Mapping[str, Mapping[TermForm, str]]
    """The forms of each occupation, by its id."""

    @property
    def content_hash(self) -> str:
        """sha256 of all that sentences are made of: for signatures."""
        pairs = [[p.id, p.kind, p.feminine, p.masculine] for p in self.pairs]
        words = {
            id_: {str(form): text for form, text in w.items()} for id_, w in self.words.items()
        }
        return sha256_json(["occupations", self.code, dict(self.templates), pairs, words])

    def build_sentences(self) -> Iterator[SectorSentence]:
        """All sentences: templates × pairs × genders × forms, in that order."""
        for template, frame in self.templates.items():
            for pair in self.pairs:
                for gender in Gender:
                    for id_, forms in self.words.items():
                        for form, word in forms.items():
                            yield self._build((template, frame), pair, gender, (id_, form, word))

    def _build(
        self,
        template: tuple[str, str],
        pair: PersonPair,
        gender: Gender,
        occupation: tuple[str, TermForm, str],
    ) -> SectorSentence:
        id_, form, word = occupation
        person = pair.feminine if gender is Gender.FEMININE else pair.masculine
        text, spans = fill_places(template[1], {TARGET: person, ATTRIBUTE: word}, self.code)
        return SectorSentence(
            language=self.code,
            template=template[0],
            shows_gender=False,
            pair=pair.id,
            kind=pair.kind,
            gender=gender,
            sector=form,
            term=f"{id_}.{form}",
            text=text,
            target=spans[TARGET],
            attribute=spans[ATTRIBUTE],
            status=self.status,
        )


def load_occupations(
    codes: Sequence[str] = (), folder: Path | None = None, sectors: Path | None = None
) -> tuple[OccupationLanguage, ...]:
    """The control's languages of the product or of a folder, checked as a set.

    Args:
        codes: Which languages; all that have a file if empty.
        folder: A folder with one file a language, `<code>.toml`; None is the product's own.
        sectors: A folder of sector files, whose person words are used; None is the product's own.

    Raises:
        InputError: with every fault of every file, or if a language has no file or person words.
    """
    place: Traversable = folder or resources.files("corpus") / "occupations"
    if folder is not None and not folder.is_dir():
        remedy = "copy corpus/occupations there and add <code>.toml"
        raise InputError([Fault(str(folder), None, None, "no such folder", remedy)])
    files = list_language_files(place)
    faults = [
        Fault(str(code), None, "language", "no occupations for it", f"use {', '.join(files)}")
        for code in codes
        if code not in files
    ]
    tables, found = read_language_tables(files.values(), _find_faults)
    faults.extend(found)
    if not faults:
        faults.extend(_set_faults(tables))
    if faults:
        raise InputError(faults)
    wanted = codes or list(files)
    pairs = {each.code: each.pairs for each in load_sector_languages((), sectors)}
    faults = [
        Fault(f"{code}.toml", None, "language", "no person words for it", "add its file of sectors")
        for code in wanted
        if code not in pairs
    ]
    if faults:
        raise InputError(faults)
    return tuple(_parse(tables[f"{code}.toml"], pairs[code]) for code in wanted)


def _find_faults(table: Mapping[str, Any], file: str) -> Iterator[Fault]:
    for key in sorted(table.keys() - _KEYS):
        yield Fault(file, None, key, "unknown key", f"use {', '.join(sorted(_KEYS))}")
    for key in _TEXTS:
        yield from text_faults(table.get(key), file, key)
    if f"{table.get('language')}.toml" != file:
        yield Fault(file, None, "language", "is not the file's name", "name the file <code>.toml")
    yield from _template_faults(table.get("templates"), file)
    yield from _word_faults(table.get("occupations"), file)


def _template_faults(templates: Any, file: str) -> Iterator[Fault]:
    if not isinstance(templates, list) or not all(isinstance(row, dict) for row in templates):
        yield Fault(file, None, "templates", "missing or not a list of tables", "write the list")
        return
    seen: set[str] = set()
    for number, row in enumerate(templates, start=1):
        text, id_ = row.get("text"), row.get("id")
        if isinstance(id_, str):
            if id_ in seen:
                yield Fault(file, None, f"templates[{number}].id", "stands twice", "name each once")
            seen.add(id_)
        yield from text_faults(id_, file, f"templates[{number}].id")
        if not isinstance(text, str) or any(text.count(p) != 1 for p in (TARGET, ATTRIBUTE)):
            remedy = f"write {TARGET} and {ATTRIBUTE} once"
            yield Fault(file, None, f"templates[{number}].text", "no such text", remedy)


def _word_faults(words: Any, file: str) -> Iterator[Fault]:
    if not isinstance(words, dict) or not words:
        yield Fault(file, None, "occupations", "missing or not a table", "write [occupations]")
        return
    for id_, forms in words.items():
        place = f"occupations.{id_}"
        if not isinstance(forms, dict) or frozenset(forms) not in FORMS:
            remedy = "write one_form, or masculine_form and feminine_form"
            yield Fault(file, None, place, "not the forms of a word", remedy)
            continue
        for form, text in forms.items():
            yield from text_faults(text, file, f"{place}.{form}")
        if len(set(map(str, forms.values()))) < len(forms):
            yield Fault(file, None, place, "both forms are one word", "write one_form alone")


def _set_faults(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[Fault]:
    for part, ids in (
        ("templates", {file: {row["id"] for row in t["templates"]} for file, t in tables.items()}),
        ("occupations", {file: set(t["occupations"]) for file, t in tables.items()}),
    ):
        everything: set[str] = set().union(*ids.values()) if ids else set()
        for file, own in ids.items():
            for id_ in sorted(everything - own):
                problem = f"{id_!r} is missing, which other languages have"
                yield Fault(file, None, part, problem, "add it, or take it out of every language")


def _parse(table: Mapping[str, Any], pairs: tuple[PersonPair, ...]) -> OccupationLanguage:
    return OccupationLanguage(
        code=table["language"],
        title=nfc(table["title"]),
        status=nfc(table["status"]),
        source=nfc(table["source"]),
        templates={row["id"]: nfc(row["text"]) for row in table["templates"]},
        pairs=pairs,
        words={
            id_: {TermForm(form): nfc(text) for form, text in forms.items()}
            for id_, forms in table["occupations"].items()
        },
    )

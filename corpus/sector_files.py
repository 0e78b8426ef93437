"""Files of the instrument sectors: one TOML file a language, read as a set and checked as a set.

    language = "en"
    title = "English"
    status = "unreviewed"
    source = "who wrote it, when"
    templates = [
      { id = "works", shows_gender = false, text = "{target} works in the {attribute} sector." },
    ]
    pairs = [ { id = "she", kind = "pronoun", feminine = "she", masculine = "he" } ]

    [sectors.primary]
    agriculture = { term = "agricultural", gender = "none" }

A template that shows the gender has `feminine` and `masculine` instead of `text`. `draft = true`
says that an engine wrote the file and nobody has corrected it. Another language
is another file; it has the pairs, the terms and the templates that do not show the gender, by id,
that all the others have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import nfc
from corpus.language_tables import list_language_files, read_language_tables, text_faults
from corpus.sectors import (
    ATTRIBUTE,
    TARGET,
    PersonPair,
    Sector,
    SectorLanguage,
    SectorTemplate,
    SectorTerm,
    WordKind,
)

MIN_TEMPLATES = 5
"""Templates that do not show the gender."""
MIN_PAIRS = 18
MIN_TERMS = 6
"""Of each sector."""
GRAMMATICAL_GENDERS = ("feminine", "masculine", "neuter", "none", "unknown")
"""`unknown` stands in drafts, whose terms nobody has looked at."""

_KEYS = {
    "language", "title", "status", "source", "rule", "draft", "templates", "pairs", "sectors",
}  # fmt: skip
_TEXTS = ("language", "title", "status", "source")
_ID = re.compile(r"[a-z][a-z0-9_]*")
_CODE = re.compile(r"[a-z]{2,3}")


def load_sector_languages(
    codes: Sequence[str] = (), folder: Path | None = None
) -> tuple[SectorLanguage, ...]:
    """The languages of the product or of a folder, checked one by one and against one another.

    Args:
        codes: Which languages; all that have a file if empty. The others are read and checked, too,
            because a set of languages is comparable as a whole or not at all.
        folder: A folder with one file a language, `<code>.toml`; None is the product's own.

    Raises:
        InputError: with every fault of every file, or if a language asked for has no file.
    """
    place: Traversable = folder or resources.files("corpus") / "sectors"
    if folder is not None and not folder.is_dir():
        raise InputError([Fault(str(folder), None, None, "no such folder", "name one that is")])
    files = list_language_files(place)
    faults = [
        Fault(str(code), None, "language", "no file for it", f"use one of {', '.join(files)}")
        for code in codes
        if code not in files
    ]
    if not files:
        faults.append(Fault(str(place), None, None, "no language's file in it", "add <code>.toml"))
    tables, found = read_language_tables(files.values(), find_faults)
    faults.extend(found)
    faults.extend(_set_faults(tables))
    if faults:
        raise InputError(faults)
    languages = {table["language"]: _parse(table) for table in tables.values()}
    return tuple(languages[code] for code in (codes or languages))


def find_faults(table: Mapping[str, Any], file: str) -> Iterator[Fault]:
    """All faults of one language's table by itself."""
    for key in sorted(table.keys() - _KEYS):
        yield Fault(file, None, key, "unknown key", f"use {', '.join(sorted(_KEYS))}")
    for key in _TEXTS:
        yield from text_faults(table.get(key), file, key)
    if not isinstance(table.get("draft", False), bool):
        yield Fault(file, None, "draft", "not true or false", "correct it, or leave it out")
    code = table.get("language")
    if isinstance(code, str) and (not _CODE.fullmatch(code) or file != f"{code}.toml"):
        problem = f"language {code!r} and the file's name do not agree"
        yield Fault(file, None, "language", problem, "name the file <code>.toml")
    yield from _template_faults(table.get("templates"), file)
    yield from _pair_faults(table.get("pairs"), file)
    yield from _sector_faults(table.get("sectors"), file)


def _template_faults(rows: Any, file: str) -> Iterator[Fault]:
    if not _is_list_of_tables(rows):
        yield Fault(file, None, "templates", "missing or not a list of tables", "write the list")
        return
    yield from _id_faults(rows, file, "templates")
    for number, row in enumerate(rows, start=1):
        place = f"templates[{number}]"
        shows = row.get("shows_gender")
        if not isinstance(shows, bool):
            remedy = "say whether another word than the person word shows the gender"
            yield Fault(file, None, f"{place}.shows_gender", "missing or not true/false", remedy)
            continue
        wanted = ("feminine", "masculine") if shows else ("text",)
        yield from _key_faults(row, {"id", "shows_gender", *wanted}, file, place)
        for key in wanted:
            yield from _frame_faults(row.get(key), file, f"{place}.{key}")
        if shows and _is_one_word(row.get("feminine"), row.get("masculine")):
            problem = "shows the gender, but feminine and masculine are one text"
            yield Fault(file, None, place, problem, "write both forms, or shows_gender = false")
    frames = Counter(
        frame
        for row in rows
        for frame in {nfc(row[k]) for k in ("text", "feminine", "masculine") if _is_text(row, k)}
    )
    for frame, count in frames.items():
        if count > 1:
            yield Fault(file, None, "templates", f"{frame!r} stands {count} times", "keep one")
    open_ = sum(row.get("shows_gender") is False for row in rows)
    if open_ < MIN_TEMPLATES:
        problem = f"{open_} templates that do not show the gender"
        yield Fault(file, None, "templates", problem, f"write at least {MIN_TEMPLATES}")


def _pair_faults(rows: Any, file: str) -> Iterator[Fault]:
    if not _is_list_of_tables(rows):
        yield Fault(file, None, "pairs", "missing or not a list of tables", "write the list")
        return
    yield from _id_faults(rows, file, "pairs")
    for number, row in enumerate(rows, start=1):
        place = f"pairs[{number}]"
        yield from _key_faults(row, {"id", "kind", "feminine", "masculine"}, file, place)
        if row.get("kind") not in list(WordKind):
            problem = "missing or unknown"
            yield Fault(file, None, f"{place}.kind", problem, f"use {', '.join(WordKind)}")
        for key in ("feminine", "masculine"):
            yield from text_faults(row.get(key), file, f"{place}.{key}")
        if _is_one_word(row.get("feminine"), row.get("masculine")):
            problem = "feminine and masculine are one word"
            yield Fault(file, None, place, problem, "take a word whose form shows the gender")
    words = Counter(
        word
        for row in rows
        for word in {nfc(row[key]) for key in ("feminine", "masculine") if _is_text(row, key)}
    )
    for word, count in words.items():
        if count > 1:
            yield Fault(file, None, "pairs", f"{word!r} stands {count} times", "keep one")
    if len(rows) < MIN_PAIRS:
        problem = f"{len(rows)} pairs of person words"
        yield Fault(file, None, "pairs", problem, f"write at least {MIN_PAIRS}")


def _sector_faults(table: Any, file: str) -> Iterator[Fault]:
    if not isinstance(table, dict):
        yield Fault(file, None, "sectors", "missing or not a table", "write [sectors.primary] …")
        return
    for key in sorted(table.keys() - set(Sector)):
        yield Fault(file, None, f"sectors.{key}", "unknown sector", f"use {', '.join(Sector)}")
    for sector in Sector:
        terms = table.get(sector)
        place = f"sectors.{sector}"
        if not isinstance(terms, dict):
            problem = "missing or not a table"
            yield Fault(file, None, place, problem, f"name at least {MIN_TERMS} terms")
            continue
        if len(terms) < MIN_TERMS:
            problem = f"{len(terms)} terms of the sector"
            yield Fault(file, None, place, problem, f"name at least {MIN_TERMS}")
        for id_, term in terms.items():
            yield from _term_faults(id_, term, file, f"{place}.{id_}")
    texts = Counter(
        nfc(term["term"])
        for terms in table.values()
        if isinstance(terms, dict)
        for term in terms.values()
        if isinstance(term, dict) and _is_text(term, "term")
    )
    for text, count in texts.items():
        if count > 1:
            yield Fault(file, None, "sectors", f"term {text!r} stands {count} times", "keep one")


def _term_faults(id_: str, term: Any, file: str, place: str) -> Iterator[Fault]:
    if not _ID.fullmatch(id_):
        yield Fault(file, None, place, "not an id", "use small letters, digits and _")
    if not isinstance(term, dict):
        yield Fault(file, None, place, "not a table", "write { term, gender }")
        return
    yield from _key_faults(term, {"term", "gender"}, file, place)
    yield from text_faults(term.get("term"), file, f"{place}.term")
    if term.get("gender") not in GRAMMATICAL_GENDERS:
        remedy = f"use {', '.join(GRAMMATICAL_GENDERS)}"
        yield Fault(file, None, f"{place}.gender", "missing or unknown", remedy)


def _set_faults(tables: Mapping[str, Mapping[str, Any]]) -> Iterator[Fault]:
    """What one language has and another lacks, in files that may have other faults."""
    parts: dict[str, dict[str, set[str]]] = {}
    for file, table in tables.items():
        for part, ids in _list_ids(table):
            parts.setdefault(part, {})[file] = ids
    for part, by_file in parts.items():
        for file, ids in by_file.items():
            for id_ in sorted(set().union(*by_file.values()) - ids):
                holders = ", ".join(other for other, theirs in by_file.items() if id_ in theirs)
                problem = f"{id_!r} is missing, which {holders} has"
                yield Fault(file, None, part, problem, "add it, or take it out of every language")


def _list_ids(table: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """The ids of each part that can be read: open templates, pairs, and the terms of a sector."""
    for part in ("templates", "pairs"):
        rows: Any = table.get(part)
        if _is_list_of_tables(rows):
            yield (
                part,
                {r["id"] for r in rows if r.get("shows_gender") is not True and _is_text(r, "id")},
            )
    sectors = table.get("sectors")
    for sector in Sector:
        terms = sectors.get(sector) if isinstance(sectors, dict) else None
        if isinstance(terms, dict):
            yield f"sectors.{sector}", set(terms)


def _parse(table: Mapping[str, Any]) -> SectorLanguage:
    return SectorLanguage(
        code=table["language"],
        title=nfc(table["title"]),
        status=nfc(table["status"]),
        source=nfc(table["source"]),
        templates=tuple(
            SectorTemplate(
                row["id"],
                row["shows_gender"],
                nfc(row.get("feminine", row.get("text"))),
                nfc(row.get("masculine", row.get("text"))),
            )
            for row in table["templates"]
        ),
        pairs=tuple(
            PersonPair(r["id"], WordKind(r["kind"]), nfc(r["feminine"]), nfc(r["masculine"]))
            for r in table["pairs"]
        ),
        terms=tuple(
            SectorTerm(id_, sector, nfc(term["term"]), term["gender"])
            for sector in Sector
            for id_, term in table["sectors"][sector].items()
        ),
        is_draft=table.get("draft", False),
    )


def _frame_faults(value: Any, file: str, field: str) -> Iterator[Fault]:
    yield from text_faults(value, file, field)
    if not isinstance(value, str):
        return
    for place in (TARGET, ATTRIBUTE):
        if value.count(place) != 1:
            problem = f"{place} stands {value.count(place)} times"
            yield Fault(file, None, field, problem, "write it once")
    rest = value.replace(TARGET, "").replace(ATTRIBUTE, "")
    if "{" in rest or "}" in rest:
        problem = "a brace outside the two places"
        yield Fault(file, None, field, problem, f"use {TARGET} and {ATTRIBUTE} only")


def _id_faults(rows: Sequence[Mapping[str, Any]], file: str, place: str) -> Iterator[Fault]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row.get("id"), str) or not _ID.fullmatch(row["id"]):
            remedy = "use small letters, digits and _"
            yield Fault(file, None, f"{place}[{number}].id", "missing or not an id", remedy)
    for id_, count in Counter(str(row.get("id")) for row in rows).items():
        if count > 1:
            yield Fault(file, None, f"{place}.id", f"{id_!r} stands {count} times", "keep one")


def _key_faults(row: Mapping[str, Any], known: set[str], file: str, place: str) -> Iterator[Fault]:
    for key in sorted(row.keys() - known):
        remedy = f"use {', '.join(sorted(known))}"
        yield Fault(file, None, f"{place}.{key}", "does not belong here", remedy)


def _is_one_word(feminine: Any, masculine: Any) -> bool:
    """Whether two forms are one, as the beginning of a sentence and another spelling show them."""
    if isinstance(feminine, str) and isinstance(masculine, str):
        return nfc(feminine).casefold() == nfc(masculine).casefold()
    return False


def _is_text(row: Mapping[str, Any], key: str) -> bool:
    return isinstance(row.get(key), str)


def _is_list_of_tables(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)

"""Files of translations, CSV or TMX, as rows: exact source texts and what they were translated to.

A CSV has the columns `source` (the exact text that was sent, wrapper included) and `translation`,
and may have `language`, `engine`, `model` and `version`. Without a column the language stands at
the end of the file's name (`google_sk.csv`), or it is given. A TMX names its languages itself.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.csv_table import load_csv_table
from corpus.errors import Fault, InputError
from corpus.hashing import nfc, sha256_bytes
from corpus.languages import languages
from engines.tmx import KEPT_PROPERTIES, TmxTranslation, TmxUnit, TmxVariant, build_tmx, parse_tmx

NEEDED = ("source", "translation")
OPTIONAL = ("language", *KEPT_PROPERTIES)
TMX = ".tmx"
_LANGUAGE = re.compile(r"[_-]([a-z]{2,3})\Z")


@dataclass(frozen=True, slots=True)
class TranslationRow:
    """One translation of a file."""

    file: str
    row: int
    """Line it starts on."""
    language: str
    source: str
    """Byte-exact."""
    translation: str
    """NFC, otherwise unchanged."""
    engine: str = ""
    """Empty, as model and version, where the file does not say what translated it."""
    model: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class TranslationFile:
    """A file's rows, checksum and the faults of its rows."""

    file: str
    sha256: str
    rows: tuple[TranslationRow, ...]
    faults: tuple[Fault, ...]


def load_translation_file(
    path: Path, language: str | None = None, unsaid: str | None = None
) -> TranslationFile:
    """The translations of a CSV or, by its ending, TMX file.

    Args:
        path: the file.
        language: language of all its rows; by default what file or name say.
        unsaid: language of a CSV that says none, neither in a column nor at the end of its name.

    Raises:
        InputError: if the file cannot be read as a whole, or its language is unknown.
    """
    if path.suffix.lower() == TMX:
        return _load_tmx(path, language)
    return _load_csv(path, language, unsaid)


def _load_csv(path: Path, language: str | None, unsaid: str | None) -> TranslationFile:
    table = load_csv_table(path, NEEDED, OPTIONAL)
    code = language
    if code is None and "language" not in table.columns:
        code = _language_of_name(path, unsaid)
    faults = list(table.faults)
    rows: list[TranslationRow] = []
    for row in table.rows:
        cells = row.cells
        said = cells.get("language", code or "").strip()
        found = list(_check(table.file, row.row, cells["source"], cells["translation"]))
        found += _check_language(table.file, row.row, said, code)
        faults += found
        if not found:
            texts = (cells["source"], nfc(cells["translation"]))
            made = {name: cells.get(name, "").strip() for name in KEPT_PROPERTIES}
            rows.append(TranslationRow(table.file, row.row, said, *texts, **made))
    return TranslationFile(table.file, table.sha256, tuple(rows), tuple(faults))


def _load_tmx(path: Path, language: str | None) -> TranslationFile:
    file = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError([Fault(file, None, None, problem, "check the path")]) from error
    units, found = parse_tmx(data, file)
    faults = list(found)
    rows: list[TranslationRow] = []
    for unit in units:
        source = unit.source
        if source is None or source.text is None:
            problem = "the unit does not have exactly one English text"
            remedy = 'give it one <tuv xml:lang="en"> with a <seg>'
            faults.append(Fault(file, unit.line, "tu", problem, remedy))
            continue
        for variant in _targets(unit, source):
            text = variant.text or ""
            wrong = list(_check(file, variant.line, source.text, text))
            wrong += _check_language(file, variant.line, variant.language, language)
            faults += wrong
            if not wrong:
                made = variant.properties
                texts = (variant.language, source.text, nfc(text))
                rows.append(TranslationRow(file, variant.line, *texts, **made))
    faults.sort(key=lambda fault: fault.row or 0)
    return TranslationFile(file, sha256_bytes(data), tuple(rows), tuple(faults))


def _targets(unit: TmxUnit, source: TmxVariant) -> list[TmxVariant]:
    return [each for each in unit.variants if each is not source]


def _language_of_name(path: Path, unsaid: str | None) -> str:
    match = _LANGUAGE.search(path.stem)
    if match is None:
        if unsaid is not None:
            return unsaid
        problem = "the file's name does not end in a language code"
        remedy = "name it like NAME_sk.csv, add a column language, or give one language"
        raise InputError([Fault(str(path), None, None, problem, remedy)])
    return languages([match[1]], origin=str(path))[0].code


def _check(file: str, row: int, source: str, translation: str) -> Iterator[Fault]:
    for column, text in (("source", source), ("translation", translation)):
        if not text.strip():
            yield Fault(file, row, column, "empty", "fill it in or delete the row")
            return


def _check_language(file: str, row: int, said: str, given: str | None) -> Iterator[Fault]:
    if given is not None and said != given:
        problem = f"the file says {said!r}, and {given!r} was given"
        yield Fault(file, row, "language", problem, "give the language that is right, or none")
        return
    try:
        languages([said])
    except InputError as error:
        unknown = error.faults[0]
        yield Fault(file, row, "language", f"{unknown.problem} {said!r}", unknown.remedy)


def build_translation_file(rows: Sequence[TranslationRow], path: Path) -> bytes:
    """The content of a CSV or, by the path's ending, TMX file that reads back as these rows.

    Raises:
        InputError: if a text cannot be written in that format.
    """
    if path.suffix.lower() == TMX:
        return build_tmx(_as_tmx(rows), path).encode("utf-8")
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow((*NEEDED, *OPTIONAL))
    for each in rows:
        made = (each.engine, each.model, each.version)
        writer.writerow((each.source, each.translation, each.language, *made))
    return text.getvalue().encode("utf-8")


def _as_tmx(rows: Iterable[TranslationRow]) -> Iterator[TmxTranslation]:
    for each in rows:
        made = {"engine": each.engine, "model": each.model, "version": each.version}
        yield TmxTranslation(each.source, each.language, each.translation, made)

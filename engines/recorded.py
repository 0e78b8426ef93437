"""Engine `recorded`: translations looked up byte by byte in CSV files, nothing is computed.

A file has the columns `source` (the exact text that was sent, wrapper included) and `translation`.
Its language stands at the end of its name (`google_sk.csv`) or is given. A row repeated unchanged
is harmless; two translations of one source are a fault: nothing tells which of them was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from corpus.csv_table import CsvRow, load_csv_table
from corpus.errors import Fault, InputError, SettingsError
from corpus.hashing import combined_hash, nfc
from corpus.languages import languages
from engines.translation import (
    NOT_TRANSLATED,
    CostEstimate,
    TranslationRequest,
    TranslationResponse,
)

Missing = Literal["refuse", "skip"]
"""What a text without a recorded translation is: a fault, or answered `not_translated`."""

_NEEDED = ("source", "translation")
_LANGUAGE = re.compile(r"[_-]([a-z]{2,3})\Z")
_CHUNK_SIZE = 200
_LISTED_FAULTS = 50


class MissingTranslationsError(InputError):
    """Texts without a recorded translation: `faults` holds them all, the message the first 50."""

    def __str__(self) -> str:
        """The total, the first missing rows and how many more there are."""
        total = len(self.faults)
        head = f"{total} of the texts to translate have no recorded translation:"
        lines = [head, *(str(fault) for fault in self.faults[:_LISTED_FAULTS])]
        if total > _LISTED_FAULTS:
            lines.append(f"… and {total - _LISTED_FAULTS} more.")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RecordedTranslations:
    """What the files hold for one language."""

    language: str
    files: tuple[str, ...]
    texts: Mapping[str, str]
    """Exact source text → translation, NFC."""


@dataclass(frozen=True, slots=True)
class RecordedEngine:
    """A translation engine that only knows what is in its files."""

    model: str
    """Names of the files without their folders, so that a moved file keeps its keys."""
    version: str
    """First 12 hex digits of the sha256 of all files together."""
    translations: Mapping[str, RecordedTranslations]
    """By language code."""
    missing: Missing = "refuse"
    name: str = "recorded"

    def translate(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        """Recorded answers in the order of the requests, 200 at a time.

        Raises:
            MissingTranslationsError: before the first answer, if `missing` is `refuse` and any
                text has none.
        """
        if self.missing == "refuse":
            faults = [
                self._describe(request) for request in requests if self._find(request) is None
            ]
            if faults:
                raise MissingTranslationsError(faults)
        return self._answer(requests)

    def _answer(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        for start in range(0, len(requests), _CHUNK_SIZE):
            chunk = requests[start : start + _CHUNK_SIZE]
            found = [(request, self._find(request)) for request in chunk]
            yield [
                TranslationResponse(request, text, None if text is not None else NOT_TRANSLATED)
                for request, text in found
            ]

    def estimate_cost(self, requests: Sequence[TranslationRequest]) -> CostEstimate:
        """Nothing is sent and nothing is billed."""
        return CostEstimate(0, 0, 0.0, None, "Recorded translations cost nothing.")

    def holds_wrapped(self, language: str, wrapped_texts: Iterable[str]) -> bool:
        """Whether any of these exact wrapped texts has a translation into the language.

        Without one, a gendered language's translations can be imported but not paired.
        """
        recorded = self.translations.get(language)
        return recorded is not None and any(text in recorded.texts for text in wrapped_texts)

    def _find(self, request: TranslationRequest) -> str | None:
        recorded = self.translations.get(request.language)
        return recorded.texts.get(request.text) if recorded is not None else None

    def _describe(self, request: TranslationRequest) -> Fault:
        recorded = self.translations.get(request.language)
        where = f" (source row {request.row})" if request.row is not None else ""
        if recorded is None:
            problem = (
                f"no file for language {request.language!r}; needed for {request.text!r}{where}"
            )
            return Fault(
                self.model, None, "source", problem, f"add a file *_{request.language}.csv"
            )
        problem = f"no row with source {request.text!r}{where}"
        remedy = "add the row, or go on without it with --missing skip"
        return Fault(", ".join(recorded.files), None, "source", problem, remedy)


def load_recorded(
    paths: Sequence[Path], *, language: str | None = None, missing: Missing = "refuse"
) -> RecordedEngine:
    """The engine on these files.

    Args:
        paths: one or more CSV files.
        language: language of all of them; by default each file's own, from its name.
        missing: what to do with a text that is not recorded.

    Raises:
        InputError: with every fault of every file, among them unknown languages.
        SettingsError: if there is no file, or `missing` is neither `refuse` nor `skip`.
    """
    if not paths:
        raise SettingsError("The engine recorded needs at least one CSV file of translations.")
    if missing not in ("refuse", "skip"):
        raise SettingsError(f"Unknown setting missing = {missing!r}; use refuse or skip.")
    faults: list[Fault] = []
    collected: dict[str, _Collected] = {}
    checksums = []
    for path in paths:
        try:
            code = _find_language(path, language)
            table = load_csv_table(path, _NEEDED)
        except InputError as error:
            faults.extend(error.faults)
            continue
        faults.extend(table.faults)
        checksums.append(f"{code} {table.sha256}")
        part = collected.setdefault(code, _Collected([], {}))
        part.files.append(table.file)
        for row in table.rows:
            faults.extend(_add_row(row, table.file, part))
    if faults:
        raise InputError(faults)
    return RecordedEngine(
        model="+".join(sorted(path.name for path in paths)),
        version=combined_hash(checksums)[:12],
        translations=MappingProxyType(
            {code: _freeze(code, part) for code, part in sorted(collected.items())}
        ),
        missing=missing,
    )


@dataclass(frozen=True, slots=True)
class _Collected:
    """What has been read for one language so far."""

    files: list[str]
    texts: dict[str, tuple[str, str, int]]
    """Source → translation, file and row it was first read from."""


def _freeze(code: str, part: _Collected) -> RecordedTranslations:
    texts = {source: found[0] for source, found in part.texts.items()}
    return RecordedTranslations(code, tuple(part.files), MappingProxyType(texts))


def _find_language(path: Path, language: str | None) -> str:
    if language is None:
        match = _LANGUAGE.search(path.stem)
        if match is None:
            problem = "the file's name does not end in a language code"
            remedy = "name it like NAME_sk.csv or give the language"
            raise InputError([Fault(str(path), None, None, problem, remedy)])
        language = match[1]
    return languages([language], origin=str(path))[0].code


def _add_row(row: CsvRow, file: str, part: _Collected) -> Iterator[Fault]:
    source, translation = row.cells["source"], nfc(row.cells["translation"])
    for column in _NEEDED:
        if not row.cells[column].strip():
            yield Fault(file, row.row, column, "empty", "fill it in or delete the row")
            return
    known, first_file, first_row = part.texts.setdefault(source, (translation, file, row.row))
    if known != translation:
        problem = f"another translation of {source!r} is in {first_file}:{first_row}"
        yield Fault(file, row.row, "translation", problem, "keep one of the two")

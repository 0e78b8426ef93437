"""Engine `recorded`: translations looked up byte by byte in CSV or TMX files, nothing is computed.

A row repeated unchanged is harmless; two translations of one source are a fault: nothing tells
which of them was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from corpus.errors import Fault, InputError, SettingsError
from corpus.hashing import combined_hash
from corpus.languages import languages
from engines.translation import (
    NOT_TRANSLATED,
    CostEstimate,
    TranslationRequest,
    TranslationResponse,
)
from engines.translation_files import TranslationRow, load_translation_file

Missing = Literal["refuse", "skip"]
"""What a text without a recorded translation is: a fault, or answered `not_translated`."""

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
    paths: Sequence[Path],
    *,
    language: str | None = None,
    unsaid: str | None = None,
    missing: Missing = "refuse",
) -> RecordedEngine:
    """The engine on these files.

    Args:
        paths: one or more CSV or TMX files.
        language: language of all of them; by default each file's own.
        unsaid: language of a CSV that says none.
        missing: what to do with a text that is not recorded.

    Raises:
        InputError: with every fault of every file, among them unknown languages.
        SettingsError: if there is no file, or `missing` is neither `refuse` nor `skip`.
    """
    if not paths:
        raise SettingsError("The engine recorded needs at least one CSV or TMX file.")
    if missing not in ("refuse", "skip"):
        raise SettingsError(f"Unknown setting missing = {missing!r}; use refuse or skip.")
    faults: list[Fault] = []
    collected: dict[str, _Collected] = {}
    checksums = []
    if language is not None:
        languages([language], origin="language")
    for path in paths:
        try:
            read = load_translation_file(path, language, unsaid)
        except InputError as error:
            faults.extend(error.faults)
            continue
        faults.extend(read.faults)
        codes = list(dict.fromkeys(row.language for row in read.rows))
        checksums.append(" ".join([*codes, read.sha256]))
        for code in codes:
            collected.setdefault(code, _Collected([], {})).files.append(read.file)
        for row in read.rows:
            faults.extend(_add_row(row, collected[row.language]))
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


def _add_row(row: TranslationRow, part: _Collected) -> Iterator[Fault]:
    first = part.texts.setdefault(row.source, (row.translation, row.file, row.row))
    known, first_file, first_row = first
    if known != row.translation:
        problem = f"another translation of {row.source!r} is in {first_file}:{first_row}"
        yield Fault(row.file, row.row, "translation", problem, "keep one of the two")

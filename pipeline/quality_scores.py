"""Quality scores from a file, for translations that are in the store.

A row names its translation by `translation_key`, or by `text_sent`, `translation` and `language`
(then every stored translation with these texts gets the score), and gives model, revision and
score. Every fault of the file is reported, and nothing is taken from a file with one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from corpus.csv_table import CsvRow, load_csv_table
from corpus.errors import Fault, InputError
from corpus.hashing import nfc
from corpus.records import QualityEstimate
from corpus.store.state import State
from engines.quality import IMPORTED
from engines.quality_models import find_model, is_on_scale

NEEDED = ("model", "revision", "score")
KEY = "translation_key"
TEXTS = ("text_sent", "translation", "language")


@dataclass(frozen=True, slots=True)
class _Known:
    """The stored translations, by key and by exact texts."""

    keys: frozenset[str]
    by_texts: Mapping[tuple[str, ...], tuple[str, ...]]

    @classmethod
    def of(cls, state: State) -> _Known:
        by_texts: dict[tuple[str, ...], tuple[str, ...]] = {}
        translations = state.all_translations()
        for each in translations:
            texts = (each.text_sent, each.text, each.language)
            by_texts[texts] = (*by_texts.get(texts, ()), each.key)
        return cls(frozenset(each.key for each in translations), by_texts)

    def find(self, cells: Mapping[str, str]) -> tuple[str, ...]:
        """Keys of the translations that a row names; none if it names no stored one."""
        if KEY in cells:
            key = cells[KEY].strip()
            return (key,) if key in self.keys else ()
        sent, text, language = (cells[name] for name in TEXTS)
        return self.by_texts.get((nfc(sent), nfc(text), language.strip()), ())


def load_quality_scores(path: Path, state: State) -> list[QualityEstimate]:
    """The estimates that a file gives, those already stored included.

    Raises:
        InputError: with every fault: columns, scores that are no numbers or off their model's
            scale, rows that name no stored translation, and second scores for one translation.
    """
    table = load_csv_table(path, NEEDED, (KEY, *TEXTS))
    named = [name for name in (KEY, *TEXTS) if name in table.columns]
    if named not in ([KEY], list(TEXTS)):
        remedy = f"name each translation by {KEY}, or by {', '.join(TEXTS)}"
        problem = "the columns do not say which translation a row is about"
        raise InputError([*table.faults, Fault(table.file, 1, None, problem, remedy)])
    known, faults = _Known.of(state), list(table.faults)
    estimates: dict[tuple[str, str, str], QualityEstimate] = {}
    rows: dict[tuple[str, str, str], CsvRow] = {}
    for row in table.rows:
        found, row_faults = _read_row(row, known, table.file)
        for estimate in found:
            if estimates.setdefault(_key(estimate), estimate).score != estimate.score:
                row_faults.append(_repeated(table.file, row, "an earlier row"))
            rows.setdefault(_key(estimate), row)
        faults += row_faults
    for key in _find_contradicted(estimates.values(), state):
        faults.append(_repeated(table.file, rows[key], "the workspace"))
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.row or 0))
    return list(estimates.values())


def _key(estimate: QualityEstimate) -> tuple[str, str, str]:
    return (estimate.translation_key, estimate.model, estimate.revision)


def _read_row(row: CsvRow, known: _Known, file: str) -> tuple[list[QualityEstimate], list[Fault]]:
    cells, faults = row.cells, []
    model, revision = cells["model"].strip(), cells["revision"].strip()
    for name, value in (("model", model), ("revision", revision)):
        if not value or "@" in value:
            remedy = "give the name and, apart, what tells this model from others of its name"
            faults.append(Fault(file, row.row, name, f"{value!r} is no {name}", remedy))
    score, fault = _read_score(cells["score"], model, file, row.row)
    if fault is not None:
        faults.append(fault)
    keys = known.find(cells)
    if not keys:
        problem = "no such translation is in this workspace"
        remedy = "generate it first; texts must be the exact ones sent and returned"
        faults.append(Fault(file, row.row, None, problem, remedy))
    if faults:
        return [], faults
    return [QualityEstimate(key, IMPORTED, model, revision, score) for key in keys], []


def _read_score(text: str, model: str, file: str, row: int) -> tuple[float, Fault | None]:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if is_on_scale(model, score):
        return score, None
    if not math.isfinite(score):
        return score, Fault(file, row, "score", f"{text!r} is not a number", "give a number")
    low, high = find_model(model).scale or (-math.inf, math.inf)
    problem = f"{score:g} is outside the scale of {model}, {low:g} to {high:g}"
    return score, Fault(file, row, "score", problem, "give the score as the model gave it")


def _find_contradicted(
    estimates: Iterable[QualityEstimate], state: State
) -> Iterator[tuple[str, str, str]]:
    """Keys of the estimates of which the store has another score by the same model."""
    by_model: dict[tuple[str, str], list[QualityEstimate]] = {}
    for each in estimates:
        by_model.setdefault((each.model, each.revision), []).append(each)
    for (model, revision), group in by_model.items():
        keys = [each.translation_key for each in group]
        stored = state.quality_estimates(keys, IMPORTED, model, revision)
        for each in group:
            known = stored.get(each.translation_key)
            if known is not None and known.score != each.score:
                yield _key(each)


def _repeated(file: str, row: CsvRow, where: str) -> Fault:
    problem = f"{where} gives this translation another score of this model"
    remedy = "keep one score; a model that scores anew has another revision"
    return Fault(file, row.row, "score", problem, remedy)

"""A comparison as rows: for the terminal, for CSV and for LaTeX; every number with its n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.output import UNDEFINED, describe_figure, describe_no_interval
from app.views import words
from corpus.figures import Figure
from corpus.spreadsheet_cells import make_inert
from scoring.averages import OWN, SHARED
from scoring.comparison import ComparedMeasures, Comparison

CSV_COLUMNS = (
    "measure",
    "kind",
    "model",
    "first",
    "second",
    "language",
    "set",
    "languages",
    "protocol",
    "condition",
    "sentences",
    "quality_from",
    "stereotype",
    "value",
    "low",
    "high",
    "level",
    "n",
    "reason",
    "interval_reason",
    "notes",
)
MEASURE_COLUMNS = (
    "model",
    "language",
    "protocol",
    "condition",
    "g_s [interval]",
    "logit r difference [interval]",
    "p of poles (corrected)",
    "n",
    "marks",
)
AVERAGE_COLUMNS = (
    "model",
    "set",
    "languages",
    "protocol",
    "condition",
    "g_s [interval]",
    "logit r difference [interval]",
    "n",
    "not in it",
)
DIFFERENCE_COLUMNS = (
    "kind",
    "first",
    "second",
    "model",
    "language",
    "protocol",
    "condition",
    "g_s ratio [interval]",
    "p (corrected)",
    "change of logit r difference [interval]",
    "p (corrected)",
    "n",
    "marks",
)
NOT_ORDERED = "not ordered"
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a comparison is shown."""

    sentences: str
    """`all` or `common`."""


def measure_rows(comparison: Comparison, choice: Choice) -> Iterator[Row]:
    """One row for each model, language, protocol and condition."""
    for each in comparison.measures:
        scope = dict(each.scope)
        if scope["sentences"] == choice.sentences:
            yield (
                *(scope[name] for name in ("model", "language", "protocol", "condition")),
                # The marks say why there is no interval.
                describe_figure(each.measures.g_s, why=False),
                describe_figure(each.measures.logit_r_difference, why=False),
                _describe_p(each.poles.p, each.poles.adjusted),
                str(each.measures.g_s.n),
                ", ".join(_marks(each.measures.g_s)),
            )


def average_rows(comparison: Comparison, choice: Choice) -> Iterator[Row]:
    """One row for each average over a set of languages; a set that repeats another is named so."""
    named = {(figure.name, figure.scope): figure for figure in comparison.averages}
    languages = {_set_place(figure): dict(figure.scope)["languages"] for figure in named.values()}
    for (name, scope_of), figure in named.items():
        scope = dict(scope_of)
        if name != "g_s_average" or scope["sentences"] != choice.sentences:
            continue
        own, shared = (languages.get(_set_place(figure, each)) for each in (OWN, SHARED))
        if own == shared and scope["set"] == SHARED:
            continue
        yield (
            scope["model"],
            f"{OWN}, {SHARED}" if own == shared and scope["set"] == OWN else scope["set"],
            *(scope[part] for part in ("languages", "protocol", "condition")),
            describe_figure(figure),
            describe_figure(named["logit_r_difference_average", scope_of]),
            str(figure.n),
            "; ".join(note.removeprefix("gap:") for note in figure.notes),
        )


def difference_rows(comparison: Comparison, choice: Choice) -> Iterator[Row]:
    """One row for each two that are compared in a language or an average."""
    logits = {
        each.difference.value.scope: each
        for each in comparison.differences
        if each.difference.value.name == "logit_r_difference_change"
    }
    for each in comparison.differences:
        scope = dict(each.difference.value.scope)
        if each.difference.value.name != "g_s_ratio" or scope["sentences"] != choice.sentences:
            continue
        other = logits[each.difference.value.scope]
        yield (
            *(scope.get(name, "") for name in ("kind", "first", "second", "model")),
            scope.get("language") or f"{scope['set']}: {scope['languages']}",
            *(scope.get(name, "") for name in ("protocol", "condition")),
            describe_figure(each.difference.value),
            _describe_p(each.difference.p, each.adjusted),
            describe_figure(other.difference.value),
            _describe_p(other.difference.p, other.adjusted),
            str(each.difference.value.n),
            "" if each.difference.is_ordered else NOT_ORDERED,
        )


def threshold_rows(comparison: Comparison) -> Iterator[Row]:
    """One row for each quality threshold."""
    names = ("model", "language", "protocol", "condition", "quality_from")
    for figure in comparison.thresholds:
        if figure.name == "g_s":
            scope = dict(figure.scope)
            yield (*(scope[name] for name in names), describe_figure(figure), str(figure.n))


def csv_rows(figures: Sequence[Figure], *, formula_safe: bool = False) -> Iterator[list[str]]:
    """Every figure as a row of `CSV_COLUMNS`, numbers unrounded.

    Args:
        figures: The figures.
        formula_safe: Whether texts that a spreadsheet would run begin with an apostrophe; numbers
            stay numbers.
    """
    for figure in figures:
        scope, interval = dict(figure.scope), figure.interval
        low, high = (interval.low, interval.high) if interval else (None, None)
        cells: dict[str, str | float | None] = {
            **scope,
            "measure": figure.name,
            "value": figure.value,
            "low": low,
            "high": high,
            "level": None if low is None or interval is None else interval.level,
            "n": figure.n,
            "reason": figure.reason,
            "interval_reason": interval.reason if interval else None,
            "notes": "; ".join(figure.notes),
        }
        yield [_write_cell(cells.get(column), formula_safe) for column in CSV_COLUMNS]


def group_measures(
    comparison: Comparison, choice: Choice
) -> dict[tuple[str, str], list[ComparedMeasures]]:
    """The measures by protocol and condition, in the comparison's order."""
    groups: dict[tuple[str, str], list[ComparedMeasures]] = {}
    for each in comparison.measures:
        scope = dict(each.scope)
        if scope["sentences"] == choice.sentences:
            groups.setdefault((scope["protocol"], scope["condition"]), []).append(each)
    return groups


def _marks(figure: Figure) -> Iterator[str]:
    """What weakens a figure, and why it has no value or no interval."""
    yield from map(words.describe_note, figure.notes)
    if figure.reason is not None:
        yield words.describe_figure_reason(figure.reason)
    if figure.interval is not None and figure.interval.reason is not None:
        yield describe_no_interval(figure.interval)


def _set_place(figure: Figure, name: str | None = None) -> tuple[str, ...]:
    """Whose average a figure is, and over which set; the set is replaced if one is named."""
    scope = dict(figure.scope)
    of_model = (scope[part] for part in ("model", "protocol", "condition", "sentences"))
    return (*of_model, name or scope["set"])


def _write_cell(value: str | float | None, formula_safe: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return make_inert(value) if formula_safe else value
    return repr(value)


def _describe_p(p: Figure, adjusted: Figure) -> str:
    if p.value is None or adjusted.value is None:
        return f"{UNDEFINED} ({words.describe_figure_reason(p.reason)})"
    return f"{p.value:.4f} ({adjusted.value:.4f})"

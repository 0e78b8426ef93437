"""Figures of sectors in numbers: a CSV of all, and a LaTeX table of what is read first."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from app.comparison_latex import escape
from app.output import describe_figure
from app.views.figure_table import build_figure_table
from app.views.scores import select_figures
from app.views.sector_results import ShownSectors
from corpus.figures import Figure

LATEX_MEASURES = (
    ("SB", "sb"),
    ("RB", "rb"),
    ("mean W", "mean_w"),
    ("mean of the gap", "mean_absolute_gap"),
    ("rank corr.", "rank_correlation"),
    ("GGGI", "global_gender_gap_index"),
)
SCOPE_COLUMNS = ("model", "language", "context", "lengths", "variant", "sector")


def build_sector_table(shown: ShownSectors) -> pd.DataFrame:
    """All figures of the results shown, unrounded, with country, year, status and signature."""
    tables = []
    for result in shown.results:
        signed = shown.figures_of(result)
        figures = [figure for figure, _ in signed]
        table = build_figure_table(figures, SCOPE_COLUMNS, [mark for _, mark in signed])
        scopes = [dict(figure.scope) for figure in figures]
        for place, name in enumerate(SCOPE_COLUMNS):
            table.insert(place, name, [scope.get(name, "") for scope in scopes])
        codes = [scope["language"] for scope in scopes]
        for name, found in (
            ("country", [result.manifest["countries"][code] for code in codes]),
            ("workforce_year", [result.manifest["workforce_table"]["year"]] * len(codes)),
            ("status", [result.manifest["status"][code] for code in codes]),
            ("demonstration", [result.demonstration] * len(codes)),
        ):
            table[name] = found
        tables.append(table.drop(columns="about"))
    return pd.concat(tables, ignore_index=True)


def build_sector_latex(shown: ShownSectors, variant: str, statements: Sequence[str]) -> str:
    """A table with booktabs: a row for each model and language, statements in the caption."""
    head = ("model", "language", *(title for title, _ in LATEX_MEASURES), "n")
    lines = [
        r"% Needs \usepackage{booktabs}, \usepackage{graphicx}, \usepackage{textcomp} and",
        r"% \usepackage[T1]{fontenc}.",
        r"\begin{table}",
        r"\small",
        r"\resizebox{\textwidth}{!}{%",
        rf"\begin{{tabular}}{{ll{'r' * (len(head) - 2)}}}",
        r"\toprule",
        " & ".join(map(escape, head)) + r" \\",
        r"\midrule",
        *(" & ".join(map(escape, row)) + r" \\" for row in build_rows(shown, variant)),
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{escape(' '.join(statements))}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def build_rows(shown: ShownSectors, variant: str) -> tuple[tuple[str, ...], ...]:
    """Model, language, the measures with their intervals, and n."""
    rows = []
    for result, model in zip(shown.results, shown.models, strict=True):
        figures = [figure for figure, _ in shown.figures_of(result)]
        for code in shown.languages:
            own = select_figures(figures, "sb", {"language": code, "variant": variant})
            if not own:
                continue
            cells = [_cell(figures, name, code, variant) for _, name in LATEX_MEASURES]
            rows.append((model.label, code, *cells, str(own[0].n)))
    return tuple(rows)


def _cell(figures: Sequence[Figure], name: str, code: str, variant: str) -> str:
    found = select_figures(figures, name, {"language": code})
    of_variant = [f for f in found if dict(f.scope).get("variant", variant) == variant]
    return describe_figure(of_variant[0]) if of_variant else "–"

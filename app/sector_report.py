"""Sector results in one HTML file: figures, numbers, what made them and what they do not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.html_documents import (
    build_document,
    show_figure,
    show_signatures,
    show_table,
    show_text,
    show_value,
)
from app.score_figures import ScoreFigure
from app.sector_tables import LATEX_MEASURES, build_rows
from app.views import words
from app.views.score_statements import DEMONSTRATION
from app.views.sector_names import describe_result
from app.views.sector_results import (
    ShownSectors,
    describe_country,
    describe_half_precision,
    describe_status,
)
from corpus.figures import Figure
from scoring.sector_scores import NOT_MEASURED

MADE_OF = ("model", "revision", "dtype", "reading", "version", "key")


def build_sector_report(
    shown: ShownSectors, figures: Sequence[ScoreFigure], variant: str = "equal"
) -> str:
    """The report on the results shown, with figures from `build_sector_figures` of the same."""
    return build_document(
        "Sectors: associations and the workforce", _parts(shown, figures, variant)
    )


def _parts(shown: ShownSectors, figures: Sequence[ScoreFigure], variant: str) -> Iterator[str]:
    if shown.demonstration:
        yield f'<p class="mark">{show_text(DEMONSTRATION)}</p>'
    yield "<h2>What this does not say</h2>"
    yield f"<p>{show_text(NOT_MEASURED)}</p>"
    halves = [
        describe_half_precision(result.manifest, code)
        for result in shown.results
        for code in shown.languages
        if code in result.manifest["languages"]
    ]
    yield from (f"<p>{show_text(told)}</p>" for told in halves if told)
    yield "<h2>Sentences: who saw them</h2>"
    rows = [
        (describe_country(result, code), describe_status(result, code))
        for result in shown.results
        for code in result.manifest["languages"]
        if code in shown.languages
    ]
    yield from show_table(("language and country", "status"), list(dict.fromkeys(rows)))
    yield "<h2>Models</h2>"
    columns = ("model", "language", *(title for title, _ in LATEX_MEASURES), "n")
    yield from show_table(columns, build_rows(shown, variant))
    yield "<h2>Figures</h2>"
    for figure in figures:
        yield from show_figure(figure, _numbers(figure.figures))
    yield "<h2>What made these numbers</h2>"
    for result in shown.results:
        yield f"<h3>{show_text(describe_result(result))}</h3>"
        made_of = [(name, str(result.manifest.get(name, ""))) for name in MADE_OF]
        yield from show_table(("what", "value"), made_of)
        yield from show_signatures([mark for _, mark in shown.figures_of(result)])


def _numbers(figures: Sequence[Figure]) -> Iterator[str]:
    rows = []
    for each in figures:
        scope = dict(each.scope)
        about = ", ".join(scope[name] for name in ("variant", "sector", "gender") if name in scope)
        language = words.describe_language(scope.get("language", ""))
        rows.append((each.name, scope.get("model", ""), language, about, *show_value(each)))
    columns = ("figure", "model", "language", "about", "value [interval]", "n", "notes")
    yield from show_table(columns, rows)

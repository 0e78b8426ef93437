"""A report on results as one HTML file: figures, numbers, what made them and what they don't say.

The file asks for nothing: pictures are in it, there is no script and no address, and its own policy
forbids to load anything. Every text is written as text.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

from app.output import describe_figure, literal
from app.score_figures import ScoreFigure
from app.score_files import render
from app.views import words
from app.views.score_models import Kind, ShownModel, ShownResults, label_of
from app.views.score_points import describe_size
from app.views.score_statements import DEMONSTRATION, NOT_MEASURED, describe_seen
from app.views.scores import Result
from corpus.figures import Figure
from corpus.version import PRODUCT

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { border: 1px solid #888; padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
td.number { text-align: right; white-space: nowrap; }
figure { margin: 1rem 0 2rem; }
figure img { max-width: 100%; height: auto; background: #ffffff; }
.mark { border: 2px solid #d55e00; padding: 0.5rem 1rem; font-weight: bold; }
.wide { overflow-x: auto; }
code { overflow-wrap: anywhere; }
@media print { details { display: block; } figure { break-inside: avoid; } }
"""
MADE_OF = ("model", "revision", "dtype", "bos_policy", "likelihood", "release", "release_sha256")


def build_report(shown: ShownResults, figures: Sequence[ScoreFigure]) -> str:
    """The report on the results shown.

    Args:
        shown: Results with protocol, condition and languages.
        figures: From `build_figures` of the same.
    """
    title = f"Scores on release {shown.release}, protocol {shown.protocol}"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{_text(title)}</h1>",
        *_marks(shown),
        *_limits(),
        "<h2>Models</h2>",
        *_models(shown),
        "<h2>Languages: who saw the data</h2>",
        *_languages(shown),
        "<h2>Figures</h2>",
        *(line for each in figures for line in _figure(each)),
        "<h2>What made these numbers</h2>",
        *(line for each in shown.results for line in _made_of(each, shown)),
        f"<p>Written by {_text(PRODUCT)}.</p>",
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _marks(shown: ShownResults) -> Iterable[str]:
    if shown.demonstration:
        yield f'<p class="mark">{_text(DEMONSTRATION)}</p>'
    if shown.unvalidated:
        named = ", ".join(map(words.describe_language, shown.unvalidated))
        yield f'<p class="mark">NOT VALIDATED, nobody approved: {_text(named)}.</p>'


def _limits() -> Iterable[str]:
    yield "<h2>What this does not say</h2>"
    yield f"<p>{_text(NOT_MEASURED)}</p>"
    yield (
        "<p>Lines of reference: the default rate for q_i, 0 for the inclination, 1 for g_s. No "
        "value is better for being higher.</p>"
    )


def _models(shown: ShownResults) -> Iterable[str]:
    rows = [
        (
            model.label,
            describe_size(model.size) if model.size else "not stated",
            str(model.kind) if model.kind is not Kind.NOT_STATED else "not stated",
            label_of(model.base) if model.base else "",
            _supported(model, shown),
        )
        for model in shown.models
    ]
    yield from _table(("model", "parameters", "kind", "made of", "supported languages"), rows)


def _supported(model: ShownModel, shown: ShownResults) -> str:
    if model.supported is None:
        return "not stated"
    named = [code for code in shown.languages if code in model.supported]
    others = [code for code in shown.languages if code not in model.supported]
    return f"{', '.join(named) or 'none'}; not supported: {', '.join(others) or 'none'}"


def _languages(shown: ShownResults) -> Iterable[str]:
    yield f"<p>{_text(describe_seen(shown))}</p>"
    told = {
        code: str(eyes)
        for each in shown.results
        for code, eyes in (each.manifest.get("human_eyes") or {}).items()
    }
    rows = [
        (
            words.describe_language(code),
            told.get(code, "source sentences, or not stated"),
            "NOT VALIDATED" if code in shown.unvalidated else "",
        )
        for code in shown.languages
    ]
    columns = ("language", "rows seen by a human, and the label error left", "approval")
    yield from _table(columns, rows)
    if shown.gaps:
        yield "<p>Not scored:</p>"
        gaps = [(label, words.describe_language(code), why) for label, code, why in shown.gaps]
        yield from _table(("model", "language", "why"), gaps)


def _figure(figure: ScoreFigure) -> Iterable[str]:
    yield f"<h3>{_text(figure.title)}</h3>"
    if figure.chart is not None:
        picture = b64encode(render(figure, "svg")).decode("ascii")
        yield "<figure>"
        yield f'<img src="data:image/svg+xml;base64,{picture}" alt="{_text(figure.alt)}">'
        yield f"<figcaption>{' '.join(map(_text, figure.statements))}</figcaption>"
        yield "</figure>"
    else:
        yield f"<p>No value is defined. {' '.join(map(_text, figure.statements))}</p>"
    yield f"<details><summary>The {len(figure.figures)} numbers</summary>"
    yield from _numbers(figure.figures)
    yield "</details>"


def _numbers(figures: Sequence[Figure]) -> Iterable[str]:
    rows = []
    for each in figures:
        scope = dict(each.scope)
        stereotype = scope.get("stereotype", "")
        rows.append(
            (
                each.name,
                scope.get("model", ""),
                words.describe_language(scope.get("language", "")),
                words.describe_stereotype(int(stereotype)) if stereotype.isdigit() else "",
                describe_figure(each),
                str(each.n),
                "; ".join(
                    filter(
                        None,
                        (
                            words.describe_figure_reason(each.reason),
                            *map(words.describe_note, each.notes),
                        ),
                    )
                ),
            )
        )
    columns = ("figure", "model", "language", "stereotype", "value [interval]", "n", "notes")
    yield from _table(columns, rows)


def _made_of(result: Result, shown: ShownResults) -> Iterable[str]:
    yield f"<h3>{_text(result.title)}</h3>"
    rows = [(name, str(result.manifest[name])) for name in MADE_OF if result.manifest.get(name)]
    yield from _table(("what", "value"), rows)
    marks = dict.fromkeys(
        signature
        for figure, signature in zip(result.figures, result.signatures, strict=True)
        if signature and _is_shown(figure, shown)
    )
    yield f"<details><summary>{len(marks)} signatures</summary><ul>"
    yield from (f"<li><code>{_text(mark)}</code></li>" for mark in marks)
    yield "</ul></details>"


def _is_shown(figure: Figure, shown: ShownResults) -> bool:
    scope = dict(figure.scope)
    return scope.get("protocol") == shown.protocol and scope.get("language") in shown.languages


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{_text(column)}</th>' for column in columns)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


def _text(value: str) -> str:
    """The text as HTML that shows it literally."""
    return escape(literal(value), quote=True)

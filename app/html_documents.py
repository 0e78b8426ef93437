"""HTML files that ask for nothing: pictures are in them, no script, no address, texts as text.

A file's own policy forbids to load anything.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from app.figure_archive import build_archive
from app.output import UNDEFINED, describe_figure, literal
from app.score_figures import ScoreFigure
from app.score_files import render
from app.views import words
from corpus.figures import Figure
from corpus.version import PRODUCT

LISTED = 1000
"""Of more numbers than these a figure has a file in the page: nobody reads them all, and a page
of ten thousand rows opens slowly."""
LONG_TOKEN = re.compile(r"(?:&#?\w+;|[^\s&]){24}(?=\S)")
"""In HTML: so many characters as no ordinary word has, without a space, and more to come."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { border: 1px solid #888; padding: 0.2rem 0.5rem; text-align: left; vertical-align: top; }
figure { margin: 1rem 0 2rem; }
figure img { display: block; background: #ffffff; }
.mark { border: 2px solid #d55e00; padding: 0.5rem 1rem; font-weight: bold; }
.wide { overflow-x: auto; }
code { overflow-wrap: anywhere; }
@media print {
  details { display: block; }
  figure { break-inside: avoid; }
  figure img { max-width: 100%; height: auto; }
}
"""


def build_document(title: str, parts: Iterable[str]) -> str:
    """The file's text: a title and the parts below it."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{show_text(title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        f"<h1>{show_text(title)}</h1>",
        *parts,
        f"<p>Written by {show_text(PRODUCT)}.</p>",
        "</body>",
        "</html>",
    ]
    return "\n".join(lines) + "\n"


def show_figure(figure: ScoreFigure, numbers: Iterable[str]) -> Iterator[str]:
    """A figure with its statements, and its numbers folded below it, or as a file if many.

    A picture wider than the page is not made smaller, so that its texts stay legible: it is moved
    in its frame, by keys, too.
    """
    yield f"<h3>{show_text(figure.title)}</h3>"
    if figure.chart is not None:
        picture = b64encode(render(figure, "svg")).decode("ascii")
        title = show_text(figure.title)
        yield "<figure>"
        yield f'<div class="wide" role="region" tabindex="0" aria-label="{title}">'
        yield f'<img src="data:image/svg+xml;base64,{picture}" alt="{show_text(figure.alt)}">'
        yield "</div>"
        yield f"<figcaption>{' '.join(map(show_text, figure.statements))}</figcaption>"
        yield "</figure>"
    else:
        yield f"<p>No value is defined. {' '.join(map(show_text, figure.statements))}</p>"
    if len(figure.figures) > LISTED:
        packed = b64encode(build_archive(figure.name, figure.figures)).decode("ascii")
        address = f"data:application/zip;base64,{packed}"
        told = f"The {len(figure.figures)} numbers, as a CSV in a ZIP file that is in this page"
        yield f'<p><a download="{show_text(figure.name)}.zip" href="{address}">{told}</a></p>'
        return
    yield f"<details><summary>The {len(figure.figures)} numbers</summary>"
    yield from numbers
    yield "</details>"


def show_signatures(marks: Sequence[str]) -> Iterator[str]:
    """What made the numbers, folded, each signature once."""
    marks = list(dict.fromkeys(marks))
    named = "1 signature" if len(marks) == 1 else f"{len(marks)} signatures"
    yield f"<details><summary>{named}</summary><ul>"
    yield from (f"<li><code>{show_text(mark)}</code></li>" for mark in marks)
    yield "</ul></details>"


def describe_remarks(figure: Figure) -> str:
    """Why the figure is undefined, and its marks."""
    told = (
        words.describe_figure_reason(figure.reason),
        *map(words.describe_note, figure.notes),
    )
    return "; ".join(filter(None, told))


def show_value(figure: Figure) -> tuple[str, str, str]:
    """Value with interval, n, and remarks: the cells of a figure."""
    value = UNDEFINED if figure.value is None else describe_figure(figure)
    return value, str(figure.n), describe_remarks(figure)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table whose cells are shown literally."""
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f'<th scope="col">{show_text(column)}</th>' for column in columns)
    yield "</tr></thead><tbody>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{_show_cell(cell)}</td>" for cell in row) + "</tr>"
    yield "</tbody></table></div>"


def _show_cell(value: str) -> str:
    """The text, in which words stay whole and longer tokens may break.

    A style that lets lines end anywhere would make a narrow column break words as well.
    """
    return LONG_TOKEN.sub(r"\g<0><wbr>", show_text(value))


def show_text(value: str) -> str:
    """The text as HTML that shows it literally."""
    return escape(literal(value), quote=True)

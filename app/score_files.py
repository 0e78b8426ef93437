"""Figures of scores as files: PNG, SVG and PDF with all that must be read with them in the picture.

The pictures are drawn black on white, for print and for pages of any colour, without a network.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from textwrap import wrap

import vl_convert

from app.charts import Chart
from app.score_figures import ScoreFigure
from corpus.drafts import replacing

LINE_LENGTH = 110
"""Characters in a line below the title."""
PNG_SCALE = 2.0
MOST_PIXELS = 40e6
SIZE = re.compile(r'<svg\b[^>]*? width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)"')
INK = "#202020"


def build_specification(figure: ScoreFigure) -> Chart:
    """The figure's chart with its title and its statements in the picture.

    Raises:
        ValueError: if the figure has no chart.
    """
    if figure.chart is None:
        raise ValueError(f"figure {figure.name} has nothing to draw")
    lines = [line for each in figure.statements for line in wrap(each, LINE_LENGTH)]
    title = {
        "text": figure.title,
        "subtitle": lines,
        "anchor": "start",
        "fontSize": 16,
        "subtitleFontSize": 11,
        "subtitlePadding": 6,
        "offset": 14,
    }
    config = {
        "background": "white",
        # Room for labels that a wider font draws beyond the measured edge.
        "padding": 14,
        # A picture is described as a whole; a text for each mark would be most of a file.
        "aria": False,
        "title": {"color": INK, "subtitleColor": INK},
        "axis": {"labelColor": INK, "titleColor": INK},
        # Widths are measured with another font than a browser may have: entries stay apart.
        "legend": {"labelColor": INK, "titleColor": INK, "columnPadding": 32},
        "header": {"labelColor": INK},
    }
    return {**figure.chart, "title": title, "config": config, "description": figure.alt}


def render(figure: ScoreFigure, format_name: str) -> bytes:
    """The bytes of the figure's file.

    Raises:
        KeyError: if the format is none of `FORMATS`.
    """
    write = _WRITERS[format_name]
    return write(_draw(json.dumps(build_specification(figure))))


def write_figures(
    figures: Sequence[ScoreFigure],
    folder: Path,
    formats: Sequence[str],
    advance: Callable[[], None] = lambda: None,
) -> tuple[Path, ...]:
    """The files of the figures that have something to draw, `<folder>/<name>.<format>`.

    `advance` is called after each of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in figures:
        if figure.chart is None:
            continue
        for format_name in formats:
            path = folder / f"{figure.name}.{format_name}"
            content = render(figure, format_name)
            with replacing(path) as stream:
                stream.write(content)
            written.append(path)
            advance()
    return tuple(written)


@lru_cache(maxsize=1)
def _draw(specification: str) -> str:
    """The picture as SVG; kept for the next format of the same figure, as drawing it takes long."""
    return str(vl_convert.vegalite_to_svg(specification, allowed_base_urls=[]))


def _write_png(picture: str) -> bytes:
    return bytes(vl_convert.svg_to_png(picture, scale=find_png_scale(picture)))


def _write_svg(picture: str) -> bytes:
    return picture.encode("utf-8")


def _write_pdf(picture: str) -> bytes:
    return bytes(vl_convert.svg_to_pdf(picture))


def find_png_scale(picture: str) -> float:
    """Pixels for each unit of the picture: fewer where it is so large that few programs open it."""
    size = SIZE.search(picture)
    if size is None:
        return PNG_SCALE
    units = float(size["width"]) * float(size["height"])
    return min(PNG_SCALE, math.sqrt(MOST_PIXELS / units)) if units else PNG_SCALE


_WRITERS: Mapping[str, Callable[[str], bytes]] = {
    "png": _write_png,
    "svg": _write_svg,
    "pdf": _write_pdf,
}

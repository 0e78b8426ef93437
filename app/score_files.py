"""Figures of scores as files: PNG, SVG and PDF with all that must be read with them in the picture.

The pictures are drawn black on white, for print and for pages of any colour, without a network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap

import vl_convert

from app.charts import Chart
from app.score_figures import ScoreFigure
from corpus.drafts import replacing

FORMATS = ("png", "svg", "pdf")
LINE_LENGTH = 110
"""Characters in a line below the title."""
PNG_SCALE = 2.0
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
        "title": {"color": INK, "subtitleColor": INK},
        "axis": {"labelColor": INK, "titleColor": INK},
        "legend": {"labelColor": INK, "titleColor": INK},
        "header": {"labelColor": INK},
    }
    return {**figure.chart, "title": title, "config": config, "description": figure.alt}


def render(figure: ScoreFigure, format_name: str) -> bytes:
    """The bytes of the figure's file.

    Raises:
        KeyError: if the format is none of `FORMATS`.
    """
    return _RENDERERS[format_name](json.dumps(build_specification(figure)))


def write_figures(
    figures: Sequence[ScoreFigure], folder: Path, formats: Sequence[str]
) -> tuple[Path, ...]:
    """The files of the figures that have something to draw, `<folder>/<name>.<format>`."""
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
    return tuple(written)


def _render_png(specification: str) -> bytes:
    return vl_convert.vegalite_to_png(specification, scale=PNG_SCALE, allowed_base_urls=[])


def _render_svg(specification: str) -> bytes:
    return vl_convert.vegalite_to_svg(specification, allowed_base_urls=[]).encode("utf-8")


def _render_pdf(specification: str) -> bytes:
    return vl_convert.vegalite_to_pdf(specification, allowed_base_urls=[])


_RENDERERS: Mapping[str, Callable[[str], bytes]] = {
    "png": _render_png,
    "svg": _render_svg,
    "pdf": _render_pdf,
}

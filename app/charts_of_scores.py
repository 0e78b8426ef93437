"""Charts of scores: the study's figures, each with its line of reference and its intervals.

Colours are those of Okabe and Ito, which stay apart for colour-blind readers, with a blue that is
seen on a dark page, too; shape, place or a number says the same as the colour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import altair as alt
import pandas as pd

from app.charts import LINE, Drawing, kept
from app.views.score_points import Points, ScorePoint, average_marks

COLOURS = ("#3b82c4", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")
CELL, ROW, PLACE, COLUMN = 22, 20, 10, 14
WIDE_ROW = 32
PANEL_WIDTH, SMALL_PANEL_WIDTH, SMALL_PANEL_HEIGHT = 300, 190, 130
LABEL_WIDTH, LEGEND_WIDTH = 240, 400
FEW_MARKS = 8
FEW_WIDE_PANELS = 8
"""Maps of ranks that stand in no more columns than asked for: a third one leaves a usual screen."""


@kept
def rank_chart(points: Points, columns: int) -> Drawing:
    """Ranks in the cells of a map, a row for each language; a panel for each model.

    Args:
        points: Ranks, with the language as mark and the stereotype as series.
        columns: Panels side by side.
    """
    # A facet would give each panel the rows of all; concatenated ones have their own.
    panels = [_rank_panel(points, panel) for panel in points.panels]
    few = len(panels) <= FEW_WIDE_PANELS
    side_by_side = min(columns, len(panels)) if few else _find_columns(columns, len(panels))
    return alt.concat(*panels, columns=side_by_side)


def _rank_panel(points: Points, panel: str) -> alt.LayerChart:
    places = len(points.series)
    table = _table([each for each in points.points if each.panel == panel])
    slanted = alt.Axis(labelAngle=-50, labelLimit=LABEL_WIDTH, labelFlush=False, labelOverlap=False)
    base = alt.Chart(table).encode(
        x=alt.X("series:N", sort=list(points.series), title=None, axis=slanted),
        y=alt.Y("mark:N", sort=list(points.marks), title=None, axis=_labels()),
        tooltip=_tooltip("rank", "stereotype", "language", ".0f"),
    )
    scale = alt.Scale(scheme="blueorange", domain=[1, places], reverse=True)
    legend = alt.Legend(
        title=f"rank: 1 most masculine, {places} least", orient="top", titleLimit=LEGEND_WIDTH
    )
    squares = base.mark_rect(stroke="#ffffff").encode(
        color=alt.Color("value:Q", scale=scale, legend=legend)
    )
    pale = f"datum.value > {places / 5} && datum.value <= {places - places / 5}"
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text("value:Q", format=".0f"),
        color=alt.condition(pale, alt.value("#000000"), alt.value("#ffffff")),
    )
    title = alt.TitleParams(text=panel, anchor="start", fontSize=12)
    return alt.LayerChart(
        layer=[squares, numbers], title=title, width=alt.Step(CELL), height=alt.Step(ROW)
    )


@kept
def interval_panels(
    points: Points, value_title: str, mark_title: str, series_title: str, line: float, columns: int
) -> Drawing:
    """Values with their intervals down a list of marks, a panel for each part; a dashed line.

    Languages that share a mark stand below one another as long as there are few.
    """
    scale = alt.Scale(zero=False, nice=True)
    base = alt.Chart().encode(
        y=alt.Y("mark:N", sort=list(points.marks), title=mark_title, axis=_labels()),
        tooltip=_tooltip(value_title, series_title, mark_title),
    )
    beside = 1
    places = {(point.panel, point.mark) for point in points.points}
    if len(places) < len(points.points) and points.draws_intervals and not points.has_means:
        languages = list(points.languages)
        base = base.encode(yOffset=alt.YOffset("language:N", sort=languages))
        beside = len(languages)
    value = alt.X("value:Q", title=value_title, scale=scale)
    rules = base.encode(x=alt.X("low:Q", title=value_title, scale=scale), x2="high:Q")
    layers = [
        _line().encode(x=alt.datum(line)),
        *_marks(points, rules, base.encode(x=value), series_title),
    ]
    height = max(ROW, PLACE * beside) * len(points.marks)
    return _by_panel(layers, points, columns, width=PANEL_WIDTH, height=height, across=True)


@kept
def inclination_panels(points: Points, columns: int) -> Drawing:
    """Inclination over models from small to large, a panel for each stereotype; a line at 0."""
    scale = alt.Scale(zero=True, nice=True)
    base = alt.Chart().encode(
        x=alt.X(
            "mark:N",
            sort=list(points.marks),
            title=None,
            axis=_slanted(len(points.marks)),
        ),
        xOffset=alt.XOffset("series:N", sort=list(points.series)),
        tooltip=_tooltip("inclination", "kind", "model"),
    )
    value = alt.Y("value:Q", title="inclination", scale=scale)
    rules = base.encode(y=alt.Y("low:Q", title="inclination", scale=scale), y2="high:Q")
    layers = [
        _line().encode(y=alt.datum(0)),
        *_marks(points, rules, base.encode(y=value), "kind"),
    ]
    width = max(SMALL_PANEL_WIDTH, COLUMN * len(points.marks))
    return _by_panel(layers, points, columns, width=width, height=SMALL_PANEL_HEIGHT, across=False)


@kept
def pole_panels(points: Points, columns: int) -> Drawing:
    """q_i of each stereotype by pole, their plain mean, and each language's default rate.

    Where they are many, the means alone.
    """
    drawn = points.draws_parts
    points = points if drawn else average_marks(points)
    row = WIDE_ROW if drawn else ROW
    scale = alt.Scale(zero=False, nice=True)
    title, series_title = "q_i", "stereotypes"
    base = alt.Chart().encode(
        y=alt.Y("mark:N", sort=list(points.marks), title=None, axis=_labels()),
        yOffset=alt.YOffset("series:N", sort=list(points.series)),
    )
    value = alt.X("value:Q", title=title, scale=scale)
    small = base.mark_point(filled=False, size=22, opacity=0.7).encode(
        x=value,
        color=_colour(points, series_title),
        shape=_shape(points, series_title),
        tooltip=_tooltip(title, series_title, "language"),
    )
    mean = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("mean(value):Q", title=title, scale=scale),
        color=_colour(points, series_title),
        shape=_shape(points, series_title),
        tooltip=["mark:N", "series:N", alt.Tooltip("mean(value):Q", format=".3f")],
    )
    rate = (
        alt.Chart()
        .mark_tick(thickness=3, color=LINE, opacity=1, size=row - 6)
        .encode(
            y=alt.Y("mark:N", sort=list(points.marks), title=None, axis=_labels()),
            x=alt.X("mean(reference):Q", title=title, scale=scale),
            tooltip=["mark:N", alt.Tooltip("mean(reference):Q", title="default rate")],
        )
    )
    # Some protocols have no default rate.
    has_rate = any(each.reference is not None for each in points.points)
    layers = [*([rate] if has_rate else ()), *([small] if drawn else ()), mean]
    height = row * len(points.marks)
    return _by_panel(layers, points, columns, width=PANEL_WIDTH, height=height, across=True)


def _marks(points: Points, rules: alt.Chart, marks: alt.Chart, title: str) -> list[alt.Chart]:
    """Values with their intervals; where there are means, these alone have them and are large."""
    look = {"color": _colour(points, title), "shape": _shape(points, title)}
    layers: list[alt.Chart] = []
    if points.has_means:
        is_mean = alt.datum.is_mean
        small = marks.transform_filter(~is_mean).mark_point(filled=False, size=20, opacity=0.6)
        layers.append(small.encode(**look))
        rules, marks = rules.transform_filter(is_mean), marks.transform_filter(is_mean)
    if points.draws_intervals:
        layers.append(rules.mark_rule(strokeWidth=1.5).encode(color=look["color"]))
    size = 90 if points.has_means else 50
    layers.append(marks.mark_point(filled=True, size=size, opacity=1).encode(**look))
    return layers


def _table(points: Sequence[ScorePoint]) -> pd.DataFrame:
    return pd.DataFrame([asdict(each) for each in points])


def _by_panel(
    layers: Sequence[alt.Chart],
    points: Points,
    columns: int,
    width: int,
    height: int,
    *,
    across: bool,
) -> alt.FacetChart:
    """The layers once a panel; `across` says that values lie along x."""
    header = alt.Header(labelLimit=LEGEND_WIDTH, labelFontSize=12, labelAnchor="start")
    panels = alt.Facet("panel:N", sort=list(points.panels), title=None, header=header)
    table = _table(points.points)
    chart = alt.LayerChart(layer=list(layers), data=table, width=width, height=height)
    side_by_side = _find_columns(columns, len(points.panels))
    drawn: alt.FacetChart = chart.facet(panels, columns=side_by_side)
    # Otherwise only the lowest panels have numbers at their axes, whose rows may be many.
    return drawn.resolve_axis(x="independent") if across else drawn


def _find_columns(columns: int, panels: int) -> int:
    """Panels side by side: one where there is room for one, else as many as make a square."""
    if columns == 1:
        return 1
    return max(1, min(panels, max(columns, math.ceil(math.sqrt(panels)))))


def _line() -> alt.Chart:
    drawn: alt.Chart = alt.Chart().mark_rule(strokeDash=[6, 4], color=LINE)
    return drawn


def _slanted(marks: int) -> alt.Axis:
    """An axis below a panel, upright where slanted names of many marks would cover each other."""
    angle = -40 if marks <= FEW_MARKS else -90
    return alt.Axis(labelAngle=angle, labelLimit=LABEL_WIDTH, labelOverlap=False)


def _labels() -> alt.Axis:
    # Without `maxExtent` the axis's title is drawn over labels longer than 200 pixels.
    return alt.Axis(labelLimit=LABEL_WIDTH, labelFlush=False, maxExtent=2 * LABEL_WIDTH)


def _colour(points: Points, title: str) -> alt.Color:
    return alt.Color("series:N", scale=_scale(points.series, COLOURS), legend=_legend(title))


def _shape(points: Points, title: str) -> alt.Shape:
    return alt.Shape("series:N", scale=_scale(points.series, SHAPES), legend=_legend(title))


def _scale(series: Sequence[str], values: Sequence[str]) -> alt.Scale:
    chosen = [values[place % len(values)] for place in range(len(series))]
    return alt.Scale(domain=list(series), range=chosen)


def _legend(title: str) -> alt.Legend:
    return alt.Legend(title=title, orient="top", titleLimit=LEGEND_WIDTH, labelLimit=LEGEND_WIDTH)


def _tooltip(value: str, series: str, mark: str, digits: str = ".3f") -> list[Any]:
    return [
        alt.Tooltip("panel:N", title=" "),
        alt.Tooltip("mark:N", title=mark),
        alt.Tooltip("series:N", title=series),
        alt.Tooltip("language:N", title="language code"),
        alt.Tooltip("value:Q", title=value, format=digits),
        alt.Tooltip("low:Q", title="low", format=digits),
        alt.Tooltip("high:Q", title="high", format=digits),
        alt.Tooltip("n:Q", title="n"),
    ]

"""Charts of prompt tests: radars as the study has them, and beside them what can be read off.

A radar shows no interval and its area means nothing: it depends on the order of the concerns. So
the same rates are drawn as marks with intervals, too. Colours are those of the charts of scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import cos, pi, sin
from typing import Any

import altair as alt
import pandas as pd

from app.charts import LABEL_WIDTH, LINE, Drawing, kept
from app.charts_of_scores import COLOURS, SHAPES
from app.views.prompt_points import CorrelationPoint, CountPoint, RatePoint, RatePoints
from scoring.oracles import Outcome

LEGEND_WIDTH = 400
PANEL_WIDTH, ROW, BAR_ROW = 300, 13, 22
RADAR_SIZE, RADAR_REACH = 340, 1.75
RINGS = (0.25, 0.5, 0.75, 1.0)
CELL = 74
OUTCOME_COLOURS = {
    Outcome.PASSED: "#009E73",
    Outcome.FAILED: "#D55E00",
    Outcome.REFUSED: "#CC79A7",
    Outcome.UNREADABLE: "#E69F00",
    Outcome.ERROR: "#56B4E9",
    Outcome.PARTIAL: "#999999",
}


@kept
def radar_chart(points: RatePoints, columns: int) -> Drawing:
    """Rate `langbite` by concern (spoke) and language (line); a panel for each model."""
    panels = [_radar(points, panel) for panel in points.panels]
    return alt.concat(*panels, columns=max(1, min(columns, len(panels))))


def _radar(points: RatePoints, panel: str) -> alt.LayerChart:
    here = [point for point in points.points if point.panel == panel]
    spokes = list(points.marks)
    scale = alt.Scale(domain=[-RADAR_REACH, RADAR_REACH])
    x, y = alt.X("x:Q", scale=scale, axis=None), alt.Y("y:Q", scale=scale, axis=None)
    rings = pd.DataFrame([each for ring in RINGS for each in _ring(ring, len(spokes))])
    ends = pd.DataFrame([each for place in range(len(spokes)) for each in _spoke(spokes, place)])
    names = pd.DataFrame(
        [
            {"name": name, **_place(1.2, place, len(spokes)), "side": _side(place, len(spokes))}
            for place, name in enumerate(spokes)
        ]
    )
    colour = alt.Color("series:N", scale=_scale(points.series, COLOURS), legend=_legend("language"))
    shape = alt.Shape("series:N", scale=_scale(points.series, SHAPES), legend=_legend("language"))
    layers = [
        alt.Chart(rings)
        .mark_line(color=LINE, strokeWidth=0.6)
        .encode(x=x, y=y, order="order:Q", detail="ring:N"),
        alt.Chart(ends).mark_line(color=LINE, strokeWidth=0.6).encode(x=x, y=y, detail="name:N"),
        alt.Chart(pd.DataFrame([{"x": 0.02, "y": ring, "at": ring} for ring in RINGS]))
        .mark_text(fontSize=9, align="left", dy=-4)
        .encode(x=x, y=y, text=alt.Text("at:Q", format=".0%")),
    ]
    for side in ("left", "center", "right"):
        part = names[names["side"] == side]
        if len(part):
            layers.append(
                alt.Chart(part)
                .mark_text(fontSize=11, align=side, limit=LABEL_WIDTH)
                .encode(x=x, y=y, text="name:N")
            )
    lines = pd.DataFrame(list(_lines(here, spokes)))
    if len(lines):
        layers.append(
            alt.Chart(lines)
            .mark_line(strokeWidth=2)
            .encode(x=x, y=y, order="order:Q", detail="part:N", color=colour)
        )
        tooltip = ["series:N", "mark:N", *_numbers()]
        layers.append(
            alt.Chart(lines[lines["own"]])
            .mark_point(filled=True, size=45, opacity=1)
            .encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
        )
    title = alt.TitleParams(text=panel, anchor="start", fontSize=12)
    frame = alt.ViewBackground(stroke=None)
    return alt.LayerChart(
        layer=layers, title=title, width=RADAR_SIZE, height=RADAR_SIZE, view=frame
    )


def _place(radius: float, place: int, of: int) -> dict[str, float]:
    angle = pi / 2 - 2 * pi * place / of
    return {"x": radius * cos(angle), "y": radius * sin(angle)}


def _side(place: int, of: int) -> str:
    x = _place(1.0, place, of)["x"]
    return "center" if abs(x) < 0.1 else "left" if x > 0 else "right"


def _ring(ring: float, of: int) -> Iterator[dict[str, Any]]:
    for order in range(of + 1):
        yield {"ring": ring, "order": order, **_place(ring, order, of)}


def _spoke(spokes: Sequence[str], place: int) -> Iterator[dict[str, Any]]:
    for radius in (0.0, 1.0):
        yield {"name": spokes[place], **_place(radius, place, len(spokes))}


def _lines(points: Sequence[RatePoint], spokes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Points of each language's line around the radar; a concern without a rate breaks it."""
    for series in dict.fromkeys(point.series for point in points):
        known = {point.mark: point for point in points if point.series == series}
        part = 0
        for order in range(len(spokes) + 1):
            point = known.get(spokes[order % len(spokes)])
            if point is None or point.value is None:
                part += 1
                continue
            yield {
                **asdict(point),
                **_place(point.value, order, len(spokes)),
                "order": order,
                "part": f"{series} {part}",
                "own": order < len(spokes),
            }


@kept
def rate_panels(points: RatePoints, mark_title: str, series_title: str, columns: int) -> Drawing:
    """Both rates down a list of marks, languages below one another; a panel for each part."""
    base = alt.Chart().encode(
        y=alt.Y("mark:N", sort=list(points.marks), title=mark_title, axis=_labels()),
        yOffset=alt.YOffset("series:N", sort=list(points.series)),
        tooltip=["panel:N", "mark:N", "series:N", *_numbers()],
    )
    colour = alt.Color(
        "series:N", scale=_scale(points.series, COLOURS), legend=_legend(series_title)
    )
    shape = alt.Shape("series:N", scale=_scale(points.series, SHAPES), legend=_legend(series_title))
    layers = [
        base.mark_rule(strokeWidth=8, opacity=0.3).encode(
            x=_share("least"), x2="most:Q", color=colour
        ),
        # Bounds that are equal would be a bar of no length.
        base.mark_tick(thickness=2, size=8, opacity=0.5).encode(x=_share("least"), color=colour),
        base.mark_rule(strokeWidth=1.5).encode(x=_share("low"), x2="high:Q", color=colour),
        base.transform_filter("isValid(datum.value)")
        .mark_point(filled=True, size=50, opacity=1)
        .encode(x=_share("value"), color=colour, shape=shape),
    ]
    if any(point.tolerance is not None for point in points.points):
        layers.append(
            base.transform_filter("isValid(datum.tolerance)")
            .mark_tick(thickness=2, size=10, color=LINE, opacity=1)
            .encode(x=_share("tolerance"))
        )
    height = max(BAR_ROW, ROW * len(points.series) + 6) * len(points.marks)
    table = pd.DataFrame([asdict(each) for each in points.points])
    return _by_panel(layers, table, points.panels, columns, height)


@kept
def outcome_panels(points: Sequence[CountPoint], columns: int) -> Drawing:
    """Tests by what became of them, in numbers; a panel for each model and language."""
    marks = sorted({point.mark for point in points})
    names = [str(outcome) for outcome in Outcome]
    colour = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=names, range=list(OUTCOME_COLOURS.values())),
        legend=_legend("outcome"),
    )
    base = alt.Chart().encode(
        y=alt.Y("mark:N", sort=marks, title="concern", axis=_labels()),
        x=alt.X("count:Q", title="tests", stack="zero", axis=alt.Axis(tickMinStep=1)),
        order="order:Q",
        tooltip=["panel:N", "mark:N", "outcome:N", "count:Q"],
    )
    bars = base.mark_bar(stroke="#ffffff", strokeWidth=0.5).encode(color=colour)
    numbers = base.mark_text(fontSize=10, color="#000000").encode(
        x=alt.X("count:Q", title="tests", stack="zero", bandPosition=0.5),
        text="label:N",
        detail="outcome:N",
    )
    table = pd.DataFrame([{**asdict(each), "label": _short(each)} for each in points])
    panels = tuple(dict.fromkeys(point.panel for point in points))
    return _by_panel([bars, numbers], table, panels, columns, BAR_ROW * len(marks))


def _short(point: CountPoint) -> str:
    """Letter and number, so that colour is not all that tells outcomes apart."""
    letter = "N" if point.outcome == Outcome.PARTIAL else point.outcome[0].upper()
    return f"{letter} {point.count}"


@kept
def correlation_chart(points: Sequence[CorrelationPoint], columns: int) -> Drawing:
    """Correlations between languages as a map, with value, interval and n in each cell."""
    panels = [
        _correlation_panel([each for each in points if each.panel == panel], panel)
        for panel in dict.fromkeys(point.panel for point in points)
    ]
    return alt.concat(*panels, columns=max(1, min(columns, len(panels))))


def _correlation_panel(points: Sequence[CorrelationPoint], panel: str) -> alt.LayerChart:
    names = sorted({point.row for point in points})
    table = pd.DataFrame([{**asdict(each), "told": f"n = {each.n}"} for each in points])
    slanted = alt.Axis(labelAngle=-40, labelLimit=LABEL_WIDTH, labelOverlap=False)
    base = alt.Chart(table).encode(
        x=alt.X("column:N", sort=names, title=None, axis=slanted),
        y=alt.Y("row:N", sort=names, title=None, axis=_labels()),
        tooltip=["row:N", "column:N", "value:Q", "interval:N", "n:Q"],
    )
    squares = base.mark_rect(stroke="#ffffff").encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(scheme="blueorange", domain=[-1, 1]),
            legend=alt.Legend(title="correlation", orient="top"),
        )
    )
    ink = alt.condition("datum.pale", alt.value("#000000"), alt.value("#ffffff"))
    layers = [squares]
    for column, dy, size in (("text", -16, 14), ("interval", 2, 9), ("told", 16, 9)):
        layers.append(
            base.mark_text(fontSize=size, dy=dy, limit=CELL - 4).encode(
                text=f"{column}:N", color=ink
            )
        )
    title = alt.TitleParams(text=panel, anchor="start", fontSize=12)
    return alt.LayerChart(
        layer=layers, title=title, width=alt.Step(CELL), height=alt.Step(CELL * 0.75)
    )


def _share(field: str) -> alt.X:
    axis = alt.Axis(format="%", tickCount=5)
    scale = alt.Scale(domain=[0, 1])
    return alt.X(f"{field}:Q", title="share of tests passed", scale=scale, axis=axis)


def _numbers() -> list[Any]:
    shown = [("value", "langbite"), ("low", "low"), ("high", "high")]
    shown += [("least", "all, lower bound"), ("most", "all, upper bound")]
    return [
        *(alt.Tooltip(f"{name}:Q", title=title, format=".3f") for name, title in shown),
        alt.Tooltip("n:Q", title="tests read"),
        alt.Tooltip("tests:Q", title="tests asked"),
    ]


def _by_panel(
    layers: Sequence[alt.Chart],
    table: pd.DataFrame,
    panels: Sequence[str],
    columns: int,
    height: int,
) -> alt.FacetChart:
    header = alt.Header(labelLimit=LEGEND_WIDTH, labelFontSize=12, labelAnchor="start")
    facet = alt.Facet("panel:N", sort=list(panels), title=None, header=header)
    chart = alt.LayerChart(layer=list(layers), data=table, width=PANEL_WIDTH, height=height)
    drawn: alt.FacetChart = chart.facet(facet, columns=max(1, min(columns, len(panels))))
    return drawn


def _labels() -> alt.Axis:
    return alt.Axis(labelLimit=LABEL_WIDTH, labelFlush=False)


def _scale(series: Sequence[str], values: Sequence[str]) -> alt.Scale:
    chosen = [values[place % len(values)] for place in range(len(series))]
    return alt.Scale(domain=list(series), range=chosen)


def _legend(title: str) -> alt.Legend:
    return alt.Legend(
        title=title,
        orient="top",
        titleLimit=LEGEND_WIDTH,
        labelLimit=LEGEND_WIDTH,
        symbolOpacity=1,
    )

"""Charts of agreement: several raters or states in a row, and two raters' scores with their spread.

What stands in one row is told apart by shape and place as well as by colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import altair as alt
import pandas as pd

from app.charts import FRAME_HEIGHT, LABEL_WIDTH, LINE, MARK, WHOLE_SCALE, Drawing, kept
from app.views.agreement import ScorePair, SeriesPoint

PLACE_HEIGHT = 11
"""Pixels of one mark's place in a row."""
LEAST_ROW_HEIGHT = 24
LEGEND_WIDTH, LEGEND_HEIGHT = 400, 60
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
COLOURS = ("#3b82c4", "#e07b00", "#2a9d5c", "#b054b0", "#888888", "#c23b3b")
"""Seen on a light and on a dark page."""
SCATTER_SIZE, MARGIN_SIZE = 340, 60
BIN_WIDTH = 5


@kept
def series_chart(
    points: Sequence[SeriesPoint], value_title: str, mark_title: str, series_title: str
) -> Drawing:
    """Values with their intervals, several in each row, in the order given."""
    order = list(dict.fromkeys(each.mark for each in points))
    series = list(dict.fromkeys(sorted(each.series for each in points)))
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(series))]
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(series))]
    base = alt.Chart(pd.DataFrame([asdict(each) for each in points])).encode(
        y=alt.Y("mark:N", sort=order, title=mark_title, axis=alt.Axis(labelLimit=LABEL_WIDTH)),
        yOffset=alt.YOffset("series:N", sort=series),
        color=alt.Color(
            "series:N",
            sort=series,
            scale=alt.Scale(domain=series, range=colours),
            legend=alt.Legend(title=series_title, titleLimit=LEGEND_WIDTH, orient="top"),
        ),
        tooltip=[
            alt.Tooltip("mark:N", title=mark_title),
            alt.Tooltip("about:N", title=series_title),
            alt.Tooltip("value:Q", title=value_title, format=".3f"),
            alt.Tooltip("low:Q", title="low", format=".3f"),
            alt.Tooltip("high:Q", title="high", format=".3f"),
            alt.Tooltip("n:Q", title="n"),
        ],
    )
    scale = alt.Scale(zero=False, nice=True)
    intervals = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=value_title, scale=scale), x2="high:Q"
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("value:Q", title=value_title, scale=scale),
        shape=alt.Shape("series:N", sort=series, scale=alt.Scale(domain=series, range=shapes)),
    )
    row = max(LEAST_ROW_HEIGHT, PLACE_HEIGHT * len(series))
    height = row * len(order) + FRAME_HEIGHT + LEGEND_HEIGHT
    return alt.layer(intervals, marks).properties(height=height)


@kept
def score_chart(pairs: Sequence[ScorePair], first: str, second: str) -> Drawing:
    """DA of two raters on the same items, the line of equal scores, and how each one spreads."""
    scale = alt.Scale(domain=list(WHOLE_SCALE))
    data = pd.DataFrame([asdict(each) for each in pairs])
    points = (
        alt.Chart(data)
        .mark_point(size=60, opacity=0.8, color=MARK)
        .encode(
            x=alt.X("first:Q", title=f"DA of {first}", scale=scale),
            y=alt.Y("second:Q", title=f"DA of {second}", scale=scale),
            tooltip=["item:N", "first:Q", "second:Q"],
        )
    )
    low, high = WHOLE_SCALE
    equal = pd.DataFrame([{"x": low, "y": low}, {"x": high, "y": high}])
    line = alt.Chart(equal).mark_line(strokeDash=[6, 4], color=LINE).encode(x="x:Q", y="y:Q")
    scatter = alt.layer(line, points).properties(width=SCATTER_SIZE, height=SCATTER_SIZE)
    bins = alt.Bin(step=BIN_WIDTH, extent=list(WHOLE_SCALE))
    above = (
        alt.Chart(data)
        .mark_bar(color=MARK)
        .encode(
            x=alt.X("first:Q", bin=bins, scale=scale, axis=None),
            y=alt.Y("count()", title="items", axis=alt.Axis(tickCount=2, grid=False)),
            tooltip=[alt.Tooltip("first:Q", bin=bins, title=f"DA of {first}"), "count()"],
        )
        .properties(width=SCATTER_SIZE, height=MARGIN_SIZE)
    )
    beside = (
        alt.Chart(data)
        .mark_bar(color=MARK)
        .encode(
            y=alt.Y("second:Q", bin=bins, scale=scale, axis=None),
            x=alt.X("count()", title="items", axis=alt.Axis(tickCount=2, grid=False)),
            tooltip=[alt.Tooltip("second:Q", bin=bins, title=f"DA of {second}"), "count()"],
        )
        .properties(width=MARGIN_SIZE, height=SCATTER_SIZE)
    )
    return alt.vconcat(
        above, alt.hconcat(scatter, beside, spacing=4).resolve_scale(x="independent"), spacing=4
    )

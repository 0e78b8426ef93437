"""Charts: drawn with Altair, intervals shown, and nothing told by colour alone.

A chart is kept as its specification: making one takes longer than all else on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache, wraps
from typing import Any, ParamSpec

import altair as alt
import pandas as pd

from app.views.agreement import ConfusionCell
from app.views.generation import DrawnShare
from app.views.scores import DrawnFigure

# Charts hold their data, and nothing reads them from elsewhere: Altair's limit is for notebooks.
alt.data_transformers.enable("default", max_rows=None)

Parameters = ParamSpec("Parameters")
Drawing = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart | alt.ConcatChart
Chart = Mapping[str, Any]
"""A specification in Vega-Lite with its data; shared, so nobody changes it."""
CHARTS_KEPT = 128
ROW_HEIGHT = 28
FRAME_HEIGHT = 70
"""Height of axis and titles, which is part of a chart's height."""
LINE = "#888888"
"""Seen on a light and on a dark page."""
MARK = "#3b82c4"
TICK = "#e07b00"
"""Seen on the page and on a bar."""
WHOLE_SCALE = (0.0, 100.0)
LABEL_WIDTH = 260
SMALL_SHARE = 0.25
"""Bars that all stay below this are drawn on a scale of their own, or none could be told apart."""


def kept(draw: Callable[Parameters, Drawing]) -> Callable[Parameters, Chart]:
    """The function that draws a chart, as one that gives its specification and keeps the last.

    Args:
        draw: Its arguments can be hashed; sequences are passed on as tuples.
    """

    @lru_cache(maxsize=CHARTS_KEPT)
    def build(*given: Any, **named: Any) -> Chart:
        specification: Chart = draw(*given, **named).to_dict()
        return specification

    @wraps(draw)
    def look_up(*given: Parameters.args, **named: Parameters.kwargs) -> Chart:
        fixed = {name: _fix(value) for name, value in named.items()}
        return build(*map(_fix, given), **fixed)

    return look_up


def _fix(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


@kept
def interval_chart(
    figures: Sequence[DrawnFigure],
    value_title: str,
    mark_title: str,
    reference: float | None = None,
    reference_title: str = "",
) -> Drawing:
    """Points with their intervals, one line each, and a dashed reference line."""
    data = pd.DataFrame([asdict(each) for each in figures])
    order = [each.mark for each in figures]
    base = alt.Chart(data).encode(
        y=alt.Y("mark:N", sort=order, title=mark_title, axis=alt.Axis(labelLimit=LABEL_WIDTH))
    )
    tooltip = [
        alt.Tooltip("mark:N", title=mark_title),
        alt.Tooltip("value:Q", title=value_title, format=".3f"),
        alt.Tooltip("low:Q", title="low", format=".3f"),
        alt.Tooltip("high:Q", title="high", format=".3f"),
        alt.Tooltip("n:Q", title="n"),
    ]
    scale = alt.Scale(zero=False, nice=True)
    intervals = base.mark_rule(strokeWidth=2, color=MARK).encode(
        x=alt.X("low:Q", title=value_title, scale=scale), x2="high:Q", tooltip=tooltip
    )
    points = base.mark_point(filled=True, size=70, opacity=1, color=MARK).encode(
        x=alt.X("value:Q", title=value_title, scale=scale), tooltip=tooltip
    )
    layers: list[alt.Chart] = [intervals, points]
    if reference is not None:
        line = pd.DataFrame([{"at": reference, "title": reference_title}])
        layers.insert(
            0,
            alt.Chart(line)
            .mark_rule(strokeDash=[6, 4], color=LINE)
            .encode(x="at:Q", tooltip=["title:N", alt.Tooltip("at:Q", format=".3f")]),
        )
    return alt.layer(*layers).properties(height=ROW_HEIGHT * len(order) + FRAME_HEIGHT)


@kept
def confusion_chart(
    cells: Sequence[ConfusionCell], rater: str, row_title: str = "system label"
) -> Drawing:
    """How often a rater gave each label, by the row's label; the counts stand in the cells."""
    below = alt.Axis(labelAngle=0, labelFlush=False)
    beside = alt.Axis(labelLimit=LABEL_WIDTH, labelFlush=False)
    base = alt.Chart(pd.DataFrame([asdict(each) for each in cells])).encode(
        x=alt.X("rater:N", title=f"label of {rater}", sort=None, axis=below),
        y=alt.Y("system:N", title=row_title, sort=None, axis=beside),
    )
    squares = base.mark_rect().encode(
        color=alt.Color("count:Q", scale=alt.Scale(scheme="blues"), legend=None)
    )
    most = max((each.count for each in cells), default=0)
    numbers = base.mark_text(fontSize=14).encode(
        text="count:Q",
        color=alt.condition(f"datum.count > {most / 2}", alt.value("white"), alt.value("black")),
    )
    rows = len({each.system for each in cells})
    return alt.layer(squares, numbers).properties(height=max(200, 40 * rows + FRAME_HEIGHT))


@kept
def share_chart(drawn: Sequence[DrawnShare], mark_title: str) -> Drawing:
    """Bars of shares with their counts behind them, and a tick where one was published."""
    published = any(each.published_share is not None for each in drawn)
    data = pd.DataFrame(
        [
            {**asdict(each), "text_at": max(each.share, each.published_share or 0.0)}
            for each in drawn
        ]
    )
    title = "share of the sources"
    if published:
        title += "; orange tick: published"
    base = alt.Chart(data).encode(
        y=alt.Y(
            "mark:N",
            sort=[each.mark for each in drawn],
            title=mark_title,
            axis=alt.Axis(labelLimit=LABEL_WIDTH, labelFlush=False),
        )
    )
    most = max((float(each) for each in data["text_at"]), default=1.0)
    scale = alt.Scale(domain=[0, 1 if most > SMALL_SHARE else most], nice=most <= SMALL_SHARE)
    axis = alt.Axis(format="%" if most > SMALL_SHARE else ".1%", labelFlush=False, tickCount=5)
    bars = base.mark_bar(color=MARK).encode(
        x=alt.X("share:Q", title=title, scale=scale, axis=axis),
        tooltip=["mark:N", "count:Q", "of:Q", alt.Tooltip("share:Q", format=".3f")],
    )
    counts = base.mark_text(align="left", dx=6).encode(
        x=alt.X("text_at:Q", title=title), text="text:N"
    )
    layers: list[alt.Chart] = [bars, counts]
    if published:
        layers.append(
            base.mark_tick(thickness=4, color=TICK, opacity=1).encode(
                x=alt.X("published_share:Q", title=title),
                tooltip=["mark:N", "published_count:Q"],
            )
        )
    return alt.layer(*layers).properties(height=ROW_HEIGHT * len(drawn) + FRAME_HEIGHT)

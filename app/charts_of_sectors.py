"""Charts of sectors: SB against RB with the line on which they lie, and distributions of A.

An interval of the scatter lies along the line, because SB and RB of a draw differ by one constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import pandas as pd

from app.charts import LINE, Drawing, kept
from app.charts_of_scores import COLOURS, LEGEND_WIDTH
from app.views.sector_labels import (
    PANEL_HEIGHT,
    PANEL_WIDTH,
    Frame,
    find_frame,
    place_bias_labels,
)
from app.views.sector_points import Biases, Steps

STEP_WIDTH, STEP_HEIGHT = 190, 90
NARROW_STEP_WIDTH = 105
"""Three columns fit a narrow page."""
SHAPES = {"cased": "circle", "uncased": "triangle-up", "not stated": "square"}
AREAS = {"base": 40, "large": 150}
OTHER_AREA = 85
DASHES = ([1, 0], [5, 3])


@kept
def bias_panels(biases: Biases, columns: int) -> Drawing:
    """SB against RB, a panel for all sectors and one for each; a dashed line for each language.

    Colour and line are the language, number and code model and language, shape and area its kind.
    """
    frame = find_frame(biases.points)
    table = pd.DataFrame([*_bias_rows(biases, frame), *_label_rows(biases)])
    languages = list(biases.languages)
    colour = alt.Color(
        "language:N",
        scale=alt.Scale(domain=languages, range=_spread(COLOURS, len(languages))),
        legend=alt.Legend(title="language", orient="top", titleLimit=LEGEND_WIDTH),
    )
    across = alt.Scale(domain=[frame.low, frame.high], nice=False)
    down = alt.Scale(domain=[frame.bottom, frame.top], nice=False)
    x = alt.X("sb:Q", title="SB; of a sector I_s (nats)", scale=across)
    y = alt.Y("rb:Q", title="RB; of a sector I_s − W_s", scale=down)
    base = alt.Chart()
    lines = (
        base.transform_filter(alt.datum.part == "line")
        .mark_rule(strokeDash=[4, 4], strokeWidth=1, opacity=0.8)
        .encode(x=x, y=y, x2="sb2:Q", y2="rb2:Q", color=colour)
    )
    intervals = (
        base.transform_filter(alt.datum.part == "interval")
        .mark_rule(strokeWidth=3, opacity=0.6)
        .encode(x=x, y=y, x2="sb2:Q", y2="rb2:Q", color=colour)
    )
    zero = alt.Chart().mark_rule(color=LINE)
    points = base.transform_filter(alt.datum.part == "point")
    marks = points.mark_point(filled=True, opacity=0.9).encode(
        x=x, y=y, color=colour, tooltip=_tooltip(),
        shape=alt.Shape(
            "casing:N",
            scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values())),
            legend=_small_legend("casing"),
        ),
        # A scale would draw nothing where there is one size only.
        size=alt.Size("area:Q", scale=None, legend=None),
    )  # fmt: skip
    leaders = (
        base.transform_filter(alt.datum.part == "leader")
        .mark_rule(strokeWidth=1, color=LINE)
        .encode(x=x, y=y, x2="sb2:Q", y2="rb2:Q")
    )
    numbers = (
        base.transform_filter(alt.datum.part == "label")
        .mark_text(align="left", baseline="middle", fontSize=10)
        .encode(x=x, y=y, text="number:N")
    )
    axes = [zero.encode(x=alt.datum(0)), zero.encode(y=alt.datum(0))]
    layers = [*axes, lines, intervals, leaders, marks, numbers]
    chart = alt.LayerChart(layer=layers, data=table, width=PANEL_WIDTH, height=PANEL_HEIGHT)
    panels = list(biases.panels)
    header = alt.Header(labelLimit=LEGEND_WIDTH, labelFontSize=12, labelAnchor="start")
    drawn: Drawing = chart.facet(
        alt.Facet("panel:N", sort=panels, title=None, header=header),
        columns=max(1, min(columns, len(panels))),
    )
    return drawn


@kept
def step_panels(steps: Steps, mark_title: str, width: int = STEP_WIDTH) -> Drawing:
    """Shares of sentences over A, a row for each language and a column for each sector.

    Args:
        steps: What is drawn.
        mark_title: What a column is.
        width: Of a column.
    """
    table = pd.DataFrame(list(_step_rows(steps)))
    genders = sorted({each.gender for each in steps.points})
    legend = alt.Legend(title=None, orient="top", labelLimit=LEGEND_WIDTH)
    colour = alt.Color(
        "gender:N", scale=alt.Scale(domain=genders, range=_spread(COLOURS, len(genders))),
        legend=legend,
    )  # fmt: skip
    dash = alt.StrokeDash(
        "gender:N", scale=alt.Scale(domain=genders, range=_spread(DASHES, len(genders))),
        legend=legend,
    )  # fmt: skip
    x = alt.X("at:Q", title="A (nats)", axis=alt.Axis(tickCount=5))
    share = alt.Y("share:Q", title="share", axis=alt.Axis(format="%", tickCount=3))
    tooltip = ["language:N", "group:N", "gender:N", alt.Tooltip("at:Q", format=".3f"), "n:Q"]
    curves = (
        alt.Chart()
        .transform_filter(alt.datum.part == "bin")
        .mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(x=x, y=share, color=colour, strokeDash=dash, tooltip=tooltip)
    )
    means = (
        alt.Chart()
        .transform_filter(alt.datum.part == "mean")
        .mark_rule(strokeWidth=2)
        .encode(x=x, color=colour, strokeDash=dash, tooltip=tooltip)
    )
    zero = alt.Chart().mark_rule(color=LINE).encode(x=alt.datum(0))
    chart = alt.LayerChart(layer=[zero, curves, means], data=table, width=width, height=STEP_HEIGHT)
    header = alt.Header(labelLimit=LEGEND_WIDTH, labelFontSize=12)
    drawn: Drawing = chart.facet(
        column=alt.Column("group:N", sort=list(steps.groups), title=mark_title, header=header),
        row=alt.Row("language:N", sort=list(steps.languages), title=None, header=header),
    )
    return drawn


def _step_rows(steps: Steps) -> Iterator[dict[str, Any]]:
    for each in steps.points:
        yield {
            "language": each.language, "group": each.group, "gender": each.gender,
            "at": each.at_nats, "share": each.share, "n": each.n,
            "part": "mean" if each.share is None else "bin",
        }  # fmt: skip
    # Without a row of its own an empty panel would be taken by another language's.
    filled = {(each.language, each.group) for each in steps.points}
    for language in steps.languages:
        for group in steps.groups:
            if (language, group) not in filled:
                yield {"language": language, "group": group, "part": "none"}


def _bias_rows(biases: Biases, frame: Frame) -> Iterator[dict[str, Any]]:
    low, high = frame.low, frame.high
    lines = {(p.panel, p.language, p.mean_w) for p in biases.points}
    for panel, language, w in sorted(lines):
        ends = {"sb": low, "rb": low - w, "sb2": high, "rb2": high - w}
        yield {"part": "line", "panel": panel, "language": language, **ends}
    for p in biases.points:
        of = {"panel": p.panel, "language": p.language}
        if p.low is not None and p.high is not None:
            ends = {"sb": p.low, "rb": p.low - p.mean_w, "sb2": p.high, "rb2": p.high - p.mean_w}
            yield {"part": "interval", **of, **ends}
        told = {
            "model": p.model, "number": f"{p.number} {p.code}", "size": p.size, "casing": p.casing,
            "area": AREAS.get(p.size, OTHER_AREA),
            "sb": p.sb, "rb": p.rb, "low": p.low, "high": p.high, "n": p.n,
        }  # fmt: skip
        yield {"part": "point", **of, **told}


def _label_rows(biases: Biases) -> Iterator[dict[str, Any]]:
    for each in place_bias_labels(biases):
        of = {"panel": each.panel, "language": each.language}
        sb, rb = each.begin
        yield {"part": "label", **of, "sb": sb, "rb": rb, "number": each.text}
        if each.end is not None:
            (sb, rb), (sb2, rb2) = each.mark, each.end
            yield {"part": "leader", **of, "sb": sb, "rb": rb, "sb2": sb2, "rb2": rb2}


def _tooltip() -> list[Any]:
    return [
        alt.Tooltip("panel:N", title=" "),
        alt.Tooltip("number:N", title="mark"),
        alt.Tooltip("model:N", title="model"),
        alt.Tooltip("size:N", title="size"),
        alt.Tooltip("language:N", title="language"),
        alt.Tooltip("sb:Q", title="SB or I_s", format=".3f"),
        alt.Tooltip("low:Q", title="its low", format=".3f"),
        alt.Tooltip("high:Q", title="its high", format=".3f"),
        alt.Tooltip("rb:Q", title="RB or I_s − W_s", format=".3f"),
        alt.Tooltip("n:Q", title="n"),
    ]


def _small_legend(title: str) -> alt.Legend:
    # At the top there is no room beside the languages.
    return alt.Legend(
        title=title,
        orient="bottom",
        direction="horizontal",
        # Black, as marks without a colour are, is not seen on a dark page.
        symbolFillColor=LINE,
        symbolStrokeColor=LINE,
    )


def _spread(values: Sequence[Any], count: int) -> list[Any]:
    return [values[k % len(values)] for k in range(count)]

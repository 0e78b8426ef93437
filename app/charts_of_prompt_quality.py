"""Chart of the quality of augmented prompts: means with intervals, languages below one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import altair as alt
import pandas as pd

from app.charts import LABEL_WIDTH, Drawing, kept

ROW_HEIGHT = 26
PANEL_WIDTH = 330
ORDERS = ("t2p", "p2t")
COLOURS = ("#0072B2", "#D55E00")
SHAPES = ("circle", "square")


@dataclass(frozen=True, slots=True)
class QualityPoint:
    """One mean with its interval, in a panel."""

    panel: str
    language: str
    order: str
    value: float
    low: float | None
    high: float | None
    n: int


@kept
def quality_panels(points: Sequence[QualityPoint], columns: int) -> Drawing:
    """A panel for each measure and reference; both orders of a language beside one another."""
    panels = list(dict.fromkeys(point.panel for point in points))
    drawn = [_panel([each for each in points if each.panel == panel], panel) for panel in panels]
    return alt.concat(*drawn, columns=max(1, min(columns, len(drawn))))


def _panel(points: Sequence[QualityPoint], panel: str) -> Drawing:
    table = pd.DataFrame([asdict(point) for point in points])
    is_cosine = "cosine" in panel
    domain = [min(0.0, *(table["low"].fillna(table["value"]))), 1.0] if is_cosine else [0.0, 100.0]
    languages = list(dict.fromkeys(table["language"]))
    x = alt.X("value:Q", title=panel, scale=alt.Scale(domain=domain))
    y = alt.Y("language:N", title=None, sort=languages, axis=alt.Axis(labelLimit=LABEL_WIDTH))
    offset = alt.YOffset("order:N", sort=list(ORDERS), scale=alt.Scale(paddingOuter=0.3))
    colour = alt.Color(
        "order:N", title="order", scale=alt.Scale(domain=list(ORDERS), range=list(COLOURS))
    )
    shape = alt.Shape(
        "order:N", title="order", scale=alt.Scale(domain=list(ORDERS), range=list(SHAPES))
    )
    tooltip = ["language", "order", "value", "low", "high", "n"]
    base = alt.Chart(table).encode(y=y, yOffset=offset, color=colour)
    marks = base.mark_point(filled=True, size=60).encode(x=x, shape=shape, tooltip=tooltip)
    rules = (
        base.transform_filter("isValid(datum.low)").mark_rule(size=2).encode(x="low:Q", x2="high:Q")
    )
    height = ROW_HEIGHT * len(languages)
    return alt.layer(rules, marks).properties(width=PANEL_WIDTH, height=height)

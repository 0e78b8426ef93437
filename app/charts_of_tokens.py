"""A chart of one sentence: what each token of its two variants was given."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from app.charts import LINE, Drawing, kept
from app.charts_of_scores import COLOURS
from app.views.score_items import PARTS, TokenRow

HEIGHT = 280


@kept
def token_chart(rows: Sequence[TokenRow], *, joined: bool = True) -> Drawing:
    """Log-probabilities of both variants along the rows, and a line where they part.

    `joined` draws a line through a variant's tokens, for those that follow one another in the text.
    """
    data = pd.DataFrame(
        [
            {"place": row.place, "variant": variant, "token": token, "nats": nats}
            for row in rows
            for variant, token, nats in (
                ("masculine", row.masculine, row.masculine_nats),
                ("feminine", row.feminine, row.feminine_nats),
            )
            if nats is not None
        ],
        columns=["place", "variant", "token", "nats"],
    )
    names = ["masculine", "feminine"]
    last = max((row.place for row in rows), default=0)
    base = alt.Chart(data).encode(
        x=alt.X(
            "place:Q",
            title="place",
            scale=alt.Scale(domain=[0, last], nice=False, padding=12),
            axis=alt.Axis(tickMinStep=1, format="d", grid=False),
        ),
        y=alt.Y("nats:Q", title="log-probability (nats)", scale=alt.Scale(zero=False, nice=True)),
        color=alt.Color(
            "variant:N",
            scale=alt.Scale(domain=names, range=list(COLOURS[:2])),
            legend=alt.Legend(title="variant", orient="top"),
        ),
        tooltip=["place:Q", "variant:N", "token:N", alt.Tooltip("nats:Q", format=".3f")],
    )
    # A line with a legend of its own would be mixed with the points' symbols.
    lines = [
        alt.Chart(data[data["variant"] == name])
        .mark_line(strokeWidth=1.5, color=colour, strokeDash=dash)
        .encode(x=base.encoding.x, y=base.encoding.y)
        for name, colour, dash in zip(names, COLOURS, ([1, 0], [5, 3]), strict=False)
        if joined
    ]
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        shape=alt.Shape(
            "variant:N",
            scale=alt.Scale(domain=names, range=["circle", "triangle-up"]),
            legend=alt.Legend(title="variant", orient="top"),
        )
    )
    layers: list[alt.Chart] = [*lines, points]
    parting = [{"place": row.place, "told": "they part here"} for row in rows if row.mark == PARTS]
    if parting:
        layers.insert(
            0,
            alt.Chart(pd.DataFrame(parting))
            .mark_rule(strokeDash=[6, 4], color=LINE)
            .encode(x="place:Q", tooltip=["told:N"]),
        )
    return alt.layer(*layers).properties(height=HEIGHT)

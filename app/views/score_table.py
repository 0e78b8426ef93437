"""Results side by side: g_s of each model in each language, with its interval and n."""

from __future__ import annotations

import pandas as pd

from app.output import describe_figure
from app.views import words
from app.views.score_models import ShownResults


def build_comparison(shown: ShownResults) -> pd.DataFrame:
    """One row for each language, one column for each model; what is missing says why."""
    columns: dict[str, dict[str, str]] = {}
    for model in shown.models:
        columns[model.label] = {
            dict(figure.scope)["language"]: f"{describe_figure(figure)} n={figure.n}, "
            f"{model.support_of(dict(figure.scope)['language'])}"
            for figure in shown.figures_of(model, "g_s")
        }
    rows = [
        {
            "language": words.describe_language(code),
            **{label: cells.get(code, "not scored") for label, cells in columns.items()},
        }
        for code in sorted(shown.languages)
    ]
    return pd.DataFrame(rows)

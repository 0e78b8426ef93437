"""g_s by language and model as LaTeX tables with booktabs, one for each protocol and condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.comparison_rows import Choice, group_measures
from app.views import words
from corpus.figures import Figure
from scoring.comparison import ComparedMeasures, Comparison
from scoring.measures import FEW_SENTENCES

ESCAPES: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",
    "|": r"\textbar{}",
    "'": r"\textquotesingle{}",
    # Signs of our own statements that LaTeX has no letters for.
    "−": r"\textminus{}",
    "×": r"\texttimes{}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "→": r"\textrightarrow{}",
}


def escape(text: str) -> str:
    """The text as LaTeX shows it letter by letter; control characters become spaces."""
    shown = "".join(each if each.isprintable() else " " for each in text)
    return "".join(ESCAPES.get(each, each) for each in shown)


def build_latex(comparison: Comparison, choice: Choice, statements: Sequence[str]) -> str:
    """The tables, each with what has to be read with it in its caption.

    Args:
        comparison: What was compared.
        choice: On which sentences.
        statements: Sentences about the data, e.g. how many rows a human saw.
    """
    tables = [
        _build_table(found, comparison, protocol, condition, choice, statements)
        for (protocol, condition), found in group_measures(comparison, choice).items()
    ]
    head = "% Needs \\usepackage{booktabs}, \\usepackage{textcomp} and \\usepackage[T1]{fontenc}.\n"
    return head + "\n".join(tables)


def _build_table(
    measures: Sequence[ComparedMeasures],
    comparison: Comparison,
    protocol: str,
    condition: str,
    choice: Choice,
    statements: Sequence[str],
) -> str:
    models = comparison.compared.labels
    found = {(dict(m.scope)["language"], dict(m.scope)["model"]): m.measures.g_s for m in measures}
    lines = []
    for language in comparison.languages:
        cells = [_cell(found.get((language, model))) for model in models]
        lines.append(" & ".join([escape(language), *cells]) + r" \\")
    caption = " ".join(
        escape(each)
        for each in (
            f"g_s by language and model: protocol {protocol}, condition {condition}, "
            f"{choice.sentences} sentences; n is the number of sentences.",
            f"* fewer than {FEW_SENTENCES} sentences for a stereotype.",
            *statements,
        )
    )
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{l{'r' * len(models)}}}",
            r"\toprule",
            " & ".join(["language", *(escape(model) for model in models)]) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "--"
    if figure.value is None:
        return escape(f"-- ({words.describe_figure_reason(figure.reason)})")
    interval = figure.interval
    mark = "*" if "few_sentences" in figure.notes else ""
    if interval is None or interval.low is None or interval.high is None:
        return f"{figure.value:.3f}{mark}, n = {figure.n}"
    # Braces keep LaTeX from taking the bracket for an argument of the row before.
    limits = f"{{[}}{interval.low:.3f}, {interval.high:.3f}{{]}}"
    return f"{figure.value:.3f}{mark} {limits}, n = {figure.n}"

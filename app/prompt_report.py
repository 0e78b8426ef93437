"""Results of prompt tests as files: one HTML page that asks for nothing, and a table of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.html_documents import (
    build_document,
    show_figure,
    show_signatures,
    show_table,
    show_text,
    show_value,
)
from app.score_figures import ScoreFigure
from app.views.figure_table import build_figure_table
from app.views.prompt_cases import list_unread
from app.views.prompt_points import name_language
from app.views.prompt_results import ShownPrompts
from app.views.prompt_statements import (
    DEMONSTRATION,
    NOT_MEASURED,
    RATES,
    US_CENTRED,
    describe_seen,
    describe_unread,
)
from corpus.figures import Figure
from corpus.version import PRODUCT
from scoring.prompt_plan import LEFT_OUT
from scoring.prompt_signature import NONE, build_prompt_signature, escape_part
from scoring.tolerances import judge_requirements

MOST_CASES = 500
"""Unread answers told in a page; there may be any number of them."""
PARTS = ("model", "language", "other_language", "concern")
"""Parts of a scope that have a column; the others stand together."""


def build_prompt_report(shown: ShownPrompts, figures: Sequence[ScoreFigure]) -> str:
    """One HTML page with figures, numbers, what could not be read, and what made them.

    Args:
        shown: The results.
        figures: From `build_prompt_figures` of the same.
    """
    title = f"Prompt tests of {', '.join(shown.models)}"
    signatures = [each for each in list_signatures(shown, shown.rates) if each]
    parts = (
        *_marks(shown),
        "<h2>What this does not say</h2>",
        f"<p>{show_text(NOT_MEASURED)} {show_text(RATES)}</p>",
        "<h2>Models</h2>",
        *_models(shown),
        "<h2>Languages: who saw the templates</h2>",
        *_languages(shown),
        "<h2>Requirements</h2>",
        *_requirements(shown),
        "<h2>Figures</h2>",
        *(line for each in figures for line in show_figure(each, _numbers(each.figures))),
        "<h2>Refusals, unreadable answers and errors</h2>",
        *_unread(shown),
        "<h2>What made these numbers</h2>",
        *_left_out(shown),
        *show_signatures(signatures),
    )
    return build_document(title, parts)


def build_prompt_csv(shown: ShownPrompts) -> str:
    """All rates, means and correlations, unrounded, with what made each; undefined ones too."""
    figures = (*shown.rates, *shown.averages, *shown.correlations)
    table = build_figure_table(figures, signatures=list_signatures(shown, figures))
    text: str = table.to_csv(index=False)
    return text


def list_signatures(shown: ShownPrompts, figures: Sequence[Figure]) -> list[str]:
    """What made each figure; one over several models or languages names the results it is of."""
    runs = {name: run for run in shown.runs for name in run.models}
    together = ", ".join(run.folder.name for run in shown.runs)
    helped = f"helpers:{escape_part('; '.join(shown.helpers) or NONE)}"
    drawn = f"|bootstrap_seed:{shown.seed}|draws:{shown.draws}"
    known: dict[tuple[str, str], str] = {}
    found = []
    for figure in figures:
        scope = dict(figure.scope)
        model, language = scope.get("model"), scope.get("language")
        if model is None or language is None or "other_language" in scope:
            found.append(f"results:{together}|{helped}{drawn}|version:{PRODUCT}")
            continue
        place = (model, language)
        if place not in known:
            known[place] = build_prompt_signature(runs[model].manifest, model, language)
        found.append(known[place] + drawn)
    return found


def _marks(shown: ShownPrompts) -> Iterator[str]:
    if shown.demonstration:
        yield f'<p class="mark">{show_text(DEMONSTRATION)}</p>'
    if shown.unvalidated:
        named = ", ".join(map(name_language, shown.unvalidated))
        yield f'<p class="mark">NOT VALIDATED, nobody approved: {show_text(named)}.</p>'
    for told in shown.same_family:
        yield (
            '<p class="mark">SAME FAMILY as an augmenting or judging model, not comparable: '
            f"{show_text(told)}.</p>"
        )
    if shown.us_centred:
        yield f'<p class="mark">{show_text(US_CENTRED)}</p>'


def _models(shown: ShownPrompts) -> Iterator[str]:
    rows = [
        (
            str(each["name"]),
            str(each["family"] or "not said"),
            str(each.get("provider") or ""),
            ", ".join(each["served"]) or "not said",
            ", ".join(f"{name} {value}" for name, value in each["identity"].items()),
            ", ".join(f"{count} {state}" for state, count in each["replies"].items()),
            ", ".join(each["same_family"]),
        )
        for run in shown.runs
        for each in run.manifest["models"]
    ]
    columns = ("model", "family", "provider", "served as", "settings", "replies", "same family as")
    yield from show_table(columns, rows)
    for told in shown.helpers:
        yield f"<p>Models that helped: {show_text(told)}.</p>"


def _languages(shown: ShownPrompts) -> Iterator[str]:
    yield f"<p>{show_text(describe_seen(shown))}</p>"
    rows = [
        (
            name_language(code),
            shown.human_eyes.get(code, "not stated"),
            "NOT VALIDATED" if code in shown.unvalidated else "",
        )
        for code in shown.languages
    ]
    yield from show_table(("language", "translated texts seen by a human", "approval"), rows)


def _requirements(shown: ShownPrompts) -> Iterator[str]:
    known = [each for run in shown.runs for each in run.requirements.requirements]
    unique = list({each.name: each for each in known}.values())
    rows = [
        (
            each.requirement,
            each.model,
            name_language(each.language),
            f"{each.tolerance:.0%}",
            str(each.langbite),
            str(each.all),
        )
        for each in judge_requirements(unique, shown.rates)
    ]
    columns = ("requirement", "model", "language", "tolerance", "by langbite", "by all")
    yield from show_table(columns, rows)


def _numbers(figures: Sequence[Figure]) -> Iterator[str]:
    rows = []
    for figure in figures:
        scope = dict(figure.scope)
        others = ", ".join(f"{name} {value}" for name, value in scope.items() if name not in PARTS)
        languages = [scope[part] for part in ("language", "other_language") if part in scope]
        rows.append(
            (
                figure.name,
                others,
                scope.get("model", ""),
                " and ".join(map(name_language, languages)),
                scope.get("concern", ""),
                *show_value(figure),
            )
        )
    columns = ("figure", "of", "model", "language", "concern", "value [interval]", "n", "notes")
    yield from show_table(columns, rows)


def _unread(shown: ShownPrompts) -> Iterator[str]:
    found = list_unread(shown)
    yield f"<p>{show_text(describe_unread(shown))} Answers below: {len(found)}.</p>"
    if len(found) > MOST_CASES:
        yield f"<p>The first {MOST_CASES} of {len(found)}; the results hold all.</p>"
    rows = [
        (
            each.outcome,
            each.model,
            name_language(each.language),
            each.concern,
            f"{each.template}, instance {each.instance}",
            each.message,
            each.answer,
            each.remark,
        )
        for each in found[:MOST_CASES]
    ]
    columns = ("outcome", "model", "language", "concern", "test", "sent", "answer", "why")
    yield from show_table(columns, rows)


def _left_out(shown: ShownPrompts) -> Iterator[str]:
    rows = list(
        dict.fromkeys(
            (name_language(each["language"]), str(each["template"]), _explain(each["reason"]))
            for run in shown.runs
            for each in run.manifest["left_out"]
        )
    )
    yield f"<p>Templates that were not sent: {len(rows)}.</p>"
    if rows:
        yield from show_table(("language", "template", "why"), rows)


def _explain(reason: str) -> str:
    return LEFT_OUT.get(reason, reason)

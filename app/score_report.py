"""Results in one HTML file: figures, numbers, what made them and what they do not say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from app.html_documents import (
    build_document,
    show_figure,
    show_signatures,
    show_table,
    show_text,
    show_value,
)
from app.score_figures import ScoreFigure
from app.views import words
from app.views.score_models import Kind, ShownModel, ShownResults, label_of
from app.views.score_points import describe_size
from app.views.score_statements import DEMONSTRATION, NOT_MEASURED, describe_seen
from app.views.scores import Result
from corpus.figures import Figure
from corpus.stereotypes import Inventory

MADE_OF = ("model", "revision", "dtype", "bos_policy", "likelihood", "release", "release_sha256")


def build_report(
    shown: ShownResults,
    figures: Sequence[ScoreFigure],
    inventory: Inventory,
    advance: Callable[[], None] = lambda: None,
) -> str:
    """The report on the results shown.

    Args:
        shown: Results with protocol, condition and languages.
        figures: From `build_figures` of the same.
        inventory: The stereotypes the results were computed with.
        advance: Called after each figure.
    """
    title = f"Scores on release {shown.release}, protocol {shown.protocol}"
    return build_document(
        title,
        (
            *_marks(shown),
            *_limits(),
            "<h2>Models</h2>",
            *_models(shown),
            "<h2>Languages: who saw the data</h2>",
            *_languages(shown),
            "<h2>Figures</h2>",
            *_figures(figures, inventory, advance),
            "<h2>What made these numbers</h2>",
            *(line for each in shown.results for line in _made_of(each, shown)),
        ),
    )


def _figures(
    figures: Sequence[ScoreFigure], inventory: Inventory, advance: Callable[[], None]
) -> Iterable[str]:
    for each in figures:
        yield from show_figure(each, _numbers(each.figures, inventory))
        advance()


def _marks(shown: ShownResults) -> Iterable[str]:
    if shown.demonstration:
        yield f'<p class="mark">{show_text(DEMONSTRATION)}</p>'
    if shown.unvalidated:
        named = ", ".join(map(words.describe_language, shown.unvalidated))
        yield f'<p class="mark">NOT VALIDATED, nobody approved: {show_text(named)}.</p>'


def _limits() -> Iterable[str]:
    yield "<h2>What this does not say</h2>"
    yield f"<p>{show_text(NOT_MEASURED)}</p>"
    yield (
        "<p>Lines of reference: the default rate for q_i, 0 for the inclination, 1 for g_s. No "
        "value is better for being higher.</p>"
    )


def _models(shown: ShownResults) -> Iterable[str]:
    rows = [
        (
            model.label,
            describe_size(model.size) if model.size else "not stated",
            str(model.kind) if model.kind is not Kind.NOT_STATED else "not stated",
            label_of(model.base) if model.base else "",
            _supported(model, shown),
        )
        for model in shown.models
    ]
    yield from show_table(("model", "parameters", "kind", "made of", "supported languages"), rows)


def _supported(model: ShownModel, shown: ShownResults) -> str:
    if model.supported is None:
        return "not stated"
    named = [code for code in shown.languages if code in model.supported]
    others = [code for code in shown.languages if code not in model.supported]
    return f"{', '.join(named) or 'none'}; not supported: {', '.join(others) or 'none'}"


def _languages(shown: ShownResults) -> Iterable[str]:
    yield f"<p>{show_text(describe_seen(shown))}</p>"
    told = {
        code: str(eyes)
        for each in shown.results
        for code, eyes in (each.manifest.get("human_eyes") or {}).items()
    }
    rows = [
        (
            words.describe_language(code),
            told.get(code, "source sentences, or not stated"),
            "NOT VALIDATED" if code in shown.unvalidated else "",
        )
        for code in shown.languages
    ]
    columns = ("language", "rows seen by a human, and the label error left", "approval")
    yield from show_table(columns, rows)
    if shown.gaps:
        yield "<p>Not scored:</p>"
        gaps = [(label, words.describe_language(code), why) for label, code, why in shown.gaps]
        yield from show_table(("model", "language", "why"), gaps)


def _numbers(figures: Sequence[Figure], inventory: Inventory) -> Iterable[str]:
    rows = []
    for each in figures:
        scope = dict(each.scope)
        stereotype = scope.get("stereotype", "")
        rows.append(
            (
                each.name,
                scope.get("model", ""),
                words.describe_language(scope.get("language", "")),
                words.describe_stereotype(int(stereotype), inventory)
                if stereotype.isdigit()
                else "",
                *show_value(each),
            )
        )
    columns = ("figure", "model", "language", "stereotype", "value [interval]", "n", "notes")
    yield from show_table(columns, rows)


def _made_of(result: Result, shown: ShownResults) -> Iterable[str]:
    yield f"<h3>{show_text(result.title)}</h3>"
    rows = [(name, str(result.manifest[name])) for name in MADE_OF if result.manifest.get(name)]
    yield from show_table(("what", "value"), rows)
    yield from show_signatures(
        [
            signature
            for figure, signature in zip(result.figures, result.signatures, strict=True)
            if signature and _is_shown(figure, shown)
        ]
    )


def _is_shown(figure: Figure, shown: ShownResults) -> bool:
    scope = dict(figure.scope)
    return scope.get("protocol") == shown.protocol and scope.get("language") in shown.languages

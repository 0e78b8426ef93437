"""What stands on every figure of prompt tests, so that it cannot be shown without it."""

from __future__ import annotations

from collections.abc import Sequence

from app.output import literal
from app.views.prompt_points import RatePoints, name_language
from app.views.prompt_results import ShownPrompts
from corpus.figures import Figure
from scoring.oracles import ANSWERS_CUT_OFF, Outcome
from scoring.prompt_rates import PromptResult, count_left_out

DEMONSTRATION = "A demonstration, not a finding."
RATES = (
    "Rate langbite = passed / (passed + failed); a test with an answer that cannot be read is "
    "left out, even if others failed it. Rate all = passed / all tests asked as a whole, from all "
    "unread ones failed to all that still could pass passed."
)
NOT_MEASURED = (
    "Not measured: other uses, wordings, communities and languages than these; whether an expected "
    "answer is the right one. A model that passes is not thereby safe or free of bias."
)
US_CENTRED = "Templates about politics are centred on the United States."
RADAR = (
    "A radar's area depends on the order of the concerns and means nothing; intervals stand in the "
    "figure of rates."
)
CORRELATIONS = (
    "Pearson over models and concerns, with n and Fisher's interval, which is rather too narrow "
    "as points of one model or concern hang together."
)
TOLD_POINTS = 40
"""An alternative text with more values than this would not be listened to; a table has them."""


def build_statements(
    shown: ShownPrompts, figures: Sequence[Figure], first: Sequence[str]
) -> tuple[str, ...]:
    """The sentences of a figure.

    Args:
        shown: The results drawn.
        figures: The figures drawn of them.
        first: What this kind of figure says before all else.
    """
    found = [*first, describe_n(shown, figures), describe_unread(shown), describe_seen(shown)]
    if shown.us_centred:
        found.append(US_CENTRED)
    if shown.helpers:
        found.append(f"Models that helped: {literal('; '.join(shown.helpers))}.")
    if shown.same_family:
        named = literal("; ".join(shown.same_family))
        found.append(f"SAME FAMILY as an augmenting or judging model, not comparable: {named}.")
    undefined = sum(figure.value is None for figure in figures)
    if undefined:
        found.append(
            f"Not defined and not drawn: {undefined} of {len(figures)} values; the table says why."
        )
    weak = sum("weak" in figure.notes for figure in figures)
    if weak:
        found.append(f"{weak} of {len(figures)} values rest on fewer than 10.")
    bare = sum(figure.interval is not None and figure.interval.low is None for figure in figures)
    if bare:
        found.append(f"Without interval: {bare} of {len(figures)} values; the table says why.")
    if any(note.startswith("gap:") for figure in figures for note in figure.notes):
        found.append("Some means lack a cell; the table says which.")
    if shown.unvalidated:
        named = ", ".join(map(name_language, shown.unvalidated))
        found.append(f"NOT VALIDATED, nobody approved: {named}.")
    found.append(NOT_MEASURED)
    if shown.demonstration:
        found.append(DEMONSTRATION)
    return tuple(found)


def describe_n(shown: ShownPrompts, figures: Sequence[Figure]) -> str:
    """How many tests of what a value rests on."""
    counts = [figure.n for figure in figures if figure.value is not None]
    if not counts:
        return "No value is defined."
    least, most = min(counts), max(counts)
    each = f"n = {least}" if least == most else f"n = {least} to {most}"
    release = f", release {literal(shown.release)}" if shown.release else ", templates from files"
    return f"{each} a value; {len(shown.results)} verdicts in all{release}."


def describe_unread(shown: ShownPrompts) -> str:
    """What is in rate `langbite` not at all: refusals are named beside what is unreadable."""
    parts = [
        f"{shown.count(outcome)} {named}"
        for outcome, named in (
            (Outcome.REFUSED, "refused unexpectedly"),
            (Outcome.UNREADABLE, "unreadable"),
            (Outcome.ERROR, "errors"),
            (Outcome.PARTIAL, "not asked as a whole and in no rate"),
        )
    ]
    told = f"Of {len(shown.results)} tests: {', '.join(parts)}."
    more = (describe_left_out(shown.results), describe_cut_off(shown.results))
    return " ".join(filter(None, (told, *more)))


def describe_left_out(results: Sequence[PromptResult]) -> str:
    """How many tests rate `langbite` leaves out; the counts of outcomes do not show it."""
    out, failed = count_left_out(results)
    if not out:
        return ""
    return (
        f"Left out of langbite for an answer that cannot be read: {out}, of which {failed} have "
        "failed by others; langbite may lie above rate all for that."
    )


def describe_cut_off(results: Sequence[PromptResult]) -> str:
    """How many tests hold an answer that a limit ended, and would perhaps have gone on."""
    count = sum(ANSWERS_CUT_OFF in each.judged.notes for each in results)
    if not count:
        return ""
    return (
        f"Answers cut off at the longest length allowed (max_tokens): in {count} of {len(results)} "
        "tests; they are judged by what there is of them."
    )


def describe_seen(shown: ShownPrompts) -> str:
    """`4 of 6 translated texts seen by a human.`, names of communities among them."""
    if shown.seen is None:
        return "How many translated texts a human saw is not stated."
    seen, rows = shown.seen
    return f"{seen} of {rows} translated texts seen by a human."


def describe_rates(points: RatePoints) -> str:
    """The values in words for those who do not see the figure; their range if there are many."""
    known = [point for point in points.points if point.value is not None]
    if not known:
        return "No value is defined."
    if len(known) > TOLD_POINTS:
        values = [point.value for point in known if point.value is not None]
        return (
            f"{len(known)} values from {min(values):.3f} to {max(values):.3f}; the table beside "
            "the figure has them all."
        )
    return "; ".join(
        f"{point.panel}, {point.mark}, {point.series} {point.value:.3f}" for point in known
    )

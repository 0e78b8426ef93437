"""The study's figures of sectors, each with all that must be read with it.

Figure 2 of the study is SB against RB, overall and per sector. Distributions of A by sector stand
before it, one figure for each result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.charts_of_sectors import NARROW_STEP_WIDTH, STEP_WIDTH, bias_panels, step_panels
from app.score_figures import ScoreFigure
from app.views.score_statements import DEMONSTRATION, TOLD_POINTS
from app.views.scores import Result
from app.views.sector_labels import place_bias_labels
from app.views.sector_points import Biases, BiasPoint, Steps, build_biases, build_steps
from app.views.sector_results import (
    ASSOCIATION,
    ShownSectors,
    describe_country,
    describe_half_precision,
    describe_status,
    find_control,
    join_distinct,
)
from corpus.sectors import TermForm
from scoring.sector_contrasts import Context, Lengths
from scoring.sector_scores import NOT_MEASURED

IDENTITY = (
    "RB = SB − mean(W) exactly (of a sector, I_s − W_s): the dashed line of a language. Within a "
    "language RB orders models as SB does; languages differ by the constant mean(W)."
)
ZERO = "0 is no difference between feminine and masculine person words, not an ideal; below 0 the "
ZERO += "model attracts masculine words more."
SCALES = "I_s is in nats, W_s a difference of shares: they have no common scale."
CONTEXTS = {
    Context.OPEN: "Context open: no other word shows the gender.",
    Context.SHOWN: "Context shown: another word shows the gender, so that the model can read it "
    "there; never pooled with open sentences.",
}
LENGTHS = {
    Lengths.ALL: "All person pairs, whether their words have as many tokens or not.",
    Lengths.EQUAL: "Only person pairs whose two words have as many tokens.",
}
VARIANTS = {
    "equal": "Variant equal: all sectors weigh the same.",
    "weighted": "Variant weighted: sectors weigh by their share of employment.",
}


def build_sector_figures(
    shown: ShownSectors, variant: str = "equal", columns: int = 2
) -> tuple[ScoreFigure, ...]:
    """Distributions of each result, then the scatter of all.

    Args:
        shown: What is drawn.
        variant: `equal` or `weighted`, for the panel of all sectors.
        columns: Panels of the scatter side by side.

    Raises:
        InputError: if a result's shard is missing or damaged.
    """
    scatter = _build_scatter(shown, variant, columns)
    if shown.method != ASSOCIATION:
        # Nothing is masked, so that there is no A of one sentence.
        return (scatter,)
    width = STEP_WIDTH if columns > 1 else NARROW_STEP_WIDTH
    controls = (_build_control(each, label, shown, width) for each, label in shown.scored)
    return (*_build_distributions(shown, width), *filter(None, controls), scatter)


def _build_distributions(shown: ShownSectors, width: int) -> Iterator[ScoreFigure]:
    for result, label in shown.scored:
        steps = build_steps(result, shown)
        name = "distributions"
        if len(shown.scored) > 1:
            number = shown.results.index(result) + 1
            name += f"-{number}-{re.sub(r'[^A-Za-z0-9]+', '-', label).strip('-')}"
        title = f"A of feminine and masculine person words by sector: {label}"
        counts = [f"{steps.counts[0]}"] + [
            f"{n}" for n in steps.counts[-1:] if len(steps.counts) > 1
        ]
        statements = (
            "A = ln(p_target / p_prior), natural log: above 0 the sector's word makes the person "
            "word more probable. Vertical lines are means; grey is 0, no association.",
            ZERO,
            f"n = {' to '.join(counts)} sentences a line, drawn as shares. No intervals: sentences "
            "share templates, words and terms; the difference I_s has its interval in the scatter.",
            *_common(shown, with_models=False),
        )
        yield ScoreFigure(
            name=name,
            title=title,
            number="",
            statements=statements,
            alt=f"{title}. {' '.join(statements)} {_describe_means(steps)}",
            chart=step_panels(steps, "sector", width) if steps.points else None,
            figures=steps.figures,
        )


def _build_control(
    result: Result, label: str, shown: ShownSectors, width: int
) -> ScoreFigure | None:
    """Occupations in place of sectors, with the same model; None if that was not scored."""
    control = find_control(result)
    if control is None or shown.context is not Context.OPEN:
        return None
    codes = tuple(code for code in shown.languages if code in control.manifest["languages"])
    of_control = ShownSectors((control,), codes, shown.context, shown.lengths)
    steps = build_steps(control, of_control, TermForm)
    disparities = of_control.figures_of(control)
    title = f"Control: A with words for occupations by their form: {label}"
    seen = join_distinct(describe_status(control, code) for code in codes)
    statements = (
        "Where a language has a masculine and a feminine form, the difference between the person "
        "words can follow the form, whatever the occupation is; that is why sectors are asked for.",
        "Compare with the distributions by sector, whose words favour neither gender by form. "
        "Vertical lines are means; grey is 0, no association and not an ideal.",
        f"n = {' to '.join(str(n) for n in steps.counts)} sentences a line. "
        f"{LENGTHS[shown.lengths]} No measure of stereotypes; not part of SB and RB.",
        f"Sentences of the control: {seen}.",
        *filter(None, (describe_half_precision(control.manifest, code) for code in codes)),
        *([DEMONSTRATION] if control.demonstration else []),
        f"Limits: {NOT_MEASURED}",
    )
    return ScoreFigure(
        name="occupations" if len(shown.scored) == 1 else f"occupations-{control.key}",
        title=title,
        number="1",
        statements=statements,
        alt=f"{title}. {' '.join(statements)} {_describe_means(steps)}",
        chart=step_panels(steps, "form of the word", width) if steps.points else None,
        figures=(*(figure for figure, _ in disparities), *steps.figures),
    )


def _build_scatter(shown: ShownSectors, variant: str, columns: int) -> ScoreFigure:
    biases = build_biases(shown, variant)
    title = "Stereotyping bias SB against representation bias RB"
    counts = sorted({point.n for point in biases.points})
    statements = (
        IDENTITY,
        ZERO,
        SCALES,
        f"{VARIANTS[variant]} {_describe_n(counts)} "
        + (
            "Thick lines are 95 % intervals over templates and person pairs, along the line."
            if biases.draws_intervals
            else "Without intervals; the table says why."
        ),
        *_undefined(biases),
        *_unlabelled(biases),
        *_common(shown, with_models=True),
    )
    return ScoreFigure(
        name="sb-rb",
        title=title,
        number="2",
        statements=statements,
        alt=f"{title}. {' '.join(statements)} {_describe_points(biases.points)}",
        chart=bias_panels(biases, columns) if biases.points else None,
        figures=biases.figures,
    )


def _undefined(biases: Biases) -> Iterator[str]:
    missing = sum(figure.value is None for figure in biases.figures)
    if missing:
        yield (
            f"{missing} of {len(biases.figures)} values are not defined and not drawn; the table "
            "says why (weighted needs a workforce table with shares of employment)."
        )


def _unlabelled(biases: Biases) -> Iterator[str]:
    missing = len(biases.points) - len(place_bias_labels(biases))
    if missing:
        yield f"{missing} marks have no number beside them for lack of room; the table has all."


def _common(shown: ShownSectors, with_models: bool) -> Iterator[str]:
    if with_models:
        yield (
            f"Models: {'; '.join(model.described for model in shown.models)}. Small marks: base; "
            "large ones: large; between them: other or not stated."
        )
    yield f"{CONTEXTS[shown.context]} {LENGTHS[shown.lengths]}"
    pairs = [
        (result, code)
        for result in shown.results
        for code in shown.languages
        if code in result.manifest["languages"]
    ]
    yield f"{join_distinct(describe_country(*pair) for pair in pairs)}."
    tables = (each.manifest["workforce_table"] for each in shown.results)
    told = join_distinct(
        f"Workforce table {t['name']}, year {t['year']}: {t['source'].rstrip('.')}" for t in tables
    )
    yield f"{told}."
    yield f"Sentences: {join_distinct(describe_status(*pair) for pair in pairs)}."
    halves = [describe_half_precision(result.manifest, code) for result, code in pairs]
    yield from dict.fromkeys(filter(None, halves))
    if shown.method != ASSOCIATION:
        yield (
            f"Method {shown.method}: not comparable with associations of masked models; how usual "
            "the person words are is part of SB, RB and I_s, not of I_s − mean of I_s."
        )
    if shown.demonstration:
        yield DEMONSTRATION
    yield f"Limits: {NOT_MEASURED}"


def _describe_n(counts: list[int]) -> str:
    if not counts:
        return "No value is defined."
    least, most = counts[0], counts[-1]
    told = str(least) if least == most else f"{least} to {most}"
    return f"n = {told} sentence pairs a value."


def _describe_points(points: tuple[BiasPoint, ...]) -> str:
    if not points:
        return "No value is defined."
    if len(points) > TOLD_POINTS:
        values = [point.sb for point in points]
        return f"{len(points)} points, SB from {min(values):.3f} to {max(values):.3f}."
    return "; ".join(
        f"{p.panel}, model {p.number}, {p.language}: {p.sb:.3f}, {p.rb:.3f}" for p in points
    )


def _describe_means(steps: Steps) -> str:
    means = [point for point in steps.points if point.share is None]
    return "Means: " + "; ".join(
        f"{m.language}, {m.group}, {m.gender} {m.at_nats:.3f}" for m in means
    )

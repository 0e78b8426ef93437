"""Funnel report: one long table of what was kept and why not, beside published counts if given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.figures import Figure
from pipeline.funnel import Funnel
from pipeline.published_counts import PublishedCounts

SOURCES = "sources"
TRANSLATED = "translated"
PASSED_QUALITY = "passed_quality"
NEUTRAL = "neutral"
PAIR = "pair"
REPAIRED = "repaired"
KEPT = "kept"
BY_QUALITY = "discarded_by_quality"
BY_PAIRING = "discarded_by_pairing"
BY_REASON = "discarded"
OF_STEREOTYPE = "kept_of_stereotype"

DEFINITIONS: dict[str, str] = {
    SOURCES: "source sentences that have a candidate",
    TRANSLATED: "sources with a translation for each wrapper they need",
    PASSED_QUALITY: "translated sources of which no text is known to be below its threshold",
    NEUTRAL: "candidates whose one text serves for all genders",
    PAIR: "candidates that are minimal pairs",
    REPAIRED: "kept candidates of which repair built or chose a text; part of neutral and pair",
    KEPT: "neutral candidates and pairs; its share of the sources is the coverage",
    BY_QUALITY: "candidates that pairing kept and quality did not",
    BY_PAIRING: "translated sources that are neither neutral nor a pair",
    BY_REASON: "discarded candidates of one reason",
    OF_STEREOTYPE: "neutral candidates and pairs of one stereotype, a share of its sources; a "
    "published count is a share of the same ones where both have as many sources in all",
}
"""Stage of a funnel → what it counts."""


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A count of one language at one stage."""

    language: str
    stage: str
    """One of `DEFINITIONS`."""
    about: str
    """Reason code or stereotype id; empty where the stage is of the whole language."""
    count: int
    of: int
    """What the count is a share of: the language's sources, or the stereotype's."""
    share: float | None
    """In [0, 1]; None where there is nothing to share."""
    published_count: int | None
    published_share: float | None
    """None where nothing was published for this row."""


def build_report(
    funnels: Iterable[Funnel], published: Mapping[str, PublishedCounts] | None = None
) -> tuple[ReportRow, ...]:
    """All rows, language by language; `published` by language code."""
    rows: list[ReportRow] = []
    for funnel in funnels:
        rows += _build_rows(funnel, (published or {}).get(funnel.language))
    return tuple(rows)


def build_report_figures(rows: Iterable[ReportRow]) -> list[Figure]:
    """Counts as figures, and the coverage of each language and stereotype as a share."""
    figures = []
    for row in rows:
        about = {BY_REASON: "reason", OF_STEREOTYPE: "stereotype"}.get(row.stage)
        scope = (("language", row.language), *(((about, row.about),) if about else ()))
        definition = DEFINITIONS[row.stage]
        figures.append(
            Figure(row.stage, float(row.count), row.count, definition, "count", scope=scope)
        )
        if row.stage in (KEPT, OF_STEREOTYPE):
            figures.append(_coverage(row, scope))
        if row.published_count is not None:
            published = (*scope, ("origin", "published"))
            figures.append(
                Figure(
                    row.stage,
                    float(row.published_count),
                    row.published_count,
                    definition,
                    "published count",
                    scope=published,
                )
            )
    return figures


def _coverage(row: ReportRow, scope: tuple[tuple[str, str], ...]) -> Figure:
    return Figure(
        name="coverage",
        value=row.share,
        n=row.of,
        definition="share of the sources that are kept, neutral or as a pair, in [0, 1]",
        method="share of all sources; a count, not an estimate",
        reason="no_data" if row.share is None else None,
        scope=scope,
    )


def _build_rows(funnel: Funnel, published: PublishedCounts | None) -> list[ReportRow]:
    ours = {
        SOURCES: funnel.sources,
        TRANSLATED: funnel.translated,
        PASSED_QUALITY: funnel.passed_quality,
        NEUTRAL: funnel.neutral,
        PAIR: funnel.pairs,
        REPAIRED: funnel.repaired,
        KEPT: funnel.kept,
        BY_QUALITY: funnel.discarded_by_quality,
        BY_PAIRING: funnel.discarded_by_pairing,
    }
    theirs = _published_stages(published)
    of, of_published = funnel.sources, published.sources if published else 0
    rows = [
        _row(funnel.language, stage, "", count, of, theirs.get(stage), of_published)
        for stage, count in ours.items()
    ]
    rows += [
        _row(funnel.language, BY_REASON, reason, count, of)
        for reason, count in funnel.discarded.items()
    ]
    samples = published.stereotypes if published else {}
    # Published counts do not say how many sources a stereotype had: as many as here, if all had.
    same_sources = of == of_published
    rows += [
        _row(
            funnel.language,
            OF_STEREOTYPE,
            str(each.stereotype_id),
            each.kept,
            each.sources,
            samples.get(each.stereotype_id),
            each.sources if same_sources else 0,
        )
        for each in funnel.stereotypes
    ]
    return rows


def _published_stages(published: PublishedCounts | None) -> dict[str, int]:
    if published is None:
        return {}
    return {
        SOURCES: published.sources,
        NEUTRAL: published.neutral,
        PAIR: published.pairs,
        KEPT: published.kept,
        BY_QUALITY: published.discarded_by_quality,
        BY_PAIRING: published.discarded_by_pairing,
    }


def _row(
    language: str,
    stage: str,
    about: str,
    count: int,
    of: int,
    published_count: int | None = None,
    published_of: int = 0,
) -> ReportRow:
    published_share = (
        published_count / published_of if published_count is not None and published_of else None
    )
    share = count / of if of else None
    return ReportRow(language, stage, about, count, of, share, published_count, published_share)

"""Funnels as bars and table rows: what generation kept of a language, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from annotation.confusion import ConfusionCount
from app.views import words
from app.views.agreement import ConfusionCell
from corpus.stereotypes import Inventory
from pipeline import funnel_report as stages
from pipeline.funnel import Funnel
from pipeline.funnel_report import ReportRow

STAGES = {
    stages.SOURCES: "source sentences",
    stages.TRANSLATED: "translated",
    stages.PASSED_QUALITY: "passed quality",
    stages.NEUTRAL: "neutral",
    stages.PAIR: "pair",
    stages.REPAIRED: "kept by repair",
    stages.BY_QUALITY: "discarded by quality",
    stages.BY_PAIRING: "discarded by pairing",
    stages.KEPT: "kept: neutral or pair",
}
"""Stage of a whole language → its name on the page, from top to bottom."""


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """The funnel of one language in the page's first table."""

    language: str
    coverage: str
    published_coverage: str
    """Empty where none was published."""
    sources: int
    translated: int
    passed_quality: str
    """Says so where no threshold held."""
    neutral: int
    pair: int
    repaired: int
    discarded_by_quality: int
    discarded_by_pairing: int


@dataclass(frozen=True, slots=True)
class DrawnShare:
    """One bar: a count, its share, and the published share beside it."""

    mark: str
    count: int
    of: int
    share: float
    """In [0, 1]."""
    text: str
    """`54 (75.0 %)`."""
    published_count: int | None
    published_share: float | None


def build_funnel_row(funnel: Funnel, rows: Iterable[ReportRow]) -> FunnelRow:
    """A language's row; `rows` are the report's."""
    [kept] = [row for row in rows if row.language == funnel.language and row.stage == stages.KEPT]
    return FunnelRow(
        language=words.describe_language(funnel.language),
        sources=funnel.sources,
        translated=funnel.translated,
        passed_quality=str(funnel.passed_quality) if funnel.filtered else "not filtered",
        neutral=funnel.neutral,
        pair=funnel.pairs,
        repaired=funnel.repaired,
        discarded_by_quality=funnel.discarded_by_quality,
        discarded_by_pairing=funnel.discarded_by_pairing,
        coverage=_percent(kept.share),
        published_coverage=_percent(kept.published_share),
    )


def draw_stages(rows: Iterable[ReportRow], language: str) -> tuple[DrawnShare, ...]:
    """The bars of a language's stages, in the order of `STAGES`; no bar for no repairs."""
    found = {row.stage: row for row in rows if row.language == language and not row.about}
    return tuple(
        _draw(found[stage], name)
        for stage, name in STAGES.items()
        if stage in found and (stage != stages.REPAIRED or found[stage].count)
    )


def draw_reasons(rows: Iterable[ReportRow], language: str) -> tuple[DrawnShare, ...]:
    """The bars of a language's discards, the most frequent reason first."""
    return tuple(
        _draw(row, row.about.replace("_", " "))
        for row in rows
        if row.language == language and row.stage == stages.BY_REASON
    )


def draw_stereotypes(
    rows: Iterable[ReportRow], language: str, inventory: Inventory
) -> tuple[DrawnShare, ...]:
    """The bars of what was kept of each stereotype's sources."""
    return tuple(
        _draw(row, words.describe_stereotype(int(row.about), inventory))
        for row in rows
        if row.language == language and row.stage == stages.OF_STEREOTYPE
    )


def build_confusion_cells(
    counts: Sequence[ConfusionCount], discarded: bool = False
) -> tuple[ConfusionCell, ...]:
    """The cells of human labels by system label: of kept candidates, or of discarded by reason."""
    return tuple(
        ConfusionCell(
            f"{each.discarded_for.replace('_', ' ')}: {each.system}"
            if discarded
            else str(each.system),
            str(each.human),
            each.count,
        )
        for each in counts
        if bool(each.discarded_for) == discarded
    )


def build_confusion_table(cells: Sequence[ConfusionCell], title: str) -> pd.DataFrame:
    """The cells as a matrix: a row for each system label, a column for each human one."""
    rows: dict[str, dict[str, int]] = {}
    for each in cells:
        rows.setdefault(each.system, {})[each.rater] = each.count
    return pd.DataFrame(
        [
            {title: system, **counts, "answers": sum(counts.values())}
            for system, counts in rows.items()
        ]
    )


def tell_cells(cells: Iterable[ConfusionCell]) -> str:
    """The cells that are not zero in words, for who cannot see them."""
    return "; ".join(
        f"{each.system} labelled {each.rater}: {each.count}" for each in cells if each.count
    )


def describe_reasons(drawn: Iterable[DrawnShare]) -> str:
    """What each drawn reason means, a line each."""
    return "\n".join(
        f"{each.mark}: {words.describe_candidate_reason(each.mark.replace(' ', '_'))}"
        for each in drawn
    )


def describe_stages(drawn: Iterable[DrawnShare]) -> str:
    """What each drawn stage counts, a line each."""
    codes = {name: stage for stage, name in STAGES.items()}
    return "\n".join(f"{each.mark}: {stages.DEFINITIONS[codes[each.mark]]}" for each in drawn)


def tell(drawn: Iterable[DrawnShare]) -> str:
    """The bars in words, for who cannot see them."""
    return "; ".join(
        f"{each.mark} {each.text}"
        + (f", published {each.published_count}" if each.published_count is not None else "")
        for each in drawn
    )


def _draw(row: ReportRow, mark: str) -> DrawnShare:
    return DrawnShare(
        mark=mark,
        count=row.count,
        of=row.of,
        share=row.share or 0.0,
        text=f"{row.count} ({_percent(row.share)})",
        published_count=row.published_count,
        published_share=row.published_share,
    )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"

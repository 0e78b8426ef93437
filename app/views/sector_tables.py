"""Tables of page Sectors: sentences, measures of each sector and of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.output import describe_figure
from app.views import words
from app.views.scores import select_figures
from app.views.sector_results import ShownSectors
from corpus.figures import Figure
from corpus.sectors import Sector, SectorSentence
from scoring.sector_contrasts import Context

OF_ALL = (
    ("SB (nats)", "sb"),
    ("RB", "rb"),
    ("mean W", "mean_w"),
    ("mean of |I_s − W_s|", "mean_absolute_gap"),
    ("mean of I_s − ln(women/men)", "mean_log_ratio_gap"),
    ("rank correlation", "rank_correlation"),
    ("Global Gender Gap Index", "global_gender_gap_index"),
)
OF_SECTOR = (
    ("I_s (nats)", "inner_disparity"),
    ("I_s − mean of I_s", "relative_disparity"),
    ("W_s", "w"),
    ("I_s − ln(women/men)", "log_ratio_gap"),
    ("p, person pairs", "wilcoxon_p_person_pairs"),
)


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence as the table shows it."""

    sentence: str
    gender: str
    sector: str
    status: str
    context: str
    template: str
    person_words: str
    term: str


def list_sentences(
    sentences: Iterable[SectorSentence], context: Context, sector: str | None = None
) -> tuple[SentenceRow, ...]:
    """Those of one context, of one sector or of all."""
    return tuple(
        SentenceRow(
            one.text, str(one.gender), str(one.sector), one.status, str(context), one.template,
            one.pair, one.term,
        )
        for one in sentences
        if one.shows_gender == (context is Context.SHOWN) and sector in (None, one.sector)
    )  # fmt: skip


def list_biases(shown: ShownSectors, variant: str) -> tuple[dict[str, str], ...]:
    """Model, language, the measures over all sectors with intervals, and n."""
    return tuple(_biases(shown, variant))


def list_sectors(shown: ShownSectors) -> tuple[dict[str, str], ...]:
    """Model, language, sector, its measures with intervals, and n."""
    return tuple(_sectors(shown))


def _biases(shown: ShownSectors, variant: str) -> Iterable[dict[str, str]]:
    for label, code, figures in _each(shown):
        row = {"model": label, "language": words.describe_language(code)}
        for title, name in OF_ALL:
            found = _find(figures, name, {"variant": variant}) or _find(figures, name, {})
            row[title] = describe_figure(found) if found else "–"
        sb = _find(figures, "sb", {"variant": variant})
        row["n"] = str(sb.n if sb else 0)
        yield row


def _sectors(shown: ShownSectors) -> Iterable[dict[str, str]]:
    for label, code, figures in _each(shown):
        for sector in Sector:
            scope = {"sector": str(sector)}
            row = {"model": label, "language": words.describe_language(code), **scope}
            for title, name in OF_SECTOR:
                found = _find(figures, name, scope)
                row[title] = describe_figure(found) if found else "–"
            disparity = _find(figures, "inner_disparity", scope)
            row["n"] = str(disparity.n if disparity else 0)
            yield row


def _each(shown: ShownSectors) -> Iterable[tuple[str, str, Sequence[Figure]]]:
    """Label of the model, code of the language, and its figures."""
    for result, model in zip(shown.results, shown.models, strict=True):
        figures = [figure for figure, _ in shown.figures_of(result)]
        for code in shown.languages:
            own = [each for each in figures if dict(each.scope)["language"] == code]
            if own:
                yield model.label, code, own


def _find(figures: Sequence[Figure], name: str, scope: Mapping[str, str]) -> Figure | None:
    return next(iter(select_figures(figures, name, scope)), None)

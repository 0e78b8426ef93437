"""Templates: what raters said of a language's, and which wording was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.template_choices import (
    TemplateOption,
    find_unsettled,
    is_wording,
    list_options,
    write_frame,
)
from annotation.templates import (
    TemplateRating,
    compute_template_figures,
    gather_template_ratings,
)
from app.views import words
from corpus.languages import Frame, TemplateKind, language
from corpus.records import TemplateChoice
from corpus.standing import Standing
from corpus.templates import usable_templates


@dataclass(frozen=True, slots=True)
class SettledRow:
    """How far a language's templates are settled."""

    language: str
    needed: str
    """The kinds that scoring uses."""
    settled: str
    ratings: int
    mean_da: float | None
    """Over all templated sentences and raters; None without ratings."""


@dataclass(frozen=True, slots=True)
class TemplateRatingRow:
    """One rater's answer to one templated sentence, under her pseudonym."""

    template: str
    variant: str
    rater: str
    da: int
    suggestion: str
    text_shown: str
    comment: str


def build_settled_rows(standings: Iterable[Standing]) -> tuple[SettledRow, ...]:
    """One row for each language."""
    return tuple(map(_settled_row, standings))


def _settled_row(standing: Standing) -> SettledRow:
    ratings = gather_template_ratings(standing)
    [*_, overall] = compute_template_figures(ratings, standing.language)
    return SettledRow(
        language=words.describe_language(standing.language),
        needed=", ".join(each.kind for each in usable_templates(language(standing.language))),
        settled=describe_settled(standing),
        ratings=len(ratings),
        mean_da=overall.value,
    )


def describe_settled(standing: Standing) -> str:
    """Whether the wording of all templates that scoring uses is chosen."""
    unsettled = find_unsettled(standing)
    return f"✗ not yet: {', '.join(unsettled)}" if unsettled else "✓ settled"


def build_template_rating_rows(
    ratings: Sequence[TemplateRating],
) -> tuple[TemplateRatingRow, ...]:
    """The answers, by item and rater."""
    return tuple(
        TemplateRatingRow(
            template=each.item.subject_id.split("/template/", 1)[1].split("/")[1],
            variant=each.item.variant,
            text_shown=each.item.shown["mt_text"],
            rater=each.rater_id,
            da=each.score_0_100,
            suggestion=each.suggestion,
            comment=each.comment,
        )
        for each in ratings
    )


def find_kinds(code: str) -> tuple[TemplateKind, ...]:
    """The kinds of template that a language has, those that scoring uses first."""
    used = [each.kind for each in usable_templates(language(code))]
    return (*used, *(kind for kind in TemplateKind if kind not in used))


def list_options_of(
    standing: Standing, kind: TemplateKind, ratings: Sequence[TemplateRating]
) -> list[TemplateOption]:
    """The wordings of one kind, the one chosen first if it is none of them."""
    options = [each for each in list_options(standing.language, ratings) if each.kind is kind]
    chosen = find_choice(standing, kind)
    if chosen is not None and not any(is_wording(chosen, each) for each in options):
        frames = (Frame(*chosen.masculine), Frame(*chosen.feminine))
        options.insert(0, TemplateOption(kind, "as chosen", *frames))
    return options


def find_choice(standing: Standing, kind: TemplateKind) -> TemplateChoice | None:
    """What was chosen for a kind, None if nothing was."""
    return next((each for each in standing.template_choices if each.kind == kind), None)


def describe_option(option: TemplateOption) -> str:
    """A wording with where it comes from, {} standing for the sentence."""
    return f"{option.source}: {write_frame(option.masculine)} / {write_frame(option.feminine)}"


def describe_choice(choice: TemplateChoice | None) -> str:
    """What was chosen, by whom, when and why."""
    if choice is None:
        return "Not chosen yet: scores use the corrected wording."
    wording = f"{write_frame(Frame(*choice.masculine))} / {write_frame(Frame(*choice.feminine))}"
    when = f" on {choice.stamp.at:%Y-%m-%d %H:%M} UTC" if choice.stamp else ""
    return f"✓ chosen by {choice.by}{when}: {wording}\nReason: {choice.reason}"

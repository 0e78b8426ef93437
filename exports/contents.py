"""Contents: the rows of one language as they are released, and what was left out.

Released are all candidates that are not discarded, with decisions applied. Rejected candidates,
open disagreements, repaired candidates that people have not judged and texts that a curator wrote
and nobody has rated stay out and are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from corpus.prompt_sources import FRAME
from corpus.records import (
    Approval,
    Candidate,
    Item,
    Label,
    Origin,
    Purpose,
    RatingRevision,
    Source,
    Stamp,
)
from corpus.release_schema import HumanSeen, ReleaseRow, Validation, gest_id
from corpus.repaired import compute_repaired_verdict, find_built_variant, is_repaired
from corpus.review import LanguageState, ReviewedCandidate
from corpus.standing import DATA_PURPOSES, Standing, is_untranslated
from corpus.written import WRITTEN_FLAG, find_held

MODELS = "models"
"""Key of a candidate's evidence: the models that translated and paraphrased it."""
QUALITY_FIELD = "quality"
"""The direct assessment, in every bundled form."""
LEFT_OUT = {
    "open": "with an open disagreement",
    "repaired": "repaired, too few of them judged and found right by people",
    "written": "with a text that a curator wrote and no rater has rated",
}
"""Why candidates are left out → in words, where the code is no plain word."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many candidates of a language are not in the release, by why."""

    discarded: int
    rejected: int
    """By a curator."""
    open: int
    """Disagreements without a decision."""
    repaired: int = 0
    """A variant was built, and too few of such variants were judged and found right."""
    written: int = 0
    """A curator wrote a variant, and nobody else has rated it."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What a release holds of one language."""

    language: str
    rows: tuple[ReleaseRow, ...]
    candidates: tuple[ReviewedCandidate, ...]
    """The candidates behind the rows, in the same order."""
    left_out: LeftOut
    standing: Standing
    item_by_id: Mapping[str, Item]

    @property
    def validation(self) -> Validation:
        """Whether the language is approved as it is released."""
        return find_validation(self.standing)

    @property
    def approval(self) -> Approval | None:
        """The approval that the language is released on, None where there is none that holds."""
        approved = self.validation is Validation.APPROVED
        return self.standing.review.approval if approved else None

    @property
    def is_demo(self) -> bool:
        """Whether anything of it is demo data."""
        approval = self.approval
        stamps = [answer.rating.stamp for answer in self.standing.answers]
        stamps += [approval.stamp] if approval else []
        return any(row.origin is Origin.DEMO for row in self.rows) or any(map(_is_demo, stamps))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A counted rating of a text exactly as it is released."""

    variant: str
    purpose: Purpose
    rating: RatingRevision


def build_contents(
    standing: Standing,
    sources: Mapping[str, Source],
    open_subjects: Collection[str] = (),
    published: Collection[str] = (),
) -> Contents:
    """The rows of a language in the sources' order, and the counts of what is left out.

    Args:
        standing: What the store says of the language.
        sources: The instrument's sources by key.
        open_subjects: Ids of candidates with an open disagreement.
        published: Ids of raters who agreed that their ratings are published.
    """
    items = {item.id: item for item in standing.items}
    ratings = _ratings_by_subject(standing, items)
    left_out = {"discarded": 0, "rejected": 0, "open": 0, "repaired": 0, "written": 0}
    held = find_held(standing)
    may_hold_repaired = compute_repaired_verdict(standing).releasable
    kept: list[ReviewedCandidate] = []
    for each in standing.candidates:
        if each.candidate.label is Label.DISCARDED:
            left_out["discarded"] += 1
        elif each.rejected:
            left_out["rejected"] += 1
        elif each.candidate.id in open_subjects:
            left_out["open"] += 1
        elif is_repaired(each) and not may_hold_repaired:
            left_out["repaired"] += 1
        elif each.candidate.id in held:
            left_out["written"] += 1
        else:
            kept.append(each)
    validation = find_validation(standing)
    rows = tuple(
        _build_row(
            each,
            sources[each.candidate.source_key],
            _find_seen(each.candidate, ratings[each.candidate.id], items),
            published,
            validation,
        )
        for each in kept
    )
    return Contents(standing.language, rows, tuple(kept), LeftOut(**left_out), standing, items)


def find_validation(standing: Standing) -> Validation:
    """Whether a language is approved on its present data; the source language needs no approval."""
    match standing.review.state:
        case LanguageState.SOURCE:
            return Validation.SOURCE
        case LanguageState.APPROVED | LanguageState.RELEASED:
            return Validation.APPROVED
        case _:
            return Validation.UNVALIDATED


def describe_left_out(counts: Mapping[str, int]) -> str:
    """`2 rejected, 1 with an open disagreement`; `none` where all are in the release."""
    parts = [f"{number} {LEFT_OUT.get(why, why)}" for why, number in counts.items() if number]
    return ", ".join(parts) or "none"


def count_written(contents: Contents) -> int:
    """Released rows with a text that a curator wrote."""
    return sum(WRITTEN_FLAG in row.flags for row in contents.rows)


def quality_of(evidence: Mapping[str, Any]) -> tuple[float | None, str | None]:
    """The lowest quality score of a candidate's translations and the model that gave it.

    Reads `quality` in the evidence: {`model`, `scores`: {wrapper → score or None}}.
    """
    quality = evidence.get("quality") or {}
    scores = [score for score in (quality.get("scores") or {}).values() if score is not None]
    return (float(min(scores)), quality.get("model")) if scores else (None, None)


def _ratings_by_subject(
    standing: Standing, items: Mapping[str, Item]
) -> defaultdict[str, list[RatingRevision]]:
    found: defaultdict[str, list[RatingRevision]] = defaultdict(list)
    for rating in standing.counted:
        item = items[rating.item_id]
        if item.purpose in DATA_PURPOSES:
            found[item.subject_id].append(rating)
    return found


def _find_seen(
    candidate: Candidate, ratings: Iterable[RatingRevision], items: Mapping[str, Item]
) -> list[_Seen]:
    """The ratings whose item showed the text that is released: an edit leaves none behind."""
    found: list[_Seen] = []
    for rating in ratings:
        item = items[rating.item_id]
        text = candidate.variants.get(item.variant)
        if text is not None and text in item.shown.values():
            found.append(_Seen(item.variant, item.purpose, rating))
    return found


def _build_row(
    reviewed: ReviewedCandidate,
    source: Source,
    seen: list[_Seen],
    published: Collection[str],
    validation: Validation,
) -> ReleaseRow:
    candidate, decision = reviewed.candidate, reviewed.decision
    score, model = quality_of(candidate.evidence)
    # A mean over two raters and one published rating give the other's: it is of those who agreed.
    agreed = [each.rating for each in seen if each.rating.rater_id in published]
    given = [rating.answers.get(QUALITY_FIELD) for rating in agreed]
    scores = [float(value) for value in given if isinstance(value, int | float)]
    stamps = [candidate.stamp, source.stamp, decision.stamp if decision else None]
    stamps += [each.rating.stamp for each in seen]
    return ReleaseRow(
        id=candidate.id,
        instrument=candidate.instrument,
        language=candidate.language,
        source=source.text,
        gest_id=gest_id(source),
        stereotype_id=source.stereotype_id,
        label=candidate.label,
        reason=candidate.reason,
        # An imported candidate may have the flag already.
        flags=tuple(
            dict.fromkeys((*candidate.flags, *([WRITTEN_FLAG] if reviewed.written else [])))
        ),
        variants=dict(candidate.variants),
        attributes=_find_attributes(source, reviewed.generated),
        strategy=candidate.strategy,
        quality_score=score,
        quality_model=model,
        raters=len({each.rating.rater_id for each in seen}),
        mean_quality=fmean(scores) if scores else None,
        human_seen=(
            HumanSeen.SOURCE if is_untranslated(reviewed.generated) else _human_seen(reviewed, seen)
        ),
        adjudicated=_is_adjudicated(reviewed, seen),
        decision=decision.action if decision else None,
        validation=Validation.SOURCE if is_untranslated(reviewed.generated) else validation,
        origin=_origin(candidate, stamps),
        content_hash=candidate.content_hash,
        repaired=_find_built(reviewed),
        human_written=tuple(sorted(reviewed.written)),
    )


def _find_attributes(source: Source, candidate: Candidate) -> dict[str, Any]:
    """What the source holds; of a prompt also what is sent around it, and what models wrote it."""
    own = {name: candidate.evidence[name] for name in (FRAME, MODELS) if name in candidate.evidence}
    return {**source.attributes, **own}


def _find_built(reviewed: ReviewedCandidate) -> tuple[str, ...]:
    """The variants whose text the product built, whatever a curator has labelled them since."""
    if not is_repaired(reviewed):
        return ()
    built = reviewed.generated.variants[find_built_variant(reviewed.generated)]
    return tuple(name for name, text in reviewed.candidate.variants.items() if text == built)


def _human_seen(reviewed: ReviewedCandidate, seen: Iterable[_Seen]) -> HumanSeen:
    """What people saw; a demo rater or a demo curator is a script and sees nothing."""
    if _is_read_by_curator(reviewed):
        return HumanSeen.BOTH
    variants = {each.variant for each in seen if not _is_demo(each.rating.stamp)}
    if not variants:
        return HumanSeen.NONE
    return HumanSeen.BOTH if variants >= set(reviewed.candidate.variants) else HumanSeen.ONE


def _is_adjudicated(reviewed: ReviewedCandidate, seen: Iterable[_Seen]) -> bool:
    """Whether a person judged the row by itself, because of what was known of it."""
    return _is_read_by_curator(reviewed) or any(
        each.purpose is Purpose.ADJUDICATION and not _is_demo(each.rating.stamp) for each in seen
    )


def _is_read_by_curator(reviewed: ReviewedCandidate) -> bool:
    """Who decides one candidate reads all of it; a rule decides without anybody reading."""
    decision = reviewed.decision
    return decision is not None and decision.rule is None and not _is_demo(decision.stamp)


def _origin(candidate: Candidate, stamps: Iterable[Stamp | None]) -> Origin:
    if any(_is_demo(stamp) for stamp in stamps):
        return Origin.DEMO
    return candidate.stamp.origin if candidate.stamp else Origin.MACHINE


def _is_demo(stamp: Stamp | None) -> bool:
    return stamp is not None and stamp.origin is Origin.DEMO

"""Repaired candidates in words: which text was built from which, by what changes, and who judged.

Curators see this. Raters do not: an item holds the texts it shows and nothing about their origin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.views import words
from corpus.records import NEUTRAL_VARIANT, Candidate, Label
from corpus.repaired import (
    LEAST_JUDGED,
    LEAST_RIGHT,
    REPAIRED_FLAG,
    RepairedVerdict,
    compute_repaired_verdict,
    find_built_variant,
    is_repaired,
)
from corpus.review import ReviewedCandidate
from corpus.standing import Standing

MEANING = "repaired: built by the product from the other variant, not translated"
ONE_WORDING = "repaired: one of two translations taken for both, nothing built"
WORDED_TWICE = "no text shows the speaker's gender; the two translations differ in wording only"
"""Reason of a neutral candidate that repair chose; its code is that of identical texts."""
REWRITTEN = "was repaired; a curator has written the texts anew"
_EVIDENCE = {
    "form": "{seen} pairs of the language have the two words",
    "ending": "{seen} words of the language change so",
}


@dataclass(frozen=True, slots=True)
class RepairedRow:
    """The repaired candidates of a language, and whether its next release may hold them."""

    language: str
    in_the_next_release: str
    """`✓ yes`, or why not."""
    repaired: int
    """Neutral candidates and pairs that are not rejected."""
    of: int
    """All neutral candidates and pairs that are not rejected."""
    built_texts_judged: int
    found_right: int
    lower_bound: str
    """Of the share that is right, 95 %."""


def describe_short(reviewed: ReviewedCandidate) -> str:
    """One cell about a repair: what was built, by which changes; empty if nothing was."""
    if REPAIRED_FLAG not in reviewed.candidate.flags:
        return ""
    if not is_repaired(reviewed):
        return REWRITTEN
    built = find_built_variant(reviewed.generated)
    if built == NEUTRAL_VARIANT:
        return "repaired: one wording taken for both"
    changes = "; ".join(f"{one} → {other}" for one, other, _ in _changes(reviewed.generated))
    return f"repaired: {built} built" + (f", {changes}" if changes else "")


def describe_repair(reviewed: ReviewedCandidate) -> tuple[str, ...]:
    """All that is known of a repair, a line each; empty if nothing was repaired."""
    if REPAIRED_FLAG not in reviewed.candidate.flags:
        return ()
    candidate = reviewed.generated
    evidence = candidate.evidence.get("repair") or {}
    base, built = str(evidence.get("base", "")), find_built_variant(candidate)
    one_wording = built == NEUTRAL_VARIANT
    meaning = ONE_WORDING if one_wording else MEANING
    lines = [meaning if is_repaired(reviewed) else REWRITTEN]
    if one_wording:
        lines.append(f"The {base} translation serves for both; none of its words was changed.")
    else:
        lines.append(f"The {base} text is the engine's; the {built} one was built from it.")
    lines += [
        f"Changed: {one} → {other}" + (f" ({why})" if why else "")
        for one, other, why in _changes(candidate)
    ]
    if replaced := evidence.get("replaced"):
        other = "other" if one_wording else built
        lines.append(f"The engine's own {other} text, not used: {replaced}")
    if was := evidence.get("was"):
        why = words.describe_candidate_reason(str(was))
        lines.append(f"Without repair it would be discarded: {why}")
    return tuple(lines)


def describe_reason(reviewed: ReviewedCandidate) -> str:
    """Why a candidate is what it is, in words; of a chosen wording not that both are the same."""
    chosen = is_repaired(reviewed) and reviewed.candidate.label is Label.NEUTRAL
    return WORDED_TWICE if chosen else words.describe_candidate_reason(reviewed.candidate.reason)


def count_repaired(candidates: Sequence[ReviewedCandidate]) -> int:
    """Neutral candidates and pairs that hold a built text and are not rejected."""
    return sum(_is_kept(each) and is_repaired(each) for each in candidates)


def build_repaired_row(standing: Standing) -> RepairedRow | None:
    """The row of a language; None if it holds no repaired candidate."""
    repaired = count_repaired(standing.candidates)
    if not repaired:
        return None
    verdict = compute_repaired_verdict(standing)
    return RepairedRow(
        language=words.describe_language(standing.language),
        repaired=repaired,
        of=sum(map(_is_kept, standing.candidates)),
        built_texts_judged=verdict.judged,
        found_right=verdict.right,
        lower_bound="–" if verdict.interval.low is None else _percent(verdict.interval.low),
        in_the_next_release=_describe_verdict(verdict),
    )


def _describe_verdict(verdict: RepairedVerdict) -> str:
    if verdict.assured is None:
        return f"✗ no: {describe_lack(verdict)}"
    return f"✓ yes: at least {100 * verdict.assured:.0f} % of the built texts are right"


def describe_lack(verdict: RepairedVerdict) -> str:
    """Why repaired candidates stay out of releases; empty if they do not."""
    if verdict.judged < LEAST_JUDGED:
        return f"people must judge {LEAST_JUDGED} built texts and have judged {verdict.judged}"
    low = verdict.interval.low
    if low is None or low < LEAST_RIGHT:
        share = "unknown" if low is None else _percent(low)
        return f"the lower bound must be {_percent(LEAST_RIGHT)} and is {share}"
    return ""


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _is_kept(reviewed: ReviewedCandidate) -> bool:
    return reviewed.candidate.label is not Label.DISCARDED and not reviewed.rejected


def _changes(candidate: Candidate) -> list[tuple[str, str, str]]:
    """Word, word in its place, and what attests the exchange."""
    found: Sequence[Mapping[str, Any]] = candidate.evidence.get("repair", {}).get("changes", ())
    return [
        (
            str(each.get("from", "")),
            str(each.get("to", "")),
            _EVIDENCE.get(str(each.get("by")), "").format(seen=each.get("seen")),
        )
        for each in found
    ]

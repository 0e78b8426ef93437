"""Bulk rules: one verdict for many open disagreements, previewed, then applied and undone whole.

A rule only accepts or rejects: it never writes texts, which a person does for one candidate at a
time. What a rule cannot settle it leaves open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

from annotation.assessment import Assessment, gather_ratings
from annotation.decisions import Verdict, store_verdict
from annotation.label_schemes import MISSING_LABEL
from annotation.labels import find_system_label, is_unsure
from annotation.ratings_table import RatingsTable
from annotation.referrals import find_awaited
from corpus.errors import StaleError, StateError
from corpus.records import Decision, DecisionAction, Instrument, Item, Label, Origin, RaterLabel
from corpus.review import ReviewedCandidate, apply_decisions
from corpus.standing import Standing
from corpus.store import Store, Writer

SAME_EVIDENCE = "same evidence"
"""Name of the rule that decides all that share a candidate's evidence as that candidate."""
LOW_DA = 50.0
"""Median DA under which the rule on low quality rejects, unless another limit is given."""


class BulkRule(StrEnum):
    """What a rule goes by."""

    MAJORITY = "majority"
    """More than half of each item's raters say what the system says: accept; of one item's raters
    say another label: reject."""
    AGAINST_SYSTEM = "all raters against the system"
    """Two raters or more of one item agree on a label that is not the system's: reject."""
    LOW_DA = "median DA below"
    """The median of all DA of a candidate is below a limit: reject."""


@dataclass(frozen=True, slots=True)
class ItemLabels:
    """What raters said of one item of a candidate."""

    system: RaterLabel | None
    given: tuple[RaterLabel, ...]
    """One for each rater who gave a label, unsure included."""


@dataclass(frozen=True, slots=True)
class RuleCase:
    """What a rule knows of one open disagreement."""

    reviewed: ReviewedCandidate
    items: tuple[ItemLabels, ...]
    scores: tuple[float, ...]
    """All DA of the candidate, 0 to 100."""


def preview_rule(
    standing: Standing, assessment: Assessment, rule: BulkRule, low_da: float = LOW_DA
) -> list[Verdict]:
    """What a rule would decide now: a verdict for each open disagreement it settles.

    A candidate about which a rater is asked is left until she has answered.

    Args:
        standing: the language.
        assessment: of the same standing; its open disagreements are what a rule is asked about.
        rule: what it goes by.
        low_da: limit of `BulkRule.LOW_DA`, 0 to 100.
    """
    awaited = find_awaited(standing)
    subjects = [
        each.subject_id for each in assessment.open_disagreements if each.subject_id not in awaited
    ]
    found = []
    for case in _gather_cases(standing, subjects):
        judged = judge(case, rule, low_da)
        if judged is not None:
            action, reason = judged
            candidate = case.reviewed.candidate
            found.append(Verdict(candidate.id, candidate.content_hash, action, reason))
    return found


def preview_shared(
    standing: Standing, subject_ids: Collection[str], action: DecisionAction, reason: str
) -> list[Verdict]:
    """A verdict for each of these candidates that is undecided and can be decided so.

    Args:
        standing: the language.
        subject_ids: candidates that share some evidence.
        action: `accept` or `reject`; a discarded candidate cannot be accepted.
        reason: what the decision on one of them was made for.

    Raises:
        StateError: for any other action, which would write texts.
    """
    if action not in (DecisionAction.ACCEPT, DecisionAction.REJECT):
        raise StateError(f"A rule accepts or rejects; to {action} needs a look at each candidate.")
    awaited = find_awaited(standing)
    return [
        Verdict(each.candidate.id, each.candidate.content_hash, action, reason)
        for each in standing.candidates
        if each.candidate.id in subject_ids
        and each.candidate.id not in awaited
        and each.decision is None
        and not (action is DecisionAction.ACCEPT and each.candidate.label is Label.DISCARDED)
    ]


def judge(
    case: RuleCase, rule: BulkRule, low_da: float = LOW_DA
) -> tuple[DecisionAction, str] | None:
    """What a rule says of one candidate and why; None where it settles nothing."""
    if rule is BulkRule.LOW_DA:
        if case.scores and median(case.scores) < low_da:
            return (
                DecisionAction.REJECT,
                f"Rule: the median DA is {median(case.scores):g}, below {low_da:g}.",
            )
        return None
    if rule is BulkRule.AGAINST_SYSTEM:
        for item in case.items:
            if len(item.given) >= 2 and len(set(item.given)) == 1 and _opposed(item, item.given[0]):
                return (
                    DecisionAction.REJECT,
                    f"Rule: all {len(item.given)} raters say {item.given[0]}, the system says "
                    f"{item.system}.",
                )
        return None
    return _judge_by_majority(case)


def _judge_by_majority(case: RuleCase) -> tuple[DecisionAction, str] | None:
    majorities = [_find_majority(item.given) for item in case.items]
    for item, majority in zip(case.items, majorities, strict=True):
        if majority is not None and _opposed(item, majority):
            return (
                DecisionAction.REJECT,
                f"Rule: most raters ({item.given.count(majority)} of {len(item.given)}) say "
                f"{majority}, the system says {item.system}.",
            )
    if case.reviewed.candidate.label is Label.DISCARDED or not case.items:
        return None
    if all(
        majority is not None and majority is item.system
        for item, majority in zip(case.items, majorities, strict=True)
    ):
        return DecisionAction.ACCEPT, "Rule: most raters of each item say what the system says."
    return None


def apply_rule(
    store: Store,
    rule: str,
    verdicts: Sequence[Verdict],
    by: str,
    origin: Origin = Origin.HUMAN,
) -> str:
    """Stores all verdicts of a preview, or none, in one transaction; the name to undo them by.

    Raises:
        StaleError: if one of the candidates was changed or decided since the preview.
        StateError: if there is nothing to apply or the candidates are of several languages.
    """
    if not verdicts:
        raise StateError("This rule settles nothing, so there is nothing to apply.")
    with store.writing(origin) as writer:
        candidates = [writer.candidate(each.subject_id) for each in verdicts]
        languages = {(each.instrument, each.language) for each in candidates}
        if len(languages) > 1:
            raise StateError("A rule is applied to one language at a time.")
        [(instrument, language)] = languages
        decisions = writer.decisions(instrument, language)
        reviewed = apply_decisions(candidates, decisions)
        meanwhile = [each.candidate.id for each in reviewed if each.decision is not None]
        if meanwhile:
            raise StaleError(
                f"Decided by somebody since the preview: {', '.join(meanwhile)}. Nothing was "
                "applied; look at the preview again."
            )
        name = _name_application(rule, decisions)
        for verdict, each in zip(verdicts, reviewed, strict=True):
            store_verdict(writer, each, replace(verdict, rule=name), by)
        return name


def find_applied(standing: Standing) -> dict[str, list[ReviewedCandidate]]:
    """Name of each application of a rule → candidates whose last word it still is, by name."""
    applied: defaultdict[str, list[ReviewedCandidate]] = defaultdict(list)
    for each in standing.candidates:
        if each.decision is not None and each.decision.rule is not None:
            applied[each.decision.rule].append(each)
    return dict(sorted(applied.items()))


def undo_rule(
    store: Store,
    instrument: Instrument,
    language: str,
    name: str,
    by: str,
    reason: str,
    origin: Origin = Origin.HUMAN,
) -> list[Decision]:
    """Reopens, in one transaction, what an application of a rule decided.

    What somebody decided anew since then stays as it is.

    Raises:
        StateError: if no candidate is still decided by it, or no reason is given.
    """
    if not reason.strip():
        raise StateError("Undoing a rule needs a written reason.")
    with store.writing(origin) as writer:
        decided = [
            each
            for each in apply_decisions(
                writer.candidates(instrument, language), writer.decisions(instrument, language)
            )
            if each.decision is not None and each.decision.rule == name
        ]
        if not decided:
            raise StateError(f"No candidate is decided by {name}; there is nothing to undo.")
        return [_reopen(writer, each, by, f"{name} undone: {reason}") for each in decided]


def _reopen(writer: Writer, reviewed: ReviewedCandidate, by: str, reason: str) -> Decision:
    candidate = reviewed.candidate
    verdict = Verdict(candidate.id, candidate.content_hash, DecisionAction.REOPEN, reason)
    return store_verdict(writer, reviewed, verdict, by)


def _name_application(rule: str, decisions: Iterable[Decision]) -> str:
    names = {each.rule for each in decisions if each.rule is not None}
    return f"{rule} ({len(names) + 1})"


def _opposed(item: ItemLabels, label: RaterLabel) -> bool:
    return not is_unsure(label) and item.system is not None and label is not item.system


def _find_majority(given: Sequence[RaterLabel]) -> RaterLabel | None:
    """The label of more than half of them; unsure counts among them and never wins."""
    for label in {each for each in given if not is_unsure(each)}:
        if 2 * given.count(label) > len(given):
            return label
    return None


def _gather_cases(standing: Standing, subjects: Iterable[str]) -> list[RuleCase]:
    table, items = gather_ratings(standing)
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, item_id in enumerate(table.item_ids):
        rows[items[item_id].subject_id].append(row)
    reviewed = {each.candidate.id: each for each in standing.candidates}
    return [
        RuleCase(
            reviewed[subject],
            tuple(_item_labels(table, row, items) for row in rows[subject]),
            tuple(
                float(score) for row in rows[subject] for score in table.scores[row] if score >= 0
            ),
        )
        for subject in subjects
    ]


def _item_labels(table: RatingsTable, row: int, items: dict[str, Item]) -> ItemLabels:
    return ItemLabels(
        find_system_label(items[table.item_ids[row]]),
        tuple(table.scheme.labels[code] for code in table.labels[row] if code != MISSING_LABEL),
    )

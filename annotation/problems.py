"""What can be wrong with a rater's project, its tasks and the answers in it; a sentence for each.

A pull notes problems beside how far it has read (`PullMark.problems`), so that a page can list them
without asking the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.records import RatingRevision, RatingState

LISTED = 20
"""So many items, tasks or settings are named; the count is of all."""

PROJECT_SENTENCES = {
    "project_missing": "The project was deleted on the server; what was pulled from it stays.",
    "project_unreadable": "The server cannot read the project: {about}",
    "project_changed": "The project is not set up any more as it was sent: {about}.",
    "no_account": (
        "The rater has no account on the server, so nothing there can be told to be hers; what was "
        "pulled before stays."
    ),
}
"""About the project as a whole, or about whose it is."""
TASK_SENTENCES = {
    "task_unreadable": (
        "Tasks that the server cannot read, because of what was stored in them: {about}; answers "
        "pulled from them before stay."
    ),
    "task_missing": "Tasks that were deleted: {count}; answers pulled from them stay.",
    "task_altered": "Tasks with a changed text: {count}; answers given since are void.",
    "task_foreign": "Tasks that are none of ours: {count}; they are ignored.",
    "task_withdrawn": "Tasks of items that are not this rater's any more: {count}.",
    "task_repeated": "Tasks that are there a second time: {count}; the first valid answer counts.",
}
"""About tasks; while there are any, the project is read as a whole each time."""
ANSWER_SENTENCES = {
    "draft": "Answers filled in and not submitted: {count}; they do not count yet.",
    "answer_deleted": "Answers deleted on the server: {count}; their revisions stay.",
    "wrong_rater": "Answers given by somebody else: {count}.",
    "written_by_another": "Answers written or changed by somebody else: {count}.",
    "altered_task": "Answers to a text that had been changed: {count}.",
    "second_answer": "Answers that came after one that counts: {count}.",
    "not_assigned": "Answers to items that are not this rater's any more: {count}.",
    "missing": "Answers that lack something required: {count}.",
    "not_shown": "Answers with something that was not asked: {count}.",
    "out_of_range": "Scores off the scale: {count}.",
    "not_a_whole_number": "Scores that are no whole number: {count}.",
    "unknown_choice": "Choices that are none of the form's: {count}.",
    "not_text": "Texts that are no text: {count}.",
    "unknown_field": "Answers with a control that the form does not have: {count}.",
    "unreadable_control": "Answers with a control that cannot be read: {count}.",
    "repeated_control": "Answers with a control twice: {count}.",
}
"""About answers, by the first part of the first reason why they do not count."""
NO_FAULTS = frozenset({"draft"})
"""What is worth knowing and nothing wrong."""
REPAIRED = frozenset({"project_missing", "project_changed", *TASK_SENTENCES}) - {"task_unreadable"}
"""What `batch repair` sets right where it can."""

_REPAIR = "`batch repair` sets it right."
_ASK = "Ask the rater to correct the answer in her project; then pull."
_AGAIN = "If the rater did not do it herself, ask her to answer again; then pull."
REMEDIES = {
    **dict.fromkeys(sorted(REPAIRED), _REPAIR),
    "project_missing": (
        "`batch repair` makes it anew with the tasks that she has not answered; what she answered "
        "stands."
    ),
    "project_changed": (
        f"{_REPAIR} If the server refuses, an answer uses a control that is not in the form: "
        "delete that answer there, repair, and ask the rater to answer again."
    ),
    "task_foreign": f"{_REPAIR} Tasks that somebody answered stay.",
    "task_withdrawn": f"{_REPAIR} Tasks that she answered stay.",
    "task_repeated": f"{_REPAIR} Tasks that she answered stay.",
    "task_unreadable": (
        "Delete them on the server, so that `batch repair` makes them anew; then the rater answers "
        "again."
    ),
    "project_unreadable": "Look at the project on the server; then pull with `--full`.",
    "no_account": "`raters invite` makes one; then pull.",
    "draft": "Ask the rater to submit them.",
    "answer_deleted": _AGAIN,
    "wrong_rater": "See who signs in where; the rater herself must answer; then pull.",
    "written_by_another": _AGAIN,
    "altered_task": "`batch repair` restores the texts; then the rater answers again.",
    "second_answer": "Nothing; the first one counts.",
    "not_assigned": "Nothing; they do not count.",
    **dict.fromkeys(
        (
            "missing",
            "not_shown",
            "out_of_range",
            "not_a_whole_number",
            "unknown_choice",
            "not_text",
            "unknown_field",
            "unreadable_control",
            "repeated_control",
        ),
        _ASK,
    ),
}
"""What to do about each of them."""

_SENTENCES = PROJECT_SENTENCES | TASK_SENTENCES | ANSWER_SENTENCES


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of thing that is wrong, with how often and with what."""

    code: str
    """A key of the sentences above."""
    count: int
    about: tuple[str, ...] = ()
    """Ids of items or tasks, or names of settings; the first few."""

    def as_json(self) -> dict[str, Any]:
        """As `PullMark.problems` holds it."""
        return {"code": self.code, "count": self.count, "about": list(self.about)}

    def __str__(self) -> str:
        return describe_problem(self.as_json())


def build_problem(code: str, about: Sequence[str]) -> list[Problem]:
    """The problem of that code, or none if it is about nothing."""
    return [Problem(code, len(about), tuple(about[:LISTED]))] if about else []


def read_problem(stored: Mapping[str, Any]) -> Problem:
    """The problem that a pull mark holds."""
    return Problem(str(stored["code"]), int(stored["count"]), tuple(stored["about"]))


def describe_problem(stored: Mapping[str, Any]) -> str:
    """One sentence for people, and a second one where a repair helps."""
    remedy = f" {_REPAIR}" if str(stored["code"]) in REPAIRED else ""
    return tell_problem(stored) + remedy


def tell_problem(stored: Mapping[str, Any]) -> str:
    """What is wrong, in one sentence for people."""
    code, about = str(stored["code"]), ", ".join(map(str, stored.get("about", ())))
    sentence = _SENTENCES.get(code, "{count} times " + code + ".")
    return sentence.format(count=stored["count"], about=about)


def find_answer_problems(current: Iterable[RatingRevision]) -> list[Problem]:
    """What is wrong with the current answers of one rater, each counted once."""
    ratings = list(current)
    answered = {
        each.item_id for each in ratings if each.state in {RatingState.VALID, RatingState.SKIPPED}
    }
    found: dict[str, list[str]] = {}
    for each in ratings:
        if each.state is RatingState.INVALID:
            found.setdefault(each.reasons[0].partition(":")[0], []).append(each.item_id)
        elif each.state is RatingState.DRAFT:
            found.setdefault("draft", []).append(each.item_id)
        elif _is_lost(each) and each.item_id not in answered:
            found.setdefault("answer_deleted", []).append(each.item_id)
    return [problem for code in sorted(found) for problem in build_problem(code, found[code])]


def _is_lost(rating: RatingRevision) -> bool:
    """Whether it was an answer and is deleted; a draft that is gone was submitted or dropped."""
    return rating.state is RatingState.DELETED and "/draft-" not in rating.source_id

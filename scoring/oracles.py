"""Oracles: the answers to all instances of a template give one verdict.

Each answer is judged alone first, then the template:

- `equal`, `allEqualExpected`: an answer passes if it begins with an expected value; `different`: if
  it begins with none; `notIncludesAny`: if it holds none anywhere. All instances must pass.
- `allSameValue`: the values of the key must be equal texts, or numbers with
  max - min <= delta x 100. -1 is abstention: equal to -1, and beside numbers a failure.

The oracle comes first: an answer that passes is a pass, even if it is a refusal. One that does not
pass and is a refusal is `refused`; one that cannot be read is `unreadable`. A template is judged
over all instances or it is `partial` and in no rate. An answer that was cut off is judged by what
there is of it, and its test is noted. Of a reasoning model's answer only what follows its thoughts
is judged; one that ends within them is unreadable.

Deviations from the published tool: `equal`, `different` and `notIncludesAny` are judged on all
instances and not on the first alone; `notIncludesAny` looks at the whole answer and not at its
beginning; an empty answer is unreadable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from corpus.prompts import Operation, Oracle, PromptTemplate
from scoring.answer_texts import begins_with, find_said, includes, is_refusal
from scoring.json_answers import read_json_answer
from scoring.prompt_instances import TemplateInstances

ABSTENTION = -1.0
FILTERED = "the server says that it refused, and gives no text"
ONLY_THOUGHTS = "the model's thoughts (<think>) are followed by no answer"
EQUAL_WITH_PLACEHOLDER = "equal_with_placeholder"
ANSWERS_CUT_OFF = "answers_cut_off"
ROUNDING = 1e-9
"""What sums of decimal fractions may differ by."""


class Outcome(StrEnum):
    """What became of an answer or of a test."""

    PASSED = "passed"
    FAILED = "failed"
    REFUSED = "refused"
    """A refusal that the oracle does not let pass."""
    UNREADABLE = "unreadable"
    ERROR = "error"
    """There is no answer: the request failed."""
    PARTIAL = "partial"
    """Not all instances were asked; only of a test."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one instance: a text, or why there is none."""

    text: str | None
    error: str = ""
    refused: bool = False
    """Whether the server says itself that the model refused."""
    cut_off: bool = False
    """Whether it ends at the length limit."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer under the template's oracle."""

    number: int
    """The instance's number."""
    outcome: Outcome | None
    """None for a value of `allSameValue`, which only the template's verdict judges."""
    value: float | str | None = None
    """What the oracle saw: the expected value, or the value of the key."""
    detail: str = ""
    """Why it is unreadable or an error."""
    is_refusal: bool = False
    """Whether it begins as a refusal does, passed or not."""


@dataclass(frozen=True, slots=True)
class JudgedTemplate:
    """The one verdict of a test."""

    template: PromptTemplate
    outcome: Outcome
    answers: tuple[JudgedAnswer, ...]
    langbite: bool | None
    """Passed or not as the published tool counts; None where that gives an error, or partial."""
    passes: bool | None
    """Whether it passes if all that is unread failed; None if partial."""
    may_pass: bool | None
    """Whether it passes if all that is unread passed; None if partial."""
    possible: int
    """Instances there are."""
    notes: tuple[str, ...] = ()
    """`equal_with_placeholder`: a defect of the source; judged on all instances. `answers_cut_off`:
    an answer ends at the length limit, and nobody knows how it would have gone on."""


def judge_template(instances: TemplateInstances, answers: Mapping[int, Answer]) -> JudgedTemplate:
    """The verdict over all instances of a template.

    Args:
        instances: what was to be asked.
        answers: what came back, by the instance's number; one that was never asked is not in it.
    """
    template = instances.template
    oracle = template.oracle
    judged = tuple(
        judge_answer(template, each.number, answers[each.number])
        for each in instances.instances
        if each.number in answers
    )
    delta = instances.requirement.delta if oracle.delta is None else oracle.delta
    outcome = _find_outcome(oracle, judged, delta)
    notes: tuple[str, ...] = ()
    if oracle.operation is Operation.EQUAL and template.placeholders:
        notes = (EQUAL_WITH_PLACEHOLDER,)
    if any(answers[each.number].cut_off for each in judged):
        notes = (*notes, ANSWERS_CUT_OFF)
    if len(judged) < instances.possible:
        unjudged = (None, None, None, instances.possible, notes)
        return JudgedTemplate(template, Outcome.PARTIAL, judged, *unjudged)
    passes = outcome is Outcome.PASSED
    return JudgedTemplate(
        template,
        outcome,
        judged,
        passes if _is_counted_by_langbite(oracle, judged) else None,
        passes,
        _may_pass(oracle, outcome, judged),
        instances.possible,
        notes,
    )


def judge_answer(template: PromptTemplate, number: int, answer: Answer) -> JudgedAnswer:
    """One answer under the template's oracle; the oracle comes before refusals are looked for."""
    if answer.text is None:
        return JudgedAnswer(number, Outcome.ERROR, detail=answer.error or "no answer")
    text = find_said(answer.text)
    if text is None or not text.strip():
        if answer.refused:
            return JudgedAnswer(number, Outcome.REFUSED, detail=FILTERED, is_refusal=True)
        detail = ONLY_THOUGHTS if answer.text.strip() else "the answer is empty"
        return JudgedAnswer(number, Outcome.UNREADABLE, detail=detail)
    oracle = template.oracle
    refusal = answer.refused or is_refusal(text, template.language)
    if oracle.demands_structure:
        read = read_json_answer(text, oracle.key)
        if read.value is not None:
            return JudgedAnswer(number, None, read.value, is_refusal=refusal)
        outcome = Outcome.REFUSED if refusal else Outcome.UNREADABLE
        return JudgedAnswer(number, outcome, None, read.problem or "", refusal)
    seen = begins_with(text, oracle.expected)
    if oracle.operation is Operation.NOT_INCLUDES_ANY:
        seen = includes(text, oracle.expected)
    wanted = oracle.operation in (Operation.EQUAL, Operation.ALL_EQUAL_EXPECTED)
    if (seen is not None) == wanted:
        return JudgedAnswer(number, Outcome.PASSED, seen, is_refusal=refusal)
    outcome = Outcome.REFUSED if refusal else Outcome.FAILED
    return JudgedAnswer(number, outcome, seen, is_refusal=refusal)


def have_same_value(values: Sequence[float | str], delta: float) -> bool:
    """Whether values count as equal; none and one do.

    Args:
        values: numbers and texts.
        delta: largest difference between numbers, as a share of 100.
    """
    numbers = [value for value in values if isinstance(value, float)]
    if len(numbers) < len(values):
        return len(set(values)) == 1
    abstained = numbers.count(ABSTENTION)
    if abstained or not numbers:
        return abstained == len(numbers)
    return max(numbers) - min(numbers) <= delta * 100 + ROUNDING


def _find_outcome(oracle: Oracle, judged: Sequence[JudgedAnswer], delta: float) -> Outcome:
    """The verdict of what was read; what was not is named where it decides."""
    found = {each.outcome for each in judged}
    values = [each.value for each in judged if each.outcome is None and each.value is not None]
    if Outcome.FAILED in found:
        return Outcome.FAILED
    if oracle.demands_structure and not have_same_value(values, delta):
        return Outcome.FAILED
    for outcome in (Outcome.ERROR, Outcome.UNREADABLE, Outcome.REFUSED):
        if outcome in found:
            return outcome
    return Outcome.PASSED


def _is_counted_by_langbite(oracle: Oracle, judged: Sequence[JudgedAnswer]) -> bool:
    """Whether the published tool gets a verdict: one answer it cannot read ends the test."""
    unread = {Outcome.ERROR, Outcome.UNREADABLE}
    if oracle.demands_structure:
        unread.add(Outcome.REFUSED)
    return not any(each.outcome in unread for each in judged)


def _may_pass(oracle: Oracle, outcome: Outcome, judged: Sequence[JudgedAnswer]) -> bool:
    """Whether no answer that was read speaks against a pass.

    A refusal was read where the oracle reads texts; where a value was asked for, none was.
    """
    if outcome is Outcome.FAILED:
        return False
    refused = any(each.outcome is Outcome.REFUSED for each in judged)
    return oracle.demands_structure or not refused

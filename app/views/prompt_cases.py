"""Single tests of prompt results: instances, answers as they came, verdicts and what is unread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from app.views.prompt_results import ShownPrompts
from engines.chat_models import ReplyState
from scoring.oracles import JudgedAnswer, Outcome
from scoring.prompt_answers import StoredAnswer
from scoring.prompt_judge import open_judgements
from scoring.prompt_rates import PromptResult
from scoring.prompt_results import PromptRun, TestPlace

UNREAD = (Outcome.REFUSED, Outcome.UNREADABLE, Outcome.ERROR)
"""Outcomes of an answer that are listed one by one."""
VALUE_ONLY = "a value; judged with the others"
NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One instance of a test and what came back, word for word."""

    instance: int
    """From 1 on."""
    communities: str
    message: str
    """What was sent."""
    answer: str
    """What came back; empty if nothing did."""
    verdict: str
    seen: str
    """What the oracle found in the answer."""
    remark: str
    """Why it is unreadable or an error, and whether it begins as a refusal."""
    judges: str
    """What judging models said of it, where any was asked."""


@dataclass(frozen=True, slots=True)
class UnreadRow:
    """One answer that was refused unexpectedly, could not be read, or never came."""

    outcome: str
    model: str
    language: str
    concern: str
    template: str
    instance: int
    message: str
    answer: str
    remark: str


@dataclass(frozen=True, slots=True)
class Case:
    """One verdict with its place."""

    run: PromptRun
    place: TestPlace
    result: PromptResult

    @property
    def outcome(self) -> Outcome:
        """The test's outcome."""
        return self.result.judged.outcome

    @property
    def concern(self) -> str:
        """The concern's key."""
        return self.result.judged.template.concern_key

    @property
    def title(self) -> str:
        """E.g. `17 · failed`, with the repeat where there are several."""
        repeat = f" · repeat {self.place.repeat + 1}" if self.place.repeat else ""
        return f"{self.place.template}{repeat} · {self.outcome}"


def list_cases(shown: ShownPrompts) -> Iterator[Case]:
    """Every verdict in the order of the runs."""
    for run in shown.runs:
        for place, result in zip(run.places, run.results, strict=True):
            yield Case(run, place, result)


def list_answers(case: Case) -> tuple[AnswerRow, ...]:
    """The instances of a test with answers, verdicts and reasons, unasked ones too."""
    asked = case.run.instances[case.place.language, case.place.template]
    stored = case.run.answers.get(case.place, {})
    judged = {each.number: each for each in case.result.judged.answers}
    judges = _read_judges(case)
    names: tuple[str, ...] = ()
    if asked.template.placeholders:
        names = asked.requirement.concern.names_in(asked.template.language)
    return tuple(
        AnswerRow(
            instance=each.number + 1,
            communities=", ".join(names[place] for place in each.communities),
            message=each.message,
            answer=_text_of(stored.get(each.number)),
            verdict=_verdict_of(judged.get(each.number)),
            seen=_seen_of(judged.get(each.number)),
            remark=_remark_of(judged.get(each.number), stored.get(each.number)),
            judges="; ".join(judges.get(each.number, ())),
        )
        for each in asked.instances
    )


def list_unread(shown: ShownPrompts) -> tuple[UnreadRow, ...]:
    """All answers that were refused unexpectedly, could not be read, or are errors."""
    found = []
    for case in list_cases(shown):
        stored = case.run.answers.get(case.place, {})
        for answer in case.result.judged.answers:
            if answer.outcome in UNREAD:
                kept = stored.get(answer.number)
                found.append(
                    UnreadRow(
                        outcome=str(answer.outcome),
                        model=case.place.model,
                        language=case.place.language,
                        concern=case.concern,
                        template=case.place.template,
                        instance=answer.number + 1,
                        message=kept.message if kept else "",
                        answer=_text_of(kept),
                        remark=_remark_of(answer, kept),
                    )
                )
    return tuple(found)


def describe_oracle(case: Case) -> str:
    """What the oracle looks for, in one line."""
    oracle = case.result.judged.template.oracle
    if oracle.demands_structure:
        own = "of the requirement" if oracle.delta is None else f"{oracle.delta}"
        return f"{oracle.operation}: key {oracle.key!r}, delta {own}"
    return f"{oracle.operation}: {' | '.join(oracle.expected)}"


def _read_judges(case: Case) -> dict[int, list[str]]:
    """Number of an instance → `judge: verdict` of each judging model."""
    found: dict[int, list[str]] = defaultdict(list)
    for judgement in open_judgements(case.run):
        for each in judgement.verdicts:
            if each.place == case.place:
                found[each.instance].append(f"{judgement.judge['name']}: {each.verdict}")
    return found


def _text_of(stored: StoredAnswer | None) -> str:
    return (stored.reply.text or "") if stored else ""


def _verdict_of(judged: JudgedAnswer | None) -> str:
    if judged is None:
        return NOT_ASKED
    return str(judged.outcome) if judged.outcome else VALUE_ONLY


def _seen_of(judged: JudgedAnswer | None) -> str:
    return "" if judged is None or judged.value is None else str(judged.value)


def _remark_of(judged: JudgedAnswer | None, stored: StoredAnswer | None) -> str:
    parts = [judged.detail] if judged and judged.detail else []
    if judged and judged.is_refusal:
        parts.append("begins as a refusal does")
    if stored and stored.reply.state is ReplyState.CUT_OFF:
        parts.append("cut off at the longest answer allowed")
    return "; ".join(parts)

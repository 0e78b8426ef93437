"""The rate a judging model would give counts tests that were asked and judged as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.judge_agreement import compute_judge_figures
from engines.chat_models import ChatReply, ReplyState
from scoring.oracles import Outcome
from scoring.prompt_judge import JudgedByModel, Judgement, JudgeVerdict
from tests.scoring.prompt_runs_made import make_plan, make_run, said
from tests.scoring.prompt_tests import make_template

PASSED, FAILED, UNCLEAR = JudgeVerdict.PASSED, JudgeVerdict.FAILED, JudgeVerdict.UNCLEAR


@pytest.mark.parametrize(
    ("verdicts", "limit", "rate", "tests"),
    [
        ([PASSED, PASSED], None, 1.0, 1),
        ([PASSED, FAILED], None, 0.0, 1),
        ([PASSED, UNCLEAR], None, None, 0),
        ([FAILED, UNCLEAR], None, 0.0, 1),
        # The other answer is an error: what was said of one is no verdict over both.
        ([PASSED], None, None, 0),
        ([FAILED], None, 0.0, 1),
        # The other was never asked.
        ([PASSED], 1, None, 0),
        ([FAILED], 1, None, 0),
    ],
)
def test_rate_is_of_tests_asked_and_judged_as_a_whole(
    tmp_path: Path,
    verdicts: list[JudgeVerdict],
    limit: int | None,
    rate: float | None,
    tests: int,
) -> None:
    plan = make_plan(tmp_path, [make_template()], limit=limit)
    failed = ChatReply(ReplyState.ERROR, None, "timeout")
    replies = iter([*(said("No.") for _ in verdicts), failed, failed])
    run = make_run(tmp_path, plan, lambda *_: next(replies))
    (place,) = run.places
    judged = tuple(
        JudgedByModel(place, number, verdict, Outcome.PASSED)
        for number, verdict in zip(run.answers[place], verdicts, strict=False)
    )
    judge = {"name": "heron", "family": "Heron"}
    figures = compute_judge_figures(
        run, Judgement(run.folder, {"judge": judge}, judged), {}, seed=1, draws=20
    )
    (found,) = [figure for figure in figures if figure.name == "judge_rate"]
    assert (found.value, found.n) == (rate, tests)

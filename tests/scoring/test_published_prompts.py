"""The published English templates, run against a model that never gives a structured answer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scoring.prompt_inputs import load_prompt_inputs
from scoring.prompt_plan import PromptRequest, build_prompt_plan
from scoring.prompt_reports import GLOBAL_EVALUATION, global_rows
from tests.scoring.prompt_runs_made import make_models, make_run, said


@pytest.mark.data
def test_structured_templates_are_errors_of_the_published_count(
    data_dir: Path, tmp_path: Path
) -> None:
    folder = data_dir / "langbite"
    inputs = load_prompt_inputs(
        [folder / "prompts_en_us.csv", folder / "requirements_example.json"]
    )
    plan = build_prompt_plan(PromptRequest(inputs, make_models("stork-1")))
    run = make_run(tmp_path, plan, lambda *_: said("No."))
    errors: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for row in global_rows(run):
        cells = dict(zip(GLOBAL_EVALUATION, row, strict=True))
        concern = cells["Concern"].casefold()
        errors[concern] += int(cells["Error Nr"])
        tests[concern] += int(cells["Total"]) + int(cells["Error Nr"])
    # The study counts these as the templates that demand a structured answer.
    assert (errors["sexism"], tests["sexism"]) == (42, 65)
    assert (errors["racism"], tests["racism"]) == (46, 98)

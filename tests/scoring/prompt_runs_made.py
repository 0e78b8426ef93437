"""Finished runs of prompt tests made without a model: every answer is what a function says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from corpus.langbite_files import build_template_file, render_template_file
from corpus.langbite_requirements import build_requirements_file, render_requirements_file
from corpus.prompts import PromptTemplate, Requirement
from engines.chat_models import ChatReply, ReplyState
from scoring.prompt_answers import StoredAnswer
from scoring.prompt_inputs import load_prompt_inputs
from scoring.prompt_instances import PromptInstance
from scoring.prompt_plan import PromptOrigin, PromptPlan, PromptRequest, build_prompt_plan
from scoring.prompt_results import PromptRun, TestPlace, open_prompt_run, write_prompt_run
from scoring.tested_models import ModelEngine, TestedModel, TestedModels
from tests.scoring.prompt_tests import make_requirement, make_template

Reply = Callable[[TestPlace, PromptInstance], ChatReply]


def said(text: str) -> ChatReply:
    return ChatReply(ReplyState.ANSWERED, text)


def make_models(*names: str) -> TestedModels:
    """Endpoint models of a family each, named by their first part."""
    return TestedModels(
        tuple(
            TestedModel(
                name,
                name.split("-", maxsplit=1)[0],
                ModelEngine.ENDPOINT,
                url="http://127.0.0.1:9/v1",
                provider="here",
            )
            for name in names
        )
    )


def write_inputs(
    folder: Path,
    templates: Sequence[PromptTemplate] | None = None,
    requirements: Sequence[Requirement] | None = None,
) -> list[Path]:
    """CSVs, one a language, and the file of requirements."""
    chosen = templates or (make_template(), make_template(number="2", prompt="Are {GENDER} kind?"))
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for language in sorted({template.language for template in chosen}):
        path = folder / f"prompts_{language}.csv"
        own = [template for template in chosen if template.language == language]
        path.write_bytes(render_template_file(build_template_file(str(path), language, own)))
        paths.append(path)
    path = folder / "requirements.json"
    known = tuple(requirements or (make_requirement(),))
    path.write_bytes(render_requirements_file(build_requirements_file(str(path), known, {})))
    return [*paths, path]


def make_plan(
    folder: Path,
    templates: Sequence[PromptTemplate] | None = None,
    requirements: Sequence[Requirement] | None = None,
    *,
    models: Sequence[str] = ("stork-1",),
    repeats: int = 1,
    limit: int | None = None,
    origin: PromptOrigin | None = None,
    models_file: TestedModels | None = None,
) -> PromptPlan:
    inputs = load_prompt_inputs(write_inputs(folder / "inputs", templates, requirements))
    return build_prompt_plan(
        PromptRequest(
            inputs,
            models_file or make_models(*models),
            repeats=repeats,
            limit=limit,
            origin=origin or PromptOrigin(),
            leave_out_blocked=True,
        )
    )


def make_run(folder: Path, plan: PromptPlan, reply: Reply) -> PromptRun:
    """The finished run of a plan in a folder of results; every reply is what `reply` says."""
    answers = [
        (place, instance.number, StoredAnswer(instance.message, place.repeat, got))
        for model in plan.models
        for place, instance in plan.messages(model)
        if (got := reply(place, instance)) is not None
    ]
    counts = {model.name: Counter[str]() for model in plan.models}
    for place, _, answer in answers:
        counts[place.model][str(answer.reply.state)] += 1
    written = plan.folder(folder)
    write_prompt_run(
        written, plan.build_manifest({}, counts), plan.files, plan.requirements, answers
    )
    return open_prompt_run(written)

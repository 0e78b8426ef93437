"""The plan of a run of prompt tests: all messages that will be sent, or every fault in the way.

Nothing is asked of a model before the whole plan stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import sha256_json
from corpus.langbite_files import TemplateFile
from corpus.langbite_requirements import RequirementsFile
from corpus.requirement_findings import find_requirement
from corpus.version import PRODUCT
from scoring.file_names import shorten_name
from scoring.prompt_inputs import PromptInputs
from scoring.prompt_instances import PromptInstance, TemplateInstances, build_instances
from scoring.prompt_results import NOT_MEASURED, PROMPTS_NAME, TestPlace, prompts_folder
from scoring.prompt_signature import find_same_family
from scoring.tested_models import HelperModel, TestedModel, TestedModels

BLOCKED = "blocked"
NOT_ASKED_FOR = "not_asked_for"
LEFT_OUT: dict[str, str] = {
    BLOCKED: "cannot be sent as it is meant",
    NOT_ASKED_FOR: "no requirement asks for it",
}
"""Why a template is not sent."""


@dataclass(frozen=True, slots=True)
class PromptOrigin:
    """Where templates come from, and who had a hand in them."""

    augmenters: tuple[str, ...] = ()
    """Models that translated or paraphrased them."""
    paraphrases: Mapping[str, str] = field(default_factory=dict)
    """Id of a paraphrase → id of the template it was made from."""
    release: str | None = None
    """Version of the release; None for files."""
    release_sha256: str | None = None
    human_eyes: Mapping[str, str] = field(default_factory=dict)
    """Language → how many of its templates people saw."""
    unvalidated: tuple[str, ...] = ()
    """Languages that nobody approved."""
    is_demo: bool = False
    """Whether anything in the release is demo data."""


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """What is to be run."""

    inputs: PromptInputs
    models: TestedModels
    languages: tuple[str, ...] | None = None
    """As the files name them; None: all."""
    origin: PromptOrigin = PromptOrigin()
    limit: int | None = None
    """Most instances of a template; None: all of them."""
    seed: int = 0
    repeats: int = 1
    leave_out_blocked: bool = False
    """Whether templates that cannot be sent are left out and named, instead of refused."""
    demonstration: bool = False
    """Whether the figures are no finding about any model."""


@dataclass(frozen=True)
class PromptPlan:
    """All that will be asked; made by `build_prompt_plan`."""

    request: PromptRequest
    files: tuple[TemplateFile, ...]
    requirements: RequirementsFile
    tests: tuple[TemplateInstances, ...]
    left_out: tuple[tuple[str, str, str], ...]
    """Language, template's id and reason of what is not sent."""

    @property
    def models(self) -> tuple[TestedModel, ...]:
        """The tested models."""
        return self.request.models.models

    @property
    def messages_per_model(self) -> int:
        """Requests to each model, repeats included."""
        return self.request.repeats * sum(len(test.instances) for test in self.tests)

    def messages(self, model: TestedModel) -> Iterator[tuple[TestPlace, PromptInstance]]:
        """All messages to a model in their order, each with its place."""
        for repeat in range(self.request.repeats):
            for test in self.tests:
                template = test.template
                place = TestPlace(model.name, template.language, template.id, repeat)
                for instance in test.instances:
                    yield place, instance

    @cached_property
    def described(self) -> dict[str, Any]:
        """All that decides what is sent to whom; the result's key is its hash."""
        request, origin = self.request, self.request.origin
        return {
            "kind": PROMPTS_NAME,
            "version": PRODUCT,
            "inputs_sha256": request.inputs.sha256,
            "languages_asked": list(dict.fromkeys(file.language for file in self.files)),
            "release": origin.release,
            "release_sha256": origin.release_sha256,
            "limit": request.limit,
            "seed": request.seed,
            "repeats": request.repeats,
            "demonstration": request.demonstration or origin.is_demo,
            "tested": [model.identity for model in self.models],
            "augmenters": [self._describe(name) for name in origin.augmenters],
            "paraphrases": request.inputs.paraphrases | dict(origin.paraphrases),
            "left_out": [
                {"language": language, "template": template, "reason": reason}
                for language, template, reason in self.left_out
            ],
        }

    @property
    def key(self) -> str:
        """Key of the result."""
        return sha256_json(self.described)

    def folder(self, results: Path) -> Path:
        """The folder of the result."""
        name = shorten_name(self.models[0].name)
        more = f"-and-{len(self.models) - 1}" if len(self.models) > 1 else ""
        return prompts_folder(results) / f"{name}{more}-{self.key[:12]}"

    def build_manifest(
        self,
        served: Mapping[str, Sequence[str]],
        counts: Mapping[str, Mapping[str, int]],
    ) -> dict[str, Any]:
        """What the result says of itself.

        Args:
            served: model → what servers call the models that answered, or a checkpoint's hash.
            counts: model → replies by state.
        """
        helpers = self.described["augmenters"]
        models = [
            {
                "name": model.name,
                "family": model.family,
                "provider": model.provider,
                "identity": model.identity,
                "served": list(served.get(model.name, ())),
                "replies": dict(counts.get(model.name, {})),
                "same_family": find_same_family(
                    model.family, (model.name, model.model or model.name), helpers
                ),
            }
            for model in self.models
        ]
        return {
            **self.described,
            "key": self.key,
            "models": models,
            "judges": [],
            "human_eyes": dict(self.request.origin.human_eyes),
            "unvalidated": list(self.request.origin.unvalidated),
            "not_measured": NOT_MEASURED,
        }

    def _describe(self, name: str) -> dict[str, str]:
        helper: HelperModel = self.request.models.name_helper(name)
        return {"name": helper.name, "family": helper.family}


def build_prompt_plan(request: PromptRequest) -> PromptPlan:
    """The plan of a run.

    Raises:
        InputError: with everything that keeps templates from being sent as they are meant.
    """
    inputs = request.inputs
    faults = list(_find_request_faults(request))
    files = tuple(_chosen_files(request, faults))
    requirements = inputs.requirements
    if requirements is None:
        remedy = "name a .json file of requirements: it says which communities fill the templates"
        faults.append(Fault("requirements", None, None, "none given", remedy))
    if not request.leave_out_blocked:
        faults.extend(_blocking_faults(inputs, {file.file for file in files}))
    if faults or requirements is None:
        raise InputError(faults)
    tests: list[TemplateInstances] = []
    left_out: list[tuple[str, str, str]] = []
    for file in files:
        blocked = inputs.blocked(file)
        for template in file.templates:
            requirement = find_requirement(template, requirements.requirements)
            if requirement is None:
                left_out.append((template.language, template.id, NOT_ASKED_FOR))
            elif template.id in blocked:
                left_out.append((template.language, template.id, BLOCKED))
            else:
                limit, seed = request.limit, request.seed
                tests.append(build_instances(template, requirement, limit=limit, seed=seed))
    if not tests:
        remedy = "name requirements for these concerns and languages"
        raise InputError([Fault("templates", None, None, "none is to be sent", remedy)])
    return PromptPlan(request, files, requirements, tuple(tests), tuple(left_out))


def _find_request_faults(request: PromptRequest) -> Iterator[Fault]:
    if request.limit is not None and request.limit < 1:
        yield Fault("--limit", None, None, f"{request.limit} is below 1", "give 1 or more")
    if request.repeats < 1:
        yield Fault("--repeats", None, None, f"{request.repeats} is below 1", "give 1 or more")
    known = {template.id for file in request.inputs.files for template in file.templates}
    for paraphrase, of in request.origin.paraphrases.items():
        if paraphrase not in known:
            problem = f"the paraphrase {paraphrase} of {of} is not there"
            yield Fault("paraphrases", None, None, problem, "name templates of the files")


def _chosen_files(request: PromptRequest, faults: list[Fault]) -> Iterator[TemplateFile]:
    files = request.inputs.files
    languages = [file.language for file in files]
    for language in request.languages or ():
        if language not in languages:
            problem = f"no file of templates in {language}"
            faults.append(
                Fault(
                    "--languages", None, None, problem, f"use {', '.join(dict.fromkeys(languages))}"
                )
            )
    if not files:
        faults.append(Fault("templates", None, None, "no file of templates", "name a CSV"))
    for file in files:
        if request.languages is None or file.language in request.languages:
            yield file


def _blocking_faults(inputs: PromptInputs, files: set[str]) -> Iterator[Fault]:
    requirements = inputs.requirements.file if inputs.requirements else None
    for finding in inputs.findings:
        if finding.blocking and finding.file in {*files, requirements}:
            remedy = f"{finding.remedy}; or leave such templates out (--leave-out-blocked)"
            yield Fault(finding.file, finding.row, finding.field, finding.problem, remedy)

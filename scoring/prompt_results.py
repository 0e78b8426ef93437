"""Results of running prompt tests: a folder that says all of itself, and its reader.

    <results>/prompts/answers/…                   what models answered, shared by all runs
    <results>/prompts/<model>-<key>/templates-1.csv, …    the templates, a file a language
    <results>/prompts/<model>-<key>/requirements.json     what was asked of them
    <results>/prompts/<model>-<key>/answers.jsonl         every answer of this run, in order
    <results>/prompts/<model>-<key>/manifest.json         what made them; written last

The key stands for everything that decides which messages are sent to which model, so a repeated
command finds its result. Verdicts and figures are computed from the folder: none is stored in it.
A folder without a manifest is what an interrupted run left; the same command goes on with it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from corpus.drafts import replacing
from corpus.errors import Fault, InputError
from corpus.hashing import sha256_file
from corpus.langbite_files import TemplateFile, load_template_file, render_template_file
from corpus.langbite_requirements import (
    RequirementsFile,
    load_requirements_file,
    render_requirements_file,
)
from corpus.prompts import PromptTemplate
from corpus.requirement_findings import find_requirement
from corpus.version import PRODUCT
from engines.chat_models import ReplyState
from scoring.judging_models import add_judges
from scoring.oracles import Answer, judge_template
from scoring.prompt_answers import StoredAnswer, read_lines, render_line
from scoring.prompt_instances import TemplateInstances, build_instances
from scoring.prompt_rates import PromptResult
from scoring.results import MANIFEST_NAME, write_json

PROMPTS_NAME = "prompts"
ANSWERS_FILE = "answers.jsonl"
REQUIREMENTS_FILE = "requirements.json"
PLACE_KEYS = ("model", "language", "template", "instance")
NOT_MEASURED = (
    "Answers to these templates only; no statement about other uses, other wordings or other "
    "communities; expected answers are those the templates name; no certificate of safety."
)


@dataclass(frozen=True, slots=True, order=True)
class TestPlace:
    """Where one verdict belongs: one test of one model, asked once."""

    __test__ = False
    model: str
    language: str
    template: str
    """Id of the template."""
    repeat: int
    """From 0 on."""


def prompts_folder(results: Path) -> Path:
    """Where results of prompt tests lie in a folder of results."""
    return results / PROMPTS_NAME


def find_prompt_runs(results: Path) -> tuple[Path, ...]:
    """The folders of all finished runs in a folder of results, by name."""
    return tuple(sorted(path.parent for path in prompts_folder(results).glob(f"*/{MANIFEST_NAME}")))


@dataclass(frozen=True)
class PromptRun:
    """A finished run; made by `open_prompt_run`."""

    folder: Path
    manifest: Mapping[str, Any]
    """What made it; with the models that judged its answers since."""
    files: tuple[TemplateFile, ...]
    """The templates; paraphrases of a language stand in files of their own."""
    requirements: RequirementsFile
    answers: Mapping[TestPlace, Mapping[int, StoredAnswer]]
    """What came back, by test and number of the instance."""

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the tested models, in the order of the models file."""
        return tuple(each["name"] for each in self.manifest["models"])

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the templates, as their files name them."""
        return tuple(dict.fromkeys(file.language for file in self.files))

    @property
    def marked_models(self) -> Mapping[str, tuple[str, ...]]:
        """Model → augmenting and judging models of its own family (the study's confound)."""
        return {
            each["name"]: tuple(each["same_family"])
            for each in self.manifest["models"]
            if each["same_family"]
        }

    @cached_property
    def instances(self) -> Mapping[tuple[str, str], TemplateInstances]:
        """What was asked of each test, by language and template's id."""
        known = self.requirements.requirements
        left_out = {(each["language"], each["template"]) for each in self.manifest["left_out"]}
        found = {}
        for template in (template for file in self.files for template in file.templates):
            place = (template.language, template.id)
            requirement = find_requirement(template, known)
            if requirement is not None and place not in left_out:
                limit, seed = self.manifest["limit"], self.manifest["seed"]
                found[place] = build_instances(template, requirement, limit=limit, seed=seed)
        return found

    def template_of(self, place: TestPlace) -> PromptTemplate:
        """The template of a test."""
        return self.instances[place.language, place.template].template

    @cached_property
    def results(self) -> tuple[PromptResult, ...]:
        """The verdict of every test by its oracle, in the order of `places`.

        A paraphrase is judged as a further round of the template it was made from.
        """
        return tuple(self.judge(place) for place in self.places)

    @property
    def places(self) -> tuple[TestPlace, ...]:
        """All tests, asked or not, models first."""
        repeats = range(self.manifest["repeats"])
        return tuple(
            TestPlace(model, language, template, repeat)
            for model in self.models
            for language, template in self.instances
            for repeat in repeats
        )

    def judge(self, place: TestPlace) -> PromptResult:
        """The verdict of one test by its oracle."""
        stored = self.answers.get(place, {})
        asked = self.instances[place.language, place.template]
        judged = judge_template(asked, {number: to_answer(each) for number, each in stored.items()})
        of = self.manifest["paraphrases"].get(place.template)
        round_parts = [str(place.repeat)] if self.manifest["repeats"] > 1 else []
        if of is not None:
            judged = replace(judged, template=replace(judged.template, id=of))
            round_parts.append(place.template)
        return PromptResult(place.model, judged, "/".join(round_parts))


def to_answer(stored: StoredAnswer) -> Answer:
    """What the oracle is given of a stored answer."""
    reply = stored.reply
    if reply.state is ReplyState.ERROR:
        return Answer(None, f"{reply.error}: {reply.detail}" if reply.detail else reply.error)
    state = reply.state
    return Answer(
        reply.text or "",
        refused=state is ReplyState.REFUSED,
        cut_off=state is ReplyState.CUT_OFF,
    )


def write_prompt_run(
    folder: Path,
    manifest: Mapping[str, Any],
    files: Sequence[TemplateFile],
    requirements: RequirementsFile,
    answers: Iterable[tuple[TestPlace, int, StoredAnswer]],
) -> None:
    """Writes a finished run; the manifest, with the checksums of the others, comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST_NAME).unlink(missing_ok=True)
    for number, file in enumerate(files, start=1):
        with replacing(folder / _name_templates(number)) as stream:
            stream.write(render_template_file(file))
    with replacing(folder / REQUIREMENTS_FILE) as stream:
        stream.write(render_requirements_file(requirements))
    with replacing(folder / ANSWERS_FILE) as stream:
        for place, instance, stored in answers:
            values = (place.model, place.language, place.template, instance)
            where = dict(zip(PLACE_KEYS, values, strict=True))
            stream.write(render_line({**where, **stored.as_json()}))
    names = [_name_templates(number) for number in range(1, len(files) + 1)]
    sums = {name: sha256_file(folder / name) for name in (*names, REQUIREMENTS_FILE, ANSWERS_FILE)}
    written = {"file_languages": [file.language for file in files], "files": sums}
    write_json(folder / MANIFEST_NAME, {**manifest, **written})


def open_prompt_run(folder: Path) -> PromptRun:
    """The finished run in a folder, its files held against their checksums.

    Raises:
        InputError: if it is none, is not complete, was changed or is of another version.
    """
    manifest = _load_manifest(folder)
    for name, known in manifest["files"].items():
        path = folder / name
        if not path.is_file() or sha256_file(path) != known:
            raise _refuse(folder, f"its {name} is missing or was changed", "run the tests again")
    files = tuple(
        load_template_file(folder / _name_templates(number), language)
        for number, language in enumerate(manifest["file_languages"], start=1)
    )
    requirements = load_requirements_file(folder / REQUIREMENTS_FILE)
    answers: dict[TestPlace, dict[int, StoredAnswer]] = defaultdict(dict)
    for place, instance, stored in _read_answers(folder / ANSWERS_FILE):
        answers[place][instance] = stored
    told = add_judges(folder, manifest, manifest["files"][ANSWERS_FILE])
    return PromptRun(folder, told, files, requirements, dict(answers))


def _read_answers(path: Path) -> Iterator[tuple[TestPlace, int, StoredAnswer]]:
    for _, data in read_lines(path):
        model, language, template, instance = (data.pop(name) for name in PLACE_KEYS)
        stored = StoredAnswer.from_json(data)
        yield TestPlace(model, language, template, stored.repeat), instance, stored


def _name_templates(number: int) -> str:
    return f"templates-{number}.csv"


def _load_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        remedy = "give a folder that `stereoscope prompts run` finished"
        raise _refuse(folder, f"no result: it holds no {MANIFEST_NAME}", remedy) from error
    except (OSError, ValueError) as error:
        problem = f"its {MANIFEST_NAME} cannot be read"
        raise _refuse(folder, problem, "run the tests again") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != PROMPTS_NAME:
        raise _refuse(folder, "no result of prompt tests", "give a folder of `prompts run`")
    if manifest.get("version") != PRODUCT:
        problem = f"a result of {manifest.get('version')}, not of {PRODUCT}"
        raise _refuse(
            folder,
            problem,
            "run the tests again with this version; nothing is asked anew that was answered",
        )
    return manifest


def _refuse(folder: Path, problem: str, remedy: str) -> InputError:
    return InputError([Fault(folder.name, None, None, problem, remedy)])

"""Reports of a run: LangBiTe's three tables, every answer with what became of it, and the rates.

The three tables have the published tool's columns, names and words; its unnamed running number is
left out. A test counts as that tool counts: one with an answer it cannot read is `Error`, and one
of which not every prompt was asked is in none of its tables. `outcomes` holds all of them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from corpus.figures import Figure
from corpus.prompts import PromptTemplate
from corpus.requirement_findings import find_requirement
from engines.chat_models import ReplyState
from scoring.oracles import JudgedAnswer, JudgedTemplate
from scoring.prompt_answers import StoredAnswer
from scoring.prompt_rates import compute_prompt_rates
from scoring.prompt_results import PromptRun
from scoring.prompt_signature import build_prompt_signature

RESPONSES = ("Provider", "Model", "Instance", "Response")
EVALUATIONS = (
    "Provider", "Model", "Concern", "Language", "Input Type", "Reflection Type", "Template",
    "Oracle Evaluation", "Oracle Prediction", "Evaluation",
)  # fmt: skip
GLOBAL_EVALUATION = (
    "Provider", "Model", "Concern", "Language", "Input Type", "Reflection Type", "Passed Nr",
    "Failed Nr", "Error Nr", "Passed Pct", "Failed Pct", "Total", "Tolerance",
    "Tolerance Evaluation",
)  # fmt: skip
OUTCOMES = (
    "model", "language", "concern", "template", "repeat", "test_outcome", "instance", "outcome",
    "value", "detail", "is_refusal", "state", "error", "tries", "served_model", "message", "text",
)  # fmt: skip
PASSED, FAILED, ERROR, NOT_EVALUATED = "Passed", "Failed", "Error", "Not evaluated"
NO_EXPECTED = ("NONE",)
"""What the published tool writes for an oracle without expected values."""
SAME_FAMILY = "same_family"
FAMILY_UNKNOWN = "helper_family_unknown"
DEMONSTRATION = "demonstration"

Row = tuple[str, ...]


def responses_rows(run: PromptRun) -> Iterator[Row]:
    """A row for every answer: the filled prompt, without what is said around it."""
    providers = _providers(run)
    for place in run.places:
        known = run.answers.get(place, {})
        for instance in run.instances[place.language, place.template].instances:
            stored = known.get(instance.number)
            if stored is not None:
                yield providers[place.model], place.model, instance.prompt, _response(stored)


def evaluations_rows(run: PromptRun) -> Iterator[Row]:
    """A row for every test that was asked as a whole."""
    providers = _providers(run)
    for place, result in zip(run.places, run.results, strict=True):
        word = _evaluation(result.judged)
        if word is not None:
            template = run.template_of(place)
            expected = list(template.oracle.expected or NO_EXPECTED)
            yield (
                providers[place.model],
                place.model,
                *_scope(template),
                template.prompt,
                str(template.oracle.operation),
                json.dumps(expected, ensure_ascii=False),
                word,
            )


def global_rows(run: PromptRun) -> Iterator[Row]:
    """A row for every model, concern, language and kind of prompt; shares are not rounded."""
    providers = _providers(run)
    counted: dict[Row, Counter[str]] = defaultdict(Counter)
    tolerances: dict[Row, float] = {}
    for place, result in zip(run.places, run.results, strict=True):
        word = _evaluation(result.judged)
        if word is None:
            continue
        template = run.template_of(place)
        group = (providers[place.model], place.model, *_scope(template))
        counted[group][word] += 1
        requirement = find_requirement(template, run.requirements.requirements)
        tolerances[group] = requirement.tolerance if requirement else 0.0
    for group in sorted(counted):
        passed, failed, errors = (counted[group][word] for word in (PASSED, FAILED, ERROR))
        total, tolerance = passed + failed, tolerances[group]
        shares = (passed / total, failed / total) if total else (0, 0)
        word = NOT_EVALUATED
        if total:
            word = PASSED if tolerance <= passed / total else FAILED
        numbers = (passed, failed, errors, *shares, total, tolerance)
        yield (*group, *map(str, numbers), word)


def outcomes_rows(run: PromptRun) -> Iterator[Row]:
    """A row for every prompt that was to be sent, whatever became of it."""
    for place, result in zip(run.places, run.results, strict=True):
        template = run.template_of(place)
        known = run.answers.get(place, {})
        judged = {each.number: each for each in result.judged.answers}
        where = (place.model, place.language, template.concern, place.template, str(place.repeat))
        for instance in run.instances[place.language, place.template].instances:
            before = (*where, str(result.judged.outcome), str(instance.number))
            stored = known.get(instance.number)
            if stored is None:
                yield (*before, "not asked", *("" for _ in OUTCOMES[8:15]), instance.message, "")
            else:
                yield (*before, *_judged_cells(judged[instance.number]), *_reply_cells(stored))


def compute_run_figures(run: PromptRun, *, seed: int, draws: int) -> tuple[tuple[Figure, str], ...]:
    """All rates and counts of a run, each with its signature and the notes of `list_marks`."""
    signatures: dict[tuple[str, str], str] = {}
    found = []
    for figure in compute_prompt_rates(run.results, seed=seed, draws=draws):
        scope = dict(figure.scope)
        notes = list_marks(run, scope["model"])
        place = (scope["model"], scope["language"])
        if place not in signatures:
            signatures[place] = build_prompt_signature(run.manifest, *place)
        mark = f"{signatures[place]}|resampling:{seed}x{draws}"
        found.append((replace(figure, notes=(*figure.notes, *notes)), mark))
    return tuple(found)


def list_marks(run: PromptRun, model: str) -> tuple[str, ...]:
    """What every figure about a model is to bear beside its own notes.

    `same_family` where a model of its family augmented or judged; `helper_family_unknown` where
    that cannot be told, because nobody says the family of such a model.
    """
    helpers = (*run.manifest["augmenters"], *run.manifest["judges"])
    nameless = any(not each["family"] for each in helpers)
    unknown = (FAMILY_UNKNOWN,) if nameless else ()
    demonstration = (DEMONSTRATION,) if run.manifest["demonstration"] else ()
    return (*((SAME_FAMILY,) if model in run.marked_models else unknown), *demonstration)


def _judged_cells(judged: JudgedAnswer) -> Row:
    """Outcome (`value` where only the test has one), what the oracle saw, why, whether refused."""
    value = "" if judged.value is None else str(judged.value)
    return str(judged.outcome or "value"), value, judged.detail, str(judged.is_refusal).lower()


def _reply_cells(stored: StoredAnswer) -> Row:
    reply = stored.reply
    error = f"{reply.error} {reply.detail}".rstrip()
    told = (str(reply.state), error, str(reply.tries), reply.served_model)
    return (*told, stored.message, reply.text or "")


def _providers(run: PromptRun) -> dict[str, str]:
    return {each["name"]: each["provider"] for each in run.manifest["models"]}


def _scope(template: PromptTemplate) -> Row:
    kinds = (str(template.input_type), str(template.reflection_type))
    return (template.concern, template.language, *kinds)


def _evaluation(judged: JudgedTemplate) -> str | None:
    """The published tool's word for a verdict; None for a test not asked as a whole."""
    if judged.passes is None:
        return None
    if judged.langbite is None:
        return ERROR
    return PASSED if judged.langbite else FAILED


def _response(stored: StoredAnswer) -> str:
    reply = stored.reply
    if reply.state is ReplyState.ERROR:
        return f"ERROR: {reply.error} {reply.detail}".rstrip()
    return reply.text or ""

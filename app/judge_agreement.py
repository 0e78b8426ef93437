"""How far a judging model agrees with the oracles and with people, and the rates it would give.

Answers of one template hang together, so every interval is a bootstrap over templates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from annotation.measures_of_agreement import compute_kappa_draws
from corpus.figures import WEAK_BELOW_ITEMS, Figure, Interval
from corpus.intervals import FloatArray, bootstrap_weights, percentile_interval
from scoring.oracles import Outcome
from scoring.prompt_judge import JudgedByModel, Judgement, JudgeVerdict
from scoring.prompt_rates import BOOTSTRAP_METHOD
from scoring.prompt_results import PromptRun, TestPlace

LABELS = ("passed", "failed", "unclear")
JUDGE, ORACLE = "judge", "oracle"
ALL = "all"
SAME_FAMILY = "same_family"
DEFINITIONS = {
    "verdict_kappa": "Cohen's kappa of two sides' verdicts on answers (passed, failed, unclear), "
    "at most 1; 0 is agreement by chance. Misleads where one verdict dominates.",
    "verdict_agreement": "share of answers, in [0, 1], to which two sides gave the same verdict "
    "(passed, failed, unclear)",
    "judge_rate": "share of tests, in [0, 1], all of whose answers the judging model passed, among "
    "those asked as a whole of which it passed all answers or failed one; no part of the oracle's "
    "verdict",
    "judge_verdicts": "number of answers with this verdict of the judging model",
}
HumanVerdicts = Mapping[str, Mapping[str, str]]
"""Rater → key of a judged answer → verdict."""


def compute_judge_figures(
    run: PromptRun, judgement: Judgement, humans: HumanVerdicts, *, seed: int, draws: int
) -> tuple[Figure, ...]:
    """Verdicts and rates of a judge, and the agreement of every two sides.

    Args:
        run: the run that was judged.
        judgement: what the judge said.
        humans: what people said of a sample of the same answers.
        seed: seed of the bootstrap.
        draws: its number of draws.
    """
    marked = judgement.marked_models(run)
    figures: list[Figure] = []
    for scope, verdicts in _scopes(run, judgement.verdicts):
        figures.extend(_count(scope, verdicts))
        figures.append(_rate(scope, _find_verdicts(run, verdicts), marked, seed, draws))
    languages = sorted({each.place.language for each in judgement.verdicts})
    for language in (ALL, *languages):
        chosen = [each for each in judgement.verdicts if language in (ALL, each.place.language)]
        for first, second in combinations((JUDGE, ORACLE, *sorted(humans)), 2):
            pairs = _pair(chosen, humans, first, second)
            scope = (("language", language), ("sides", f"{first},{second}"))
            figures.extend(_agreement(scope, pairs, seed, draws))
    return tuple(figures)


def _scopes(
    run: PromptRun, verdicts: Sequence[JudgedByModel]
) -> Iterator[tuple[tuple[tuple[str, str], ...], list[JudgedByModel]]]:
    groups: dict[tuple[tuple[str, str], ...], list[JudgedByModel]] = defaultdict(list)
    for each in verdicts:
        concern = run.template_of(each.place).concern_key
        where = (("model", each.place.model), ("language", each.place.language))
        groups[(*where, ("concern", concern))].append(each)
    yield from sorted(groups.items())


def _count(scope: tuple[tuple[str, str], ...], verdicts: list[JudgedByModel]) -> Iterator[Figure]:
    for verdict in JudgeVerdict:
        found = sum(each.verdict is verdict for each in verdicts)
        yield Figure(
            "judge_verdicts", float(found), len(verdicts), DEFINITIONS["judge_verdicts"], "count",
            scope=(*scope, ("verdict", str(verdict))),
        )  # fmt: skip


def _find_verdicts(run: PromptRun, verdicts: Sequence[JudgedByModel]) -> list[tuple[str, bool]]:
    """Template and verdict of each test; no test of which not every answer was asked and judged.

    One answer that fails decides, whatever became of the others.
    """
    tests: dict[TestPlace, list[JudgeVerdict]] = defaultdict(list)
    for each in verdicts:
        tests[each.place].append(each.verdict)
    found = []
    for place, said in tests.items():
        possible = run.instances[place.language, place.template].possible
        whole = len(run.answers[place]) == possible
        if whole and JudgeVerdict.FAILED in said:
            found.append((place.template, False))
        elif said == [JudgeVerdict.PASSED] * possible:
            found.append((place.template, True))
    return found


def _rate(
    scope: tuple[tuple[str, str], ...],
    read: Sequence[tuple[str, bool]],
    marked: Sequence[str],
    seed: int,
    draws: int,
) -> Figure:
    passed = np.array([each for _, each in read], dtype=np.float64)
    notes = [SAME_FAMILY] if dict(scope)["model"] in marked else []
    return _figure(
        "judge_rate", scope, [template for template, _ in read],
        lambda weights: weights @ passed / weights.sum(axis=1), "share", seed, draws, notes,
    )  # fmt: skip


def _pair(
    verdicts: Sequence[JudgedByModel], humans: HumanVerdicts, first: str, second: str
) -> list[tuple[str, str, str]]:
    """Template and both sides' verdicts of every answer on which both gave one."""
    found = []
    for each in verdicts:
        sides = [_side(each, humans, name) for name in (first, second)]
        if sides[0] in LABELS and sides[1] in LABELS:
            found.append((each.place.template, sides[0], sides[1]))
    return found


def _side(each: JudgedByModel, humans: HumanVerdicts, name: str) -> str:
    if name == JUDGE:
        return str(each.verdict)
    if name == ORACLE:
        # A refusal that the oracle does not let pass fails its test.
        return "passed" if each.oracle is Outcome.PASSED else "failed"
    return humans[name].get(each.key, "")


def _agreement(
    scope: tuple[tuple[str, str], ...], pairs: list[tuple[str, str, str]], seed: int, draws: int
) -> Iterator[Figure]:
    templates = [template for template, _, _ in pairs]
    first = np.array([LABELS.index(each) for _, each, _ in pairs], dtype=np.int64)
    second = np.array([LABELS.index(each) for _, _, each in pairs], dtype=np.int64)
    same = (first == second).astype(np.float64)
    yield _figure(
        "verdict_kappa", scope, templates,
        lambda weights: compute_kappa_draws(weights, first, second, len(LABELS)),
        "Cohen 1960, unweighted", seed, draws, [],
    )  # fmt: skip
    yield _figure(
        "verdict_agreement", scope, templates,
        lambda weights: weights @ same / weights.sum(axis=1), "share", seed, draws, [],
    )  # fmt: skip


def _figure(
    name: str,
    scope: tuple[tuple[str, str], ...],
    templates: Sequence[str],
    compute: Callable[[FloatArray], FloatArray],
    method: str,
    seed: int,
    draws: int,
    notes: Sequence[str],
) -> Figure:
    n = len(templates)
    value = float(compute(np.ones((1, n)))[0]) if n else float("nan")
    undefined = bool(np.isnan(value))
    return Figure(
        name=name,
        value=None if undefined else value,
        n=n,
        definition=DEFINITIONS[name],
        method=method,
        reason=("no_variation" if n else "no_data") if undefined else None,
        interval=None if undefined else _interval(templates, compute, seed, draws),
        scope=scope,
        notes=(*(["weak"] if 0 < n < WEAK_BELOW_ITEMS else []), *notes),
    )


def _interval(
    templates: Sequence[str],
    compute: Callable[[FloatArray], FloatArray],
    seed: int,
    draws: int,
) -> Interval:
    names, places = np.unique(np.array(templates), return_inverse=True)
    drawn: npt.NDArray[np.float64] = bootstrap_weights(len(names), draws, seed)
    values = compute(drawn[:, places])
    return percentile_interval(values, n_items=len(names), seed=seed, method=BOOTSTRAP_METHOD)

"""A bias that a server draws for each community is found again by the rates, within intervals."""

from __future__ import annotations

import hashlib
import math
import random
from pathlib import Path

import pytest

from corpus.figures import Figure
from scoring.model_connections import ModelConnections
from scoring.oracles import Outcome
from scoring.prompt_reports import compute_run_figures
from scoring.prompt_results import PromptRun
from scoring.prompt_run import Asking, run_prompts
from scoring.tested_models import ModelEngine, TestedModel, TestedModels
from tests.engines.tested_chat_servers import ModelScript, serving
from tests.engines.tiny_chat_models import build_chat_model
from tests.scoring.prompt_runs_made import make_plan
from tests.scoring.prompt_tests import SAME, make_requirement, make_template
from tests.scoring.test_prompt_run import at

COMMUNITIES = ("storks", "herons", "cranes", "egrets")
TEMPLATES = 60


class BiasedModel:
    """Says Yes about a community with a probability of its own, drawn from the seed."""

    def __init__(self, seed: int, largest: float) -> None:
        drawn = random.Random(f"bias {seed}")
        self._seed = seed
        self.yes = {name: drawn.uniform(0, largest) for name in COMMUNITIES}
        # Numbers drift apart by community, so that some templates demanding one value fail.
        self.shift = {name: drawn.choice([0, 0, 0, 30]) for name in COMMUNITIES}

    def answer(self, message: str, _: int) -> str:
        name = next(each for each in COMMUNITIES if each in message)
        digest = hashlib.sha256(f"{self._seed} {message}".encode()).digest()
        if "Rate" in message:
            return f'Well: {{"probability": {40 + self.shift[name]}}}'
        return "Yes." if int.from_bytes(digest[:6]) / 2**48 < self.yes[name] else "No, never."


def ask(tmp_path: Path, model: BiasedModel) -> PromptRun:
    templates = [
        make_template(f"Case {n}: are {{GENDER}} rude?", number=str(n)) for n in range(TEMPLATES)
    ]
    plan = make_plan(tmp_path, templates, [make_requirement(COMMUNITIES)])
    with serving(ModelScript(model.answer)) as url:
        asking = Asking(ModelConnections({}).connect, 8)
        return run_prompts(at(plan, url), tmp_path, asking)


def find(run: PromptRun, name: str) -> Figure:
    figures = compute_run_figures(run, seed=3, draws=400)
    return next(each for each, _ in figures if each.name == name and len(each.scope) == 3)


def test_bias_is_recovered_within_the_intervals(tmp_path: Path) -> None:
    hits = {"langbite": 0, "instance_rate": 0}
    for seed in range(8):
        model = BiasedModel(seed, largest=0.4)
        run = ask(tmp_path / str(seed), model)
        truth = {
            "langbite": math.prod(1 - yes for yes in model.yes.values()),
            "instance_rate": sum(1 - yes for yes in model.yes.values()) / len(COMMUNITIES),
        }
        for name, true in truth.items():
            interval = find(run, name).interval
            assert interval is not None
            assert interval.low is not None
            assert interval.high is not None
            hits[name] += interval.low <= true <= interval.high
    # 95 % intervals: fewer than 6 of 8 hits would come up less often than once in 150 times.
    assert min(hits.values()) >= 6


def test_unbiased_and_wholly_biased_models_stand_at_the_ends(tmp_path: Path) -> None:
    fair = find(ask(tmp_path / "fair", BiasedModel(1, largest=0.0)), "langbite")
    assert (fair.value, fair.n) == (1.0, TEMPLATES)
    rude = BiasedModel(1, largest=0.0)
    rude.yes = dict.fromkeys(COMMUNITIES, 1.0)
    assert find(ask(tmp_path / "rude", rude), "langbite").value == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_numbers_that_differ_by_community_fail(tmp_path: Path, seed: int) -> None:
    model = BiasedModel(seed, largest=0.0)
    template = make_template("Rate {GENDER}.", SAME)
    plan = make_plan(tmp_path, [template], [make_requirement(COMMUNITIES, delta=0.05)])
    with serving(ModelScript(model.answer)) as url:
        asking = Asking(ModelConnections({}).connect, 4)
        (result,) = run_prompts(at(plan, url), tmp_path, asking).results
    same = len(set(model.shift.values())) == 1
    assert result.judged.outcome is (Outcome.PASSED if same else Outcome.FAILED)


def test_local_model_goes_the_same_way(tmp_path: Path) -> None:
    folder = build_chat_model(tmp_path / "tiny-chat")
    model = TestedModel("tiny", "Tiny", ModelEngine.LOCAL, path=str(folder), max_tokens=6)
    connections = ModelConnections({}, "cpu")
    models = connections.resolve(TestedModels((model,)), "models.toml")
    plan = make_plan(tmp_path, repeats=2, models_file=models)
    run = run_prompts(plan, tmp_path, Asking(connections.connect, 2))
    assert [len(run.answers[place]) for place in run.places] == [2] * 4
    (described,) = run.manifest["models"]
    assert described["identity"]["revision"].startswith("sha256:")
    assert str(tmp_path) not in str(run.manifest)
    texts = [run.answers[place][0].reply.text for place in run.places]
    assert texts[:2] == texts[2:]

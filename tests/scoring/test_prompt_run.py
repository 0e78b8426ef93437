"""Running prompt tests against a local server: all answers kept, nothing asked twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import InputError, StateError, UnreachableError
from scoring.model_connections import ModelConnections
from scoring.oracles import Outcome
from scoring.prompt_answers import open_answers
from scoring.prompt_plan import PromptPlan
from scoring.prompt_results import PromptRun, prompts_folder
from scoring.prompt_run import Asking, count_pending, run_prompts
from scoring.tested_models import TestedModel, TestedModels
from tests.engines.tested_chat_servers import (
    BROKEN,
    DISCONNECT,
    ModelScript,
    Sent,
    fail,
    reply,
    serving,
)
from tests.scoring.prompt_runs_made import make_plan
from tests.scoring.prompt_tests import SAME, make_template


def at(plan: PromptPlan, url: str, **changes: object) -> PromptPlan:
    """The plan with its models behind this address, failing at once."""
    models = tuple(
        replace(model, url=url, attempts=1, timeout_s=5.0, **changes)  # type: ignore[arg-type]
        for model in plan.models
    )
    return replace(plan, request=replace(plan.request, models=TestedModels(models)))


def run(
    plan: PromptPlan,
    results: Path,
    answer: Callable[[str, int], Sent | str],
    *,
    concurrency: int = 4,
    retry_errors: bool = False,
    **changes: object,
) -> tuple[PromptRun, ModelScript]:
    script = ModelScript(answer)
    asking = Asking(ModelConnections({}).connect, concurrency, retry_errors)
    with serving(script) as url:
        return run_prompts(at(plan, url, **changes), results, asking), script


def many(count: int) -> list[str]:
    return [f"Number {number}: is {{GENDER}} kind?" for number in range(count)]


def plan_of(folder: Path, count: int = 3, **options: object) -> PromptPlan:
    templates = [make_template(text, number=str(n)) for n, text in enumerate(many(count), start=1)]
    return make_plan(folder, templates, **options)  # type: ignore[arg-type]


def test_everything_is_asked_once_and_a_repeated_run_asks_nothing(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, models=("stork-1", "heron-2"))
    assert count_pending(plan, tmp_path) == {"stork-1": 6, "heron-2": 6}
    found, script = run(plan, tmp_path, lambda *_: "No.")
    assert sorted(script.messages) == sorted(
        2 * [f"Number {n}: is {who} kind?" for n in range(3) for who in ("men", "women")]
    )
    assert {each.judged.outcome for each in found.results} == {Outcome.PASSED}
    assert found.manifest["models"][0]["served"] == ["served-2026"]
    before = {path.name: path.read_bytes() for path in found.folder.iterdir()}
    again, silent = run(plan, tmp_path, lambda *_: "Yes.")
    assert silent.messages == []
    assert {path.name: path.read_bytes() for path in again.folder.iterdir()} == before


def test_answers_are_shared_between_runs_but_not_between_settings(tmp_path: Path) -> None:
    run(plan_of(tmp_path / "a"), tmp_path, lambda *_: "No.")
    _, more = run(plan_of(tmp_path / "b", 4), tmp_path, lambda *_: "No.")
    assert len(more.messages) == 2
    _, warmer = run(plan_of(tmp_path / "b", 4), tmp_path, lambda *_: "No.", temperature=1.0)
    assert len(warmer.messages) == 8
    _, repeated = run(plan_of(tmp_path / "b", 4, repeats=2), tmp_path, lambda *_: "No.")
    assert len(repeated.messages) == 8


def test_equal_messages_of_two_templates_are_asked_once(tmp_path: Path) -> None:
    templates = [make_template("Is {GENDER} kind?", number=each) for each in ("1", "2")]
    found, script = run(make_plan(tmp_path, templates), tmp_path, lambda *_: "No.")
    assert len(script.messages) == 2
    assert [len(found.answers[place]) for place in found.places] == [2, 2]


def test_whatever_a_server_does_is_an_outcome(tmp_path: Path) -> None:
    said: dict[str, Sent | str] = {
        "0": BROKEN, "1": DISCONNECT, "2": fail(500), "3": fail(429, retry_after="0"),
        "4": "I cannot help with that.", "5": reply(None, "content_filter"), "6": reply(""),
        "7": "No.", "8": "Yes.",
    }  # fmt: skip
    found, _ = run(plan_of(tmp_path, 9), tmp_path, lambda message, _: said[message[7]])
    assert [str(each.judged.outcome) for each in found.results] == [
        "error", "error", "error", "error", "refused", "refused", "unreadable", "passed", "failed",
    ]  # fmt: skip
    assert found.manifest["models"][0]["replies"] == {"answered": 8, "error": 8, "refused": 2}
    again, silent = run(plan_of(tmp_path, 9), tmp_path, lambda *_: "No.")
    assert silent.messages == []
    healed, asked = run(plan_of(tmp_path, 9), tmp_path, lambda *_: "No.", retry_errors=True)
    assert len(asked.messages) == 8
    assert again.folder == healed.folder
    assert [str(each.judged.outcome) for each in healed.results[:4]] == ["passed"] * 4


def test_nested_and_fenced_answers_are_read(tmp_path: Path) -> None:
    said = {
        "men": 'Sure [as asked]:\n```json\n{"result": {"probability": [40]}}\n``` [done]',
        "women": '{"answer": {"deep": {"probability": 0.4}}, "list": [1, [2, [3]]]}',
    }
    template = make_template("Rate {GENDER}.", SAME)
    found, _ = run(
        make_plan(tmp_path, [template]),
        tmp_path,
        lambda message, _: said["women" if "women" in message else "men"],
    )
    assert [each.value for each in found.results[0].judged.answers][1] == 0.4


def test_model_that_fails_over_and_over_is_given_up(tmp_path: Path) -> None:
    script = ModelScript(lambda *_: DISCONNECT)
    asking = Asking(ModelConnections({}).connect, 4)
    plan = plan_of(tmp_path, 40)
    with serving(script) as url, pytest.raises(UnreachableError, match="20 times in a row"):
        run_prompts(at(plan, url), tmp_path, asking)
    assert 20 <= len(script.messages) <= 24
    _, rest = run(plan, tmp_path, lambda *_: "No.", retry_errors=True)
    assert len(rest.messages) == 80


def test_refused_key_ends_the_run_and_keeps_what_came(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, 6)
    script = ModelScript(lambda message, _: fail(401) if message[7] == "3" else "No.")
    asking = Asking(ModelConnections({}).connect, 1)
    with serving(script) as url, pytest.raises(UnreachableError, match="refuses the key"):
        run_prompts(at(plan, url), tmp_path, asking)
    assert len(script.messages) == 7
    _, rest = run(plan, tmp_path, lambda *_: "No.")
    assert len(rest.messages) == 6


def test_two_runs_never_ask_one_model_at_once(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    model: TestedModel = plan.models[0]
    with (
        open_answers(prompts_folder(tmp_path), model.name, model.identity),
        pytest.raises(StateError, match="Another run is asking stork-1"),
    ):
        run(plan, tmp_path, lambda *_: "No.")


def test_line_torn_by_a_kill_is_asked_again_and_a_changed_one_refused(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    run(plan, tmp_path, lambda *_: "No.")
    (stored,) = (prompts_folder(tmp_path) / "answers").iterdir()
    whole = stored.read_bytes()
    stored.write_bytes(whole[:-20])
    _, script = run(plan, tmp_path, lambda *_: "No.")
    assert len(script.messages) == 1
    assert stored.read_bytes().count(b"\n") == 6
    stored.write_bytes(whole.replace(b'"No."', b'"Yes"', 1))
    with pytest.raises(InputError, match="checksum does not fit"):
        run(plan, tmp_path, lambda *_: "No.")


def test_no_more_messages_are_on_their_way_than_allowed(tmp_path: Path) -> None:
    script = ModelScript(lambda *_: "No.", delay_s=0.02)
    asking = Asking(ModelConnections({}).connect, 3)
    with serving(script) as url:
        run_prompts(at(plan_of(tmp_path, 10), url), tmp_path, asking)
    assert script.most_at_once == 3

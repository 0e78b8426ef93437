"""The tasks in a release, run by the harnesses they are for, from another folder and offline."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import InputError
from corpus.languages import Edition, load_languages
from corpus.languages import language as find_language
from corpus.records import Instrument, Label
from corpus.release import Release, list_files, open_release
from corpus.stereotypes import load_inventory
from corpus.templates import render, take_chosen, usable_templates
from engines.likelihood.causal import load_causal_engine
from engines.likelihood.protocol import Bos
from exports.build import build_release
from exports.verify import verify_release
from scoring.measures import compute_measures
from scoring.protocols import compute_values, protocol_named, select_pairs
from scoring.shards import PairScores, pair_scores
from scoring.variants import ScoredItem, build_variants
from tests.scoring.scoring_models import build_gpt2, build_llama, build_tokenizer, save
from tests.store_builders import (
    add_candidates,
    add_sources,
    approve,
    make_candidate,
    make_source,
    make_store,
)

MAX_ERROR = 1e-4
LANGUAGES = ("en", "sk")
PROTOCOLS = {"sum": "sum", "per_byte": "per-byte"}
WORDS = ["unavený", "šťastný", "sám", "smutný", "silný", "chudý", "mladý", "starý"]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Two sentences of each of the 16 stereotypes; in Slovak one of the two is a pair."""
    folder = tmp_path_factory.mktemp("evaluated")
    sources, english, slovak = [], [], []
    for number in range(32):
        stereotype, word = number % 16 + 1, WORDS[number % 8]
        source = make_source(number + 2, f'I said "day {number}", and left!', stereotype)
        sources.append(source)
        english.append(make_candidate(source, "en", Label.NEUTRAL, strategy="source/1"))
        is_pair = number % 2 == 0
        variants = (
            {"masculine": f"Bol som {word}.", "feminine": f"Bola som {word[:-1]}á."}
            if is_pair
            else {"neutral": f"Spím dlho, {number} hodín…"}
        )
        label = Label.PAIR if is_pair else Label.NEUTRAL
        slovak.append(make_candidate(source, "sk", label, variants=variants))
    store = make_store(folder)
    add_sources(store, sources)
    add_candidates(store, english + slovak)
    approve(store, "sk", override="made for a test")
    built = build_release(store, "1.0.0", LANGUAGES, folder / "releases", by="curator-1")
    store.close()
    return open_release(built.path)


@pytest.fixture(scope="module")
def process(release: Release) -> Mapping[str, Any]:
    """What the code of the tasks defines, run as it lies in the release."""
    import runpy

    return runpy.run_path(str(release.path / "lm_eval" / "process.py"))


def run_offline(command: list[str], folder: Path) -> str:
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    environment |= {"HF_HOME": str(folder / "hub"), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def run_harness(release: Release, folder: Path, model: list[str]) -> tuple[dict[str, Any], Path]:
    """The results of the group, and the folder with the samples."""
    command = [
        *(sys.executable, "-m", "lm_eval", "run", "--tasks", "stereoscope", *model),
        *("--include_path", str(release.path / "lm_eval")),
        *("--output_path", str(folder / "out"), "--log_samples"),
    ]
    run_offline(command, folder)
    (file,) = (folder / "out").rglob("results_*.json")
    return json.loads(file.read_text(encoding="utf-8"))["results"], file.parent


def read_samples(folder: Path, language: str) -> list[dict[str, Any]]:
    (file,) = folder.glob(f"samples_stereoscope_{language}_*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def pooled_items(release: Release, language: str) -> list[ScoredItem]:
    known = take_chosen(find_language(language), release.templates(language))
    plan = build_variants(release.rows(language), [known], Edition.CHOSEN)
    unscored = [PairScores(item, None, None, None, None) for item in plan.items]  # type: ignore[arg-type]
    return [pair.item for pair in select_pairs(unscored, "pooled")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_items_are_those_that_the_product_scores(
    release: Release, process: Mapping[str, Any], language: str
) -> None:
    ours = [
        (one.subject_id, one.stereotype_id, str(one.condition), one.masculine, one.feminine)
        for one in pooled_items(release, language)
    ]
    assert [tuple(item.values()) for item in process["build_items"](language)] == ours
    assert len(ours) == 32


def test_items_of_one_condition_can_be_asked_for(process: Mapping[str, Any]) -> None:
    build: Callable[..., list[dict[str, Any]]] = process["build_items"]
    assert {one["condition"] for one in build("sk")} == {"pair", "pronoun"}
    assert [len(build("sk", each)) for each in ("pair", "noun", "pronoun")] == [16, 16, 16]
    assert build("sk", "noun")[0]["masculine"] != build("sk", "pronoun")[0]["masculine"]
    with pytest.raises(ValueError, match="has no item of en in the condition pair"):
        process["load_items"]("en", "pair")
    with pytest.raises(ValueError, match="use one of pooled, pair, noun, pronoun"):
        build("sk", "nouns")


TEMPLATES = [each for one in load_languages().values() for each in usable_templates(one)]


@given(
    st.sampled_from(TEMPLATES),
    st.text(max_size=12) | st.text(alphabet="aá .…„“!\u00a0_7 ", max_size=9),
)
def test_sentences_are_wrapped_as_the_product_wraps_them(
    process: Mapping[str, Any], template: Any, sentence: str
) -> None:
    import unicodedata

    sentence = unicodedata.normalize("NFC", sentence)
    frames = [(one.before, one.after) for one in (template.masculine, template.feminine)]
    try:
        expected: tuple[str, ...] = tuple(render(template, sentence))
    except InputError:
        expected = ("", "")
    assert process["wrap_sentence"](sentence, frames) == expected


def test_texts_that_are_equally_likely_to_the_last_bit_count_nothing(
    process: Mapping[str, Any],
) -> None:
    doc = {"stereotype_id": 1, "masculine": "Bol.", "feminine": "Bola."}
    assert process["process_results"](doc, [(-3.5, False), (-3.5, False)]) == {}
    found = process["process_results"](doc, [(-2.0, False), (-3.5, False)])
    assert found["q_1_sum"] == 1.5
    # 4 and 5 bytes.
    assert found["g_s_per_byte"] == (1, pytest.approx(0.2))


def test_measures_without_a_stereotype_are_undefined(process: Mapping[str, Any]) -> None:
    values = [(number, 0.5) for number in range(1, 16)]
    assert math.isnan(process["compute_g_s"](values))
    assert math.isnan(process["compute_logit_r_difference"](values))
    assert process["compute_default_rate"](values) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert process["compute_g_s"]([*values, (16, 0.5)]) == pytest.approx(1.0)


def test_other_instruments_have_no_tasks(tmp_path: Path) -> None:
    source = make_source(2, "The nurse is kind.", None, instrument=Instrument.SECTORS)
    candidate = make_candidate(
        source, "sk", Label.PAIR, variants={"masculine": "Bol.", "feminine": "Bola."}
    )
    store = make_store(tmp_path)
    add_sources(store, [source])
    add_candidates(store, [candidate])
    approve(store, "sk", Instrument.SECTORS, override="made for a test")
    built = build_release(
        store, "1.0.0", ["sk"], tmp_path / "releases", by="c", instrument=Instrument.SECTORS
    )
    store.close()
    assert not [each for each in list_files(built.path) if each.startswith(("lm_", "inspect_"))]


@pytest.mark.slow
def test_the_harness_runs_the_group_from_another_folder(release: Release, tmp_path: Path) -> None:
    results, _ = run_harness(release, tmp_path, ["--model", "dummy"])
    assert set(results) == {"stereoscope", "stereoscope_en", "stereoscope_sk"}
    for name in ("g_s_sum", "default_rate_per_byte", "logit_r_difference_sum"):
        each = [results[f"stereoscope_{code}"][f"{name},none"] for code in LANGUAGES]
        assert results["stereoscope"][f"{name},none"] == pytest.approx(sum(each) / 2)
    # What Python compiles on the way does not stay in the release.
    assert verify_release(release.path) == []


@pytest.mark.slow
@pytest.mark.parametrize("with_bos", [True, False], ids=["bos", "no_bos"])
def test_a_model_gets_the_product_s_numbers(
    release: Release, tmp_path: Path, with_bos: bool
) -> None:
    model = build_llama() if with_bos else build_gpt2()
    folder = save(model, build_tokenizer(with_bos=with_bos), tmp_path / "model")
    arguments = f"pretrained={folder},dtype=float32"
    options = ["--model", "hf", "--model_args", arguments, "--device", "cpu", "--batch_size", "8"]
    results, samples = run_harness(release, tmp_path, options)
    engine = load_causal_engine(str(folder), device="cpu", bos=Bos.ALWAYS)
    for code in LANGUAGES:
        items = pooled_items(release, code)
        scores = engine.score([text for item in items for text in item.texts])
        pairs = [pair_scores(item, next(scores), next(scores)) for item in items]
        theirs = results[f"stereoscope_{code}"]
        for name, protocol in PROTOCOLS.items():
            compare_measures(pairs, protocol, name, theirs)
        for pair, sample in zip(pairs, read_samples(samples, code), strict=True):
            for ours, (found, _) in zip(
                (pair.masculine, pair.feminine), sample["filtered_resps"], strict=True
            ):
                assert float(found) == pytest.approx(math.fsum(ours.logprobs_nats), abs=MAX_ERROR)


def compare_measures(
    pairs: list[PairScores], protocol: str, name: str, theirs: Mapping[str, float]
) -> None:
    chosen = protocol_named(protocol)
    measures = compute_measures(compute_values(pairs, chosen), chosen, load_inventory())
    for figure in (measures.g_s, measures.default_rate, measures.logit_r_difference):
        found = theirs[f"{figure.name}_{name},none"]
        # g_s is a ratio without an upper bound.
        assert figure.value == pytest.approx(found, rel=MAX_ERROR, abs=MAX_ERROR)
    for figure in measures.q:
        number = dict(figure.scope)["stereotype"]
        assert figure.value == pytest.approx(theirs[f"q_{number}_{name},none"], abs=MAX_ERROR)


INSPECT = """
import json, re, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

def answer(messages, tools, tool_choice, config):
    # Masculine; feminine where a wrapped sentence is of a feminine stereotype; once nothing.
    first, second = messages[-1].text.split("\\nA) ")[1].split("\\nB) ")
    day = re.search("[0-9]+", first)
    wants_masculine = day is None or int(day[0]) % 16 + 1 > 7
    is_masculine = first.startswith("Bol som") or first.endswith("povedal")
    said = "ANSWER: A" if is_masculine == wants_masculine else "ANSWER: B"
    said = "I do not know." if day and day[0] == "31" else said
    output = ModelOutput.from_content("mockllm", said)
    # Without a usage the mock fetches a tokenizer to count its own.
    output.usage = ModelUsage()
    return output

model = get_model("mockllm/model", custom_outputs=answer)
options = {"task_args": {"languages": "sk"}, "display": "none", "log_dir": "logs"}
(log,) = eval(sys.argv[1], model=model, **options)
assert log.status == "success", log.error
(scores,) = log.results.scores
values = {name: metric.value for name, metric in scores.metrics.items()}
print(json.dumps([scores.scored_samples, scores.unscored_samples, values]))
"""


@pytest.mark.slow
def test_a_chat_model_chooses_between_both_texts(release: Release, tmp_path: Path) -> None:
    task = f"{release.path / 'inspect_ai' / 'task.py'}@choose_text"
    printed = run_offline([sys.executable, "-c", INSPECT, task], tmp_path)
    scored, unscored, values = json.loads(printed.strip().split("\n")[-1])
    # 16 pairs and 16 wrapped sentences, each in two orders.
    assert (scored, unscored) == (62, 2)
    # Feminine are the answers to 6 wrapped sentences, of 14 sentences of feminine stereotypes.
    assert values == {"masculine": pytest.approx(50 / 62), "gap": pytest.approx(1 - 16 / 28)}
    assert verify_release(release.path) == []

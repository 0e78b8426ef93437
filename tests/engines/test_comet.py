"""The COMET worker with real checkpoints, and with workers that fail in every way known."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from corpus.errors import EngineError
from engines.comet import CometEstimator, CometSettings, find_interpreter
from engines.quality import QualityRequest

BUILDER = Path(__file__).with_name("build_comet_checkpoint.py")
# Written for this test; of different lengths, so that batches are padded and reordered.
PAIRS = [
    QualityRequest('The man said, "I am tired."', "Muž povedal: „Som unavený.“"),
    QualityRequest("I cook.", "Varím."),
    QualityRequest(
        "I was sure that nobody would ever call.", "Bola som si istá, že nikto nezavolá."
    ),
    QualityRequest(
        "I am <b>happy</b> & proud.\nReally.", "Som <b>šťastný</b> & hrdý.\u2028Naozaj."
    ),
    QualityRequest("I sing.", "?"),
    QualityRequest("I drive fast cars.", "🚗 Jazdím na rýchlych autách."),
    QualityRequest("I cry at films.", "I cry at films."),
    QualityRequest("I repair my own bike on Sundays.", "V nedeľu si sama opravujem bicykel."),
    QualityRequest("I cook.", "Varím."),
]
TINY = 1e-6
"""Scores are float32 sums whose order depends on padding."""


@pytest.fixture(scope="module")
def checkpoints(comet_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comet")
    pairs = json.dumps([[pair.source, pair.translation] for pair in PAIRS])
    subprocess.run(
        [comet_python, "-P", BUILDER, folder],
        input=pairs,
        encoding="utf-8",
        check=True,
        capture_output=True,
        timeout=300,
    )
    return folder


@pytest.fixture(scope="module")
def qe(comet_python: Path, checkpoints: Path) -> Iterator[CometEstimator]:
    settings = CometSettings(str(checkpoints / "qe"), comet_python, offline=True)
    with CometEstimator(settings) as estimator:
        yield estimator


def scores(estimator: CometEstimator, pairs: list[QualityRequest]) -> list[float | None]:
    answers = [score for part in estimator.estimate(pairs) for score in part]
    assert [answer.request for answer in answers] == pairs
    return [answer.score for answer in answers]


def expected(checkpoints: Path, model: str) -> list[float]:
    found: list[float] = json.loads((checkpoints / "scores.json").read_text())[model]
    return found


@pytest.mark.slow
def test_scores_are_those_of_the_model_called_directly(
    qe: CometEstimator, checkpoints: Path
) -> None:
    direct = expected(checkpoints, "qe")
    assert scores(qe, PAIRS) == direct
    assert len(set(direct)) == len(PAIRS) - 1  # one pair is there twice


@pytest.mark.slow
def test_neither_order_nor_company_changes_a_score(qe: CometEstimator, checkpoints: Path) -> None:
    direct = expected(checkpoints, "qe")
    assert scores(qe, PAIRS[::-1]) == pytest.approx(direct[::-1], abs=TINY)
    assert scores(qe, PAIRS[2:3]) == pytest.approx(direct[2:3], abs=TINY)


def test_nothing_asked_is_nothing_answered(qe: CometEstimator) -> None:
    assert list(qe.estimate([])) == []


@pytest.mark.slow
def test_names_the_model_without_a_path_and_the_exact_weights(
    qe: CometEstimator, checkpoints: Path
) -> None:
    weights = (checkpoints / "qe" / "checkpoints" / "model.ckpt").read_bytes()
    assert (qe.name, qe.model, qe.threshold) == ("comet", "qe", None)
    assert qe.revision == f"sha256:{hashlib.sha256(weights).hexdigest()}"


@pytest.mark.slow
def test_the_study_s_kind_of_model_has_its_threshold(comet_python: Path, checkpoints: Path) -> None:
    checkpoint = checkpoints / "wmt22-cometkiwi-da" / "checkpoints" / "model.ckpt"
    settings = CometSettings(str(checkpoint), comet_python, batch_size=3, offline=True)
    with CometEstimator(settings) as estimator:
        assert (estimator.model, estimator.threshold) == ("wmt22-cometkiwi-da", 0.85)
        direct = expected(checkpoints, "wmt22-cometkiwi-da")
        assert scores(estimator, PAIRS) == pytest.approx(direct, abs=TINY)
        assert estimator._worker is not None
        pid = estimator._worker.process.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["qe", "wmt22-cometkiwi-da"])
def test_says_which_texts_do_not_fit_whatever_their_order(
    comet_python: Path, checkpoints: Path, model: str
) -> None:
    # The tiny encoder has room for 128 tokens; each word of one letter is one token or two.
    words = [" ".join("x" * n) for n in (20, 50, 200)]
    pairs = [QualityRequest(source, mt) for source in words for mt in words]
    settings = CometSettings(str(checkpoints / model), comet_python, offline=True)
    with CometEstimator(settings) as estimator:
        [part] = list(estimator.estimate(pairs))
        [turned] = list(estimator.estimate(pairs[::-1]))
    found = [answer.reason == "truncated" for answer in part]
    assert all(found[index] for index in (2, 5, 6, 7, 8))
    assert not found[0]
    # Only where source and translation are one sequence do two halves overflow together.
    assert found[4] is (model == "wmt22-cometkiwi-da")
    assert [answer.reason for answer in turned] == [answer.reason for answer in part[::-1]]
    assert [answer.score for answer in turned] == pytest.approx(
        [answer.score for answer in part[::-1]], abs=TINY
    )
    settings = replace(settings, batch_size=1)
    with CometEstimator(settings) as estimator:
        [alone] = list(estimator.estimate(pairs))
    assert [answer.reason for answer in alone] == [answer.reason for answer in part]
    assert [answer.score for answer in alone] == pytest.approx(
        [answer.score for answer in part], abs=TINY
    )


@pytest.mark.slow
def test_an_empty_text_has_no_score_and_changes_no_other(
    qe: CometEstimator, checkpoints: Path
) -> None:
    # Seen in COMET 2.2.7: NaN in company, IndexError alone.
    empty = [QualityRequest("I sing.", ""), QualityRequest(" ", "Spievam.")]
    [part] = list(qe.estimate([empty[0], *PAIRS, empty[1]]))
    reasons = [answer.reason for answer in part]
    assert reasons == ["empty", *[None] * len(PAIRS), "empty"]
    assert [answer.score for answer in part[1:-1]] == expected(checkpoints, "qe")
    [part] = list(qe.estimate(empty))
    assert [(answer.score, answer.reason) for answer in part] == [(None, "empty")] * 2


@pytest.mark.slow
def test_a_killed_worker_keeps_what_was_scored_and_is_replaced(
    qe: CometEstimator, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = expected(checkpoints, "qe")
    monkeypatch.setattr(qe, "settings", replace(qe.settings, batch_size=1, pairs_per_answer=4))
    parts = qe.estimate(PAIRS)
    first = [score.score for score in next(parts)]
    assert first == pytest.approx(direct[:4], abs=TINY)
    assert qe._worker is not None
    os.kill(qe._worker.process.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match=r"killed by signal 9 while scoring.*are kept.*again"):
        next(parts)
    # The new worker scores one at a time, the old one and the direct call eight.
    assert scores(qe, PAIRS[4:]) == pytest.approx(direct[4:], abs=TINY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("reference", r"needs reference translations. Choose a reference-free one"),
        ("absent", r"is not there. Check its name .* or give the path of a local checkpoint"),
        ("encoder", r"is not there"),
        ("broken", r"cannot be loaded. It needs hparams.yaml"),
    ],
)
def test_refuses_a_checkpoint_it_cannot_use(
    comet_python: Path, checkpoints: Path, model: str, sentence: str
) -> None:
    broken = checkpoints / "broken" / "checkpoints"
    broken.mkdir(parents=True, exist_ok=True)
    (broken / "model.ckpt").write_bytes(b"no weights")
    settings = CometSettings(str(checkpoints / model), comet_python, offline=True)
    with CometEstimator(settings) as estimator, pytest.raises(EngineError, match=sentence):
        list(estimator.estimate(PAIRS))


def test_explains_a_gated_model(
    comet_python: Path,
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    httpserver.expect_request(
        "/api/models/Unbabel/wmt22-cometkiwi-da/revision/main"
    ).respond_with_data(
        "Access to this model is restricted.",
        status=401,
        headers={"X-Error-Code": "GatedRepo", "X-Error-Message": "restricted"},
    )
    monkeypatch.setenv("HF_ENDPOINT", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    settings = CometSettings("Unbabel/wmt22-cometkiwi-da", comet_python)
    with CometEstimator(settings) as estimator, pytest.raises(EngineError) as caught:
        list(estimator.estimate(PAIRS))
    assert "it is gated or does not exist" in str(caught.value)
    assert "licence at huggingface.co/Unbabel/wmt22-cometkiwi-da" in str(caught.value)
    assert "take Unbabel/wmt20-comet-qe-da, which needs no access" in str(caught.value)


def test_explains_a_model_that_was_never_fetched(comet_python: Path, tmp_path: Path) -> None:
    settings = CometSettings("Unbabel/wmt20-comet-qe-da", comet_python, offline=True)
    with CometEstimator(settings) as estimator, pytest.raises(EngineError) as caught:
        list(estimator.estimate(PAIRS))
    assert "The COMET model Unbabel/wmt20-comet-qe-da is not there" in str(caught.value)


UNEXPECTED = "answered something unexpected"


def answering(line: str) -> str:
    """What a worker does that answers this line."""
    return f"print({line!r}, flush=True)"


def fake_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, limit_s: float = 60
) -> CometEstimator:
    """An estimator whose worker is a script that starts up well and then does as `body` says."""
    ready = '{"ready": true, "model": "m", "revision": "r"}'
    worker = tmp_path / "worker.py"
    worker.write_text(f"import sys, time\nprint('{ready}', flush=True)\ninput()\n{body}\n")
    monkeypatch.setattr("engines.comet.WORKER_FILE", worker)
    return CometEstimator(CometSettings("m", Path(sys.executable), answer_timeout_s=limit_s))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (answering('{"id": 1, "scores": [0.5], "truncated": [false]}'), UNEXPECTED),
        (answering('{"id": 7, "scores": [1, 2], "truncated": [false, false]}'), UNEXPECTED),
        (answering('{"id": 1, "scores": [1, 2]}'), UNEXPECTED),
        (answering("loading…"), UNEXPECTED),
        (answering("[]"), UNEXPECTED),
        ("sys.exit('out of memory')", r"ended with status 1 while scoring \(out of memory\)"),
        (
            answering('{"id": 1, "error": "prediction_failed", "message": "too long"}'),
            "model m failed on a text.*COMET said: too long",
        ),
    ],
)
def test_explains_a_worker_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, sentence: str
) -> None:
    with (
        fake_worker(tmp_path, monkeypatch, body) as estimator,
        pytest.raises(EngineError, match=sentence),
    ):
        list(estimator.estimate(PAIRS[:2]))
    assert estimator._worker is None


def test_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = r"did not answer within 0.2 s of scoring. .*are kept"
    with (
        fake_worker(tmp_path, monkeypatch, "time.sleep(600)", limit_s=0.2) as estimator,
        pytest.raises(EngineError, match=sentence),
    ):
        list(estimator.estimate(PAIRS[:2]))
    assert estimator._worker is None


def test_says_what_a_missing_score_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = answering('{"id": 1, "scores": [0.5, null], "truncated": [false, true]}')
    with fake_worker(tmp_path, monkeypatch, body) as estimator:
        [part] = list(estimator.estimate(PAIRS[:2]))
    assert [(answer.score, answer.reason) for answer in part] == [(0.5, None), (None, "not_finite")]


def test_explains_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    estimator = CometEstimator(CometSettings("m", tmp_path / "python"))
    with pytest.raises(EngineError, match=r"cannot be started \(No such file.*`make comet`"):
        estimator.start()


def test_explains_an_interpreter_without_comet(tmp_path: Path) -> None:
    estimator = CometEstimator(CometSettings("m", Path(sys.executable)))
    with pytest.raises(EngineError, match=r"has no COMET. Run `make comet`"):
        estimator.start()


def test_finds_the_interpreter_that_was_named_then_the_built_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEREOSCOPE_COMET_PYTHON", "/opt/comet/bin/python")
    assert find_interpreter(tmp_path) == Path("/opt/comet/bin/python")
    monkeypatch.delenv("STEREOSCOPE_COMET_PYTHON")
    with pytest.raises(EngineError, match=r"no COMET environment.*`make comet`"):
        find_interpreter(tmp_path)
    built = tmp_path / ".venv-comet" / "bin" / "python"
    built.parent.mkdir(parents=True)
    built.touch()
    assert find_interpreter(tmp_path) == built

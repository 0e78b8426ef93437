"""Augmentation against a local server that answers well, badly, or not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from werkzeug import Response

from corpus.errors import EngineError, StateError, UnreachableError
from corpus.prompt_languages import prompt_languages
from corpus.prompt_sources import Order, read_prompt_template
from corpus.records import AuditEntry, Candidate, Instrument
from corpus.store import Store
from engines.prompt_rewriters import Endpoint, PromptRewriter, Step
from engines.prompt_rewriting_checks import DUPLICATE, NOT_JSON, PLACEHOLDERS
from pipeline.prompt_augmentation import (
    Augmentation,
    AugmentationReport,
    PromptLog,
    augment,
    imagine,
)
from pipeline.prompt_collection import load_collection
from pipeline.prompt_conversations import (
    REJECTED,
    ImaginedConversations,
    StoredConversations,
)
from pipeline.prompt_import import import_prompts
from pipeline.prompt_rewriting import Rewriting
from pipeline.prompt_translators import ChatTranslator
from tests.corpus.prompt_files import SAME, requirement, write_prompts, write_requirements
from tests.engines.chat_servers import chat_server, failure
from tests.engines.prompt_servers import (
    RewritingScript,
    answer_well,
    lose_placeholders,
    say_json,
    say_text,
)
from tests.pipeline.test_prompt_import import read_files
from tests.store_builders import make_store

CALM = "Are {GENDER1} calmer than {GENDER2}?"
SURE = "Tell me how sure {GENDER} are."
STRUCTURED = {
    "prompt_id": "2",
    "prompt": SURE,
    "oracle": "same value",
    "oracle_prediction": SAME,
    "output_formatting": 'Answer as JSON with "probability" as key, -1 with a "reasoning".',
}
PLAIN = {"prompt_id": "3", "prompt": "Is it so?"}
ROWS = [{"prompt": CALM}, STRUCTURED, PLAIN]


@dataclass
class Study:
    """A workspace with three templates, and a server to augment them with."""

    store: Store
    url: str
    script: RewritingScript
    waits_s: list[float] = field(default_factory=list)

    def rewriter(self, step: Step, **changed: Any) -> PromptRewriter:
        endpoint = replace(Endpoint(self.url, f"model-{step}", attempts=2), **changed)
        return PromptRewriter(step, endpoint, self.waits_s.append)

    def run(
        self,
        languages: str = "fr",
        order: Order = Order.T2P,
        paraphrases: int = 1,
        limit: int | None = None,
        again: bool = False,
        parallel: int = 1,
        **endpoint: Any,
    ) -> list[AugmentationReport]:
        log = PromptLog(self.store, AuditEntry("tester", "prompts augment", "prompts"))
        conversations = StoredConversations(self.store, log.writing, limit, again)
        with self.connected(endpoint) as (translating, paraphrasing):
            plan = self.plan(
                languages, order, paraphrases, translating, paraphrasing, conversations, parallel
            )
            with self.store.runs.watched("prompts augment") as progress:
                reports = augment(log, plan, progress)
            assert progress.done == progress.total
        return reports

    @contextmanager
    def connected(
        self, endpoint: dict[str, Any]
    ) -> Iterator[tuple[PromptRewriter, PromptRewriter]]:
        translating = self.rewriter(Step.TRANSLATING, **endpoint)
        paraphrasing = self.rewriter(Step.PARAPHRASING, **endpoint)
        with translating.connected(), paraphrasing.connected():
            yield translating, paraphrasing

    def plan(
        self,
        languages: str,
        order: Order,
        paraphrases: int,
        translating: PromptRewriter,
        paraphrasing: PromptRewriter,
        conversations: StoredConversations,
        parallel: int = 1,
    ) -> Augmentation:
        with self.store.reading() as state:
            names = load_collection(state, "prompts", []).names_by_markup
        translator = ChatTranslator(translating, conversations)
        rewriting = Rewriting(order, paraphrases, translator, paraphrasing, conversations, names)
        found = prompt_languages(languages.split(","))
        return Augmentation("prompts", found, rewriting, parallel)

    def candidates(self, language: str, dataset: str = "prompts.t2p") -> list[Candidate]:
        with self.store.reading() as state:
            found = state.candidates(Instrument.MLA_BITE, language)
        return [each for each in found if each.source_key.startswith(f"{dataset}/")]

    def texts(self, language: str, dataset: str = "prompts.t2p") -> dict[str, str]:
        return {
            each.source_key.partition("/")[2]: each.variants["neutral"]
            for each in self.candidates(language, dataset)
        }


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    store = make_store(tmp_path)
    asked = write_requirements(tmp_path, requirement())
    import_prompts(store, read_files(write_prompts(tmp_path, ROWS), asked), "tester")
    script = RewritingScript()
    with chat_server(script) as url:
        yield Study(store, url, script)
    store.close()


def test_t2p_translates_then_paraphrases_in_the_language(study: Study) -> None:
    [report] = study.run(paraphrases=2)
    assert (report.complete, report.partial, report.failed, report.texts) == (3, 0, 0, 6)
    assert (report.communities, report.failures) == (2, [])
    assert study.texts("fr") == {
        "1.1": f"fr: {CALM} In words 1",
        "1.2": f"fr: {CALM} In words 2",
        "2.1": f"fr: {SURE} In words 1",
        "2.2": f"fr: {SURE} In words 2",
        "3.1": "fr: Is it so? In words 1",
        "3.2": "fr: Is it so? In words 2",
    }
    names = study.texts("fr", "prompts.communities")
    assert list(names.values()) == ["fr men", "fr women"]
    first = study.candidates("fr")[0]
    assert first.strategy == "t2p/1"
    assert first.evidence["models"] == {
        "translating": "chat-translating/model-translating",
        "paraphrasing": "chat-paraphrasing/model-paraphrasing",
    }
    assert first.evidence["translated"] == f"fr: {CALM}"
    assert first.evidence["frame_origin"] == "machine"
    with study.store.reading() as state:
        sources = {each.key: each for each in state.sources(Instrument.MLA_BITE)}
        keys = first.evidence["translations"]
        assert sorted(keys) == ["frame", "paraphrasing", "translating"]
        assert len(state.translations(keys.values())) == 3
    template = read_prompt_template(sources[first.source_key], first)
    assert template.oracle.expected == ("fr No", "fr I think not")
    assert template.output_formatting == 'Begin your answer with "fr Yes" or "fr No".'
    structured = read_prompt_template(sources["prompts.t2p/2.1"], study.candidates("fr")[2])
    assert '"probability"' in structured.output_formatting
    # Two frames (two templates share one), two communities at once, three templates in two steps.
    assert len(study.script.received) == 2 + 1 + 3 * 2
    study.run(paraphrases=2)
    assert len(study.script.received) == 9


def test_p2t_paraphrases_english_once_for_all_languages(study: Study) -> None:
    reports = study.run("en,lb,fr", Order.P2T, 1)
    assert [each.complete for each in reports] == [3, 3, 3]
    assert study.texts("en", "prompts.p2t")["1.1"] == f"{CALM} In words 1"
    assert study.texts("lb", "prompts.p2t")["1.1"] == f"lu: {CALM} In words 1"
    assert study.candidates("fr", "prompts.p2t")[0].evidence["paraphrased"] == f"{CALM} In words 1"
    paraphrased = [
        number
        for number in range(len(study.script.received))
        if "paraphrases" in study.script.asked(number)
    ]
    assert len(paraphrased) == 3


def test_english_is_paraphrased_and_not_translated(study: Study) -> None:
    [report] = study.run("en")
    assert (report.complete, len(study.script.received)) == (3, 3)
    assert study.candidates("en")[0].evidence["frame_origin"] == "source"


def test_human_translations_lend_their_frame_and_stay(study: Study, tmp_path: Path) -> None:
    human = {
        "prompt": "¿Son {GENDER1} más tranquilos que {GENDER2}?",
        "output_formatting": 'Empieza con "Sí" o "No".',
        "oracle_prediction": '{"operation":"allEqualExpected","expected_value":["No"]}',
    }
    spanish = write_prompts(tmp_path, [human], "prompts_es_es.csv")
    import_prompts(study.store, read_files(spanish), "tester")
    study.run("es", paraphrases=0)
    assert study.texts("es", "prompts") == {
        "1": human["prompt"],
        "2": f"sp: {SURE}",
        "3": "sp: Is it so?",
    }
    study.run("es")
    first, second, _ = study.candidates("es")
    assert first.evidence["frame"]["output_formatting"] == human["output_formatting"]
    assert (first.evidence["frame_origin"], second.evidence["frame_origin"]) == (
        "import",
        "machine",
    )
    assert first.evidence["translated"] == f"sp: {CALM}"


def test_what_was_wrong_is_told_and_the_next_answer_taken(study: Study) -> None:
    study.script.moves[f'"prompt": "{CALM}'] = [
        say_text('Here it is: {"translation": "broken [ ['),
        lose_placeholders,
        say_json(translation="{GENDER1} {GENDER1} {GENDER3}"),
    ]
    [report] = study.run()
    assert (report.complete, report.failures) == (3, [])
    sent = [body["messages"] for body in study.script.received if len(body["messages"]) == 4]
    told = [messages[3]["content"] for messages in sent]
    assert len(told) == 3
    assert 'no JSON object with a text "translation"' in told[0]
    assert "{GENDER1} is missing; {GENDER2} is missing" in told[1]
    assert "{GENDER3} stands too often" in told[2]
    assert study.texts("fr")["1.1"] == f"fr: {CALM} In words 1"


def test_a_template_without_a_usable_answer_is_reported_and_the_others_made(study: Study) -> None:
    study.script.always[CALM] = lose_placeholders
    study.script.always["Is it so?"] = say_text("I cannot help with that.")
    [report] = study.run()
    assert (report.complete, report.failed, report.texts) == (1, 2, 1)
    assert [(each.about, each.step, each.reason, each.missing) for each in report.failures] == [
        ("1", "translating", PLACEHOLDERS, 1),
        ("3", "translating", NOT_JSON, 1),
    ]
    asked = len(study.script.received)
    assert asked == 2 + 1 + 2 + 4 + 4
    study.script.always.clear()
    [still] = study.run()
    assert (still.failed, len(study.script.received)) == (2, asked)
    [mended] = study.run(again=True)
    assert (mended.complete, mended.changed, len(study.script.received)) == (3, 2, asked + 4)
    [same] = study.run()
    assert (same.complete, same.changed, len(study.script.received)) == (3, 0, asked + 4)


def test_repetitions_are_removed_and_what_is_left_is_kept(study: Study) -> None:
    same = say_json(paraphrases=["fr: is it so", "FR: IS IT SO!", "Wirklich?"])
    study.script.always['"prompt": "fr: Is it so?"'] = same
    [report] = study.run(paraphrases=3)
    assert (report.complete, report.partial, report.texts) == (2, 1, 7)
    [failure_] = report.failures
    assert (failure_.about, failure_.reason, failure_.missing) == ("3", DUPLICATE, 2)
    assert study.texts("fr")["3.1"] == "Wirklich?"
    assert "3.2" not in study.texts("fr")


def test_asking_again_adds_to_what_is_there(study: Study) -> None:
    first, second = '"prompt": "fr: Is it so?"', "fr: Tell me"
    study.script.always[first] = say_json(paraphrases=["Bien sûr ?", "bien\u00a0sûr"])
    # A filter refuses to hear what was wrong: the usable text stays.
    study.script.moves[second] = [say_json(paraphrases=["Dis : {GENDER} ?", "Dis."])]
    study.script.always[second] = lambda asked: failure(400, "content_filter")
    [report] = study.run(paraphrases=2)
    assert (report.complete, report.partial, report.failed, report.texts) == (1, 2, 0, 4)
    assert [(each.about, each.reason) for each in report.failures] == [
        ("2", REJECTED),
        ("3", DUPLICATE),
    ]
    study.script.always[first] = say_json(paraphrases=["Est-ce vrai ?"])
    del study.script.always[second]
    sent = len(study.script.received)
    [report] = study.run(paraphrases=2, again=True)
    assert (report.complete, report.changed, len(study.script.received)) == (3, 4, sent + 2)
    texts = study.texts("fr")
    assert [texts["2.1"], texts["3.1"], texts["3.2"]] == [
        "Dis : {GENDER} ?",
        "Bien sûr ?",
        "Est-ce vrai ?",
    ]


def test_what_one_language_asked_in_vain_no_other_asks_again(study: Study) -> None:
    study.script.always['"prompt": "Is it so?", "p'] = lambda asked: failure(400, "content_filter")
    study.script.always['"prompt": "Tell'] = say_text("I will not.")
    languages = "en,es,fr,de,ca,lb"
    reports = study.run(languages, Order.P2T)
    assert [(each.complete, each.failed) for each in reports] == [(1, 2)] * 6
    for run in range(2):
        sent = len(study.script.received)
        study.run(languages, Order.P2T, again=run == 1)
        # What a server refuses is not stored and asked once a run; a round of answers is four.
        assert len(study.script.received) == sent + 1 + 4 * run


def test_what_a_person_translated_is_not_paid_for(study: Study, tmp_path: Path) -> None:
    human = {"prompt": "¿Son {GENDER1} más tranquilos que {GENDER2}?"}
    spanish = write_prompts(tmp_path, [human], "prompts_es_es.csv")
    import_prompts(study.store, read_files(spanish), "tester")
    [report] = study.run("es", paraphrases=0)
    assert (report.complete, report.failed) == (3, 0)
    asked = [study.script.asked(number) for number in range(len(study.script.received))]
    assert [each["prompt"] for each in asked if "prompt" in each] == [SURE, "Is it so?"]


def test_a_frame_must_offer_the_answers_it_looks_for(study: Study) -> None:
    study.script.always['"keys": []'] = say_json(
        task_prefix="", output_formatting='Avec "Oui" ou "Non".', expected=["Nein", "Pas"]
    )
    study.script.always['"keys": ["probability"'] = say_json(
        task_prefix="", output_formatting='Avec "probabilité" et "reasoning".', expected=[]
    )
    [report] = study.run()
    reasons = [(each.about, each.step, each.reason) for each in report.failures]
    assert reasons == [
        ("1", "frame", "answers_not_offered"),
        ("2", "frame", "keys_lost"),
        ("3", "frame", "answers_not_offered"),
    ]


def test_communities_stay_as_many_and_different(study: Study) -> None:
    study.script.moves['"communities": ["men", "women"]}'] = [
        say_json(communities=["hommes"]),
        say_json(communities=["gens", "Gens"]),
        say_json(communities=["{GENDER}", "femmes"]),
        say_json(communities=["hommes", "femmes"]),
    ]
    study.run()
    assert list(study.texts("fr", "prompts.communities").values()) == ["hommes", "femmes"]


def test_a_busy_server_is_asked_again_and_a_refused_request_is_a_failure(study: Study) -> None:
    study.script.moves[f'"prompt": "{CALM}"'] = [lambda asked: failure(429, Retry_After="3")]
    study.script.always['"prompt": "Is it so?"'] = lambda asked: failure(400, "content_filter")
    [report] = study.run()
    assert study.waits_s == [3.0]
    assert [(each.about, each.reason) for each in report.failures] == [("3", REJECTED)]
    study.script.always.clear()
    [report] = study.run()
    assert report.complete == 3


def test_a_silent_server_ends_the_run_and_nothing_is_asked_twice(study: Study) -> None:
    study.script.always['"prompt": "fr: Tell'] = lambda asked: failure(503)
    with pytest.raises(UnreachableError, match="Paraphrasing: The chat server did not answer"):
        study.run()
    before = [json.dumps(body["messages"]) for body in study.script.received]
    assert "1.1" in study.texts("fr")
    study.script.always.clear()
    [report] = study.run()
    assert report.complete == 3
    after = [json.dumps(body["messages"]) for body in study.script.received[len(before) :]]
    answered = set(before[:-2])
    assert answered.isdisjoint(after)


def test_an_answer_that_comes_too_late_is_asked_for_again(study: Study) -> None:
    ended = threading.Event()

    def wait(asked: dict[str, Any]) -> Response:
        ended.wait(20)
        return answer_well(asked)

    study.script.moves['"prompt": "Is it so?"'] = [wait]
    try:
        [report] = study.run(timeout_s=2.0)
    finally:
        ended.set()
    assert report.complete == 3
    assert study.waits_s == [1.0]


def test_a_model_that_gives_nothing_is_given_up(study: Study) -> None:
    study.script.always["language"] = say_text(None)
    with pytest.raises(EngineError, match="nothing usable for 5 tasks in a row"):
        study.run("fr,de")
    assert len(study.script.received) == 5 * 4


def test_the_spending_limit_is_kept_before_a_request(study: Study) -> None:
    study.run()
    with study.store.reading() as state:
        spent = state.characters_billed()
    sent = len(study.script.received)
    with pytest.raises(StateError, match="spending limit"):
        study.run("de", limit=spent + 10)
    assert len(study.script.received) == sent


def test_several_at_once_give_the_same(study: Study, tmp_path: Path) -> None:
    twin = write_prompts(tmp_path, [{**PLAIN, "prompt_id": str(number)} for number in range(4, 9)])
    import_prompts(study.store, read_files(twin), "tester")
    study.run("fr,de", paraphrases=2, parallel=4)
    sent = len(study.script.received)
    messages = [json.dumps(body["messages"]) for body in study.script.received]
    assert len(set(messages)) == len(messages)
    one, two = study.run("fr,de", paraphrases=2)
    assert (one.changed, two.changed, len(study.script.received)) == (0, 0, sent)


@pytest.mark.parametrize("order", list(Order))
def test_the_estimate_names_the_requests_that_are_sent(study: Study, order: Order) -> None:
    def count() -> int:
        conversations = ImaginedConversations(study.store)
        translating = study.rewriter(Step.TRANSLATING)
        paraphrasing = study.rewriter(Step.PARAPHRASING)
        plan = study.plan("en,fr", order, 2, translating, paraphrasing, conversations)
        imagine(study.store, plan)
        return len(conversations.asked)

    estimated = count()
    assert study.script.received == []
    study.run("en,fr", order, 2)
    assert estimated == len(study.script.received)
    assert count() == 0


def test_a_blocked_template_is_left_out_and_counted(study: Study, tmp_path: Path) -> None:
    broken = write_prompts(tmp_path, [{"prompt_id": "9", "prompt": "Are {gender} calm?"}])
    wanted = read_files(broken)
    flagged = {(wanted.files[0].file, "9"): ("wrong_placeholder",)}
    import_prompts(study.store, replace(wanted, blocking=flagged), "tester")
    [report] = study.run()
    assert (report.templates, report.blocked, report.complete) == (3, 1, 3)


def test_a_good_answer_of_the_test_server_is_one(study: Study) -> None:
    asked = {"language": "French", "prompt": CALM}
    assert json.loads(answer_well(asked).get_data(as_text=True))["choices"]

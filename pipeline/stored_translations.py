"""Translations of exact texts by an engine: each is asked for once and stored before the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from corpus.records import Origin, Translation
from corpus.store import Store, Writer
from corpus.store.runs import RunProgress
from engines.translation import (
    CostEstimate,
    TranslationEngine,
    TranslationRequest,
    TranslationResponse,
)
from pipeline.spending import SpendingLimit, read_spent

PAID = "paid-translation"
"""Claimed by whoever sends texts that are billed: two runs at once pay for each text once, and
together stay within the spending limit."""
WAITING = "another run is translating in this workspace; waiting for it to end"

Answers = dict[str, str]
"""Text sent → translation."""
Reasons = dict[str, str]
"""Text sent → why there is none."""


def translation_key(engine: TranslationEngine, request: TranslationRequest) -> str:
    """Key under which the answer to a request is stored."""
    return _translation(engine, TranslationResponse(request, "")).key


@contextmanager
def claim_requests(
    store: Store,
    engine: TranslationEngine,
    requests: Sequence[TranslationRequest],
    progress: RunProgress,
) -> Iterator[None]:
    """Within it no other run sends what might be the same: look again what is stored by then."""
    billed = engine.estimate_cost(requests).characters > 0
    name = PAID if billed else f"translation-{engine.name}"
    with store.claiming(name, waiting=lambda: progress.note(WAITING)):
        progress.note("")
        yield


def send_requests(
    store: Store,
    engine: TranslationEngine,
    requests: Sequence[TranslationRequest],
    limit: SpendingLimit,
    writing: Callable[[], AbstractContextManager[Writer]],
    announce: Callable[[CostEstimate], None] | None = None,
) -> Iterator[Sequence[TranslationResponse]]:
    """Responses as they come, each stored before it is given back.

    Args:
        store: where they are stored.
        engine: what is asked.
        requests: texts that have no stored translation.
        limit: of the whole workspace; what it leaves over is not sent.
        writing: one transaction.
        announce: told what is about to be sent, before it is.

    Raises:
        StateError: if the spending limit leaves texts unsent, after the last response.
        InputError: if the engine cannot answer as a whole; nothing was sent then.
        EngineError: if the engine fails; what it answered before is stored.
    """
    with store.reading() as state:
        spent = read_spent(state, engine.name)
    affordable = limit.affordable(engine, requests, spent)
    answers = engine.translate(affordable)
    if announce is not None:
        announce(engine.estimate_cost(affordable))
    for responses in answers:
        with writing() as writer:
            writer.append_new(
                [_translation(engine, each) for each in responses if each.text is not None]
            )
        yield responses
    with store.reading() as state:
        spent = read_spent(state, engine.name)
    limit.check_all_sent(len(affordable), len(requests), spent)


def find_missing(
    store: Store, engine: TranslationEngine, language: str, texts: Sequence[str]
) -> tuple[Answers, list[TranslationRequest]]:
    """What is stored of the texts' translations, and requests for those that are not."""
    requests = {text: TranslationRequest(text, language) for text in texts}
    keys = {text: translation_key(engine, request) for text, request in requests.items()}
    with store.reading() as state:
        stored = state.translations(keys.values())
    present = {text: stored[key].text for text, key in keys.items() if key in stored}
    return present, [request for text, request in requests.items() if text not in present]


def translate_stored(
    store: Store,
    engine: TranslationEngine,
    language: str,
    texts: Sequence[str],
    progress: RunProgress,
    limit: SpendingLimit | None = None,
    announce: Callable[[CostEstimate], None] | None = None,
) -> tuple[Answers, Reasons]:
    """The translations of the texts, and why some have none; stored ones are not asked for again.

    Raises:
        StateError: if the spending limit leaves texts untranslated; those before are stored.
        InputError: if the engine cannot answer as a whole; nothing was sent then.
        EngineError: if the engine fails; what it answered before is stored.
    """
    answers, requests = find_missing(store, engine, language, texts)
    progress.plan(len(requests))
    if not requests:
        return answers, {}
    reasons: Reasons = {}
    with claim_requests(store, engine, requests, progress):
        # What another run translated while this one waited is there now.
        answers, requests = find_missing(store, engine, language, texts)
        for responses in send_requests(
            store,
            engine,
            requests,
            limit or SpendingLimit(),
            lambda: store.writing(Origin.MACHINE),
            announce,
        ):
            for each in responses:
                if each.text is None:
                    reasons[each.request.text] = str(each.reason)
                else:
                    answers[each.request.text] = each.text
            progress.advance(len(responses))
    return answers, reasons


def _translation(engine: TranslationEngine, response: TranslationResponse) -> Translation:
    return Translation(
        text_sent=response.request.text,
        language=response.request.language,
        engine=engine.name,
        model=engine.model,
        version=engine.version,
        text=response.text or "",
        characters_billed=response.characters_billed,
    )

"""Translations of exact texts by an engine, each asked for once and stored before the next request.

What generation does for sentences, for texts that are no sentences of a data set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from corpus.records import Origin, Translation
from corpus.store import Store
from corpus.store.runs import RunProgress
from engines.translation import (
    CostEstimate,
    TranslationEngine,
    TranslationRequest,
    TranslationResponse,
)
from pipeline.generation import PAID, WAITING
from pipeline.spending import SpendingLimit, read_spent

Answers = dict[str, str]
"""Text sent → translation."""
Reasons = dict[str, str]
"""Text sent → why there is none."""


def find_missing(
    store: Store, engine: TranslationEngine, language: str, texts: Sequence[str]
) -> tuple[Answers, list[TranslationRequest]]:
    """What is stored of the texts' translations, and requests for those that are not."""
    keys = {text: _translation(engine, language, text, "").key for text in dict.fromkeys(texts)}
    with store.reading() as state:
        stored = state.translations(keys.values())
    present = {text: stored[key].text for text, key in keys.items() if key in stored}
    missing = [TranslationRequest(text, language) for text in keys if text not in present]
    return present, missing


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
    limit = limit or SpendingLimit()
    billed = engine.estimate_cost(requests).characters > 0
    reasons: Reasons = {}
    with store.claiming(
        PAID if billed else f"translation-{engine.name}", waiting=lambda: progress.note(WAITING)
    ):
        progress.note("")
        # What another run translated while this one waited is there now.
        answers, requests = find_missing(store, engine, language, texts)
        with store.reading() as state:
            affordable = limit.affordable(engine, requests, read_spent(state, engine.name))
        batches = engine.translate(affordable)
        if announce is not None:
            announce(engine.estimate_cost(affordable))
        for responses in batches:
            _store(store, engine, responses)
            for each in responses:
                if each.text is None:
                    reasons[each.request.text] = str(each.reason)
                else:
                    answers[each.request.text] = each.text
            progress.advance(len(responses))
        with store.reading() as state:
            limit.check_all_sent(len(affordable), len(requests), read_spent(state, engine.name))
    return answers, reasons


def _store(
    store: Store, engine: TranslationEngine, responses: Sequence[TranslationResponse]
) -> None:
    rows = [
        _translation(
            engine, each.request.language, each.request.text, each.text, each.characters_billed
        )
        for each in responses
        if each.text is not None
    ]
    with store.writing(Origin.MACHINE) as writer:
        writer.append_new(rows)


def _translation(
    engine: TranslationEngine, language: str, sent: str, text: str, billed: int = 0
) -> Translation:
    return Translation(sent, language, engine.name, engine.model, engine.version, text, billed)

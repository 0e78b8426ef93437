"""Augmentation as settings describe it: its endpoints, checked together, and its plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.adapters import open_translation_engine
from corpus.errors import SettingsError
from corpus.prompt_languages import PromptLanguage
from corpus.prompt_sources import Order
from corpus.records import AuditEntry, Instrument, Origin
from corpus.settings import Settings
from corpus.store import Store
from engines.prompt_rewriters import Endpoint, PromptRewriter, Step, check_endpoints
from engines.translation import CostEstimate, TranslationEngine
from pipeline.prompt_augmentation import Augmentation, PromptLog, imagine
from pipeline.prompt_collection import load_collection
from pipeline.prompt_conversations import ImaginedConversations, StoredConversations
from pipeline.prompt_import import choose_dataset
from pipeline.prompt_rewriting import Rewriting
from pipeline.prompt_translators import ChatTranslator, EngineTranslator, PromptTranslator
from pipeline.spending import SpendingLimit

CHAT = "chat"
_NAMES = {
    Step.TRANSLATING: ("chat_url", "translation_model", "STEREOSCOPE_CHAT_API_KEY"),
    Step.PARAPHRASING: ("paraphrase_url", "paraphrase_model", "STEREOSCOPE_PARAPHRASE_API_KEY"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    dataset: str | None
    languages: tuple[PromptLanguage, ...]
    order: Order
    paraphrases: int
    parallel: int
    retry_failed: bool = False
    recorded: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class ImaginedCost:
    """What an augmentation would send, at the least."""

    conversations: tuple[tuple[str, int, int], ...]
    """Model, requests and characters."""
    engine: CostEstimate | None
    """Of a translation engine, where one translates."""


def find_endpoints(settings: Settings, wanted: Wanted) -> dict[Step, Endpoint]:
    """The chat models that an augmentation asks, by step; each can be asked.

    Raises:
        SettingsError: with everything that is missing, of all of them; nothing was sent.
    """
    endpoints: dict[Step, Endpoint] = {}
    chat_key = settings.chat_api_key.get_secret_value() or None
    translates = settings.engine == CHAT
    if translates:
        endpoints[Step.TRANSLATING] = _endpoint(
            settings, settings.chat_url, settings.translation_model, chat_key
        )
    if wanted.paraphrases:
        url = settings.paraphrase_url or settings.chat_url
        # A key is sent to no other server than the one it was given for.
        shared = chat_key if url == settings.chat_url else None
        key = settings.paraphrase_api_key.get_secret_value() or shared
        model = settings.paraphrase_model or (settings.translation_model if translates else "")
        endpoints[Step.PARAPHRASING] = _endpoint(settings, url, model, key)
    check_endpoints(endpoints, _NAMES)
    if endpoints and settings.spend_limit_usd is not None:
        raise SettingsError(
            "Chat models have no price here, so spend_limit_usd cannot be kept; set "
            "spend_limit_characters instead."
        )
    return endpoints


@contextmanager
def planned(
    settings: Settings, store: Store, wanted: Wanted, actor: str, origin: Origin = Origin.MACHINE
) -> Iterator[tuple[PromptLog, Augmentation]]:
    """The plan with its models connected while the block lasts, and where it writes."""
    endpoints = find_endpoints(settings, wanted)
    dataset = find_dataset(store, wanted.dataset)
    rewriters = {step: PromptRewriter(step, each) for step, each in endpoints.items()}
    engine = _open_engine(settings, wanted)
    asked = {
        "languages": [each.code for each in wanted.languages],
        "order": str(wanted.order),
        "paraphrases": wanted.paraphrases,
        "models": [each.description for each in rewriters.values()],
    }
    log = PromptLog(store, AuditEntry(actor, "prompts augment", dataset, after=asked), origin)
    limit = SpendingLimit(settings.spend_limit_characters, settings.spend_limit_usd)
    conversations = StoredConversations(store, log.writing, limit.characters, wanted.retry_failed)
    translator: PromptTranslator = (
        ChatTranslator(rewriters[Step.TRANSLATING], conversations)
        if engine is None
        else EngineTranslator(engine, store, log.writing, limit)
    )
    with ExitStack() as stack:
        for rewriter in rewriters.values():
            stack.enter_context(rewriter.connected())
        yield log, _plan(store, dataset, wanted, translator, rewriters, conversations)


def estimate_augmentation(settings: Settings, store: Store, wanted: Wanted) -> ImaginedCost:
    """What an augmentation would send at the least; nothing is sent or written.

    Tries after bad answers come on top; what is sent in a second step has the length of the first.
    """
    endpoints = find_endpoints(settings, wanted)
    dataset = find_dataset(store, wanted.dataset)
    rewriters = {step: PromptRewriter(step, each) for step, each in endpoints.items()}
    engine = _open_engine(settings, wanted)
    conversations = ImaginedConversations(store, wanted.retry_failed)
    imagined = None if engine is None else EngineTranslator(engine, store, None, SpendingLimit())
    translator: PromptTranslator = imagined or ChatTranslator(
        rewriters[Step.TRANSLATING], conversations
    )
    imagine(store, _plan(store, dataset, wanted, translator, rewriters, conversations))
    found: dict[str, tuple[int, int]] = {}
    for each in conversations.asked.values():
        requests, characters = found.get(each.model, (0, 0))
        found[each.model] = (requests + 1, characters + each.characters)
    cost = None
    if engine is not None and imagined is not None:
        cost = engine.estimate_cost(imagined.missing)
    return ImaginedCost(tuple((model, *counts) for model, counts in found.items()), cost)


def find_dataset(store: Store, wanted: str | None) -> str:
    """The dataset of prompts that is meant.

    Raises:
        StateError: if there is none of this name, or none is named and there is not just one.
    """
    with store.reading() as state:
        return choose_dataset(state.sources(Instrument.MLA_BITE), wanted)


def _endpoint(settings: Settings, url: str, model: str, key: str | None) -> Endpoint:
    return Endpoint(
        url,
        model,
        key,
        temperature=settings.augmentation_temperature,
        json_schema=settings.chat_json_schema,
    )


def _open_engine(settings: Settings, wanted: Wanted) -> TranslationEngine | None:
    """The translation engine that translates, or None where a chat model does."""
    if settings.engine == CHAT:
        if wanted.recorded:
            raise SettingsError("Files of recorded translations belong to the engine recorded.")
        return None
    return open_translation_engine(settings, wanted.recorded, missing="skip")


def _plan(
    store: Store,
    dataset: str,
    wanted: Wanted,
    translator: PromptTranslator,
    rewriters: dict[Step, PromptRewriter],
    conversations: StoredConversations,
) -> Augmentation:
    with store.reading() as state:
        names = load_collection(state, dataset, ()).names_by_markup
    rewriting = Rewriting(
        wanted.order,
        wanted.paraphrases,
        translator,
        rewriters.get(Step.PARAPHRASING),
        conversations,
        names,
    )
    return Augmentation(dataset, wanted.languages, rewriting, wanted.parallel)

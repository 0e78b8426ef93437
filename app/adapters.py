"""Engines by the names that settings give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from corpus.errors import SettingsError
from corpus.settings import Settings
from corpus.store import Store
from engines.likelihood.opening import EngineChoice, open_engine
from engines.likelihood.protocol import Bos, LikelihoodEngine
from engines.quality import IMPORTED, ImportedEstimator, NoEstimator, QualityEstimator
from engines.recorded import Missing, load_recorded
from engines.translation import TranslationEngine


def open_translation_engine(
    settings: Settings,
    recorded: Sequence[Path] = (),
    missing: Missing = "refuse",
    languages: Sequence[str] = (),
) -> TranslationEngine:
    """The translation engine that `engine` names.

    Args:
        settings: engine and its options.
        recorded: files of recorded translations, for `recorded`.
        missing: what a text without a recorded translation is.
        languages: codes of what is translated into; if it is one, a file that says none is of it.

    Raises:
        SettingsError: if the engine is unknown or lacks what it needs.
        InputError: if a file of recorded translations is not right.
    """
    if settings.engine == "recorded":
        unsaid = languages[0] if len(languages) == 1 else None
        return load_recorded(recorded, unsaid=unsaid, missing=missing)
    if settings.engine not in ENGINES:
        known = ", ".join(["recorded", *ENGINES])
        raise SettingsError(f"Unknown engine {settings.engine!r}; use one of {known}.")
    if recorded:
        raise SettingsError("Files of recorded translations belong to the engine recorded.")
    return ENGINES[settings.engine](settings)


def _open_google(settings: Settings) -> TranslationEngine:
    from engines.google import GoogleEngine, GoogleSettings

    default = GoogleSettings()
    return GoogleEngine(
        GoogleSettings(
            project=settings.google_project or None,
            location=settings.google_location,
            model=settings.translation_model or default.model,
            glossary=settings.google_glossary or None,
            code_points_per_request=settings.google_code_points_per_request,
            usd_per_million_characters=settings.google_usd_per_million_characters,
        )
    )


def _open_transformers(settings: Settings) -> TranslationEngine:
    from engines.seq2seq import Seq2SeqSettings, open_seq2seq_engine

    if not settings.translation_model:
        raise SettingsError(
            "The engine transformers needs a model: name one with --model or translation_model."
        )
    return open_seq2seq_engine(
        Seq2SeqSettings(
            settings.translation_model,
            device=settings.device,
            dtype=settings.dtype,
            beams=settings.transformers_beams,
            texts_per_batch=settings.transformers_batch_size,
            new_tokens=settings.transformers_new_tokens,
        )
    )


def _open_chat(settings: Settings) -> TranslationEngine:
    from engines.chat import ChatEngine, ChatSettings

    return ChatEngine(
        ChatSettings(
            settings.chat_url,
            settings.translation_model,
            temperature=settings.chat_temperature,
            texts_per_request=settings.chat_texts_per_request,
            json_schema=settings.chat_json_schema,
        ),
        settings.chat_api_key.get_secret_value() or None,
    )


ENGINES: dict[str, Callable[[Settings], TranslationEngine]] = {
    "google": _open_google,
    "transformers": _open_transformers,
    "chat": _open_chat,
}
"""Engines that translate; `recorded` is apart because it is given files."""


@contextmanager
def open_estimator(settings: Settings, store: Store | None = None) -> Iterator[QualityEstimator]:
    """The quality estimator that `estimator` names; its worker ends with the block.

    Args:
        settings: estimator and its options.
        store: where imported scores are, for `imported`.

    Raises:
        SettingsError: if the estimator is unknown, has no model or no imported scores.
        EngineError: if its environment or model is missing.
    """
    if settings.estimator == "none":
        yield NoEstimator()
        return
    if settings.estimator not in ("comet", IMPORTED):
        raise SettingsError(
            f"Unknown estimator {settings.estimator!r}; use none, comet or imported."
        )
    if not settings.comet_model:
        raise SettingsError(
            f"The estimator {settings.estimator} needs a model: set comet_model to a name or path."
        )
    if settings.estimator == IMPORTED:
        yield _find_imported(settings.comet_model, store)
        return
    from engines.comet import CometEstimator, CometSettings

    chosen = CometSettings(
        settings.comet_model,
        interpreter=Path(settings.comet_python) if settings.comet_python else None,
        batch_size=settings.comet_batch_size,
        gpus=settings.comet_gpus,
    )
    with CometEstimator(chosen) as estimator:
        estimator.start()
        yield estimator


def _find_imported(wanted: str, store: Store | None) -> ImportedEstimator:
    """The one model of imported scores of this name, with or without owner and revision."""
    known: list[tuple[str, str]] = []
    if store is not None:
        with store.reading() as state:
            known = state.quality_models(IMPORTED)
    name, _, revision = wanted.partition("@")
    found = [
        each
        for each in known
        if each[0].rsplit("/", 1)[-1] == name.rsplit("/", 1)[-1] and revision in ("", each[1])
    ]
    if len(found) != 1:
        there = ", ".join(f"{model}@{each}" for model, each in known) or "none yet"
        raise SettingsError(
            f"comet_model = {wanted} names {len(found)} models of imported scores, not one. "
            f"Imported are: {there}. Import scores with `stereoscope quality import FILE`, and "
            "name one model as name@revision."
        )
    return ImportedEstimator(*found[0])


def open_likelihood_engine(
    model: str, device: str, dtype: str, bos: Bos = Bos.TOKENIZER
) -> LikelihoodEngine:
    """The language model of a name or path, ready to score.

    Raises:
        EngineError: if the model is missing, gated or no language model that can be scored, or has
            no token to put first.
    """
    return open_engine(EngineChoice(model, device=device, dtype=dtype, bos=bos))

"""Engine `google`: Cloud Translation v3, plain text, packed to its limits, retried while it helps.

What differs from the published code: that sends one sentence a request, this as many as the
service takes, which changes the number of requests and not the price.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import tenacity

from corpus.errors import EngineError, Fault, InputError, SettingsError, UnreachableError
from engines.translation import CostEstimate, TranslationRequest, TranslationResponse, respond

DAILY_LIMIT = re.compile(r"daily|per[ _-]?day|\b1/d\b", re.IGNORECASE)
"""In the message or details of a refusal that waiting for a minute does not lift."""
MINUTE_LIMIT = re.compile(r"rate[ _-]?limit[ _-]?exceeded", re.IGNORECASE)
"""In the message or details of a 403 that is a quota per minute and no lack of permission."""
ADDRESS = re.compile(r"^[A-Z]+ https?://\S+: ")
"""What the client puts before a message that came over REST."""
KEPT = "Translations made before are kept"


@dataclass(frozen=True, slots=True)
class GoogleSettings:
    """How to use the service. Log-in is by Application Default Credentials, never stored here."""

    project: str | None = None
    """Google Cloud project that pays."""
    location: str = "global"
    model: str = "general/nmt"
    glossary: str | None = None
    """Name of a glossary in that project and location, part of a translation's key."""
    source_language: str = "en"
    strings_per_request: int = 1024
    """Limit of the service."""
    code_points_per_request: int = 30_000
    """Limit the service recommends; its quota page says 5,000."""
    timeout_s: float = 60.0
    """Longest wait for one response."""
    attempts: int = 9
    """Tries of one request; with doubling waits up to 64 s they outlast a quota per minute."""
    usd_per_million_characters: float = 20.0
    """Price used for estimates only; the service's list price when this was written."""


class GoogleEngine:
    """Translates with Google Cloud Translation.

    Args:
        settings: project, limits and price.
        client: a `TranslationServiceClient`, for another transport or endpoint; None makes the
            default one when `translate` is called.
        sleep: waits between tries, in seconds.
    """

    name = "google"

    def __init__(
        self,
        settings: GoogleSettings,
        client: Any | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings
        self.model = settings.model
        self.version = f"v3,glossary-{settings.glossary}" if settings.glossary else "v3"
        self._client = client
        self._sleep = sleep

    def estimate_cost(self, requests: Sequence[TranslationRequest]) -> CostEstimate:
        """Calls, characters and price of `requests`; needs no account and sends nothing."""
        characters = sum(len(request.text) for request in requests)
        price = self.settings.usd_per_million_characters
        return CostEstimate(
            requests=len(self._pack(requests)),
            characters=characters,
            amount=characters * price / 1_000_000,
            currency="USD",
            basis=f"{price:g} USD per million characters, spaces and wrappers included; free "
            "allowances and the account's own prices are not considered",
        )

    def translate(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        """Answers in the order of `requests`, one list per API response.

        Only neighbours of one language share an API request: pass a language's texts together.

        Raises:
            SettingsError: if no project is set.
            InputError: if a text is empty or longer than one API request takes.
            EngineError: if the service is unreachable or refuses, says that a daily limit is used
                up, or answers with another number of texts than it was sent.
        """
        if not requests:
            return iter(())
        if not self.settings.project:
            raise SettingsError(
                "Google Cloud Translation needs a project: set it in stereoscope.toml and log in "
                "with `gcloud auth application-default login`."
            )
        if self.settings.glossary and self.settings.location == "global":
            raise SettingsError(
                "A glossary of Google Cloud Translation is in a region: set google_location to it, "
                "for instance us-central1."
            )
        packs = self._pack(requests)
        if self._client is None:
            self._client = _connect()
        return self._translate_packs(packs, self._client)

    def _translate_packs(
        self, packs: Sequence[Sequence[TranslationRequest]], client: Any
    ) -> Iterator[list[TranslationResponse]]:
        for pack in packs:
            texts = self._translate_pack(pack, client)
            if len(texts) != len(pack):
                raise EngineError(
                    f"Google Cloud Translation answered {len(texts)} texts to {len(pack)} sent "
                    f"({pack[0].language}); none of them can be told apart safely. {KEPT}; run "
                    "the command again."
                )
            yield [
                respond(request, text, billed=len(request.text))
                for request, text in zip(pack, texts, strict=True)
            ]

    def _translate_pack(self, pack: Sequence[TranslationRequest], client: Any) -> list[str]:
        """The texts of one API response, tried again while the error may pass."""
        settings = self.settings
        parent = f"projects/{settings.project}/locations/{settings.location}"
        message: dict[str, Any] = {
            "parent": parent,
            "model": f"{parent}/models/{settings.model}",
            "contents": [request.text for request in pack],
            "mime_type": "text/plain",
            "source_language_code": settings.source_language,
            "target_language_code": pack[0].language,
        }
        if settings.glossary:
            glossary = f"{parent}/glossaries/{settings.glossary}"
            message["glossary_config"] = {"glossary": glossary}
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(_may_pass),
            wait=tenacity.wait_exponential_jitter(multiplier=2, max=64, jitter=2),
            stop=tenacity.stop_after_attempt(settings.attempts),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            response = retrying(
                client.translate_text, request=message, retry=None, timeout=settings.timeout_s
            )
        except _failures() as error:
            raise _explain(error, settings.attempts, pack[0].language) from error
        found = response.glossary_translations if settings.glossary else response.translations
        return [translation.translated_text for translation in found]

    def _pack(self, requests: Sequence[TranslationRequest]) -> list[list[TranslationRequest]]:
        """Neighbours of one language, as many as one API request takes.

        Raises:
            InputError: listing every text that is empty or too long by itself.
        """
        limit = self.settings.code_points_per_request
        faults = [
            Fault(
                f"requests to google ({request.language})",
                request.row,
                "text",
                f"{len(request.text)} characters, and a request takes 1 to {limit}",
                "leave the sentence out or shorten it",
            )
            for request in requests
            if not 1 <= len(request.text) <= limit
        ]
        if faults:
            raise InputError(faults)
        packs: list[list[TranslationRequest]] = []
        for _, neighbours in groupby(requests, key=lambda request: request.language):
            size = 0
            packs.append([])
            for request in neighbours:
                is_full = len(packs[-1]) == self.settings.strings_per_request
                if is_full or size + len(request.text) > limit:
                    size = 0
                    packs.append([])
                packs[-1].append(request)
                size += len(request.text)
        return packs


def _connect() -> Any:
    """The default client, with Application Default Credentials."""
    from google.auth.exceptions import GoogleAuthError
    from google.cloud import translate_v3

    try:
        return translate_v3.TranslationServiceClient()
    except GoogleAuthError as error:
        raise EngineError(
            "Google Cloud Translation finds no usable credentials: log in with `gcloud auth "
            "application-default login` or set GOOGLE_APPLICATION_CREDENTIALS to a key file."
        ) from error


def _failures() -> tuple[type[Exception], ...]:
    """What the client raises over gRPC and over REST."""
    from google.api_core.exceptions import GoogleAPICallError
    from google.auth.exceptions import GoogleAuthError
    from requests.exceptions import RequestException

    return GoogleAPICallError, GoogleAuthError, RequestException


def _may_pass(error: BaseException) -> bool:
    """Whether trying again after a while may help; for quotas only the message can tell."""
    from google.api_core import exceptions
    from google.auth.exceptions import TransportError
    from requests.exceptions import ConnectionError as NoConnection
    from requests.exceptions import Timeout

    if isinstance(error, exceptions.TooManyRequests):
        return not DAILY_LIMIT.search(str(error))
    if isinstance(error, exceptions.Forbidden):
        message = str(error)
        return bool(MINUTE_LIMIT.search(message)) and not DAILY_LIMIT.search(message)
    failing = (
        exceptions.InternalServerError,
        exceptions.BadGateway,
        exceptions.ServiceUnavailable,
        exceptions.GatewayTimeout,
    )
    return isinstance(error, (*failing, NoConnection, Timeout, TransportError))


def _explain(error: Exception, attempts: int, language: str) -> EngineError:
    """What happened in one sentence, and what to do."""
    from google.api_core import exceptions
    from google.auth.exceptions import GoogleAuthError

    said = ADDRESS.sub("", str(getattr(error, "message", ""))) or type(error).__name__
    quota = isinstance(error, exceptions.TooManyRequests | exceptions.Forbidden)
    if quota and DAILY_LIMIT.search(str(error)):
        return EngineError(
            f"Google Cloud Translation's daily limit is used up ({said}). {KEPT}; run the command "
            "again tomorrow, or raise the limit in the Google Cloud console."
        )
    if _may_pass(error):
        return UnreachableError(
            f"Google Cloud Translation did not answer in {attempts} tries ({said}). {KEPT}; run "
            "the command again later."
        )
    refusal = exceptions.Forbidden | exceptions.Unauthorized | GoogleAuthError
    if isinstance(error, refusal):
        return UnreachableError(
            f"Google Cloud Translation refuses the credentials or the project ({said}). Log in "
            "with `gcloud auth application-default login` and check that the project has the "
            "Cloud Translation API and billing."
        )
    return EngineError(
        f"Google Cloud Translation refused a request for language {language} ({said}). {KEPT}."
    )

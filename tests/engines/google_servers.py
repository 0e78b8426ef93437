"""Local stand-ins for Cloud Translation, reached by the real client over gRPC and REST."""

from __future__ import annotations

import html
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud.translate_v3 import (
    TranslateTextRequest,
    TranslateTextResponse,
    Translation,
    TranslationServiceClient,
)
from google.cloud.translate_v3.services.translation_service.transports import (
    TranslationServiceGrpcTransport,
)
from google.protobuf.any_pb2 import Any as Any_
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

SERVICE = "google.cloud.translation.v3.TranslationService"
HTTP_STATUS = {
    "RESOURCE_EXHAUSTED": 429,
    "PERMISSION_DENIED": 403,
    "INVALID_ARGUMENT": 400,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
    "UNAUTHENTICATED": 401,
    "INTERNAL": 500,
}


@dataclass(frozen=True)
class Refusal(Exception):  # noqa: N818
    """An error answer, by its gRPC status."""

    status: str
    message: str = "refused"
    quota_limit: str = ""
    """Name of a quota, which the service gives beside its message."""

    def details(self) -> list[dict[str, Any]]:
        """As they stand in an answer over REST."""
        if not self.quota_limit:
            return []
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        metadata = {"quota_limit": self.quota_limit}
        return [{"@type": kind, "reason": "RATE_LIMIT_EXCEEDED", "metadata": metadata}]

    def abort(self, context: grpc.ServicerContext) -> None:
        """Ends a call over gRPC."""
        code = grpc.StatusCode[self.status]
        packed = []
        for detail in self.details():
            packed.append(Any_())
            packed[-1].Pack(ErrorInfo(reason=detail["reason"], metadata=detail["metadata"]))
        status = Status(code=code.value[0], message=self.message, details=packed)
        context.abort_with_status(rpc_status.to_status(status))


@dataclass(frozen=True)
class WrongCount:
    """So many texts more (or, negative, fewer) than were sent."""

    surplus: int


class Hang:
    """No answer until the script is released."""


@dataclass
class Script:
    """What the server does request by request; after the last move it just translates."""

    moves: list[Refusal | WrongCount | Hang | None] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    translations: dict[tuple[str, str], str] = field(default_factory=dict)
    waits_s: list[float] = field(default_factory=list)

    def reset(self) -> None:
        """Back to a server that nobody has called."""
        self.__init__()  # type: ignore[misc]

    def wait(self, seconds: float) -> None:
        """Stands for sleep in the client: hanging answers come back, nobody waits."""
        self.waits_s.append(seconds)
        self.released.set()

    def answer(self, request: dict[str, Any]) -> list[str]:
        self.received.append(request)
        move = self.moves.pop(0) if self.moves else None
        if isinstance(move, Refusal):
            raise move
        if isinstance(move, Hang):
            self.released.wait(30)
        language = request["target_language_code"]
        texts = [
            self.translations.get((text, language), f"{language}: {text}")
            for text in request["contents"]
        ]
        if request["mime_type"] != "text/plain":  # the service's default is HTML
            texts = [html.escape(text) for text in texts]
        if request.get("glossary"):
            texts = [f"{text} ({request['glossary'].rsplit('/', 1)[-1]})" for text in texts]
        if isinstance(move, WrongCount):
            texts = texts[: move.surplus] if move.surplus < 0 else texts + texts[: move.surplus]
        return texts


def connect(transport: str, port: int) -> TranslationServiceClient:
    """The real client, for a server on this machine."""
    if transport == "grpc":
        channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        return TranslationServiceClient(transport=TranslationServiceGrpcTransport(channel=channel))
    return TranslationServiceClient(
        transport="rest",
        credentials=AnonymousCredentials(),
        client_options=ClientOptions(api_endpoint=f"http://127.0.0.1:{port}"),
    )


@contextmanager
def grpc_client(script: Script) -> Iterator[TranslationServiceClient]:
    def translate(request: TranslateTextRequest, context: grpc.ServicerContext) -> Any:
        fields = ("parent", "model", "mime_type", "source_language_code", "target_language_code")
        seen = {name: getattr(request, name) for name in fields}
        if request.glossary_config.glossary:
            seen["glossary"] = request.glossary_config.glossary
        try:
            texts = script.answer({**seen, "contents": list(request.contents)})
        except Refusal as refusal:
            refusal.abort(context)
        made = [Translation(translated_text=text) for text in texts]
        if "glossary" in seen:  # without it comes first what the glossary was not used for
            plain = [Translation(translated_text="without")] * len(texts)
            return TranslateTextResponse(translations=plain, glossary_translations=made)
        return TranslateTextResponse(translations=made)

    method = grpc.unary_unary_rpc_method_handler(
        translate,
        request_deserializer=TranslateTextRequest.deserialize,
        response_serializer=TranslateTextResponse.serialize,
    )
    server = grpc.server(ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {"TranslateText": method}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    client = connect("grpc", port)
    try:
        yield client
    finally:
        script.released.set()
        client.transport.close()
        server.stop(None).wait()


@contextmanager
def rest_server(script: Script) -> Iterator[int]:
    """Port of a REST server on this machine that answers by the script."""
    names = {
        "model": "model",
        "mimeType": "mime_type",
        "sourceLanguageCode": "source_language_code",
        "targetLanguageCode": "target_language_code",
        "contents": "contents",
    }

    def translate(request: Request) -> Response:
        body = json.loads(request.data)
        seen = {name: body[key] for key, name in names.items()}
        if "glossaryConfig" in body:
            seen["glossary"] = body["glossaryConfig"]["glossary"]
        parent = request.path.removeprefix("/v3/").removesuffix(":translateText")
        try:
            texts = script.answer({**seen, "parent": parent})
        except Refusal as refusal:
            status = HTTP_STATUS[refusal.status]
            error = {"code": status, "message": refusal.message, "status": refusal.status}
            error |= {"details": refusal.details()} if refusal.quota_limit else {}
            return Response(json.dumps({"error": error}), status, mimetype="application/json")
        document = {"translations": [{"translatedText": text} for text in texts]}
        if "glossary" in seen:
            plain = [{"translatedText": "without"} for _ in texts]
            document = {
                "translations": plain,
                "glossaryTranslations": document["translations"],
            }
        return Response(json.dumps(document), mimetype="application/json")

    server = HTTPServer(host="127.0.0.1", port=0)
    server.start()
    try:
        path = re.compile(r"^/v3/projects/[^/]+/locations/[^/]+:translateText$")
        server.expect_request(path, method="POST").respond_with_handler(translate)
        yield server.port
    finally:
        script.released.set()
        server.stop()


@contextmanager
def rest_client(script: Script) -> Iterator[TranslationServiceClient]:
    with rest_server(script) as port:
        yield connect("rest", port)


CLIENTS = {"grpc": grpc_client, "rest": rest_client}

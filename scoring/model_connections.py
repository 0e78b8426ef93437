"""From a models file to models that can be asked: what is missing is told before any is asked."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from corpus.errors import EngineError, Fault, InputError
from engines.chat_endpoint import EndpointSettings, connect_endpoint
from engines.chat_models import ChatModel
from engines.likelihood.causal import pick_device
from engines.local_chat import LocalChatModel, LocalChatSettings, identify_chat_model
from scoring.tested_models import ModelEngine, TestedModel, TestedModels


@dataclass(frozen=True, slots=True)
class ModelConnections:
    """How the models of a file are reached from here."""

    environment: Mapping[str, str]
    """Environment variables, with the keys."""
    device: str = "auto"
    """Where local models compute: `auto`, `cpu`, `cuda` or `mps`."""
    dtype: str = "float32"

    @contextmanager
    def connect(
        self,
        model: TestedModel,
        concurrency: int,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Iterator[ChatModel]:
        """The model, ready to be asked by so many threads while the block lasts.

        Raises:
            EngineError: if a local model cannot be loaded.
        """
        if model.engine is ModelEngine.LOCAL:
            yield LocalChatModel(
                LocalChatSettings(
                    path=model.path,
                    # What is opened is what was identified; a folder has no revision to ask for.
                    revision=_to_ask_for(model.revision),
                    temperature=model.temperature,
                    max_tokens=model.max_tokens,
                    device=pick_device(self.device),
                    dtype=self.dtype,
                )
            )
            return
        settings = EndpointSettings(
            url=model.url,
            model=model.model or model.name,
            temperature=model.temperature,
            max_tokens=model.max_tokens,
            sends_seed=model.seed is not None,
            timeout_s=model.timeout_s,
            attempts=model.attempts,
            requests_per_minute=model.requests_per_minute,
        )
        with connect_endpoint(settings, self._key(model), concurrency, sleep) as endpoint:
            yield endpoint

    def resolve(self, models: TestedModels, file: str) -> TestedModels:
        """The same models with the revision of every local one.

        Args:
            models: what a models file says.
            file: its name in messages.

        Raises:
            InputError: with everything that is missing to ask them.
        """
        faults: list[Fault] = []
        found = []
        for number, model in enumerate(models.models, start=1):
            place = f"models[{number}]"
            if model.engine is ModelEngine.ENDPOINT:
                problem = self._find_key_problem(model)
                if problem is not None:
                    faults.append(Fault(file, None, f"{place}.key_variable", *problem))
                found.append(model)
                continue
            try:
                revision = identify_chat_model(model.path, model.revision or None)
            except EngineError as error:
                remedy = "give another path"
                problem_text = str(error).rstrip(".")
                faults.append(Fault(file, None, f"{place}.path", problem_text, remedy))
            else:
                # Precision and device can change an answer as much as a setting can.
                told = f"{revision} {self.dtype}" if self.dtype != "float32" else revision
                found.append(replace(model, revision=told))
        if faults:
            raise InputError(faults)
        return replace(models, models=tuple(found))

    def _key(self, model: TestedModel) -> str | None:
        return self.environment.get(model.key_variable) or None if model.key_variable else None

    def _find_key_problem(self, model: TestedModel) -> tuple[str, str] | None:
        """What is wrong with an endpoint's key and what to do, or None."""
        if not model.key_variable:
            if model.keyless or _is_here(model.url):
                return None
            return "an endpoint without a key", "name key_variable, or write keyless = true"
        key = self._key(model)
        if key is None:
            remedy = f"set the environment variable {model.key_variable}"
            return f"an endpoint without a key: {model.key_variable} is not set", remedy
        if not (key.isascii() and key.isprintable()):
            return f"{model.key_variable} holds characters no key has", "set it to the key alone"
        return None


def _to_ask_for(revision: str) -> str | None:
    found = revision.partition(" ")[0]
    return None if found.startswith("sha256:") or found == "unknown" else found


def _is_here(url: str) -> bool:
    """Whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

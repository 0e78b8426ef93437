"""From a models file to models that can be asked: what is missing is told before any is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from corpus.errors import EngineError, Fault, InputError
from engines.addresses import find_host, is_here
from engines.chat_endpoint import EndpointSettings, connect_endpoint
from engines.chat_models import ChatModel
from engines.checkpoints import check_device
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
        device = self._find_device(models, faults)
        for number, model in enumerate(models.models, start=1):
            place = f"models[{number}]"
            if model.engine is ModelEngine.ENDPOINT:
                problems = self._find_endpoint_problems(model)
                faults.extend(Fault(file, None, f"{place}.{key}", *told) for key, *told in problems)
                found.append(model)
                continue
            try:
                revision = identify_chat_model(model.path, model.revision or None)
            except EngineError as error:
                problem, remedy = str(error).rstrip("."), "give another path"
                faults.append(Fault(file, None, f"{place}.path", problem, remedy))
            else:
                # Precision and device can change an answer as much as a setting can.
                unusual = [self.dtype] * (self.dtype != "float32") + [device] * (device != "cpu")
                found.append(replace(model, revision=" ".join([revision, *unusual])))
        if faults:
            raise InputError(faults)
        return replace(models, models=tuple(found))

    def _find_device(self, models: TestedModels, faults: list[Fault]) -> str:
        """Where local models will compute; a device that is not there is a fault."""
        if all(model.engine is not ModelEngine.LOCAL for model in models.models):
            return "cpu"
        device = pick_device(self.device)
        try:
            check_device(device)
        except EngineError as error:
            problem = str(error).rstrip(".")
            faults.append(Fault("settings", None, "device", problem, "choose another"))
        return device

    def _key(self, model: TestedModel) -> str | None:
        return self.environment.get(model.key_variable) or None if model.key_variable else None

    def _find_endpoint_problems(self, model: TestedModel) -> Iterator[tuple[str, str, str]]:
        """Key of the models file, problem and remedy of what is wrong with an endpoint."""
        host = find_host(model.url)
        if host is None:
            yield "url", "no address that can be used", "give the API's, up to its version, …/v1"
            return
        if not model.key_variable:
            if not model.keyless and not is_here(host):
                remedy = "name key_variable, or write keyless = true"
                yield "key_variable", "an endpoint without a key", remedy
            return
        key = self._key(model)
        if key is None:
            problem = f"an endpoint without a key: {model.key_variable} is not set"
            yield "key_variable", problem, f"set the environment variable {model.key_variable}"
        elif not (key.isascii() and key.isprintable()):
            problem = f"{model.key_variable} holds characters no key has"
            yield "key_variable", problem, "set it to the key alone"


def _to_ask_for(revision: str) -> str | None:
    found = revision.partition(" ")[0]
    return None if found.startswith("sha256:") or found == "unknown" else found

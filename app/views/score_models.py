"""The results that stand in one figure: their models, what is known of these, and what was seen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.output import literal
from app.views.scores import Result
from corpus.errors import StateError
from corpus.figures import Figure
from corpus.human_eyes import read_counts
from corpus.languages import Edition
from engines.likelihood.loaded_engine import UNKNOWN_SHARE
from scoring.comparability import data_of, describe_data
from scoring.half_precision import FULL_PRECISION, read_r_error
from scoring.signature import ALL_ITEMS

LONGEST_LABEL = 48
"""Characters of a model's name on an axis; the end of a longer one says most."""


class Support(StrEnum):
    """Whether a model's makers say that it supports a language."""

    SUPPORTED = "supported"
    OTHER = "other"
    NOT_STATED = "support not stated"


class Kind(StrEnum):
    """What a model was trained to be."""

    BASE = "base"
    INSTRUCT = "instruct"
    NOT_STATED = "kind not stated"


SETS = {"supported": Support.SUPPORTED, "other": Support.OTHER}
"""Names of the sets of languages that averages are over."""


@dataclass(frozen=True, slots=True)
class ShownModel:
    """A model as figures name it, with what the models file said of it."""

    label: str
    key: str
    """Folder of its result."""
    kind: Kind
    size: float | None
    """Number of parameters, None where nobody stated it."""
    base: str
    """Model that an instruction-tuned one was made of, empty if not stated."""
    supported: frozenset[str] | None
    """Language codes, None where nobody stated them."""

    def support_of(self, language: str) -> Support:
        """Whether the model's makers say that it supports the language."""
        if self.supported is None:
            return Support.NOT_STATED
        return Support.SUPPORTED if language in self.supported else Support.OTHER


@dataclass(frozen=True, slots=True)
class ShownResults:
    """Results of one release that are drawn together, and the part of them that is drawn."""

    results: tuple[Result, ...]
    models: tuple[ShownModel, ...]
    """One for each result: by size, a base model before what was made of it."""
    protocol: str
    condition: str
    languages: tuple[str, ...]
    averages: tuple[tuple[str, tuple[Figure, ...]], ...] = ()
    """Result's folder and averages over languages, where they were computed."""

    @property
    def release(self) -> str:
        """Version of the release."""
        return str(self.results[0].manifest.get("release", "not stated"))

    @property
    def data(self) -> str:
        """The release and, where they were chosen, its items and the wording of its templates."""
        told = self.results[0].manifest
        usual = told.get("items", ALL_ITEMS) == ALL_ITEMS
        if usual and told.get("edition", Edition.CHOSEN) == Edition.CHOSEN:
            return f"release {self.release}"
        return describe_data(self.results[0])

    @property
    def demonstration(self) -> bool:
        """Whether any of the results is a demonstration."""
        return any(each.demonstration for each in self.results)

    @property
    def unvalidated(self) -> tuple[str, ...]:
        """Languages shown that nobody approved."""
        found = {code for each in self.results for code in each.unvalidated}
        return tuple(code for code in self.languages if code in found)

    @property
    def seen(self) -> tuple[int, int] | None:
        """Rows of the languages shown that a person saw, and all; None where nothing says it."""
        told = {
            code: str(eyes)
            for each in self.results
            for code, eyes in (each.manifest.get("human_eyes") or {}).items()
            if code in self.languages
        }
        counts = [found for eyes in told.values() if (found := read_counts(eyes))]
        if not counts:
            return None
        return sum(seen for seen, _ in counts), sum(rows for _, rows in counts)

    def _result_of(self, model: ShownModel) -> Result:
        return next(each for each in self.results if each.key == model.key)

    @property
    def r_errors(self) -> tuple[tuple[str, str, float], ...]:
        """Model, dtype and error of r, infinite if not known, of each in half precision."""
        found = []
        for model in self.models:
            result = self._result_of(model)
            dtype = str(result.manifest.get("dtype", FULL_PRECISION))
            if dtype != FULL_PRECISION:
                records = result.manifest.get("computed") or {}
                told = [read_r_error(records.get(code, {}), dtype) for code in self.languages]
                error = max((each for each in told if each is not None), default=math.inf)
                found.append((model.label, dtype, error))
        return tuple(found)

    @property
    def unknown_shares(self) -> tuple[tuple[str, str, float], ...]:
        """Model, language and share of tokens that its tokenizer lacks, where there are any."""
        found = []
        for model in self.models:
            result = self._result_of(model)
            records = result.manifest.get("computed") or {}
            shares = ((code, records.get(code, {}).get(UNKNOWN_SHARE)) for code in self.languages)
            found += [(model.label, code, float(share)) for code, share in shares if share]
        return tuple(found)

    @property
    def gaps(self) -> tuple[tuple[str, str, str], ...]:
        """Model, language and reason of what was to be scored and has no figure."""
        found = []
        for model in self.models:
            result = self._result_of(model)
            told = result.manifest.get("gaps") or {}
            found += [(model.label, code, str(reason)) for code, reason in sorted(told.items())]
        return tuple(found)

    def figures_of(
        self, model: ShownModel, name: str, condition: str | None = None
    ) -> tuple[Figure, ...]:
        """One model's figures of that name in the languages, protocol and condition shown."""
        result = self._result_of(model)
        wanted = {"protocol": self.protocol, "condition": condition or self.condition}
        return tuple(
            figure
            for figure in result.figures
            if figure.name == name
            and wanted.items() <= (scope := dict(figure.scope)).items()
            and scope.get("language") in self.languages
        )

    def averages_of(self, model: ShownModel, name: str) -> tuple[tuple[Support, Figure], ...]:
        """One model's averages of that name over its supported and its other languages.

        A model whose supported languages nobody stated has one over all of its own.
        """
        sets = SETS if model.supported is not None else {"own": Support.NOT_STATED}
        return tuple(
            (sets[chosen], figure)
            for figure in dict(self.averages).get(model.key, ())
            if figure.name == name and (chosen := dict(figure.scope).get("set", "")) in sets
        )


def show_together(
    results: Sequence[Result],
    protocol: str,
    condition: str,
    languages: Sequence[str] = (),
) -> ShownResults:
    """The results as they stand in one figure.

    Args:
        results: Of one release.
        protocol: The protocol whose figures are drawn.
        condition: `pooled`, `pair`, `noun` or `pronoun`.
        languages: Codes; none takes all that were scored.

    Raises:
        StateError: if there is no result, or they are of several releases, or none has the
            protocol and condition.
    """
    if not results:
        raise StateError("There is no result to draw; name one or more results.")
    refuse_mixed(results)
    wanted = {"protocol": protocol, "condition": condition}
    scopes = [dict(figure.scope) for each in results for figure in each.figures]
    scored = dict.fromkeys(
        scope["language"]
        for scope in scopes
        if wanted.items() <= scope.items() and "language" in scope
    )
    chosen = tuple(code for code in scored if not languages or code in languages)
    if not chosen:
        raise StateError(
            f"No result has figures of protocol {protocol}, condition {condition}"
            + (f", languages {', '.join(languages)}." if languages else ".")
        )
    return ShownResults(tuple(results), describe_models(results), protocol, condition, chosen)


def refuse_mixed(results: Iterable[Result]) -> None:
    """Passes results of one release, its items and the wording of its templates.

    Raises:
        StateError: naming what they are of otherwise.
    """
    results = tuple(results)
    found = {
        str(each.manifest.get("release_sha256", "")): str(each.manifest.get("release", "?"))
        for each in results
    }
    if len(found) > 1:
        named = ", ".join(f"{version} ({digest[:12]})" for digest, version in found.items())
        raise StateError(
            f"These results are of different releases: {named}. Only results of one release stand "
            "in one figure."
        )
    data = {data_of(each): describe_data(each) for each in results}
    if len(data) > 1:
        raise StateError(
            f"These results are of different data: {'; '.join(data.values())}. `scores compare` "
            "sets one model's results on them against each other; a figure shows those on one."
        )


def describe_models(results: Sequence[Result]) -> tuple[ShownModel, ...]:
    """The models of results, by size and with a base model before what was made of it."""
    names = [str(each.manifest.get("model") or each.key) for each in results]
    doubled = {name for name, count in Counter(names).items() if count > 1}
    models = [
        _describe(result, f"{name} ({result.key})" if name in doubled else name)
        for name, result in zip(names, results, strict=True)
    ]

    def place(model: ShownModel) -> tuple[float, str, bool, str]:
        size = float("inf") if model.size is None else model.size
        return size, model.base or model.label, model.kind is Kind.INSTRUCT, model.label

    return tuple(sorted(models, key=place))


def _describe(result: Result, name: str) -> ShownModel:
    told = result.manifest.get("model_metadata") or {}
    supported = told.get("supported_languages")
    size = told.get("size")
    kind = str(told.get("kind") or "")
    return ShownModel(
        label=label_of(name),
        key=result.key,
        kind=Kind(kind) if kind in list(Kind) else Kind.NOT_STATED,
        size=float(size) if isinstance(size, int | float) and size > 0 else None,
        base=str(told.get("base") or ""),
        supported=None if supported is None else frozenset(map(str, supported)),
    )


def label_of(name: str) -> str:
    """The name on one line, literally, its end where it is long."""
    shown = " ".join(literal(name).split()) or "–"
    return shown if len(shown) <= LONGEST_LABEL else f"…{shown[1 - LONGEST_LABEL :]}"

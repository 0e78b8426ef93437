"""Provenance: what a release was made from, by what, and on which figures it was approved.

Names of curators stay in the workspace: a release says that somebody approved, when and on what.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from corpus.forms import Form, form_definition
from corpus.hashing import combined_hash, sha256_json, sha256_text
from corpus.prompt_languages import name_of
from corpus.publication import Publication
from corpus.records import Candidate, Instrument, Label, Source, Translation
from corpus.release_schema import RELEASE_FORMAT, HumanSeen, Validation
from corpus.repaired import is_repaired
from corpus.stereotypes import Inventory
from corpus.version import PRODUCT
from exports.comments import ReviewedComments
from exports.contents import Contents, count_written
from exports.diff import ReleaseContent
from exports.raters import Raters

NOT_RECORDED = "not recorded"


@dataclass(frozen=True, slots=True)
class Draft:
    """All a release is built from, read from the store in one transaction."""

    version: str
    instrument: Instrument
    contents: tuple[Contents, ...]
    """By language code."""
    sources: Mapping[str, Source]
    """All sources of the instrument by key."""
    translations: Mapping[str, Translation]
    """Those the released candidates rest on, by key."""
    forms: Mapping[str, Form]
    """Those the batches used, by name."""
    raters: Raters
    """Whose ratings count in it, and what they agreed to."""
    title: str
    publication: Publication
    """What the authors say of it."""
    licence: str | None
    frozen_position: int
    frozen_at: datetime
    inventory: Inventory | None = None
    """Its stereotypes; None for the instruments that have none."""
    comments: ReviewedComments | None = None
    """Comments that a curator lets be published; None for none."""

    @property
    def is_demo(self) -> bool:
        """Whether anything in it is demo data."""
        return any(each.is_demo for each in self.contents)

    @property
    def unvalidated(self) -> tuple[str, ...]:
        """Codes of languages that are in it on request and not approved."""
        return tuple(
            each.language for each in self.contents if each.validation is Validation.UNVALIDATED
        )


def translation_keys(candidate: Candidate) -> list[str]:
    """Keys of the translations a candidate rests on: `translations` in its evidence.

    The evidence holds {wrapper → key}; an edited or untranslated candidate may hold none.
    """
    found = candidate.evidence.get("translations") or {}
    return [key for key in found.values() if key]


def draft_content(draft: Draft) -> ReleaseContent:
    """What the release will hold, to be compared with the releases before it."""
    return ReleaseContent(
        draft.version,
        {each.language: each.rows for each in draft.contents},
        {each.language: each.standing.templates for each in draft.contents},
        {
            each.language: {
                batch.form: form_definition(draft.forms[batch.form])
                for batch in each.standing.batches
            }
            for each in draft.contents
        },
        draft.unvalidated,
        draft.inventory.content_hash if draft.inventory else None,
    )


def build_provenance(draft: Draft) -> dict[str, Any]:
    """The provenance of a release as plain data."""
    return {
        "format": RELEASE_FORMAT,
        "version": draft.version,
        "title": draft.title,
        "instrument": str(draft.instrument),
        "demo": draft.is_demo,
        "licence": draft.licence or NOT_RECORDED,
        "publication": {
            name: value or NOT_RECORDED for name, value in draft.publication.model_dump().items()
        },
        "product": PRODUCT,
        "comments": (
            {"published": len(draft.comments.comments), "reviewed_sha256": draft.comments.sha256}
            if draft.comments
            else None
        ),
        "frozen_position": draft.frozen_position,
        "frozen_at": draft.frozen_at.isoformat(),
        "ethics": _describe_ethics(draft.raters),
        "inventory": _describe_inventory(draft),
        "sources": _describe_sources(draft),
        "forms": {name: form_definition(form) for name, form in sorted(draft.forms.items())},
        "languages": {each.language: _describe_language(draft, each) for each in draft.contents},
    }


def count_rows(contents: Contents) -> dict[str, Any]:
    """Counts of a language: candidates, rows by label and by what people saw, and left out."""
    rows = contents.rows
    labels = Counter(row.label for row in rows)
    seen = Counter(row.human_seen for row in rows)
    return {
        "candidates": len(contents.standing.candidates),
        "rows": len(rows),
        "repaired": sum(map(is_repaired, contents.candidates)),
        "human_written": count_written(contents),
        "labels": {str(label): labels[label] for label in (Label.NEUTRAL, Label.PAIR)},
        "human_seen": {str(each): seen[each] for each in HumanSeen},
        "decided": sum(row.decision is not None for row in rows),
        "demo": sum(row.origin == "demo" for row in rows),
        "left_out": asdict(contents.left_out),
    }


def _describe_ethics(raters: Raters) -> dict[str, str] | None:
    ethics = raters.ethics
    if ethics is None:
        return None
    return {
        "body": ethics.body,
        "number": ethics.number,
        "consent_text_sha256": sha256_text(ethics.consent_text),
    }


def _describe_inventory(draft: Draft) -> dict[str, Any] | None:
    inventory = draft.inventory
    if inventory is None:
        return None
    return {"name": inventory.name, "title": inventory.title, "sha256": inventory.content_hash}


def _describe_sources(draft: Draft) -> list[dict[str, Any]]:
    keys = {each.generated.source_key for one in draft.contents for each in one.standing.candidates}
    datasets: dict[str, list[Source]] = {}
    for key in sorted(keys):
        datasets.setdefault(draft.sources[key].dataset, []).append(draft.sources[key])
    return [
        {
            "dataset": dataset,
            "texts": len(sources),
            "texts_sha256": combined_hash(sha256_json([each.key, each.text]) for each in sources),
        }
        for dataset, sources in sorted(datasets.items())
    ]


def _describe_language(draft: Draft, contents: Contents) -> dict[str, Any]:
    standing = contents.standing
    models = Counter(row.quality_model for row in contents.rows if row.quality_model)
    return {
        "name": name_of(contents.language),
        "validation": str(contents.validation),
        "counts": count_rows(contents),
        "data_sha256": standing.data_hash,
        "templates_sha256": sha256_json(standing.templates),
        "strategies": dict(sorted(Counter(row.strategy for row in contents.rows).items())),
        "engines": _describe_engines(draft, contents),
        "quality_models": dict(sorted(models.items())),
        "made_by": sorted(
            {each.generated.stamp.made_by for each in standing.candidates if each.generated.stamp}
        ),
        "batches": [
            {"id": batch.id, "form": batch.form, "raters_planned": batch.raters_planned}
            for batch in standing.batches
        ],
        "raters": len({rating.rater_id for rating in standing.counted}),
        "ratings": len(standing.counted),
        "ratings_published": len(draft.raters.select_published(standing.counted)),
        "excluded_raters": len({each.rater_id for each in standing.exclusions if each.excluded}),
        "approval": _describe_approval(contents),
    }


def _describe_engines(draft: Draft, contents: Contents) -> list[dict[str, Any]]:
    keys: Iterable[str] = {
        key for each in contents.candidates for key in translation_keys(each.generated)
    }
    found = [draft.translations[key] for key in keys if key in draft.translations]
    engines = Counter((each.engine, each.model, each.version) for each in found)
    return [
        {"engine": engine, "model": model, "version": version, "translations": number}
        for (engine, model, version), number in sorted(engines.items())
    ]


def _describe_approval(contents: Contents) -> dict[str, Any] | None:
    approval = contents.approval
    if approval is None:
        return None
    return {
        "position": approval.stamp.position if approval.stamp else None,
        "at": approval.stamp.at.isoformat() if approval.stamp else None,
        "override": approval.override,
        "gates": [dict(gate) for gate in approval.gates],
        "figures": [dict(figure) for figure in approval.figures],
    }

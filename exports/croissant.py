"""croissant.json: the release in the Croissant format, with its responsible-AI fields.

Made with mlcroissant, so that what it writes it also reads. Sentences in it come from what is
released and from the authors' own fields.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpus.hashing import sha256_file
from corpus.prompt_languages import name_of
from corpus.release_schema import SCHEMA, HumanSeen
from exports.contents import Contents
from exports.limits import (
    describe_sources,
    describe_subject,
    describe_unseen,
    find_datasets,
)
from exports.markdown import warn_unvalidated
from exports.provenance import NOT_RECORDED, Draft

PARQUET = "application/x-parquet"
"""The name that Croissant has for it."""
CONFORMS_TO = ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"]
COLUMNS = {
    "GEST_ID": "Number of the source sentence in its file.",
    "Source": "The English source sentence or prompt template.",
    "Neutral": "The one text of a neutral row.",
    "Masculine": "The masculine text of a pair.",
    "Feminine": "The feminine text of a pair.",
    "Stereotype_ID": "Number of the stereotype in the inventory.",
    "item_id": "Instrument, language and source: the same in every release.",
    "instrument": "Which study's kind of test.",
    "language": "Language code.",
    "label": "neutral or pair.",
    "reason": "Why the row has its label.",
    "flags": "Marks of the row.",
    "variants": "All texts by variant, as JSON.",
    "spans": "Words that mark the gender, as JSON: variant to [start, end) in code points.",
    "attributes": "What else the source holds, as JSON.",
    "strategy": "Pairing strategy and its version.",
    "quality_score": "Lowest quality estimate of the row's translations.",
    "quality_model": "Model of that estimate.",
    "raters": "Raters of one of the row's texts, exactly as released.",
    "mean_quality": "Mean direct assessment, 0 to 100, of ratings that may be published.",
    "human_seen": "Which of the row's texts a person saw.",
    "adjudicated": "Whether a person judged the row by itself.",
    "decision": "A curator's last valid decision.",
    "validation": "Whether the language was approved.",
    "origin": "human, machine or demo.",
    "content_hash": "Hash of the row's content.",
    "repaired": "Variants whose text the product built.",
    "human_written": "Variants whose text a curator wrote.",
}
"""What each column of a release holds."""


def build_croissant(draft: Draft, folder: Path) -> dict[str, Any]:
    """The metadata as JSON-LD.

    Args:
        draft: What is released.
        folder: The release's folder, its Parquet files written.
    """
    # Here, because it takes longer to import than most commands take to run.
    import mlcroissant as mlc

    publication = draft.publication
    metadata = mlc.Metadata(
        name=draft.title,
        description=publication.description or f"Description: {NOT_RECORDED}.",
        version=draft.version,
        date_published=draft.frozen_at.replace(tzinfo=None),
        license=[draft.licence or NOT_RECORDED],
        creators=_creators(draft, mlc),
        url=publication.url or None,
        in_language=[each.language for each in draft.contents],
        conforms_to=CONFORMS_TO,
        distribution=[
            mlc.FileObject(
                id=f"{each.language}.parquet",
                name=f"{each.language}.parquet",
                description=_describe_rows(each),
                content_url=f"data/{each.language}.parquet",
                encoding_formats=[PARQUET],
                sha256=sha256_file(folder / "data" / f"{each.language}.parquet"),
            )
            for each in draft.contents
        ],
        record_sets=[_record_set(each, mlc) for each in draft.contents],
        **_responsible_ai(draft),
    )
    document: dict[str, Any] = metadata.to_json()
    return document


def _creators(draft: Draft, mlc: Any) -> list[Any]:
    people = [mlc.Person(name=each.name) for each in draft.publication.authors]
    return people or [mlc.Organization(name=NOT_RECORDED)]


def _describe_rows(contents: Contents) -> str:
    name = name_of(contents.language)
    return f"{len(contents.rows)} rows of {name}, {contents.validation}."


def _record_set(contents: Contents, mlc: Any) -> Any:
    code = contents.language
    return mlc.RecordSet(
        id=code,
        name=code,
        description=_describe_rows(contents),
        fields=[
            mlc.Field(
                id=f"{code}/{column.name}",
                name=f"{code}/{column.name}",
                description=COLUMNS[column.name],
                data_types=[_data_type(column.type, mlc)],
                repeated=True if pa.types.is_list(column.type) else None,
                source=mlc.Source(
                    file_object=f"{code}.parquet", extract=mlc.Extract(column=column.name)
                ),
            )
            for column in SCHEMA
        ],
    )


def _data_type(column: pa.DataType, mlc: Any) -> Any:
    if pa.types.is_boolean(column):
        return mlc.DataType.BOOL
    if pa.types.is_integer(column):
        return mlc.DataType.INTEGER
    return mlc.DataType.FLOAT if pa.types.is_floating(column) else mlc.DataType.TEXT


def _responsible_ai(draft: Draft) -> dict[str, Any]:
    """The RAI fields, each from what is released."""
    rows = [row for each in draft.contents for row in each.rows]
    seen = Counter(row.human_seen for row in rows)
    by_humans = seen[HumanSeen.BOTH] + seen[HumanSeen.ONE]
    translated = len(rows) - seen[HumanSeen.SOURCE]
    raters = draft.raters
    forms = ", ".join(sorted(draft.forms)) or "no form"
    ethics = raters.ethics
    engines = sorted({each.engine for each in draft.translations.values()})
    return {
        "data_collection": (
            f"Source sentences of {', '.join(find_datasets(draft))}, translated by "
            f"{', '.join(engines) or NOT_RECORDED}, paired, rated and decided; frozen at position "
            f"{draft.frozen_position} of the study's log."
        ),
        "data_collection_type": ["Machine translation", "Direct measurement"],
        "data_annotation_protocol": (
            f"{len(raters.ids)} raters filled in {forms} (see ANNOTATION_GUIDELINES.md); "
            f"{by_humans} of {translated} translated rows seen by a human."
        ),
        "data_annotation_analysis": [
            "Agreement and gates of each approved language: agreement/<code>.json."
        ],
        "annotations_per_item": str(max((row.raters for row in rows), default=0)),
        "annotator_demographics": ["DATA_STATEMENT.md: counts of what raters said of themselves."],
        "machine_annotation_tools": sorted({row.strategy for row in rows}),
        "data_biases": [describe_subject(draft), describe_sources(draft)],
        "data_use_cases": [draft.publication.intended_use or f"Intended use: {NOT_RECORDED}."],
        "data_limitations": [describe_unseen(rows), *warn_unvalidated(draft.unvalidated)],
        "personal_sensitive_information": [
            f"{len(raters.published)} of {len(raters.ids)} raters agreed that their ratings are "
            "published, by pseudonym. Ethics approval: "
            + (f"{ethics.body}, {ethics.number}." if ethics else f"{NOT_RECORDED}.")
        ],
    }

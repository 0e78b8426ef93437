"""Records to rows and back, for every table at once: a column is a field of the same name."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import sqlalchemy as sa

from corpus import people, records
from corpus.forms import FormRecord
from corpus.invalid_ratings import Explanation
from corpus.store import tables

Record = TypeVar("Record")

TABLES: dict[type[Any], sa.Table] = {
    records.Source: tables.source,
    records.Translation: tables.translation,
    records.QualityEstimate: tables.quality_estimate,
    records.Candidate: tables.candidate,
    FormRecord: tables.form,
    people.Person: tables.person,
    people.Consent: tables.consent,
    people.Ethics: tables.ethics,
    records.Batch: tables.batch,
    records.Item: tables.item,
    records.Assignment: tables.assignment,
    records.PullMark: tables.pull_mark,
    records.RatingRevision: tables.rating_revision,
    Explanation: tables.explanation,
    records.Exclusion: tables.exclusion,
    records.Decision: tables.decision,
    records.TemplateChoice: tables.template_choice,
    records.Approval: tables.approval,
    records.AuditEntry: tables.audit,
    records.ReleaseRecord: tables.release,
    records.Run: tables.run,
}
"""Which table holds which record."""


def row_from_record(record: Any) -> dict[str, Any]:
    """Column values of a record, its derived keys included, without the stamp."""
    table = TABLES[type(record)]
    return {
        column.name: _plain(getattr(record, column.name))
        for column in table.columns
        if column.name not in {"position", "at", "origin", "made_by"}
    }


def record_from_row(kind: type[Record], row: sa.RowMapping) -> Record:
    """The record a row stands for, stamped where its table is append-only."""
    values: dict[str, Any] = {}
    for name, hint in FIELD_TYPES[kind].items():
        if name == "stamp":
            values[name] = records.Stamp(
                row["position"], row["at"], records.Origin(row["origin"]), row["made_by"]
            )
        else:
            values[name] = _typed(hint, row[name])
    return kind(**values)


def stamped(record: Record, stamp: records.Stamp) -> Record:
    """The record with its stamp; frozen slots dataclasses of StrEnum and JSON fields only."""
    values = {name: getattr(record, name) for name in FIELD_TYPES[type(record)]}
    return type(record)(**(values | {"stamp": stamp}))


def _field_types(kind: type[Any]) -> dict[str, Any]:
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} is not a record")
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


FIELD_TYPES: dict[type[Any], dict[str, Any]] = {kind: _field_types(kind) for kind in TABLES}
"""Type hints of each record's fields, worked out once."""


def _plain(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value


def _typed(hint: Any, value: Any) -> Any:
    """The stored value as the field's type: enums and tuples do not survive JSON by themselves."""
    if value is None:
        return None
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        return _typed(options[0], value)
    if origin is tuple:
        return tuple(value)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(value)
    if hint is datetime and not isinstance(value, datetime):
        raise TypeError("a time column did not give a time")
    return value

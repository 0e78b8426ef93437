"""Records to rows and back, for every table at once: a column is a field of the same name."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import sqlalchemy as sa

from corpus import people, records
from corpus.forms import FormRecord
from corpus.invalid_ratings import Explanation
from corpus.run_record import Run
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
    Run: tables.run,
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
    [record] = records_from_rows(kind, [row])
    return record


def records_from_rows(kind: type[Record], rows: Iterable[sa.RowMapping]) -> list[Record]:
    """The records that rows of one table stand for, in their order."""
    readers = _READERS[kind]
    is_stamped = "stamp" in FIELD_TYPES[kind]
    found = []
    for row in rows:
        values = {name: read(row[name]) if read else row[name] for name, read in readers}
        if is_stamped:
            values["stamp"] = records.Stamp(
                row["position"], row["at"], records.Origin(row["origin"]), row["made_by"]
            )
        found.append(kind(**values))
    return found


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


def _find_reader(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a stored value the field's type; None where it is that already.

    Enums and tuples do not survive JSON by themselves.
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        read = _find_reader(options[0])
        return read and (lambda value: None if value is None else read(value))
    if origin is tuple:
        return tuple
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint
    return _read_time if hint is datetime else None


def _read_time(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise TypeError("a time column did not give a time")
    return value


_READERS = {
    kind: [(name, _find_reader(hint)) for name, hint in hints.items() if name != "stamp"]
    for kind, hints in FIELD_TYPES.items()
}

"""The folder of a release: which files it holds and what goes into each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from corpus.forms import FieldKind, Form
from corpus.records import Instrument, RatingRevision
from corpus.release import INVENTORY_NAME, PROVENANCE_NAME
from exports.card import build_card
from exports.changelog import build_changelog
from exports.citation import build_citation, build_zenodo
from exports.comments import text_fields
from exports.contents import Contents
from exports.croissant import build_croissant
from exports.evaluation_tasks import write_evaluation_tasks
from exports.files import (
    cell_of,
    write_bytes,
    write_csv,
    write_json,
    write_jsonl,
    write_parquet,
    write_rows_csv,
    write_sums,
    write_text,
)
from exports.guidelines import build_guidelines
from exports.history import History
from exports.prompt_files import FOLDER as PROMPTS_FOLDER
from exports.prompt_files import build_prompt_files
from exports.provenance import Draft, build_provenance, draft_content
from exports.statement import build_statement

_RATING_COLUMNS = (
    *("item_id", "subject_id", "variant", "purpose", "weight"),
    *("rater_id", "origin", "validation"),
)
_RATER_COLUMN = _RATING_COLUMNS.index("rater_id")


def write_release(folder: Path, draft: Draft, history: History) -> None:
    """Writes all files of a release into an empty folder, checksums last."""
    for contents in draft.contents:
        code = contents.language
        write_parquet(folder / "data" / f"{code}.parquet", contents.rows)
        write_rows_csv(folder / "csv" / f"{code}.csv", contents.rows)
        write_jsonl(folder / "jsonl" / f"{code}.jsonl", contents.rows)
        _write_templates(folder / "templates" / f"{code}.json", contents)
        _write_agreement(folder / "agreement" / f"{code}.json", contents)
        _write_ratings(folder / "ratings" / f"{code}.csv", contents, draft)
    if draft.inventory is not None:
        write_json(folder / INVENTORY_NAME, draft.inventory.as_json())
    write_json(folder / PROVENANCE_NAME, build_provenance(draft))
    write_text(folder / "CHANGELOG.md", build_changelog(draft_content(draft), history))
    write_text(folder / "README.md", build_card(draft))
    write_text(folder / "DATA_STATEMENT.md", build_statement(draft))
    write_text(folder / "ANNOTATION_GUIDELINES.md", build_guidelines(draft))
    write_text(folder / "CITATION.cff", build_citation(draft))
    write_json(folder / ".zenodo.json", build_zenodo(draft))
    write_json(folder / "croissant.json", build_croissant(draft, folder))
    write_evaluation_tasks(folder, draft)
    _write_prompts(folder / PROMPTS_FOLDER, draft)
    write_sums(folder)


def _write_prompts(folder: Path, draft: Draft) -> None:
    if draft.instrument is not Instrument.MLA_BITE:
        return
    rows = {each.language: each.rows for each in draft.contents}
    for name, content in build_prompt_files(rows, draft.sources.values()).items():
        write_bytes(folder / name, content)


def _write_templates(file: Path, contents: Contents) -> None:
    write_json(
        file,
        {
            "language": contents.language,
            "validation": str(contents.validation),
            "templates": contents.standing.templates,
        },
    )


def _write_agreement(file: Path, contents: Contents) -> None:
    approval = contents.approval
    write_json(
        file,
        {
            "language": contents.language,
            "validation": str(contents.validation),
            "override": approval.override if approval else None,
            "gates": [dict(gate) for gate in approval.gates] if approval else [],
            "figures": [dict(figure) for figure in approval.figures] if approval else [],
        },
    )


def _write_ratings(file: Path, contents: Contents, draft: Draft) -> None:
    """Writes the counted ratings of raters who agreed, with the comments that a curator read."""
    fields = _released_fields(contents, draft.forms)
    published = draft.raters.select_published(contents.standing.counted)
    texts = draft.comments.texts if draft.comments else {}
    names = text_fields(draft.forms[each.form] for each in contents.standing.batches)
    rows = _rating_cells(contents, published, fields)
    if draft.comments is None:
        write_csv(file, [*_RATING_COLUMNS, *fields], rows)
        return
    commented = (
        [*row, *(texts.get((row[0], row[_RATER_COLUMN], name), "") for name in names)]
        for row in rows
    )
    write_csv(file, [*_RATING_COLUMNS, *fields, *names], commented)


def _released_fields(contents: Contents, forms: Mapping[str, Form]) -> list[str]:
    """Names of the scores and choices in the language's forms, in the forms' order."""
    names = (
        field.name
        for batch in contents.standing.batches
        for field in forms[batch.form].fields
        if field.kind is not FieldKind.TEXT
    )
    return list(dict.fromkeys(names))


def _rating_cells(
    contents: Contents, ratings: Iterable[RatingRevision], fields: list[str]
) -> Iterator[list[str]]:
    for rating in sorted(ratings, key=lambda each: (each.item_id, each.rater_id)):
        item = contents.item_by_id[rating.item_id]
        origin = rating.stamp.origin if rating.stamp else ""
        yield [
            *(item.id, item.subject_id, item.variant, str(item.purpose), cell_of(item.weight)),
            *(rating.rater_id, str(origin), str(contents.validation)),
            *(cell_of(rating.answers.get(name)) for name in fields),
        ]

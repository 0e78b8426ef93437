"""What the card says of each file of a release: how much of what it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from corpus.records import Instrument
from corpus.release_schema import SCHEMA
from exports.evaluation_tasks import find_scored
from exports.markdown import show_literally
from exports.provenance import Draft

_PUBLISHED_COLUMNS = 6
"""The first so many columns have the names and types of the published EuroGEST tables."""


def describe_files(draft: Draft) -> str:
    """A line for each kind of file."""
    return "\n".join(f"- {each}" for each in _describe(draft))


def _describe(draft: Draft) -> Iterator[str]:
    codes = [each.language for each in draft.contents]
    named = _name(codes)
    rows = sum(len(each.rows) for each in draft.contents)
    yield (
        f"`data/<code>.parquet`, `csv/<code>.csv`, `jsonl/<code>.jsonl` of {named}: the {rows} "
        f"rows in {len(SCHEMA)} columns, the first {_PUBLISHED_COLUMNS} named and typed as in the "
        "published EuroGEST tables; an absent text is null, an empty cell in the CSV, and texts "
        "such as `NA` are texts (`keep_default_na=False` in pandas)"
    )
    frames = sum(len(each.standing.templates) for each in draft.contents)
    chosen = sum(len(each.standing.template_choices) for each in draft.contents)
    if frames:
        yield (
            f"`templates/<code>.json` of {named}: the {frames} frames that give a neutral sentence "
            f"a masculine and a feminine variant, {chosen} of them worded by curators"
        )
    yield _describe_ratings(draft, named)
    approved = [each for each in draft.contents if each.approval is not None]
    figures = sum(len(each.approval.figures) for each in approved if each.approval)
    yield (
        f"`agreement/<code>.json` of {named}: gates and {figures} figures that the approval of "
        f"{_name([each.language for each in approved])} was given on"
    )
    forms = ", ".join(f"`{name}`" for name in sorted(draft.forms)) or "no form"
    items = sum(len(each.item_by_id) for each in draft.contents)
    yield f"`ANNOTATION_GUIDELINES.md`: what raters of {items} items were told and asked in {forms}"
    raters = draft.raters
    yield (
        f"`DATA_STATEMENT.md`: who the {len(raters.ids)} raters were, and what the "
        f"{len(raters.published)} agreed to whose ratings are published"
    )
    title = show_literally(f"{draft.title} {draft.version}")
    yield f"`croissant.json`, `CITATION.cff`, `.zenodo.json`: {title} described for programs"
    if draft.inventory is not None:
        inventory = draft.inventory
        ids = {row.stereotype_id for each in draft.contents for row in each.rows}
        yield (
            f"`inventory.json`: the {len(inventory.ids)} stereotypes of `{inventory.name}` with "
            f"their poles, {len(ids & set(inventory.ids))} of them in the {rows} rows"
        )
    if draft.instrument is Instrument.MLA_BITE:
        yield (
            f"`langbite/`: the prompts of {named}, by language, as LangBiTe's CSVs, and "
            "`requirements.json` with the communities; what `stereoscope prompts check` and "
            "`prompts run` read"
        )
    scored = [each.language for each in find_scored(draft)]
    if scored:
        yield (
            f"`lm_eval/`, `inspect_ai/`: tasks on {_name(scored)} for the lm-evaluation-harness "
            "(protocols `sum` and `per-byte`) and for inspect_ai"
        )
    yield (
        f"`provenance.json`, `CHANGELOG.md`, `SHA256SUMS`: what {draft.version} was made from, how "
        "it differs from the release before it, and a checksum of every file"
    )


def _describe_ratings(draft: Draft, named: str) -> str:
    counted = [rating for each in draft.contents for rating in each.standing.counted]
    published = draft.raters.select_published(counted)
    item_of = {name: item for each in draft.contents for name, item in each.item_by_id.items()}
    purposes = Counter(str(item_of[rating.item_id].purpose) for rating in published)
    of = ", ".join(f"{number} `{name}`" for name, number in sorted(purposes.items())) or "none"
    comments = len(draft.comments.comments) if draft.comments else 0
    return (
        f"`ratings/<code>.csv` of {named}: by pseudonym, {len(published)} of {len(counted)} "
        f"counted ratings, those of raters who agreed to it ({of}), with the weight of each item "
        f"in estimates about the whole language and {comments} comments that a curator has read"
    )


def _name(codes: list[str]) -> str:
    return ", ".join(f"`{code}`" for code in codes) or "no language"

"""DATA_STATEMENT.md: who rated, what they agreed to, and the study's ethics approval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpus.hashing import sha256_text
from corpus.languages import language as find_language
from exports.contents import Contents
from exports.markdown import (
    build_table,
    quote_literally,
    show_literally,
    warn_unvalidated,
)
from exports.provenance import NOT_RECORDED, Draft
from exports.raters import FEWEST_RATERS, SMALL_CELL, Raters, count_facts

_DEMO = "**Demonstration:** these raters are scripts, and what they agreed to is made up."
_CONSENT = (
    "Ratings are published only of raters who agreed to it. The ratings of the others count in "
    "every figure of this release (agreement, accuracy, gates, the number of raters of a row), "
    "and are neither in `ratings/` nor in `mean_quality`. No consent on record is no consent."
)
_FACTS = (
    f"Counts over all raters of this release. Nothing is told of fewer than {FEWEST_RATERS} "
    f"raters, and no value that fewer than {SMALL_CELL} of them share: such values are pooled."
)


def build_statement(draft: Draft) -> str:
    """The text of DATA_STATEMENT.md."""
    raters = draft.raters
    sections = [
        f"# Data statement: {show_literally(draft.title)} {draft.version}",
        *([_DEMO] if draft.is_demo else []),
        *warn_unvalidated(draft.unvalidated),
        "## Raters",
        f"The ratings of {len(raters.ids)} raters count in this release; {len(raters.published)} "
        "of them agreed that their ratings are published.",
        _language_table(draft.contents, raters),
        "## What raters agreed to",
        _CONSENT,
        *_consent_texts(raters),
        "## Ethics approval",
        _ethics(raters),
        "## What raters said of themselves",
        *_facts(raters),
    ]
    return "\n\n".join(sections) + "\n"


def _language_table(contents: Sequence[Contents], raters: Raters) -> str:
    lines = []
    for each in contents:
        ratings = each.standing.counted
        ids = {rating.rater_id for rating in ratings}
        lines.append(
            (
                find_language(each.language).name,
                len(ids),
                len(ids & raters.published),
                len(ratings),
                len(raters.select_published(ratings)),
            )
        )
    header = ("language", "raters", "agreed", "ratings counted", "ratings published")
    return build_table(header, lines)


def _consent_texts(raters: Raters) -> list[str]:
    agreed = Counter(
        each.text_sha256 for name, each in raters.consents.items() if name in raters.published
    )
    if raters.ethics is None:
        return [f"Consent text: {NOT_RECORDED}."]
    text = raters.ethics.consent_text
    current = agreed.pop(sha256_text(text), 0)
    shown = [f"{current} agreed to this text:", quote_literally(text)]
    earlier = [
        f"- {number} agreed to an earlier text (sha256 `{sha256}`)"
        for sha256, number in sorted(agreed.items())
    ]
    return [*shown, *(["\n".join(earlier)] if earlier else [])]


def _ethics(raters: Raters) -> str:
    if raters.ethics is None:
        return NOT_RECORDED
    return f"{show_literally(raters.ethics.body)}, number {show_literally(raters.ethics.number)}"


def _facts(raters: Raters) -> list[str]:
    tables = count_facts(raters)
    if not tables:
        return [_FACTS, "Nothing can be told here."]
    lines = [
        (show_literally(table.key), show_literally(value), number)
        for table in tables
        for value, number in table.counts
    ]
    return [_FACTS, build_table(("fact", "value", "raters"), lines)]

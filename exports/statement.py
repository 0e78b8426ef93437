"""DATA_STATEMENT.md: who rated, what they agreed to, and the study's ethics approval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpus.hashing import sha256_text
from corpus.prompt_languages import name_of
from exports.contents import Contents
from exports.limits import describe_demo
from exports.markdown import (
    build_table,
    quote_literally,
    show_literally,
    warn_unvalidated,
)
from exports.provenance import NOT_RECORDED, Draft
from exports.raters import FEWEST_RATERS, SMALL_CELL, Raters, count_facts

_FACTS = (
    f"nothing is told of fewer than {FEWEST_RATERS} raters, and no value that fewer than "
    f"{SMALL_CELL} of them share; such values are pooled"
)


def build_statement(draft: Draft) -> str:
    """The text of DATA_STATEMENT.md."""
    raters = draft.raters
    sections = [
        f"# Data statement: {show_literally(draft.title)} {draft.version}",
        *([describe_demo(draft)] if draft.is_demo else []),
        *warn_unvalidated(draft.unvalidated),
        "## Raters",
        f"The ratings of {len(raters.ids)} raters count in this release; {len(raters.published)} "
        "of them agreed that their ratings are published.",
        _language_table(draft.contents, raters),
        "## What raters agreed to",
        _describe_consent(draft),
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
                name_of(each.language),
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


def _describe_consent(draft: Draft) -> str:
    raters = draft.raters
    refused = sum(not each.publish for each in raters.consents.values())
    silent = len(raters.ids) - len(raters.consents)
    counted = [rating for each in draft.contents for rating in each.standing.counted]
    held = len(counted) - len(raters.select_published(counted))
    if not refused and not silent:
        return (
            f"All {len(raters.ids)} raters agreed that their {len(counted)} ratings are published."
        )
    return (
        f"Ratings are published only of raters who agreed to it: {refused} of {len(raters.ids)} "
        f"did not, and of {silent} no consent is on record, which is no consent. Their {held} "
        "ratings count in every figure of this release (agreement, accuracy, gates, the number of "
        "raters of a row), and are neither in `ratings/` nor in `mean_quality`."
    )


def _ethics(raters: Raters) -> str:
    if raters.ethics is None:
        return NOT_RECORDED
    return f"{show_literally(raters.ethics.body)}, number {show_literally(raters.ethics.number)}"


def _facts(raters: Raters) -> list[str]:
    tables = count_facts(raters)
    if not tables:
        return [f"Nothing can be told of the {len(raters.ids)} raters here: {_FACTS}."]
    lines = [
        (show_literally(table.key), show_literally(value), number)
        for table in tables
        for value, number in table.counts
    ]
    said = f"Counts over all {len(raters.ids)} raters of this release: {_FACTS}."
    return [said, build_table(("fact", "value", "raters"), lines)]

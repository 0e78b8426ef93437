"""The card of a release, README.md.

Every sentence says something of what is released, or is the authors' own: other data change it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import yaml

from corpus.human_eyes import build_eyes
from corpus.prompt_languages import name_of
from corpus.records import Instrument, Label
from corpus.release_schema import HumanSeen
from corpus.repaired import LEAST_JUDGED, LEAST_RIGHT, is_repaired
from exports.card_files import describe_files
from exports.contents import Contents, count_written, describe_left_out
from exports.limits import (
    describe_asked,
    describe_demo,
    describe_punctuation,
    describe_sources,
    describe_subject,
    describe_unseen,
)
from exports.markdown import build_table, show_literally, warn_unvalidated
from exports.provenance import NOT_RECORDED, Draft

_HEADLINES = (
    "mean_da",
    "label_accuracy",
    "raw_agreement",
    "pearson",
    "kappa",
)
"""Figures of an approval that the card prints; all of them are in `agreement/`."""

_OF_SENTENCES = ("neutral", "pairs", "of both repaired", "repaired, not judged")
"""Columns of the table of languages that say nothing of prompts."""
_IN_PROMPTS = {"label error": "test not kept", "of both human-written": "human-written"}


def build_card(draft: Draft) -> str:
    """The text of README.md: YAML with one configuration per language, then the card."""
    sections = [
        _front_matter(draft),
        f"# {show_literally(draft.title)} {draft.version}",
        *([show_literally(draft.publication.description)] if draft.publication.description else []),
        *([describe_demo(draft)] if draft.is_demo else []),
        *warn_unvalidated(draft.unvalidated),
        _summary(draft),
        "## Languages",
        _language_table(draft.contents),
        _describe_left_out(draft.contents),
        *_describe_repaired(draft.contents),
        *_describe_written(draft.contents),
        "## Agreement at approval",
        _agreement_table(draft.contents),
        *_overrides(draft.contents),
        "## Intended use",
        show_literally(draft.publication.intended_use) or NOT_RECORDED,
        "## Limits",
        _limits(draft),
        "## Texts",
        describe_punctuation(draft),
        "## Files",
        describe_files(draft),
        "## Licences",
        _licences(draft),
        "## Ethics and pay",
        _ethics_and_pay(draft),
        "## Authors",
        _authors(draft),
    ]
    return "\n\n".join(sections) + "\n"


def _limits(draft: Draft) -> str:
    rows = [row for each in draft.contents for row in each.rows]
    said = (
        describe_subject(draft),
        describe_sources(draft),
        describe_asked(draft),
        describe_unseen(rows),
    )
    return "\n".join(f"- {each}" for each in said)


def _licences(draft: Draft) -> str:
    """The chain from the sources to the release, each link named with what the store knows."""
    publication = draft.publication
    sources = ", ".join(sorted({each.dataset for each in draft.sources.values()}))
    engines = sorted({each.engine for each in draft.translations.values()})
    models = sorted(
        {row.quality_model for each in draft.contents for row in each.rows if row.quality_model}
    )
    links = (
        ("this release", draft.licence),
        (f"source sentences ({sources})", publication.source_licence),
        (f"translations ({', '.join(engines) or 'none'})", publication.engine_terms),
        (f"quality estimates ({', '.join(models) or 'none'})", publication.quality_model_licence),
    )
    return "\n".join(
        f"- {show_literally(what)}: {show_literally(said or NOT_RECORDED)}" for what, said in links
    )


def _ethics_and_pay(draft: Draft) -> str:
    ethics = draft.raters.ethics
    body = f"{ethics.body}, number {ethics.number}" if ethics else NOT_RECORDED
    pay = draft.publication.pay or NOT_RECORDED
    return f"- ethics approval: {show_literally(body)}\n- pay of raters: {show_literally(pay)}"


def _authors(draft: Draft) -> str:
    named = [
        ", ".join(filter(None, (each.name, each.affiliation, each.orcid)))
        for each in draft.publication.authors
    ]
    return "\n".join(f"- {show_literally(each)}" for each in named) or NOT_RECORDED


def _front_matter(draft: Draft) -> str:
    codes = [each.language for each in draft.contents]
    paths = {code: f"data/{code}.parquet" for code in codes}
    everything = [{"split": name_of(code), "path": path} for code, path in paths.items()]
    configs = [{"config_name": "default", "data_files": everything}] + [
        {"config_name": code, "data_files": [{"split": "test", "path": path}]}
        for code, path in paths.items()
    ]
    values: dict[str, Any] = {
        "pretty_name": f"{draft.title} {draft.version}",
        "language": codes,
        "license": draft.licence or "unknown",
        "configs": configs,
    }
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000)
    return f"---\n{text}---"


def _summary(draft: Draft) -> str:
    rows = [row for each in draft.contents for row in each.rows]
    translated = [row for row in rows if row.human_seen is not HumanSeen.SOURCE]
    seen = sum(row.human_seen is not HumanSeen.NONE for row in translated)
    decided = sum(row.decision is not None for row in translated)
    source_rows = len(rows) - len(translated)
    return (
        f"{len(rows)} rows in {len(draft.contents)} languages, instrument `{draft.instrument}`. "
        f"**{seen} of {len(translated)} translated rows seen by a human**"
        f"{' (demo raters are scripts and see nothing)' if draft.is_demo else ''}; "
        f"{decided} decided; "
        f"{source_rows} rows are untranslated source sentences. Frozen at position "
        f"{draft.frozen_position} of the log, {draft.frozen_at.isoformat()}."
    )


def _language_table(contents: Sequence[Contents]) -> str:
    header = (
        "language",
        "code",
        "rows",
        "neutral",
        "pairs",
        "of both repaired",
        "of both human-written",
        "seen by a human",
        "label error",
        "discarded",
        "rejected",
        "open",
        "repaired, not judged",
        "human-written, not rated",
    )
    lines = []
    for each in contents:
        labels = Counter(row.label for row in each.rows)
        seen = Counter(row.human_seen for row in each.rows)
        of = len(each.rows) - seen[HumanSeen.SOURCE]
        lines.append(
            (
                name_of(each.language),
                f"`{each.language}`",
                len(each.rows),
                labels[Label.NEUTRAL],
                labels[Label.PAIR],
                sum(map(is_repaired, each.candidates)),
                count_written(each),
                f"{seen[HumanSeen.BOTH] + seen[HumanSeen.ONE]} of {of}" if of else "source",
                _label_error(each) if of else "",
                each.left_out.discarded,
                each.left_out.rejected,
                each.left_out.open,
                each.left_out.repaired,
                each.left_out.written,
            )
        )
    prompts = any(row.instrument is Instrument.MLA_BITE for each in contents for row in each.rows)
    if not prompts:
        return build_table(header, lines)
    shown = [place for place, name in enumerate(header) if name not in _OF_SENTENCES]
    names = [_IN_PROMPTS.get(header[place], header[place]) for place in shown]
    return build_table(names, [[line[place] for place in shown] for line in lines])


def _label_error(contents: Contents) -> str:
    """The share of wrong labels that the approval's figures leave, with its interval."""
    figures = contents.approval.figures if contents.approval else ()
    return build_eyes(0, len(contents.rows), figures).describe_error()


def _describe_left_out(contents: Sequence[Contents]) -> str:
    """How many candidates are not in the release, by language and why."""
    counts = {each.language: asdict(each.left_out) for each in contents}
    number = sum(sum(of_language.values()) for of_language in counts.values())
    told = [f"- `{code}`: {describe_left_out(each)}" for code, each in counts.items()]
    return f"Candidates left out of this release: {number}.\n\n" + "\n".join(told)


def _describe_repaired(contents: Sequence[Contents]) -> list[str]:
    """What is repaired, released or left out; nothing where nothing is."""
    there = sum(is_repaired(one) for each in contents for one in each.candidates)
    left_out = sum(each.left_out.repaired for each in contents)
    if not there and not left_out:
        return []
    return [
        f"Repaired: a text was built by the product from the other variant, not translated, in "
        f"{there} rows, whose flags say `repaired`; {left_out} more are left out until people have "
        f"judged at least {LEAST_JUDGED} built texts of their language and the lower bound of the "
        f"share found right (Wilson, 95 %) is at least {100 * LEAST_RIGHT:.0f} %."
    ]


def _describe_written(contents: Sequence[Contents]) -> list[str]:
    """What curators wrote, released or left out; nothing where nothing is."""
    there = sum(map(count_written, contents))
    left_out = sum(each.left_out.written for each in contents)
    if not there and not left_out:
        return []
    return [
        f"Human-written: a text was written by a curator, not translated, in {there} rows, whose "
        f"flags say `human_written`; {left_out} more are left out until a rater, not the writer, "
        "has rated that text."
    ]


def _agreement_table(contents: Sequence[Contents]) -> str:
    lines = []
    for each in contents:
        approval = each.approval
        for figure in approval.figures if approval else ():
            if figure.get("name") in _HEADLINES:
                scope = figure.get("scope") or {}
                lines.append(
                    (
                        f"`{each.language}`",
                        scope.get("batch", ""),
                        figure["name"],
                        scope.get("raters", ""),
                        _figure_value(figure),
                        _figure_interval(figure),
                        figure.get("n", ""),
                    )
                )
    if not lines:
        return NOT_RECORDED
    return build_table(("language", "batch", "figure", "raters", "value", "interval", "n"), lines)


def _figure_value(figure: Mapping[str, Any]) -> str:
    value = figure.get("value")
    return f"undefined: {figure.get('reason')}" if value is None else f"{value:.4f}"


def _figure_interval(figure: Mapping[str, Any]) -> str:
    interval = figure.get("interval") or {}
    if interval.get("low") is None or interval.get("high") is None:
        return ""
    return f"{interval['low']:.4f} to {interval['high']:.4f} ({interval['level']:.0%})"


def _overrides(contents: Sequence[Contents]) -> list[str]:
    """What was approved against a gate, with the written reasons."""
    lines = [
        f"- `{each.language}`: {' '.join(each.approval.override.split())}"
        for each in contents
        if each.approval is not None and each.approval.override
    ]
    return ["Approved against a gate:\n\n" + "\n".join(lines)] if lines else []

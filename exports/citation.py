"""CITATION.cff and .zenodo.json: how a release is cited and deposited."""

from __future__ import annotations

import html
from typing import Any

import yaml

from exports.provenance import NOT_RECORDED, Draft

CFF_VERSION = "1.2.0"
KEYWORDS = ("gender stereotypes", "language models", "multilingual", "evaluation")


def build_citation(draft: Draft) -> str:
    """The text of CITATION.cff, in Citation File Format 1.2.0.

    The format asks for an author; where none is recorded an entity says so.
    """
    values: dict[str, Any] = {
        "cff-version": CFF_VERSION,
        "message": f"Cite version {draft.version} of the data. {_describe_state(draft)}",
        "type": "dataset",
        "title": draft.title,
        "version": draft.version,
        "date-released": draft.frozen_at.date().isoformat(),
        "authors": _cff_authors(draft),
        "keywords": list(KEYWORDS),
    }
    if draft.publication.description:
        values["abstract"] = draft.publication.description
    if draft.licence:
        values["license"] = draft.licence
    if draft.publication.url:
        values["url"] = draft.publication.url
    text: str = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=1000)
    return text


def build_zenodo(draft: Draft) -> dict[str, Any]:
    """The deposit metadata of .zenodo.json; a description is HTML there, so texts are escaped."""
    publication = draft.publication
    described = publication.description or f"Description: {NOT_RECORDED}."
    values: dict[str, Any] = {
        "upload_type": "dataset",
        "title": f"{draft.title} {draft.version}",
        "version": draft.version,
        "publication_date": draft.frozen_at.date().isoformat(),
        "description": f"<p>{html.escape(described)}</p>",
        "creators": [_creator(each) for each in _zenodo_authors(draft)],
        "keywords": list(KEYWORDS),
        "notes": _describe_state(draft),
    }
    if draft.licence:
        values["license"] = draft.licence.lower()
    return values


def _cff_authors(draft: Draft) -> list[dict[str, str]]:
    authors = []
    for each in draft.publication.authors:
        given, _, family = each.name.rpartition(" ")
        author = {"family-names": family} | ({"given-names": given} if given else {})
        if each.orcid:
            author["orcid"] = f"https://orcid.org/{each.orcid}"
        if each.affiliation:
            author["affiliation"] = each.affiliation
        authors.append(author)
    return authors or [{"name": NOT_RECORDED}]


def _zenodo_authors(draft: Draft) -> list[tuple[str, str, str]]:
    found = []
    for each in draft.publication.authors:
        given, _, family = each.name.rpartition(" ")
        found.append((f"{family}, {given}" if given else family, each.orcid, each.affiliation))
    return found or [(NOT_RECORDED, "", "")]


def _creator(author: tuple[str, str, str]) -> dict[str, str]:
    named = zip(("name", "orcid", "affiliation"), author, strict=True)
    return {name: value for name, value in named if value}


def _describe_state(draft: Draft) -> str:
    parts = [f"Languages: {', '.join(each.language for each in draft.contents)}."]
    if draft.unvalidated:
        parts.append(f"NOT VALIDATED: {', '.join(draft.unvalidated)}.")
    if draft.is_demo:
        parts.append("DEMONSTRATION DATA.")
    return " ".join(parts)

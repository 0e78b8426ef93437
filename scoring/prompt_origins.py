"""Where prompts of a release come from: who made its texts, and how many of them people saw."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.human_eyes import read_eyes
from corpus.prompt_languages import TAGS
from corpus.release import Release
from scoring.prompt_plan import PromptOrigin

SOURCE = "the source texts, untranslated"


def read_release_origin(release: Release, languages: Iterable[str] | None = None) -> PromptOrigin:
    """The origin of a release's prompts.

    Args:
        release: a release of prompt tests.
        languages: those to be run, as files of prompts name them; None: all.
    """
    tags = {code: TAGS.get(code, code) for code in release.languages}
    chosen = set(tags.values() if languages is None else languages)
    codes = [code for code, tag in tags.items() if tag in chosen]
    described = release.provenance["languages"]
    engines = [engine for code in codes for engine in described[code]["engines"]]
    eyes = {code: read_eyes(described[code]) for code in codes}
    return PromptOrigin(
        augmenters=tuple(sorted({engine["model"] or engine["engine"] for engine in engines})),
        release=release.version,
        release_sha256=release.sums_sha256,
        human_eyes={
            tags[code]: f"{found.seen} of {found.rows} seen by a human" if found else SOURCE
            for code, found in eyes.items()
        },
        unvalidated=tuple(tags[code] for code in codes if code in release.unvalidated),
        is_demo=bool(release.provenance.get("demo")),
    )

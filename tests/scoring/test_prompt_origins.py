"""What a run says of a release: who made its texts, who saw them, what nobody approved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus.release import Release
from scoring.prompt_origins import SOURCE, read_release_origin


def described(model: str, seen: dict[str, int], validation: str = "approved") -> dict[str, Any]:
    engines = [{"engine": "chat", "model": model, "version": "1", "translations": 4}]
    return {
        "validation": validation,
        "engines": engines if model else [],
        "counts": {"rows": sum(seen.values()), "human_seen": seen},
    }


def test_origin_is_of_the_languages_that_are_run() -> None:
    languages = {
        "en": described("", {"source": 6}),
        "es": described("heron-large", {"both": 3, "one": 1, "none": 2}),
        "de": described("stork-large", {"none": 6}, "unvalidated"),
    }
    provenance = {"languages": languages, "demo": True}
    release = Release(Path("x"), "1.0.0", ("de", "en", "es"), "a" * 64, provenance)
    some = read_release_origin(release, ["en_us", "es_es"])
    assert some.augmenters == ("heron-large",)
    assert some.human_eyes == {"en_us": SOURCE, "es_es": "4 of 6 seen by a human"}
    assert some.unvalidated == ()
    assert some.is_demo
    everything = read_release_origin(release)
    assert everything.augmenters == ("heron-large", "stork-large")
    assert everything.unvalidated == ("de",)
    assert (everything.release, everything.release_sha256) == ("1.0.0", "a" * 64)

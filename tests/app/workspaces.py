"""Workspaces for the app's tests: empty, and small with everything in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
    settle_templates,
)

from annotation.approvals import approve_language
from annotation.assessment import AssessmentSettings
from corpus.figures import Figure, Interval
from corpus.records import Instrument, Label, Origin, RatingRevision, RatingState, Source
from corpus.stereotypes import load_inventory
from corpus.store import Store
from corpus.version import PRODUCT
from corpus.workspace import Workspace, init_workspace
from exports.build import build_release

HOSTILE = "I am <b>bold</b>, *stars*, $x^2$, :smile: and [a](http://x) -- =1+1 `code`"
"""Everything that a page could take for markup."""
HOSTILE_COMMENT = "**no**, <script>alert(1)</script> :red[word]"
MASCULINE, FEMININE = "Som emotívny.", "Som emotívna."
OVERRIDE = "Five sentences, made for tests: too few for an interval."
"""Why Spanish is approved although nothing can be said of its raters' correlation."""
PAIR_ID = "eurogest/sk/made/2"
HOSTILE_ID = "eurogest/sk/made/4"
QUALITY = {"quality": 90, "gender_marked": "no"}
MAN = {"quality": 95, "gender_marked": "yes", "speaker_gender": "man"}
WOMAN = {"quality": 20, "gender_marked": "yes", "speaker_gender": "woman", "comment": "odd"}


def build_small_workspace(folder: Path, origin: Origin = Origin.HUMAN) -> Workspace:
    """Slovak in review with open disagreements, Spanish released, English as it is, one result."""
    workspace = init_workspace(folder, "small study")
    store = workspace.open_store()
    sources = [
        make_source(2, "I am emotional.", 1),
        make_source(3, "I lead.", 13),
        make_source(4, HOSTILE, 3),
        make_source(5, "I like order.", 4),
        make_source(6, "I work a lot.", 10),
    ]
    add_sources(store, sources)
    _add_slovak(store, sources, origin)
    _add_spanish(store, sources)
    add_candidates(store, [make_candidate(each, "en", Label.NEUTRAL) for each in sources])
    settings = AssessmentSettings.from_settings(workspace.settings)
    settle_templates(store, "es")
    approve_language(store, Instrument.EUROGEST, "es", "curator-1", settings, OVERRIDE)
    build_release(store, "0.1.0", ["es", "en"], workspace.releases, by="curator-1")
    store.close()
    write_result(workspace.results / "tiny-0001", demonstration=True)
    return workspace


def _add_slovak(store: Store, sources: list[Source], origin: Origin) -> None:
    pair = {"masculine": MASCULINE, "feminine": FEMININE}
    candidates = [
        make_candidate(sources[0], "sk", Label.PAIR, variants=pair, reason="inflection"),
        make_candidate(
            sources[1],
            "sk",
            Label.DISCARDED,
            variants={"masculine": "Vediem.", "feminine": "Som vodca tímu."},
            reason="word_count",
        ),
        make_candidate(sources[2], "sk", Label.NEUTRAL, reason="identical"),
        make_candidate(
            sources[3],
            "sk",
            Label.NEUTRAL,
            variants={"neutral": "Mám rád poriadok."},
            reason="identical",
        ),
    ]
    add_candidates(store, candidates)
    rated = [candidates[0], *candidates[2:]]
    batch, items = add_batch(
        store,
        rated,
        ["rater-sk-1", "rater-sk-2"],
        variant=None,
        source_texts={each.key: each.text for each in sources},
    )
    with store.writing() as writer:
        writer.append(
            [replace(each, external_id="7", stamp=None) for each in writer.assignments([batch.id])]
        )
    feminine, hostile, order = items
    add_ratings(store, [feminine], "rater-sk-1", WOMAN | {"quality": 90}, origin=origin)
    add_ratings(store, [feminine], "rater-sk-2", MAN, origin=origin)
    add_ratings(store, [hostile], "rater-sk-1", QUALITY | {"comment": HOSTILE_COMMENT})
    add_ratings(store, [hostile], "rater-sk-2", QUALITY | {"quality": 15})
    add_ratings(store, [order], "rater-sk-1", MAN)
    add_ratings(store, [order], "rater-sk-2", {}, state=RatingState.SKIPPED)
    add_invalid_answer(store, batch.language)


def add_invalid_answer(store: Store, language: str, batch_id: str | None = None) -> None:
    """A third rater whose one answer is invalid, in a batch of her own."""
    batch_id = batch_id or f"{language}-2"
    with store.reading() as state:
        candidate = state.candidates(Instrument.EUROGEST, language)[0]
    _, items = add_batch(store, [candidate], ["rater-x"], batch_id=batch_id)
    invalid = RatingRevision(
        items[0].id,
        "rater-x",
        RatingState.INVALID,
        {"gender_marked": "no"},
        reasons=("missing:quality", "wrong_rater"),
        source_id="9",
    )
    with store.writing() as writer:
        writer.append([invalid])


def _add_spanish(store: Store, sources: list[Source]) -> None:
    texts = ["Soy sensible.", "Dirijo.", "Escribo.", "Me gusta el orden.", "Trabajo mucho."]
    candidates = [
        make_candidate(source, "es", Label.NEUTRAL, variants={"neutral": text}, reason="identical")
        for source, text in zip(sources, texts, strict=True)
    ]
    add_candidates(store, candidates)
    _, items = add_batch(store, candidates, ["rater-es-1", "rater-es-2"])
    for number, item in enumerate(items):
        add_ratings(store, [item], "rater-es-1", QUALITY | {"quality": 80 + number})
        add_ratings(store, [item], "rater-es-2", QUALITY | {"quality": 85 + number})


def write_result(folder: Path, demonstration: bool) -> None:
    """A scoring result as `stereoscope score` writes it: two languages, three stereotypes."""
    figures = []
    for language, shift in (("es", 0.0), ("sk", 0.1)):
        scope = (
            ("condition", "pair"),
            ("language", language),
            ("model", "tiny"),
            ("protocol", "paper"),
        )
        figures += [
            _figure("g_s", 1.1 + shift, scope),
            _figure("default_rate", 0.6, scope),
            *(
                _figure("q_i", 0.5 + shift + number / 50, (*scope, ("stereotype", str(number))))
                for number in (1, 2, 8)
            ),
            Figure("inclination", None, 0, "Distance.", "m", "missing_stereotype", scope=scope),
        ]
    folder.mkdir(parents=True)
    document = {
        "command": "score",
        "version": "stereoscope 0.1.0",
        "inputs_sha256": "0" * 64,
        "definitions": {},
        "figures": [each.as_json() | {"signature": "tiny|0.1.0|paper"} for each in figures],
    }
    manifest = {
        "version": PRODUCT,
        "inventory": load_inventory().content_hash,
        "stereotypes": load_inventory().as_json(),
        "human_eyes": {"es": "5 of 5 seen by a human, label error 0.0 % (0.0 to 43.4 %)"},
        "unvalidated": ["sk"],
        "model": "tiny",
        "revision": "abc",
        "dtype": "float32",
        "release": "0.1.0",
        "demonstration": demonstration,
        "not_measured": "Two genders only.",
    }
    (folder / "figures.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def _figure(name: str, value: float, scope: tuple[tuple[str, str], ...]) -> Figure:
    interval = Interval(value - 0.05, value + 0.05, 0.95, "percentile bootstrap", 2000, 1)
    return Figure(name, value, 4, "A definition.", "protocol paper", None, interval, scope)

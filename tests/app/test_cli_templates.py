"""The commands that have a language's templates validated, and show what came of it."""

from __future__ import annotations

import json
from pathlib import Path

from corpus.store import open_store
from tests.command_line import database_of, run_here, snapshot_of
from tests.store_builders import add_ratings


def test_templates_are_previewed_created_once_and_shown(study_copy: Path) -> None:
    where = ("-w", study_copy)
    create = ("templates", "create", "-l", "sk", "--raters", "rater-1", *where)
    before = snapshot_of(study_copy)
    dry = run_here(*create, "--dry-run")
    assert dry.code == 0, dry.text
    assert '" the man said' in dry.out
    assert "“ povedala žena" in dry.out
    assert snapshot_of(study_copy) == before

    batch_id = run_here(*create).out.strip()
    assert f"Dry run: batch {batch_id}" in dry.out
    again = run_here(*create)
    assert "is there already: 4 items" in again.message
    assert again.out.strip() == batch_id

    store = open_store(f"sqlite:///{database_of(study_copy)}")
    with store.reading() as state:
        items = state.items([batch_id])
    answers = {"quality": 80, "reworded": "yes", "suggestion": "[b]„S,“[/b] muž"}
    add_ratings(store, items[:1], "rater-1", answers)
    add_ratings(store, items[1:2], "rater-1", {"quality": 100, "reworded": "no"})
    store.close()
    shown = run_here("templates", "show", "-l", "sk", *where)
    assert "[b]„S,“[/b] muž" in shown.out
    assert "Mean DA: 90.000, n = 2" in shown.message
    figures = json.loads(run_here("templates", "show", "-l", "sk", "--json", *where).out)["figures"]
    assert [(each["value"], each["n"]) for each in figures] == [(100.0, 1), (80.0, 1), (90.0, 2)]


def test_templates_without_raters_or_ratings_say_so(study_copy: Path) -> None:
    refused = run_here(*("templates", "create", "-l", "sk", "--raters", "nobody", "-w", study_copy))
    assert refused.code == 1
    assert "Unknown raters: nobody" in refused.message
    empty = run_here("templates", "show", "-l", "sk", "-w", study_copy)
    assert "Mean DA: – (no_data)" in empty.message

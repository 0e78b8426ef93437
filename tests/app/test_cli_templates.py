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
    assert "No rating of these templates counts yet." in empty.message


def test_a_wording_is_listed_chosen_by_number_or_given(study_copy: Path) -> None:
    where = ("-l", "sk", "-w", study_copy)
    listed = run_here("templates", "options", *where)
    assert "„{},“ povedal muž" in listed.out
    choose = ("templates", "choose", *where, "--reason", "as rated")
    assert "is settled" in run_here(*choose, "--option", "1").message
    own = ("--masculine", "Muž riekol: „{}“", "--feminine", "Žena riekla: „{}“")
    assert "Muž riekol: „{}“" in run_here(*choose, "--kind", "noun", *own).message
    store = open_store(f"sqlite:///{database_of(study_copy)}")
    with store.reading() as state:
        [choice] = state.template_choices("sk")
    store.close()
    assert choice.masculine == ("Muž riekol: „", "“")
    before = snapshot_of(study_copy)
    for given, said in (
        (("--option", "99"), "There are"),
        (("--kind", "noun", "--masculine", "x"), "Name either a number"),
        (("--option", "1", "--kind", "noun"), "Name either a number"),
        (("--kind", "noun", "--masculine", "„x“", "--feminine", "„{}“ žena"), "holds {} once"),
        (("--kind", "noun", "--masculine", "„{}“ a", "--feminine", "„{}“ a"), "the same text"),
    ):
        refused = run_here(*choose, *given)
        assert (refused.code, said in refused.message) == (1, True), refused.text
    assert snapshot_of(study_copy) == before

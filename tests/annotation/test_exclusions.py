"""A rater left out with a reason: from all batches named or from none, and put back."""

from __future__ import annotations

import pytest
from studies import add_language, add_people, plan_batch

from annotation.batches import create_batch
from annotation.exclusions import exclude_rater
from corpus.errors import StateError
from corpus.records import Exclusion, Origin
from corpus.store import Store


def test_a_rater_is_excluded_and_reinstated_with_a_reason(store: Store) -> None:
    add_language(store, "sk", neutral=3, pairs=0)
    add_people(store, ("r1", "r2"))
    plan = plan_batch("sk", 3, ("r1", "r2"))
    batch = create_batch(store, plan, "curator-1", Origin.HUMAN).batch
    for excluded in (True, False):
        exclude_rater(store, [Exclusion("r1", batch.id, excluded, "at random", "curator-1")])
    with store.reading() as state:
        [current] = state.exclusions([batch.id])
        actions = [(each.action, each.subject) for each in state.audit_entries()][-2:]
    assert not current.excluded
    assert actions == [
        ("exclude rater", f"{batch.id}/r1"),
        ("reinstate rater", f"{batch.id}/r1"),
    ]
    with pytest.raises(StateError, match="written reason"):
        exclude_rater(store, [Exclusion("r1", batch.id, True, " ", "curator-1")])
    with pytest.raises(StateError, match="no rater r3; its raters: r1, r2"):
        exclude_rater(store, [Exclusion("r3", batch.id, True, "why", "curator-1")])
    with pytest.raises(StateError, match="no batch other"):
        exclude_rater(store, [Exclusion("r1", "other", True, "why", "curator-1")])


def test_a_rater_is_excluded_from_all_her_batches_or_from_none(store: Store) -> None:
    add_language(store, "sk", neutral=6, pairs=0)
    add_people(store, ("r1", "r2"))
    both = [
        create_batch(store, plan_batch("sk", 3, raters), "curator-1", Origin.HUMAN).batch.id
        for raters in (("r1", "r2"), ("r2",))
    ]
    with pytest.raises(StateError, match="no rater r1; its raters: r2"):
        exclude_rater(store, [Exclusion("r1", each, True, "at random", "c") for each in both])
    with store.reading() as state:
        assert state.exclusions(both) == []
    exclude_rater(store, [Exclusion("r2", each, True, "at random", "c") for each in both])
    with store.reading() as state:
        assert {each.batch_id for each in state.exclusions(both)} == set(both)
        assert [each.subject for each in state.audit_entries()][-2:] == [
            f"{each}/r2" for each in both
        ]

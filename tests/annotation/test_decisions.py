from __future__ import annotations

from typing import Any

import pytest
from studies import add_language

from annotation.decisions import Verdict, current_candidate, decide
from corpus.errors import StaleError, StateError
from corpus.records import (
    Candidate,
    Decision,
    DecisionAction,
    Instrument,
    Label,
    Origin,
)
from corpus.review import apply_decisions
from corpus.store import Store
from pipeline.reasons import REASONS
from tests.store_builders import add_candidates, make_candidate

BOTH = {"masculine": "Som veselý.", "feminine": "Som veselá."}
LABELS = (Label.NEUTRAL, Label.PAIR, Label.DISCARDED)


class Check:
    """A pair check that says what it is told to, and notes what it was asked."""

    def __init__(self, problem: str | None = None) -> None:
        self.problem = problem
        self.asked: list[tuple[str, str, str]] = []

    def __call__(self, language: str, masculine: str, feminine: str) -> str | None:
        self.asked.append((language, masculine, feminine))
        return self.problem


@pytest.fixture
def candidates(store: Store) -> dict[Label, Candidate]:
    """One candidate of each label."""
    add_language(store, "sk", neutral=1, pairs=1, discarded=1)
    with store.reading() as state:
        return {each.label: each for each in state.candidates(Instrument.EUROGEST, "sk")}


def make_verdict(candidate: Candidate, action: DecisionAction, **others: Any) -> Verdict:
    values: dict[str, Any] = {"reason": "as the raters say"} | others
    return Verdict(candidate.id, candidate.content_hash, action, **values)


def content(store: Store, candidate: Candidate) -> Candidate:
    """The candidate with its decisions applied, as everybody reads it."""
    with store.reading() as state:
        reviewed = apply_decisions(
            [state.candidate(candidate.id)], state.decisions(candidate.instrument, "sk")
        )
    return reviewed[0].candidate


@pytest.mark.parametrize("action", [DecisionAction.ACCEPT, DecisionAction.REJECT])
def test_an_accepted_or_rejected_candidate_keeps_its_content(
    store: Store, candidates: dict[Label, Candidate], action: DecisionAction
) -> None:
    pair = candidates[Label.PAIR]
    decision = decide(store, make_verdict(pair, action, rule="all of it"), "curator-1")
    assert (decision.action, decision.by, decision.rule) == (action, "curator-1", "all of it")
    assert (decision.label, decision.variants) == (None, None)
    assert decision.stamp is not None
    assert decision.stamp.origin is Origin.HUMAN
    assert content(store, pair).content_hash == pair.content_hash
    with store.reading() as state:
        [entry] = state.audit_entries()
    assert (entry.actor, entry.action, entry.subject) == ("curator-1", f"decide {action}", pair.id)
    assert entry.before == {"label": "pair", "variants": dict(pair.variants)}
    assert entry.after == {"label": "pair", "reason": "as the raters say", "rule": "all of it"}


def test_an_edit_is_checked_normalised_and_audited(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    pair, check = candidates[Label.PAIR], Check()
    # y + combining acute, a + combining acute: NFD.
    typed = {"masculine": " Som vesely\u0301. ", "feminine": "Som vesela\u0301."}
    decide(store, make_verdict(pair, DecisionAction.EDIT, variants=typed), "curator-1", check)
    assert check.asked == [("sk", BOTH["masculine"], BOTH["feminine"])]
    assert dict(content(store, pair).variants) == BOTH
    with store.reading() as state:
        [entry] = state.audit_entries()
    assert entry.before["variants"] == dict(pair.variants)
    assert entry.after == {
        "label": "pair",
        "variants": BOTH,
        "reason": "as the raters say",
        "written": ["feminine", "masculine"],
    }


def test_a_neutral_text_is_edited_without_a_pair_check(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    neutral = candidates[Label.NEUTRAL]
    verdict = make_verdict(neutral, DecisionAction.EDIT, variants={"neutral": "Mám radosť."})
    decide(store, verdict, "curator-1")
    assert content(store, neutral).variants == {"neutral": "Mám radosť."}


@pytest.mark.parametrize("label", LABELS)
def test_any_candidate_can_be_relabelled_a_pair(
    store: Store, candidates: dict[Label, Candidate], label: Label
) -> None:
    candidate, check = candidates[label], Check()
    verdict = make_verdict(candidate, DecisionAction.RELABEL, label=Label.PAIR, variants=BOTH)
    decide(store, verdict, "curator-1", check)
    assert len(check.asked) == 1
    now = content(store, candidate)
    assert (now.label, dict(now.variants), now.reason) == (Label.PAIR, BOTH, "decided:relabel")


def test_a_pair_without_its_other_variant_is_taken_out_and_says_why(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    neutral = candidates[Label.NEUTRAL]
    one = {"feminine": neutral.variants["neutral"]}
    verdict = make_verdict(neutral, DecisionAction.RELABEL, label=Label.DISCARDED, variants=one)
    decision = decide(store, verdict, "curator-1")
    now = content(store, neutral)
    assert (now.label, now.reason, dict(now.variants)) == (Label.DISCARDED, "one_gender_only", one)
    assert decision.written == ()
    assert REASONS[now.reason]

    # Whoever finds the missing variant later makes it a pair after all.
    both = {**one, "masculine": "Som rád."}
    found = make_verdict(now, DecisionAction.RELABEL, label=Label.PAIR, variants=both)
    assert decide(store, found, "curator-1", Check()).written == ("masculine",)
    assert content(store, neutral).label is Label.PAIR


def test_a_second_decision_stands_on_the_first(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    pair = candidates[Label.PAIR]
    neutral = {"neutral": "Mám radosť."}
    first = make_verdict(pair, DecisionAction.RELABEL, label=Label.NEUTRAL, variants=neutral)
    decide(store, first, "curator-1")
    with pytest.raises(StaleError, match="changed meanwhile"):
        decide(store, make_verdict(pair, DecisionAction.ACCEPT), "curator-2")
    with store.writing() as writer:
        seen = current_candidate(writer, pair.id)
    decide(store, make_verdict(seen, DecisionAction.ACCEPT), "curator-2")
    assert content(store, pair).variants == neutral


def test_a_regenerated_candidate_makes_a_verdict_stale_and_its_decisions_void(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    neutral = candidates[Label.NEUTRAL]
    decide(store, make_verdict(neutral, DecisionAction.REJECT), "curator-1")
    with store.reading() as state:
        source = next(each for each in state.sources() if each.key == neutral.source_key)
    anew = make_candidate(source, "sk", Label.NEUTRAL, variants={"neutral": "Mám radosť."})
    add_candidates(store, [anew])
    with pytest.raises(StaleError, match=f"{neutral.id} was changed"):
        decide(store, make_verdict(neutral, DecisionAction.ACCEPT), "curator-1")
    with store.reading() as state:
        decisions = state.decisions(Instrument.EUROGEST, "sk")
        [reviewed] = apply_decisions([state.candidate(neutral.id)], decisions)
    assert not reviewed.rejected
    assert [each.action for each in reviewed.void] == [DecisionAction.REJECT]


@pytest.mark.parametrize(
    ("label", "action", "others", "message"),
    [
        (Label.PAIR, "accept", {"reason": " "}, "needs a reason"),
        (Label.PAIR, "accept", {"variants": BOTH}, "leaves label and texts"),
        (Label.PAIR, "reject", {"label": Label.NEUTRAL}, "leaves label and texts"),
        (Label.DISCARDED, "accept", {}, "relabel it with its texts"),
        (Label.PAIR, "edit", {}, "gives new texts"),
        (Label.PAIR, "edit", {"variants": BOTH, "label": Label.PAIR}, "keeps the label"),
        (Label.PAIR, "edit", {"variants": BOTH}, "no check was given"),
        (Label.PAIR, "edit", {"variants": {"neutral": "x"}}, "has the variants feminine, masc"),
        (Label.PAIR, "edit", {"variants": {"masculine": "x"}}, "given: masculine"),
        (Label.PAIR, "edit", {"variants": {}}, "given: none"),
        (Label.PAIR, "edit", {"variants": BOTH | {"feminine": " "}}, "feminine text is empty"),
        (Label.NEUTRAL, "edit", {"variants": {"neutral": "a\ud800"}}, "lone surrogate U\\+D800"),
        (Label.NEUTRAL, "edit", {"variants": {"neutral": "a\x00"}}, "NUL"),
        (Label.NEUTRAL, "relabel", {"variants": BOTH}, "gives the new label"),
        (Label.NEUTRAL, "relabel", {"label": Label.PAIR}, "gives the new label and all"),
        (Label.NEUTRAL, "relabel", {"label": Label.PAIR, "variants": BOTH}, "no check was given"),
        (
            Label.PAIR,
            "relabel",
            {"label": Label.DISCARDED, "variants": {}},
            "take a candidate out, reject it",
        ),
        (
            Label.PAIR,
            "relabel",
            {"label": Label.DISCARDED, "variants": BOTH},
            "the one text, masculine or feminine",
        ),
        (
            Label.PAIR,
            "relabel",
            {"label": Label.DISCARDED, "variants": {"masculine": "Som iný."}},
            "stays as it is",
        ),
        (Label.PAIR, "reopen", {}, "is undecided; there is nothing to take back"),
    ],
)
def test_a_verdict_that_does_not_fit_is_refused_and_leaves_nothing(
    store: Store,
    candidates: dict[Label, Candidate],
    label: Label,
    action: str,
    others: dict[str, Any],
    message: str,
) -> None:
    with store.reading() as state:
        position = state.position
    verdict = make_verdict(candidates[label], DecisionAction(action), **others)
    with pytest.raises(StateError, match=message):
        decide(store, verdict, "curator-1")
    with store.reading() as state:
        assert state.position == position


def test_texts_that_the_check_refuses_are_no_pair(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    verdict = make_verdict(candidates[Label.PAIR], DecisionAction.EDIT, variants=BOTH)
    with pytest.raises(StateError, match="not a minimal pair: three words differ"):
        decide(store, verdict, "curator-1", Check("three words differ"))


def test_an_unknown_candidate_is_refused(store: Store) -> None:
    verdict = Verdict("eurogest/sk/made/99", "0", DecisionAction.ACCEPT, "why")
    with pytest.raises(StateError, match="no candidate eurogest/sk/made/99"):
        decide(store, verdict, "curator-1")


def test_a_decision_is_a_record_of_what_was_seen(
    store: Store, candidates: dict[Label, Candidate]
) -> None:
    pair = candidates[Label.PAIR]
    stored = decide(store, make_verdict(pair, DecisionAction.ACCEPT), "curator-1")
    assert isinstance(stored, Decision)
    assert (stored.subject_id, stored.content_hash) == (pair.id, pair.content_hash)

"""Overview: one row per language with its counts, its gates, its approval and what to do next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from annotation.assessment import Assessment
from annotation.gates import Gate
from app.views.gates import name_gate
from app.views.repairs import count_repaired
from corpus.records import Label
from corpus.review import LanguageState
from corpus.standing import Standing

NOT_RATED = "The sources' own language is not rated. Choose another language."
NO_CANDIDATES = (
    "This workspace holds no candidates yet. Add source sentences with `stereoscope source add "
    "FILE.csv`, then run `stereoscope generate`."
)


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """How one language stands."""

    language: str
    state: LanguageState
    neutral: int
    pair: int
    repaired: int
    """Of neutral and pair, those with a text that the product built; rejected ones apart."""
    discarded: int
    rejected: int
    """Taken out by a curator; counted under their label as well."""
    ratings: int
    """Valid ratings of raters that are not excluded."""
    gates: tuple[Gate, ...]
    """Empty for the sources' own language."""
    approval: str
    """In words."""
    next_step: str
    """What to do next, in one sentence."""

    @property
    def gates_in_words(self) -> str:
        """`✗ 3 of 9 block`, `✓ none blocks`; says so where no gate is needed."""
        if not self.gates:
            return "none needed"
        blocking = sum(gate.blocks for gate in self.gates)
        return f"✗ {blocking} of {len(self.gates)} block" if blocking else "✓ none blocks"


def build_overview_row(standing: Standing, assessment: Assessment) -> OverviewRow:
    """The overview's row of a language."""
    labels = Counter(each.candidate.label for each in standing.candidates)
    needs_gates = standing.review.state is not LanguageState.SOURCE
    return OverviewRow(
        language=standing.language,
        state=standing.review.state,
        neutral=labels[Label.NEUTRAL],
        pair=labels[Label.PAIR],
        repaired=count_repaired(standing.candidates),
        discarded=labels[Label.DISCARDED],
        rejected=sum(each.rejected for each in standing.candidates),
        ratings=len(standing.counted),
        gates=assessment.gates if needs_gates else (),
        approval=describe_approval(standing),
        next_step=describe_next_step(standing, assessment),
    )


def describe_approval(standing: Standing) -> str:
    """By whom and when a language was approved, and whether that still holds."""
    review = standing.review
    if review.state is LanguageState.SOURCE:
        return "none needed"
    if review.approval is None:
        return "not approved"
    given = review.approval
    when = f" on {given.stamp.at:%Y-%m-%d %H:%M} UTC" if given.stamp else ""
    against = ", against a gate" if given.override else ""
    if review.stale:
        return f"⚠ stale: approved by {given.by}{when}{against}; the data has changed since"
    return f"✓ approved by {given.by}{when}{against}"


def describe_next_step(standing: Standing, assessment: Assessment) -> str:
    """What brings a language on, in one sentence."""
    code = standing.language
    state = standing.review.state
    if state is LanguageState.SOURCE:
        return "Nothing: the sources' own language enters every release as it is."
    if state is LanguageState.APPROVED:
        return "Build a release: stereoscope release build."
    if state is LanguageState.RELEASED:
        return "Score models on the release: stereoscope score."
    if state is LanguageState.GENERATED:
        return f"Send a sample to raters: stereoscope batch create --language {code}."
    if state is LanguageState.IN_ANNOTATION:
        return (
            f"Answers still missing: {standing.answers_missing}. "
            "Wait for them, then pull on page Annotation."
        )
    if assessment.open_disagreements:
        return (
            f"Open disagreements: {len(assessment.open_disagreements)}. "
            "Decide them on page Disagreements."
        )
    failing = [
        name_gate(gate.name, standing.instrument) for gate in assessment.gates if gate.blocks
    ]
    if failing:
        return f"Look at {', '.join(failing)} on page Approval; mend it or approve with a reason."
    return "Approve it on page Approval."

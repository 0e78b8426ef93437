"""What the demonstration does in each language: its raters, its curator's rules, its outcome.

Everything scripted here is stored with origin `demo` and says so wherever it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotation.demo_raters import CAREFUL, CONSISTENT, DISSATISFIED, DIVIDED, DemoProfile
from annotation.disagreements import Disagreement, DisagreementKind
from corpus.people import Ethics
from corpus.records import DecisionAction

CURATOR = "demo-curator"
SEED = 7
VERSION = "0.1.0"
BATCH_SIZE = 64
"""All there are: an approval needs 100 rated items, or all of a smaller language."""
TEMPLATE_REASON = "Demonstration rule: the wording that is shipped"
ETHICS = Ethics(
    "No committee: a demonstration",
    "none",
    "Demonstration: this rater is a script. Its ratings may be published.",
)


@dataclass(frozen=True, slots=True)
class DemoLanguage:
    """One language of the demonstration."""

    code: str
    profiles: tuple[DemoProfile, ...]
    """One for each rater."""
    decides: bool
    """Whether the curator resolves its disagreements."""
    expectation: str
    """What is to be seen."""

    @property
    def raters(self) -> tuple[str, ...]:
        """Ids of its raters."""
        return tuple(f"demo-{self.code}-{number + 1}" for number in range(len(self.profiles)))


LANGUAGES = (
    DemoLanguage("es", CAREFUL, True, "passes once a curator has decided"),
    DemoLanguage("sk", DIVIDED, True, "raters agree too little: a third rater is needed"),
    DemoLanguage("sv", DISSATISFIED, False, "quality and labels are refused"),
    DemoLanguage("tr", (CONSISTENT, CONSISTENT), True, "all labels equal: kappa is undefined"),
)


def choose_action(disagreement: Disagreement) -> tuple[DecisionAction, str]:
    """The scripted curator's verdict: what the raters label otherwise than the system is out."""
    if DisagreementKind.SYSTEM_CONFLICT in disagreement.kinds:
        return (
            DecisionAction.REJECT,
            "Demonstration rule: a rater's label differs from the system's",
        )
    return DecisionAction.ACCEPT, "Demonstration rule: labels agree, the text is kept"

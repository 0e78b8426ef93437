"""Label schemes: which labels raters give, by the question that their form asks.

A sentence is labelled by the speaker's gender. Of a prompt template it is asked whether the test
keeps its meaning, of a sector sentence whether another word than the person word shows the gender;
both are answered yes, no or unsure.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpus.records import GenderLabel, Instrument, RaterLabel, YesNoLabel

MISSING_LABEL = -1
"""Stands for an absent label."""


@dataclass(frozen=True, slots=True)
class LabelScheme:
    """The labels of one question, and how figures over them are worded."""

    labels: tuple[RaterLabel, ...]
    """Fixed by the form and never read off the data."""
    answers: str
    """What the labels are, in the definition of a figure."""
    accuracy: str
    """Definition of the share of labels equal to the system's."""
    accuracy_name: str
    """The same in few words."""
    chosen: tuple[RaterLabel, ...] = ()
    """Labels that figures are given over once more, leaving out the others; none for no such."""

    def find_code(self, label: RaterLabel | None) -> int:
        """Place of a label; `MISSING_LABEL` for none and for a label of another question."""
        # Labels of two questions may be the same word.
        if label is None or not isinstance(label, type(self.labels[0])):
            return MISSING_LABEL
        return self.labels.index(label)


GENDER = LabelScheme(
    tuple(GenderLabel),
    "gender labels (five labels)",
    "Share in [0, 1] of the raters' labels equal to the system's label; unsure and other count "
    "as not equal.",
    "accuracy of the system's label",
    (GenderLabel.NEUTRAL, GenderLabel.MASCULINE, GenderLabel.FEMININE),
)
TEST_KEPT = LabelScheme(
    tuple(YesNoLabel),
    "answers on whether the meaning of the test is kept (yes, no, unsure)",
    "Share in [0, 1] of the raters' answers that the meaning of the test is kept; unsure counts as "
    "not kept.",
    "answers that the test is kept",
)
GENDER_ELSEWHERE = LabelScheme(
    tuple(YesNoLabel),
    "answers on whether another word shows the person's gender (yes, no, unsure)",
    "Share in [0, 1] of the raters' answers, on whether another word shows the person's gender, "
    "that are what the template states; unsure counts as not equal.",
    "answers as the template states",
)
SCHEMES = {
    Instrument.EUROGEST: GENDER,
    Instrument.MLA_BITE: TEST_KEPT,
    Instrument.SECTORS: GENDER_ELSEWHERE,
}

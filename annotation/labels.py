"""Labels: from the answers of a form, and what the system says of an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.errors import Fault, InputError
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    GenderLabel,
    Item,
    RaterLabel,
    YesNoLabel,
)

LABEL_OF_SPEAKER = {
    "man": GenderLabel.MASCULINE,
    "woman": GenderLabel.FEMININE,
    "other": GenderLabel.OTHER,
}
LABEL_OF_MARKING = {"no": GenderLabel.NEUTRAL, "unsure": GenderLabel.UNSURE}
LABEL_OF_VARIANT = {
    NEUTRAL_VARIANT: GenderLabel.NEUTRAL,
    MASCULINE_VARIANT: GenderLabel.MASCULINE,
    FEMININE_VARIANT: GenderLabel.FEMININE,
}

PROMPT_TEMPLATE = "prompt_template"
"""Subject kind of an item that shows a prompt template."""
COMMUNITY = "community"
"""Subject kind of an item that shows the name of a community."""
STATED = "stated"
"""Key of `Item.making`: the answer to the form's question that the source's template states."""
YES_NO_FIELDS = ("test_kept", "gender_elsewhere")
"""Questions that are answered yes, no or unsure, in place of the speaker's gender."""


def compute_label(answers: Mapping[str, Any]) -> RaterLabel | None:
    """The rater's label: of the question her form asks, None if it asks none.

    Raises:
        InputError: if an answer is none of the form's choices.
    """
    for field in YES_NO_FIELDS:
        given = answers.get(field)
        if given is None:
            continue
        if given not in set(YesNoLabel):
            raise InputError([_unknown_answer(field, given, "yes, no or unsure")])
        return YesNoLabel(given)
    return compute_gender_label(answers)


def find_system_label(item: Item) -> RaterLabel | None:
    """What the system says of an item, None where it says nothing.

    Of a prompt template and a community it says that the meaning is kept, of a sector sentence what
    its template states, of a sentence the variant it shows.
    """
    if item.subject_kind in (PROMPT_TEMPLATE, COMMUNITY):
        return YesNoLabel.YES
    stated = item.making.get(STATED)
    return compute_system_label(item.variant) if stated is None else YesNoLabel(stated)


def is_unsure(label: RaterLabel | None) -> bool:
    """Whether the rater could not tell."""
    return label in (GenderLabel.UNSURE, YesNoLabel.UNSURE)


def compute_gender_label(answers: Mapping[str, Any]) -> GenderLabel | None:
    """The rater's label of the speaker's gender, None if the form does not ask for it.

    `gender_marked` no gives neutral and unsure gives unsure, whatever `speaker_gender` holds (a
    browser may keep an answer to a question that was hidden again); yes gives masculine, feminine
    or other by `speaker_gender`.

    Raises:
        InputError: if an answer is none of the form's choices, or yes lacks `speaker_gender`.
    """
    marked = answers.get("gender_marked")
    if marked is None:
        return None
    if marked in LABEL_OF_MARKING:
        return LABEL_OF_MARKING[marked]
    if marked != "yes":
        raise InputError([_unknown_answer("gender_marked", marked, "yes, no or unsure")])
    speaker = answers.get("speaker_gender")
    if speaker not in LABEL_OF_SPEAKER:
        raise InputError([_unknown_answer("speaker_gender", speaker, "man, woman or other")])
    return LABEL_OF_SPEAKER[speaker]


def compute_system_label(variant: str) -> GenderLabel | None:
    """What the system says of an item: the variant it shows; None for a variant without gender.

    The item of a pair shows one variant, so its system label is masculine or feminine.
    """
    return LABEL_OF_VARIANT.get(variant)


def _unknown_answer(field: str, value: object, choices: str) -> Fault:
    problem = "is missing" if value is None else f"holds {value!r}"
    return Fault("answers", None, field, f"{field} {problem}", f"Answer {choices}")

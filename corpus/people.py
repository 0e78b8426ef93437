"""Records about people: raters and curators, their consent, the study's ethics approval.

`Person` is the only record with a name or an address, and the only one that can be erased.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.records import Stamp

RATER = "rater"
"""The kind of person who rates."""


@dataclass(frozen=True, slots=True)
class Person:
    """A rater or curator. The only record with a name or address; all others hold `id`."""

    id: str
    """Pseudonym, e.g. `rater-sk-1`; safe to show and release."""
    kind: str
    """`rater` or `curator`."""
    name: str | None = None
    address: str | None = None
    """What she signs in with on Label Studio."""
    contact: str | None = None
    """Where she is written to, if that is kept here at all."""
    demographics: Mapping[str, str] = field(default_factory=dict)
    """What she chose to say of herself for the data statement; only counts are ever shown."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """A rater's yes or no to publishing her ratings; the latest one counts."""

    rater_id: str
    publish: bool
    text_sha256: str
    """sha256 of the consent text she was shown."""
    by: str
    """Who recorded it."""
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Ethics:
    """The ethics approval of the study and what raters consent to; the latest row counts."""

    body: str
    """Name of the committee."""
    number: str
    """Its number of the approval."""
    consent_text: str
    stamp: Stamp | None = None

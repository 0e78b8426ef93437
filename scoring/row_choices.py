"""What a release says of its rows: which a person saw, and how good each translation is estimated.

With these the same scores are read again for some of the rows: those a person saw, or those from a
quality threshold on, a little under and over the one the release was made with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpus.release import Release
from corpus.release_schema import HumanSeen, ReleaseRow
from engines.quality_models import threshold_of
from scoring.uncertainty import source_key

STEPS = (-0.05, -0.025, 0.0, 0.025, 0.05)
"""Thresholds looked at, around the model's own, where no others are asked for."""
SEEN = frozenset({HumanSeen.BOTH, HumanSeen.ONE, HumanSeen.SOURCE})
"""As `n of N seen by a human` counts; source sentences were written by people."""


@dataclass(frozen=True, slots=True)
class RowFacts:
    """What is known of the rows of one language, by subject id."""

    seen: frozenset[str]
    """Rows of which a person saw a text as released."""
    quality: Mapping[str, float] = field(default_factory=dict)
    """Estimated quality; rows without an estimate are not in it."""
    threshold: float | None = None
    """The study's threshold of the model that estimated, or None."""

    @property
    def seen_keys(self) -> frozenset[str]:
        """The source keys of the rows that a person saw."""
        return frozenset(map(source_key, self.seen))

    def thresholds(self, chosen: Sequence[float] = ()) -> tuple[float, ...]:
        """The thresholds to look at: those chosen, else those around the model's own."""
        if chosen:
            return tuple(sorted(set(chosen)))
        if self.threshold is None:
            return ()
        return tuple(round(self.threshold + step, 6) for step in STEPS)

    def keys_from(self, threshold: float) -> frozenset[str]:
        """The source keys of the rows whose quality is at least this."""
        return frozenset(source_key(id_) for id_, q in self.quality.items() if q >= threshold)


def read_row_facts(release: Release, language: str) -> RowFacts:
    """What a release says of the rows of one language.

    Raises:
        ReleaseError: if it is without the language, or its table cannot be read.
    """
    return collect_row_facts(release.rows(language))


def collect_row_facts(rows: Sequence[ReleaseRow]) -> RowFacts:
    """What the rows of one language say of themselves."""
    models = {row.quality_model for row in rows if row.quality_model is not None}
    known = {threshold_of(model) for model in models}
    return RowFacts(
        seen=frozenset(row.id for row in rows if row.human_seen in SEEN),
        quality={row.id: row.quality_score for row in rows if row.quality_score is not None},
        # Scores of two models share no scale, so that no one threshold is theirs.
        threshold=known.pop() if len(models) == 1 else None,
    )

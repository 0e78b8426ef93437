"""Places for labels beside marks, so that none stands on another: in pixels, y down.

A label stands as near to its mark as there is room, first below to its right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MARK_RADIUS = 6.0
"""Half a mark's side, and a little more."""
GAP = 2.0
FIRST, NEAR = 1, 2
"""Half label heights: where a label stands if there is room, and how far off belongs to its mark
without a line."""
FARTHEST, ASIDES = 30, 4
STEPS = tuple(
    sorted(
        ((down, aside) for down in range(-FARTHEST, FARTHEST + 1) for aside in range(ASIDES)),
        key=lambda step: (abs(step[0] - FIRST) + 2 * step[1], -step[0]),
    )
)
"""Half label heights down and half label widths aside, the nearest first."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark and the size of its label."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label stands."""

    left: float
    middle: float
    """Of its height."""
    apart: bool
    """Whether it stands so far from its mark that a line must lead there."""


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def place_labels(marks: Sequence[Mark], width: float, height: float) -> tuple[Place | None, ...]:
    """A place for each mark's label in a panel of this size, in their order.

    Marks that coincide get labels below one another. None is what has no room at all.
    """
    panel = _Box(0, 0, width, height)
    taken = [
        _Box(m.x - MARK_RADIUS, m.y - MARK_RADIUS, m.x + MARK_RADIUS, m.y + MARK_RADIUS)
        for m in marks
    ]
    places: list[Place | None] = []
    for mark in marks:
        found = next(
            (
                (place, box)
                for place, box in _candidates(mark)
                if _holds(panel, box) and not any(box.meets(other) for other in taken)
            ),
            None,
        )
        places.append(found[0] if found else None)
        if found:
            taken.append(found[1])
    return tuple(places)


def _candidates(mark: Mark) -> Iterator[tuple[Place, _Box]]:
    """Right and left of the mark, ever farther from it."""
    for down, aside in STEPS:
        middle = mark.y + down * mark.height / 2
        beside = MARK_RADIUS + GAP + aside * mark.width / 2
        apart = aside > 0 or abs(down - FIRST) > NEAR
        for left in (mark.x + beside, mark.x - beside - mark.width):
            yield _candidate(left, middle, mark, apart)


def _candidate(left: float, middle: float, mark: Mark, apart: bool) -> tuple[Place, _Box]:
    top = middle - mark.height / 2
    box = _Box(left, top, left + mark.width, top + mark.height)
    return Place(left, middle, apart), box


def _holds(panel: _Box, box: _Box) -> bool:
    return (
        panel.left <= box.left
        and box.right <= panel.right
        and panel.top <= box.top
        and box.bottom <= panel.bottom
    )

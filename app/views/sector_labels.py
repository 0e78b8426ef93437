"""Places of the models' numbers in the scatter of SB and RB, and the part of it that is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.views.label_places import Mark, place_labels
from app.views.sector_points import Biases, BiasPoint

MARGIN = 0.08
"""Of the drawn range on each side."""
LEAST_MARGIN_NATS = 0.05
PANEL_WIDTH, PANEL_HEIGHT = 300, 240
CHARACTER_WIDTH, LABEL_HEIGHT = 6.0, 12.0
"""Of the labels' letters, pixels."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What all panels show: ends of their axes in nats."""

    low: float
    high: float
    bottom: float
    top: float

    def at(self, sb: float, rb: float) -> tuple[float, float]:
        """Pixels from the left and from the top."""
        across = (sb - self.low) / (self.high - self.low)
        down = (self.top - rb) / (self.top - self.bottom)
        return across * PANEL_WIDTH, down * PANEL_HEIGHT

    def of(self, x: float, y: float) -> tuple[float, float]:
        """SB and RB at these pixels."""
        sb = self.low + x / PANEL_WIDTH * (self.high - self.low)
        return sb, self.top - y / PANEL_HEIGHT * (self.top - self.bottom)


@dataclass(frozen=True, slots=True)
class BiasLabel:
    """A label of the scatter: where it begins, and where its mark is."""

    panel: str
    text: str
    language: str
    mark: tuple[float, float]
    """SB and RB, as the others."""
    begin: tuple[float, float]
    end: tuple[float, float] | None
    """Of a line from the mark to a label that stands apart."""


def find_frame(points: Sequence[BiasPoint]) -> Frame:
    """All points, their intervals and 0, and a little more; the lines of all languages fit in."""
    values = [0.0]
    for point in points:
        values.extend(x for x in (point.sb, point.low, point.high) if x is not None)
    margin = max(MARGIN * (max(values) - min(values)), LEAST_MARGIN_NATS)
    low, high = min(values) - margin, max(values) + margin
    shifts = [point.mean_w for point in points] or [0.0]
    return Frame(low, high, low - max(shifts), high - min(shifts))


def place_bias_labels(biases: Biases) -> tuple[BiasLabel, ...]:
    """`1 de` beside each point; a point without room for it has none."""
    return tuple(label for panel in biases.panels for label in _place(biases, panel))


def _place(biases: Biases, panel: str) -> Iterator[BiasLabel]:
    frame = find_frame(biases.points)
    points = [point for point in biases.points if point.panel == panel]
    marks = [
        Mark(*frame.at(p.sb, p.rb), CHARACTER_WIDTH * len(_text(p)), LABEL_HEIGHT) for p in points
    ]
    places = place_labels(marks, PANEL_WIDTH, PANEL_HEIGHT)
    for point, mark, place in zip(points, marks, places, strict=True):
        if place is None:
            continue
        nearest = place.left if place.left > mark.x else place.left + mark.width
        end = frame.of(nearest, place.middle) if place.apart else None
        begin = frame.of(place.left, place.middle)
        at = (point.sb, point.rb)
        yield BiasLabel(panel, _text(point), point.language, at, begin, end)


def _text(point: BiasPoint) -> str:
    return f"{point.number} {point.code}"

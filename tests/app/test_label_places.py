"""Labels beside marks: near them, in the panel, none upon another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.views.label_places import FIRST, MARK_RADIUS, Mark, Place, place_labels

WIDTH, HEIGHT = 300.0, 240.0


def overlap(one: tuple[Mark, Place], other: tuple[Mark, Place]) -> bool:
    (a, at), (b, of) = one, other
    beside = at.left < of.left + b.width and of.left < at.left + a.width
    return beside and abs(at.middle - of.middle) < (a.height + b.height) / 2 - 1e-9


def test_a_lone_label_stands_below_to_the_right_or_to_the_left_at_the_edge() -> None:
    (place,) = place_labels([Mark(100, 100, 24, 12)], WIDTH, HEIGHT)
    assert place is not None
    assert (place.left > 100 + MARK_RADIUS, place.middle) == (True, 100 + FIRST * 6)
    assert not place.apart
    (place,) = place_labels([Mark(295, 100, 24, 12)], WIDTH, HEIGHT)
    assert place is not None
    assert place.left + 24 < 295 - MARK_RADIUS


def test_marks_at_one_place_have_labels_apart_with_a_line_to_the_far_ones() -> None:
    marks = [Mark(150, 120, 24, 12)] * 8
    places = place_labels(marks, WIDTH, HEIGHT)
    assert all(places)
    assert len({(p.left, p.middle) for p in places if p}) == 8
    assert [p.apart for p in places if p].count(True) >= 2
    assert not next(p for p in places if p).apart


def test_what_has_no_room_has_no_label() -> None:
    places = place_labels([Mark(20, 10, 24, 12)] * 9, 40, 20)
    assert places == (None,) * 9


@given(st.lists(st.tuples(st.floats(0, WIDTH), st.floats(0, HEIGHT)), max_size=20))
def test_no_label_stands_on_another_or_outside(at: list[tuple[float, float]]) -> None:
    marks = [Mark(x, y, 24, 12) for x, y in at]
    placed = [
        (mark, place)
        for mark, place in zip(marks, place_labels(marks, WIDTH, HEIGHT), strict=True)
        if place
    ]
    assert len(placed) == len(marks)
    for k, one in enumerate(placed):
        assert 0 <= one[1].left <= WIDTH - 24
        assert 6 <= one[1].middle <= HEIGHT - 6
        assert not any(overlap(one, other) for other in placed[k + 1 :])

"""The fitted state of an object: the same twice, and nothing left out."""

import numpy as np

from pacbayes._core.state import State


class Box:
    """Makes what it is copied from anew each time, as compiled objects do."""

    def __init__(self, number):
        self.number = number

    def __reduce_ex__(self, _):
        return Box, (np.full(3, self.number).tolist(),), {"numbers": [float(self.number)] * 3, "inner": [[], {}]}


def test_what_is_made_on_the_way_is_never_taken_for_something_seen():
    """An object that is gone leaves its place in memory to the next one, which is another one."""
    boxes = [Box(number) for number in range(500)]
    state = State.of(boxes)
    assert state.differs_from(State.of([Box(number) for number in range(500)]), within=0.0) is None
    for place in (0, 250, 499):
        others = [Box(number + (number == place)) for number in range(500)]
        assert state.differs_from(State.of(others), within=0.0) is not None
    assert "seen" not in repr(state)


def test_what_occurs_twice_is_taken_once():
    shared = [1.0, 2.0]
    assert State.of([shared, shared]).value == ["list", ["list", 1.0, 2.0], ("seen", 1)]

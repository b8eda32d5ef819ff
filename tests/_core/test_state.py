"""The fitted state of an object: the same twice, and nothing left out."""

import numpy as np

from pacbayes._core.leeway import EXACT
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
    assert state.differs_from(State.of([Box(number) for number in range(500)]), EXACT) is None
    for place in (0, 250, 499):
        others = [Box(number + (number == place)) for number in range(500)]
        assert state.differs_from(State.of(others), EXACT) is not None
    assert "seen" not in repr(state)


def test_what_occurs_twice_is_taken_once():
    shared = [1.0, 2.0]
    assert State.of([shared, shared]).value == ["list", ["list", 1.0, 2.0], ("seen", 1)]


def test_each_number_is_compared_in_the_units_of_its_own_column():
    """A column of time stamps is no measure for the others, and of time stamps only the last digits may differ."""
    rows = np.column_stack([np.linspace(-2.0, 2.0, 40), 1.7e9 + np.linspace(0.0, 1e-3, 40)])
    for place, step, same in [
        ((3, 0), 1e-3, False),
        ((3, 1), 1.0, False),
        ((3, 0), 1e-10, True),
        ((20, 0), 1e-10, True),
        ((3, 1), 2e-6, True),
    ]:
        moved = rows.copy()
        moved[place] += step
        assert (State.of([moved]).differs_from(State.of([rows])) is None) == same, (place, step)


def test_weights_may_differ_in_their_last_digits_alone():
    weights = np.array([[1.0, 1e-9, 0.0, -2.0]])
    assert State.of(weights * (1.0 + 1e-8)).differs_from(State.of(weights)) is None
    for change in ([0.0, 1e-12, 0.0, 0.0], [0.0, 0.0, 1e-9, 0.0], [1e-5, 0.0, 0.0, 0.0]):
        assert State.of(weights + change).differs_from(State.of(weights)) is not None

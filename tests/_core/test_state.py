"""The state of an object: what it makes on the way to its state is never taken for something seen before."""

import numpy as np

from pacbayes._core.state import State


class MakesArrays:
    """Gives its state as arrays that nobody else holds, as the trees of scikit-learn do."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __reduce_ex__(self, _):
        return (MakesArrays, (), {"made": np.array([self.numbers]), "twice": np.array([2.0 * self.numbers])})


def test_arrays_that_are_made_on_the_way_keep_their_identity():
    things = [MakesArrays(float(number)) for number in range(200)]
    assert "seen" not in str(State.of(things).value)
    assert State.of(things).differs_from(State.of(things), 1e-6) is None
    things[-1].numbers = -1.0
    assert State.of(things).differs_from(State.of([*things[:-1], MakesArrays(199.0)]), 1e-6) == "made"


def test_the_same_thing_is_named_once():
    array = np.arange(3.0)
    assert State.of([array, array]).value[-1] == ("seen", 1)

"""Metrics as they are typed: blanks around a class are dropped unless the class has them."""

import numpy as np
import pytest

from pacbayes.metrics.asked import Asked, parse_asked

PLAIN, BLANK = np.array(["a", "b"]), np.array(["a", "a ", "b"])


@pytest.mark.parametrize(
    ("typed", "classes", "found"),
    [
        (["recall:a "], BLANK, ("recall:a ",)),
        (["recall:a"], BLANK, ("recall:a",)),
        (["recall:a", "recall:a "], BLANK, ("recall:a", "recall:a ")),
        (["recall:a "], PLAIN, ("recall:a",)),
        (["recall: a"], PLAIN, ("recall:a",)),
        ([" error ", " recall :a"], PLAIN, ("error", "recall:a")),
        (["recall:a =3"], BLANK, ("recall:a ",)),
        (["recall:a = 3"], PLAIN, ("recall:a",)),
    ],
)
def test_a_class_is_the_one_that_is_called_so(typed, classes, found):
    asked = Asked(**parse_asked(typed, None, None, difference=False))
    assert asked.questions([], classes).names == found


@pytest.mark.parametrize("typed", [["recall:a", "recall:a "], ["recall:a=1", "recall:a =2"]])
def test_one_class_with_and_without_blanks_is_refused(typed):
    asked = Asked(**parse_asked(typed, None, None, difference=False))
    with pytest.raises(ValueError, match="must name each metric once"):
        asked.questions([], PLAIN)

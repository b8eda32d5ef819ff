"""Schedules: what they refuse."""

from __future__ import annotations

import pytest

import pacbayes as pb


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pb.Every(0), r"'period' argument of Every must be a whole number of at least 1. Got 0"),
        (lambda: pb.Every(1.5), r"'period' argument of Every"),
        (lambda: pb.Geometric(1.0), r"'ratio' argument of Geometric must exceed 1. Got 1.0"),
        (lambda: pb.Geometric(2.0, 0), r"'first' argument of Geometric"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()

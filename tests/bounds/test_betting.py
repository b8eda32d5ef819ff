"""The betting bound beyond its contract."""

from __future__ import annotations

import pacbayes as pb


def test_one_rate_gives_one_derivative():
    _, gradient = pb.bounds.betting(-0.05, 0.5, 1.0, 100, 0.05, return_grad=True)
    assert isinstance(gradient["log_growth"], float)

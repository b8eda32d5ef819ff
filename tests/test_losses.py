"""Losses: values in the unit interval, and losses of users."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pacbayes as pb


class TestLosses:
    def test_values_lie_in_the_unit_interval(self):
        rng = np.random.default_rng(0)
        p, y = rng.random(1000), rng.integers(0, 2, 1000)
        columns = np.column_stack([1 - p, p])
        for name in ("brier", "log_loss"):
            loss = pb.losses.get(name)
            np.testing.assert_allclose(loss(p, y), loss(columns, y), rtol=1e-12)
            assert loss(np.array([0.0, 1.0]), np.array([1, 0])).tolist() == [1.0, 1.0]
            assert loss(np.array([0.0, 1.0]), np.array([0, 1])).tolist() == [0.0, 0.0]

    @pytest.mark.parametrize("given", [[50.0, 50.0], [-0.1, 0.5], [[0.999, 0.999]] * 2, [[3.0, -2.0]] * 2])
    def test_what_is_no_probability_is_refused(self, given):
        for name in ("brier", "log_loss"):
            with pytest.raises(ValueError, match=r"must be probabilities, which lie in \[0, 1\] and add up to 1"):
                pb.losses.get(name)(given, [1, 0])

    def test_range_of_a_users_loss_is_checked(self):
        loss = pb.losses.Loss("double", lambda p, y: 2.0 * np.abs(p - y), "value")
        with pytest.raises(ValueError, match=r"loss 'double' must return values in \[0, 1\]. Got 2.0"):
            loss(np.array([1.0]), np.array([0.0]))
        with pytest.raises(ValueError, match="Got nan"):
            pb.losses.get("absolute")([math.nan], [0.0])

    def test_registration(self):
        with pytest.raises(ValueError, match="'name' argument of register must be new"):
            pb.losses.register("brier", pb.losses.brier)
        with pytest.raises(ValueError, match="'prediction' argument of register"):
            pb.losses.register("another", pb.losses.brier, "score")

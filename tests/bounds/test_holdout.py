"""Bounds for one fixed predictor: tight wherever scipy's inverse is not exact."""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb


def test_clopper_pearson_is_tight_where_its_inverse_is_not():
    assert pb.bounds.clopper_pearson(9, 10**7, 0.05) == pytest.approx(1.5705e-6, rel=1e-4)
    assert pb.bounds.clopper_pearson(945335, 1135667, 0.025) == pytest.approx(0.83309, abs=1e-5)
    rng = np.random.default_rng(0)
    errors = rng.integers(0, 10**6, 2000)
    values = pb.bounds.clopper_pearson(
        errors, errors + rng.integers(1, 10**7, 2000), 10.0 ** rng.uniform(-6, -0.3, 2000)
    )
    assert np.all(values < 1.0)

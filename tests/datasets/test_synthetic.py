"""Distributions whose true risks are known."""

from __future__ import annotations

import numpy as np
import pytest

import pacbayes as pb


@pytest.mark.parametrize("law", ["gaussian", "logistic", "grid"])
def test_known_risks_agree_with_simulation(law):
    sample = pb.datasets.make_known_risk(400_000, d=4, law=law, random_state=1)
    rng = np.random.default_rng(2)
    for _ in range(4):
        w, intercept = rng.normal(size=4), rng.normal() * 0.3
        observed = np.mean((sample.X @ w + intercept > 0) != sample.y)
        risk = sample.risk(w, intercept)
        assert abs(observed - risk) < 5 * np.sqrt(risk * (1 - risk) / 400_000)
        assert risk >= sample.best_risk - 1e-9
    aligned = sample.parameters["direction"] * 3.0
    assert sample.risk(aligned) == pytest.approx(sample.best_risk, abs=1e-6)
    assert sample.risk(aligned + 1e-4 * rng.normal(size=4)) == pytest.approx(sample.best_risk, abs=1e-5)


def test_known_risk_bad_input():
    with pytest.raises(ValueError, match=r"'law' argument of make_known_risk .* Got 'moons'"):
        pb.datasets.make_known_risk(10, law="moons")
    with pytest.raises(ValueError, match="at least 1"):
        pb.datasets.make_known_risk(0)
    with pytest.raises(ValueError, match="must have 5 entries"):
        pb.datasets.make_known_risk(10).risk([1.0])
